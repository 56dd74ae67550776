//! Components that interceptors add to references, and what they are told of POAs.

use std::sync::Arc;

use parking_lot::Mutex;
use taut::interceptors::{
    AdapterState, ClientRequestInfo, ClientRequestInterceptor, Interruption, IorInfo,
    IorInterceptor, TaggedComponent,
};
use taut::{
    CompletionStatus, LifespanPolicy, Orb, PoaError, Reference, SystemException,
    SystemExceptionKind, minor,
};

use super::generated::demo::{Circle, CircleRef, CircleSkeleton};
use super::{Drawn, Log};

const EVERYWHERE: u32 = 0x4d59_0021;
const IIOP: u32 = 0x4d59_0022;
/// The tags of the profiles of TCP and of Unix-domain sockets.
const TAG_IIOP: u32 = 0;
const TAG_UIOP: u32 = 0x5441_4f00;

fn component(tag: u32, data: &[u8]) -> TaggedComponent {
    TaggedComponent {
        tag,
        data: data.to_vec(),
    }
}

/// Adds two components, and notes what it is told.
#[derive(Default)]
struct Adding {
    log: Log,
}

impl IorInterceptor for Adding {
    fn name(&self) -> &str {
        "adding"
    }

    fn destroy(&self) {
        self.log.lock().push("destroy".to_owned());
    }

    fn establish_components(&self, info: &mut IorInfo<'_>) -> taut::Result<()> {
        let name = info.adapter_name().join("/");
        self.log
            .lock()
            .push(format!("establish {name} {:?}", info.state()));
        info.add_ior_component(component(EVERYWHERE, name.as_bytes()))?;
        info.add_ior_component_to_profile(component(IIOP, b"tcp"), TAG_IIOP)?;
        let unknown = info.add_ior_component_to_profile(component(IIOP, b""), 77);
        assert_eq!(unknown.unwrap_err().minor, minor::omg(29));
        let lifespan = info.get_effective_policy(17).unwrap();
        assert_eq!(lifespan, u32::from(name.ends_with("durable")));
        assert_eq!(info.get_effective_policy(4711), None);
        assert!(!info.manager_id().is_empty());
        Ok(())
    }

    fn components_established(&self, info: &mut IorInfo<'_>) -> taut::Result<()> {
        let late = info.add_ior_component(component(EVERYWHERE, b"late"));
        assert_eq!(late.unwrap_err().minor, minor::omg(14));
        match info.adapter_name().last().unwrap().as_str() {
            "refused" => Err(SystemException::new(
                SystemExceptionKind::NoPermission,
                0,
                CompletionStatus::No,
            )),
            _ => Ok(()),
        }
    }

    fn adapter_manager_state_changed(&self, manager_id: &str, state: AdapterState) {
        self.log.lock().push(format!("{manager_id} {state:?}"));
    }

    fn adapter_state_changed(&self, adapter_name: &[String], state: AdapterState) {
        let name = adapter_name.join("/");
        self.log.lock().push(format!("{name} {state:?}"));
    }
}

/// Notes the components of the references that are called.
#[derive(Default)]
struct Looking(Arc<Mutex<Vec<Seen>>>);

/// The tag of a profile, and the data of its components.
type Seen = (u32, Vec<Vec<u8>>);

impl ClientRequestInterceptor for Looking {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        for tag in [EVERYWHERE, IIOP] {
            let found = info.get_effective_components(tag)?;
            assert_eq!(info.get_effective_component(tag)?, found[0]);
            let data = found.into_iter().map(|component| component.data);
            self.0.lock().push((tag, data.collect()));
        }
        let missing = info.get_effective_component(4711).unwrap_err();
        assert_eq!(missing.minor, minor::omg(28));
        assert_eq!(info.effective_profile()?.tag, TAG_IIOP);
        Ok(())
    }
}

#[test]
fn components_are_in_the_references_of_their_profiles_and_clients_find_them() {
    let log = Log::default();
    let adding = Adding {
        log: Arc::clone(&log),
    };
    let seen = Looking::default();
    let looked = Arc::clone(&seen.0);
    let socket = format!(
        "uiop://{}/it-ior-{}",
        std::env::temp_dir().display(),
        std::process::id()
    );
    let server = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .listen(&socket)
        .unwrap()
        .ior_interceptor(adding)
        .build()
        .unwrap();
    let client = Orb::builder().client_interceptor(seen).build().unwrap();
    let root = server.root_poa().unwrap();
    root.manager().activate().unwrap();
    let durable = root
        .create_poa(
            "durable",
            Some(root.manager()),
            &[LifespanPolicy::Persistent.into()],
        )
        .unwrap();
    for (poa, name) in [(&root, "RootPOA"), (&durable, "RootPOA/durable")] {
        let id = poa
            .activate_object(CircleSkeleton::new(Drawn::default()))
            .unwrap();
        let object = poa.id_to_reference(&id).unwrap();
        let tags: Vec<_> = object
            .ior()
            .profiles
            .iter()
            .map(|profile| profile.tag)
            .collect();
        assert_eq!(tags, [TAG_IIOP, TAG_UIOP]);
        for profile in &object.ior().profiles {
            let has = |text: &str| {
                profile
                    .data
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            };
            assert!(has(name));
            assert_eq!(has("tcp"), profile.tag == TAG_IIOP);
        }
        let circle: CircleRef = client
            .string_to_object(&object.to_string())
            .unwrap()
            .unchecked_narrow();
        circle.radius().unwrap();
        let found = std::mem::take(&mut *looked.lock());
        let expected = [
            (EVERYWHERE, vec![name.as_bytes().to_vec()]),
            (IIOP, vec![b"tcp".to_vec()]),
        ];
        assert_eq!(found, expected);
    }
    match root.create_poa("refused", Some(root.manager()), &[]) {
        Err(PoaError::System(exception)) => {
            assert_eq!(exception.kind, SystemExceptionKind::ObjAdapter);
            assert_eq!(exception.minor, minor::omg(6));
        }
        other => panic!("{other:?}"),
    }
    assert!(root.find_poa("refused", false).is_err());
    durable.destroy(true, true).unwrap();
    server.shutdown(true).unwrap();
    client.shutdown(true).unwrap();
    let expected = [
        "establish RootPOA Holding",
        "RootPOAManager Active",
        "establish RootPOA/durable Active",
        "establish RootPOA/refused Active",
        "RootPOA/refused NonExistent",
        "RootPOA/durable NonExistent",
        "RootPOAManager Inactive",
        "RootPOA NonExistent",
        "destroy",
    ];
    assert_eq!(*log.lock(), expected);
}

#[test]
fn an_interceptor_of_references_leaves_calls_as_they_are() {
    let server = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .ior_interceptor(Adding::default())
        .build()
        .unwrap();
    let root = server.root_poa().unwrap();
    root.manager().activate().unwrap();
    let circle = root
        .servant_to_reference(CircleSkeleton::new(Drawn::default()))
        .unwrap();
    assert_eq!(circle.radius(), Ok(1.5));
    assert_eq!(
        circle
            .as_object()
            .invoke("_get_radius", |_| Ok(()))
            .unwrap()
            .results(|input| input.read::<f64>()),
        Ok(1.5)
    );
    server.shutdown(true).unwrap();
}
