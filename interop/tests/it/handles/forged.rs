//! Handles that no server has given: each is refused, and reaches nothing.

use std::sync::Arc;

use parking_lot::Mutex;
use taut::codegen::{Interface, ServantIdentity, ServerRequest};
use taut::{
    Cookie, IdAssignmentPolicy, ObjectId, Orb, Poa, PoaError, RequestProcessingPolicy, Servant,
    ServantLocator, ServantManager, ServantManagerError, ServantRetentionPolicy,
    SystemExceptionKind, Version,
};
use taut_giop::minor::STALE_OPERATION_HANDLE;

use super::tap::{ask, iiop};

/// Two operations, and a list of what was asked for.
const INTERFACE: Interface = Interface::new("IDL:test/Adder:1.0", &[], &["add", "subtract"]);

#[derive(Clone, Default)]
struct Adder(Arc<Mutex<Vec<String>>>);

impl Servant for Adder {
    fn interface(&self) -> &'static Interface {
        &INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> taut::Result<()> {
        self.dispatch_at(None, request)
    }

    fn dispatch_at(
        &self,
        place: Option<usize>,
        request: &mut ServerRequest<'_>,
    ) -> taut::Result<()> {
        let name = String::from_utf8(request.operation().to_vec()).unwrap();
        self.0.lock().push(format!("{name} {place:?}"));
        request.reply(|_| Ok(()))
    }
}

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

fn server(operation_handles: bool) -> (Orb, Poa) {
    let orb = Orb::builder()
        .settings(|settings| settings.wire.operation_handles = operation_handles)
        .listen("127.0.0.1:0")
        .and_then(taut::OrbBuilder::build)
        .unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    (orb, poa)
}

/// Where the parts of a handle's key stand.
const FORMAT: usize = 3;
const INCARNATION: usize = 4;
const POA: usize = 20;
const OBJECT: usize = 28;
const FINGERPRINT: usize = 36;

#[test]
fn a_forged_handle_reaches_nothing() {
    let (_orb, poa) = server(true);
    let adder = Adder::default();
    let id = poa.activate_object(adder.clone()).unwrap();
    let object = poa.id_to_reference(&id).unwrap();
    let port = iiop(object.ior()).port;
    let base = super::handles_of(&object).unwrap().key;
    let good = [&base[..], &1_u32.to_be_bytes()].concat();
    let take = || std::mem::take(&mut *adder.0.lock());
    for version in VERSIONS {
        assert_eq!(ask(port, version, &good, b""), None);
        assert_eq!(take(), ["subtract Some(1)"]);

        let changed = |at: usize| {
            let mut key = good.clone();
            key[at] ^= 1;
            key
        };
        let with_place = |place: u32| [&base[..], &place.to_be_bytes()].concat();
        let (stale, unknown) = (
            SystemExceptionKind::BadOperation,
            SystemExceptionKind::ObjectNotExist,
        );
        let mut named = good.clone();
        named[FORMAT] = 5;
        for (key, kind) in [
            (with_place(2), stale),
            (with_place(u32::MAX), stale),
            (changed(FINGERPRINT), stale),
            (changed(FINGERPRINT + 7), stale),
            (changed(0), unknown),
            (changed(FORMAT), unknown),
            (changed(INCARNATION), unknown),
            (changed(INCARNATION + 15), unknown),
            (changed(POA + 3), unknown),
            (changed(POA + 7), unknown),
            (changed(OBJECT), unknown),
            (changed(OBJECT + 7), unknown),
            (named, unknown),
            ([&good[..], b"x"].concat(), unknown),
            (base.clone(), unknown),
            (base[..FINGERPRINT].to_vec(), unknown),
        ] {
            let refusal = ask(port, version, &key, b"").unwrap();
            assert_eq!(refusal.kind, kind, "{key:?}");
            assert_eq!(refusal.minor == STALE_OPERATION_HANDLE, kind == stale);
        }
        // By name, the object that is named so is asked, and nobody says both.
        assert_eq!(ask(port, version, &good, b"add").unwrap().kind, stale);
        assert_eq!(take(), [""; 0]);
        assert_eq!(
            ask(port, version, &iiop(object.ior()).object_key, b"add"),
            None
        );
        assert_eq!(take(), ["add None"]);
    }
    poa.deactivate_object(&id).unwrap();
    let refusal = ask(port, Version::V1_2, &good, b"").unwrap();
    assert_eq!(refusal.kind, SystemExceptionKind::ObjectNotExist);
}

