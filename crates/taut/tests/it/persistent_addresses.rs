//! Persistent references that lead by way of a forwarder.

use std::sync::{Arc, Mutex};

use crate::common;
use crate::common::{Echo, EchoRef, EchoSkeleton};
use taut::{
    Address, IdAssignmentPolicy, LifespanPolicy, ObjectRef, Orb, PersistentKey, Reference,
    SystemExceptionKind,
};

/// An ORB of a server with this id, whose persistent references lead to a forwarder.
fn server(id: &str, forwarder: &Address) -> Orb {
    let mut arguments = [
        "-ORBServerId",
        id,
        "-ORBPersistentAddresses",
        &forwarder.to_string(),
        "-ORBListenEndpoints",
        "127.0.0.1:0",
    ]
    .map(str::to_owned)
    .to_vec();
    let builder = Orb::builder().arguments(&mut arguments).unwrap();
    builder.settings(common::adjust).build().unwrap()
}

/// Activates a servant under the id `polly` of the persistent POA `parrots`.
fn serve(orb: &Orb) -> EchoRef {
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    let policies = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let poa = root.create_poa("parrots", Some(root.manager()), &policies);
    let servant = common::Server::start().servant;
    poa.unwrap()
        .activate_with_id(&"polly".into(), EchoSkeleton(servant))
        .unwrap()
}

fn address(object: &ObjectRef) -> Address {
    let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
    Address::new(profile.host, profile.port)
}

#[test]
fn only_persistent_references_carry_the_persistent_addresses() {
    let forwarder = Address::new("forwarder.example", 4_000);
    let orb = server("birds", &forwarder);
    let echo = serve(&orb);
    assert_eq!(address(echo.as_object()), forwarder);
    let transient = orb
        .root_poa()
        .unwrap()
        .create_reference("IDL:test/Echo:1.0");
    assert_eq!(address(&transient.unwrap()), orb.published_addresses()[0]);
    let profile = echo.as_object().ior().iiop_profiles().next().unwrap();
    let key = profile.unwrap().object_key;
    assert_eq!(
        PersistentKey::parse(&key),
        Some(PersistentKey {
            server_id: "birds",
            poa_names: vec!["parrots"],
            object_id: b"polly",
        })
    );
    for length in 0..key.len() - "polly".len() {
        assert_eq!(PersistentKey::parse(&key[..length]), None);
    }
    orb.shutdown(true).unwrap();
}

/// Where the servers are at the moment, by their ids.
type Places = Arc<Mutex<Vec<(String, Vec<Address>)>>>;

/// An ORB that forwards by server ids.
fn forwarder() -> (Orb, Places) {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.settings(common::adjust).build().unwrap();
    let places = Places::default();
    let (its_orb, its_places) = (orb.clone(), Arc::clone(&places));
    orb.set_object_key_locator(move |key| {
        let id = PersistentKey::parse(key)?.server_id;
        let places = its_places.lock().unwrap();
        let (_, addresses) = places.iter().rev().find(|(known, _)| known == id)?;
        its_orb.object_at(addresses, key, "")
    });
    orb.root_poa().unwrap();
    (orb, places)
}

#[test]
fn a_client_finds_a_server_again_that_comes_back_elsewhere() {
    let (forwarder, places) = forwarder();
    let at = forwarder.published_addresses()[0].clone();
    let is_at = |id: &str, orb: &Orb| {
        let place = (id.to_owned(), orb.published_addresses().to_vec());
        places.lock().unwrap().push(place);
    };
    let (mut birds, fish) = (server("birds", &at), server("fish", &at));
    let (bird, fish_echo) = (serve(&birds), serve(&fish));
    let bird = common::client(&bird.as_object().to_string());
    let fish_echo = common::client(&fish_echo.as_object().to_string());
    assert_eq!(
        bird.ping().unwrap_err().kind,
        SystemExceptionKind::ObjectNotExist,
        "the forwarder does not know it yet"
    );
    is_at("birds", &birds);
    is_at("fish", &fish);
    for _ in 0..3 {
        // A oneway is not forwarded, for nobody waits for the answer.
        bird.ping().unwrap();
        bird.note("for this life").unwrap();
        assert_eq!(bird.notes().unwrap(), 1, "it has begun anew");
        assert_eq!(fish_echo.notes().unwrap(), 0);

        birds.shutdown(true).unwrap();
        let error = bird.ping().unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Transient, "it is away");
        birds = server("birds", &at);
        serve(&birds);
        is_at("birds", &birds);
    }
    for orb in [birds, fish, forwarder] {
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_reference_needs_an_address() {
    let orb = Orb::builder().build().unwrap();
    assert_eq!(orb.object_at(&[], b"key", ""), None);
    let nul = Address::new("a\0b", 1);
    assert_eq!(orb.object_at(&[nul], b"key", ""), None);
    let object = orb.object_at(&[Address::new("h", 1)], b"key", "IDL:x:1.0");
    assert_eq!(object.unwrap().type_id(), "IDL:x:1.0");
}
