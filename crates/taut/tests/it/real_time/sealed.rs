//! Predictable POAs, and those that are sealed.

use std::sync::Arc;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, ImplicitActivationPolicy, LifespanPolicy, Missing,
    ObjectId, Poa, PoaError, PoaManagerState, Policy, PredictabilityPolicy, Reference,
    RequestProcessingPolicy, ServantRetentionPolicy, SystemException, SystemExceptionKind,
    ThreadPolicy, minor,
};

use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, EchoSkeleton, Server, eventually};

struct Nothing;

impl Echo for Nothing {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

fn skeleton() -> EchoSkeleton<Nothing> {
    EchoSkeleton(Arc::new(Nothing))
}

const PREDICTABLE: Policy = Policy::Predictability(PredictabilityPolicy::Predictable);

/// A predictable POA with ids of its users, whose manager is not active yet.
fn predictable(parent: &Poa, name: &str, further: &[Policy]) -> Poa {
    let policies = [&[PREDICTABLE, IdAssignmentPolicy::UserId.into()], further].concat();
    parent.create_poa(name, None, &policies).unwrap()
}

fn system(error: PoaError) -> SystemException {
    match error {
        PoaError::System(exception) => exception,
        other => panic!("{other:?}"),
    }
}

fn is_sealed(error: PoaError) -> bool {
    let exception = system(error);
    exception.kind == SystemExceptionKind::BadInvOrder && exception.minor == minor::ADAPTER_SEALED
}

#[test]
fn policies_by_which_something_is_made_on_demand_or_waits_are_refused() {
    let server = Server::start();
    let create = |name: &str, policy: &[Policy]| {
        let policies = [&[PREDICTABLE], policy].concat();
        server.poa.create_poa(name, None, &policies)
    };
    let refused: [(&[Policy], u16); 4] = [
        (&[ThreadPolicy::SingleThread.into()], 1),
        (&[ThreadPolicy::MainThread.into()], 1),
        (&[RequestProcessingPolicy::UseServantManager.into()], 1),
        (
            &[
                ServantRetentionPolicy::NonRetain.into(),
                RequestProcessingPolicy::UseServantManager.into(),
            ],
            2,
        ),
    ];
    for (policies, wrong) in refused {
        match create("refused", policies) {
            Err(PoaError::InvalidPolicy { index }) => assert_eq!(index, wrong, "{policies:?}"),
            other => panic!("{policies:?}: {other:?}"),
        }
    }
    let allowed: [&[Policy]; 4] = [
        &[],
        &[LifespanPolicy::Persistent.into()],
        &[ImplicitActivationPolicy::ImplicitActivation.into()],
        &[
            IdUniquenessPolicy::MultipleId.into(),
            RequestProcessingPolicy::UseDefaultServant.into(),
        ],
    ];
    for (number, policies) in allowed.into_iter().enumerate() {
        create(&format!("allowed {number}"), policies).unwrap();
    }
    struct Founder;
    impl taut::AdapterActivator for Founder {
        fn unknown_adapter(&self, _: &Poa, _: &str) -> Result<bool, SystemException> {
            Ok(false)
        }
    }
    let poa = create("without activators", &[]).unwrap();
    let set = poa.set_adapter_activator(Some(Arc::new(Founder)));
    assert_eq!(set, Err(PoaError::WrongPolicy));
    assert_eq!(poa.set_adapter_activator(None), Ok(()));
}

#[test]
fn all_poas_of_an_orb_are_predictable_if_its_setting_says_so() {
    let server = Server::with(|settings| {
        settings.server.predictability = PredictabilityPolicy::Predictable;
    });
    let single = [ThreadPolicy::SingleThread.into()];
    let refused = server.poa.create_poa("single", None, &single);
    assert!(matches!(refused, Err(PoaError::InvalidPolicy { index: 0 })));
    // Unless they say otherwise, which the root's seal finds.
    let flexible = [PredictabilityPolicy::Flexible.into(), single[0]];
    let manager = Some(server.poa.manager());
    let child = server.poa.create_poa("single", manager, &flexible).unwrap();
    let missing = server.poa.seal().unwrap_err().missing;
    let poa = "RootPOA/single".to_owned();
    assert_eq!(missing, [Missing::Predictability { poa }]);
    child.destroy(true, true).unwrap();
    server.poa.seal().unwrap();
    server.client().ping().unwrap();
}

#[test]
fn no_request_waits_for_the_manager_of_a_predictable_poa() {
    let server = Server::start();
    let poa = predictable(&server.poa, "poa", &[]);
    let echo = poa.activate_with_id(&"one".into(), skeleton()).unwrap();
    let client = Mode::tcp().client(&echo.as_object().to_string());
    let refused = client.ping().unwrap_err();
    assert_eq!(
        (refused.kind, refused.minor),
        (SystemExceptionKind::Transient, minor::ADAPTER_NOT_ACTIVE)
    );
    poa.manager().activate().unwrap();
    client.ping().unwrap();
    poa.manager().hold_requests(true).unwrap();
    assert_eq!(client.ping().unwrap_err().minor, minor::ADAPTER_NOT_ACTIVE);
}

#[test]
fn sealing_tells_all_that_is_missing_and_changes_nothing_then() {
    let server = Server::start();
    let top = predictable(&server.poa, "top", &[]);
    let child = predictable(&top, "child", &[]);
    let flexible = top
        .create_poa("flexible", Some(top.manager()), &[])
        .unwrap();
    let by_default = predictable(
        &top,
        "default",
        &[
            IdUniquenessPolicy::MultipleId.into(),
            RequestProcessingPolicy::UseDefaultServant.into(),
        ],
    );
    top.manager().activate().unwrap();
    by_default.manager().activate().unwrap();
    let [here, there]: [ObjectId; 2] = ["here".into(), "there".into()];
    for id in [&here, &there] {
        top.create_reference_with_id(id, EchoRef::INTERFACE.repository_id)
            .unwrap();
    }
    top.activate_with_id(&here, skeleton()).unwrap();
    let error = top.seal().unwrap_err();
    let name = |child: &str| format!("RootPOA/top{child}");
    let expected = [
        Missing::ActiveObject {
            poa: name(""),
            id: there.clone(),
        },
        Missing::ActiveManager {
            poa: name("/child"),
            manager: child.manager().id().to_owned(),
            state: PoaManagerState::Holding,
        },
        Missing::DefaultServant {
            poa: name("/default"),
        },
        Missing::Predictability {
            poa: name("/flexible"),
        },
    ];
    assert_eq!(error.missing, expected);
    let text = error.to_string();
    for part in ["there", "activate it", "set one", "RootPOA/top/flexible"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!top.is_sealed() && !child.is_sealed());
    // All can be mended.
    top.activate_with_id(&there, skeleton()).unwrap();
    child.manager().activate().unwrap();
    by_default.set_servant(skeleton()).unwrap();
    flexible.destroy(true, true).unwrap();
    eventually("the end of a child", || top.children().len() == 2);
    top.seal().unwrap();
    assert!(top.is_sealed() && child.is_sealed() && by_default.is_sealed());
    top.seal().unwrap();
}

/// Another seal that found the child frozen took it for sealed, and the first thawed it when it
/// found that something was missing above.
#[test]
fn a_seal_that_fails_does_not_undo_another_that_succeeds() {
    let server = Server::start();
    let top = server.poa.create_poa("flexible", None, &[]).unwrap();
    for number in 0..300 {
        let child = predictable(&top, &number.to_string(), &[]);
        child.manager().activate().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| top.seal().unwrap_err());
            child.seal().unwrap();
        });
        assert!(child.is_sealed(), "round {number}");
    }
}

