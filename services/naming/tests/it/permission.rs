//! Changes of names are permitted by the addresses of clients.

use std::sync::Arc;

use taut::{CollocationStrategy, ObjectRef, Orb, Reference, SystemExceptionKind, minor};
use taut_naming::naming_context::{BindError, DestroyError};
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;
use taut_naming::{NamingContext, NamingContextRef};

use super::iterators::name;

/// A service at an endpoint that lets these change names; its root, in its own process and for a
/// client.
fn service(endpoint: &str, networks: &[&str]) -> (Orb, NamingContextRef, NamingContextRef) {
    let orb = Orb::builder().listen(endpoint).unwrap().build().unwrap();
    let mut settings = ServiceSettings::default();
    let networks = networks.iter().map(|network| network.parse().unwrap());
    settings.allow_changes_from = Some(networks.collect());
    let store = Arc::new(MemoryStore::new());
    let service = NamingService::start(&orb, store, settings).unwrap();
    let root: NamingContextRef = service.root().unchecked_narrow();
    // As if it were in another process.
    let client = Orb::builder().settings(|settings| {
        settings.client.collocation = CollocationStrategy::Off;
    });
    let client = client.build().unwrap();
    let there = client.string_to_object(&service.root().to_string());
    (orb, root, there.unwrap().unchecked_narrow())
}

fn object(root: &NamingContextRef) -> ObjectRef {
    root.as_object().clone()
}

/// A socket in the system's directory for temporary files, or the loopback.
const ENDPOINTS: [&str; 2] = ["127.0.0.1:0", "uiop://"];

#[test]
fn a_client_at_an_address_that_is_allowed_changes_names() {
    for (endpoint, networks) in [
        (ENDPOINTS[0], &["192.0.2.0/24", "127.0.0.0/8"][..]),
        (ENDPOINTS[1], &["unix"]),
    ] {
        let (orb, root, there) = service(endpoint, networks);
        there.bind(&name("x"), Some(&object(&there))).unwrap();
        root.unbind(&name("x")).unwrap();
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_client_elsewhere_is_refused_each_change_and_answered_all_else() {
    for (endpoint, networks) in [
        (ENDPOINTS[0], &["192.0.2.0/24", "unix", "::1"][..]),
        (ENDPOINTS[0], &[]),
        (ENDPOINTS[1], &["127.0.0.1"]),
    ] {
        let (orb, root, there) = service(endpoint, networks);
        // The program that has the service within itself may.
        root.bind(&name("x"), Some(&object(&root))).unwrap();
        assert!(there.resolve(&name("x")).unwrap().is_some());
        let refused = |error: taut::SystemException| {
            assert_eq!(error.kind, SystemExceptionKind::NoPermission);
            assert_eq!(error.minor, minor::CHANGES_NOT_ALLOWED);
        };
        match there.bind(&name("y"), Some(&object(&there))) {
            Err(BindError::System(exception)) => refused(exception),
            other => panic!("{other:?}"),
        }
        refused(there.new_context().unwrap_err());
        match there.destroy() {
            Err(DestroyError::System(exception)) => refused(exception),
            other => panic!("{other:?}"),
        }
        assert_eq!(there.list(10).unwrap().0.len(), 1);
        orb.shutdown(true).unwrap();
    }
}