#[test]
fn an_orb_without_the_setting_offers_no_handles_and_takes_none() {
    let (_orb, poa) = server(false);
    let adder = Adder::default();
    let id = poa.activate_object(adder.clone()).unwrap();
    let object = poa.id_to_reference(&id).unwrap();
    assert_eq!(super::handles_of(&object), None);
    let mut key = iiop(object.ior()).object_key;
    key[FORMAT] = 4;
    key.extend([0; 12]);
    let refusal = ask(iiop(object.ior()).port, Version::V1_2, &key, b"").unwrap();
    assert_eq!(refusal.kind, SystemExceptionKind::ObjectNotExist);
    assert_eq!(*adder.0.lock(), [""; 0]);
}

/// Only of an object that is there it is certain which interface it has, and only in
/// this life of the server.
#[test]
fn references_have_handles_where_the_interface_is_known_for_certain() {
    let (_orb, root) = server(true);
    let child = |name: &str, policies: &[taut::Policy]| -> Result<Poa, PoaError> {
        root.create_poa(name, Some(root.manager()), policies)
    };
    let has = |object: &taut::ObjectRef| super::handles_of(object).is_some();
    let id = root.activate_object(Adder::default()).unwrap();
    assert!(has(&root.id_to_reference(&id).unwrap()));
    assert!(!has(&root.create_reference("IDL:test/Adder:1.0").unwrap()));

    let user = child("user", &[IdAssignmentPolicy::UserId.into()]).unwrap();
    let id: ObjectId = "adder".into();
    user.activate_object_with_id(&id, Adder::default()).unwrap();
    assert!(has(&user.id_to_reference(&id).unwrap()));
    let made = user.create_reference_with_id(&id, "IDL:test/Adder:1.0");
    assert!(!has(&made.unwrap()));

    let persistent = [
        IdAssignmentPolicy::UserId.into(),
        taut::LifespanPolicy::Persistent.into(),
    ];
    let persistent = child("persistent", &persistent).unwrap();
    persistent
        .activate_object_with_id(&id, Adder::default())
        .unwrap();
    assert!(!has(&persistent.id_to_reference(&id).unwrap()));
}

/// Notes for which operations it was asked.
struct Locator(Adder, Arc<Mutex<Vec<String>>>);

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        operation: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.1.lock().push(operation.to_owned());
        Ok((Arc::new(self.0.clone()), None))
    }
}

/// A locator is told an operation's name or not asked.
#[test]
fn a_locator_is_not_asked_for_a_handle() {
    let (_orb, root) = server(true);
    let policies = [
        IdAssignmentPolicy::UserId.into(),
        ServantRetentionPolicy::NonRetain.into(),
        RequestProcessingPolicy::UseServantManager.into(),
    ];
    let poa = root
        .create_poa("located", Some(root.manager()), &policies)
        .unwrap();
    let (adder, asked) = (Adder::default(), Arc::default());
    let locator = Locator(adder.clone(), Arc::clone(&asked));
    poa.set_servant_manager(ServantManager::locator(locator))
        .unwrap();
    let object = poa
        .create_reference_with_id(&"any".into(), INTERFACE.repository_id)
        .unwrap();
    assert_eq!(super::handles_of(&object), None);
    let profile = iiop(object.ior());
    assert_eq!(
        ask(profile.port, Version::V1_2, &profile.object_key, b"add"),
        None
    );

    let other = root.activate_object(Adder::default()).unwrap();
    let other = root.id_to_reference(&other).unwrap();
    let fingerprint = super::handles_of(&other).unwrap().fingerprint;
    let mut key = profile.object_key;
    key[FORMAT] = 5;
    key.splice(FINGERPRINT..FINGERPRINT, fingerprint.to_be_bytes());
    key.extend(0_u32.to_be_bytes());
    let refusal = ask(profile.port, Version::V1_2, &key, b"").unwrap();
    assert_eq!(refusal.kind, SystemExceptionKind::BadOperation);
    assert_eq!(refusal.minor, STALE_OPERATION_HANDLE);
    assert_eq!(*asked.lock(), ["add"]);
    assert_eq!(*adder.0.lock(), ["add None"]);
}