/// Each operation that would change a sealed POA, and those that would not.
#[test]
fn a_sealed_poa_does_not_change() {
    let server = Server::start();
    let poa = predictable(&server.poa, "poa", &[]);
    let by_slot = server
        .poa
        .create_poa("by slot", None, &[PREDICTABLE])
        .unwrap();
    let by_default = predictable(
        &poa,
        "default",
        &[
            IdUniquenessPolicy::MultipleId.into(),
            RequestProcessingPolicy::UseDefaultServant.into(),
        ],
    );
    let id: ObjectId = "here".into();
    let echo = poa.activate_with_id(&id, skeleton()).unwrap();
    by_default.set_servant(skeleton()).unwrap();
    for poa in [&poa, &by_slot, &by_default] {
        poa.manager().activate().unwrap();
    }
    poa.seal().unwrap();
    by_slot.seal().unwrap();
    let other: ObjectId = "other".into();
    let type_id = EchoRef::INTERFACE.repository_id;
    let refused = [
        poa.activate_with_id(&other, skeleton()).map(drop),
        poa.activate_object_with_id(&other, skeleton()),
        by_slot.activate(skeleton()).map(drop),
        by_slot.activate_object(skeleton()).map(drop),
        by_slot.create_reference(type_id).map(drop),
        poa.create_reference_with_id(&other, type_id).map(drop),
        poa.deactivate_object(&id),
        poa.create_poa("child", None, &[PREDICTABLE]).map(drop),
        by_default.set_servant(skeleton()),
    ];
    for (number, outcome) in refused.into_iter().enumerate() {
        assert!(is_sealed(outcome.unwrap_err()), "operation {number}");
    }
    // Errors that operations have without a seal come first.
    let again = poa.activate_with_id(&id, skeleton()).map(drop);
    assert_eq!(again, Err(PoaError::ObjectAlreadyActive));
    assert_eq!(
        poa.deactivate_object(&other),
        Err(PoaError::ObjectNotActive)
    );
    poa.create_reference_with_id(&id, type_id).unwrap();
    by_default
        .create_reference_with_id(&other, type_id)
        .unwrap();
    assert_eq!(poa.reference_to_id(echo.as_object()), Ok(id));
    let client = Mode::tcp().client(&echo.as_object().to_string());
    client.ping().unwrap();
    poa.manager().discard_requests(true).unwrap();
    client.ping().unwrap_err();
    poa.manager().activate().unwrap();
    client.ping().unwrap();
    poa.destroy(true, true).unwrap();
    client.ping().unwrap_err();
}

/// Keys of another life of the server say where objects lay then.
#[test]
fn persistent_references_of_an_earlier_life_are_found_in_a_sealed_orb() {
    let make = |backwards: bool| {
        let server = Mode::tcp().server_with(|settings| settings.server.id = "sealed".to_owned());
        let root = &server.poa;
        let manager = Some(root.manager());
        let policies = [
            PREDICTABLE,
            IdAssignmentPolicy::UserId.into(),
            LifespanPolicy::Persistent.into(),
        ];
        let poas: Vec<_> = ["one", "two"]
            .into_iter()
            .map(|name| root.create_poa(name, manager, &policies).unwrap())
            .collect();
        let mut numbers: Vec<_> = (0..100).collect();
        if backwards {
            numbers.reverse();
        }
        let mut references: Vec<(u32, String, Vec<u8>)> = Vec::new();
        for number in numbers {
            for poa in &poas {
                let id = ObjectId::from(format!("object {number}").as_str());
                let echo = poa.activate_with_id(&id, skeleton()).unwrap();
                let profile = &echo.as_object().ior().profiles[0];
                let key = taut_giop::ior::profile::object_key(profile.tag, &profile.data);
                let key = key.unwrap().unwrap().to_vec();
                references.push((number, poa.name().to_owned(), key));
            }
        }
        for poa in &poas {
            poa.seal().unwrap();
        }
        (server, references)
    };
    let (before, references) = make(false);
    before.orb.shutdown(true).unwrap();
    let (server, _) = make(true);
    for (number, poa, key) in references {
        let key = key
            .iter()
            .map(|octet| format!("%{octet:02x}"))
            .collect::<String>();
        let client: EchoRef = Mode::tcp().client(&server.url(&key));
        client
            .ping()
            .unwrap_or_else(|error| panic!("{number} of {poa}: {error}"));
    }
    let strange = server.url("object%20100");
    Mode::tcp().client(&strange).ping().unwrap_err();
}
