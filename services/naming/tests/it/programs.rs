//! What programs have of the naming service: registrations upon leases, and resolvers.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taut::{ObjectRef, Orb, Reference, SystemException, SystemExceptionKind};
use taut_naming::naming_context::ResolveError;
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;
use taut_naming::{
    LeaseError, LeaseKeeper, LeasingContextRef, NameComponent, NamingContext, NamingContextRef,
    Registration, Resolver, ResolverError,
};

const TIME_OUT: Duration = Duration::from_secs(60);

/// A naming service in this process, which ends with the value.
struct Service {
    orb: Orb,
    root: NamingContextRef,
}

impl Service {
    fn start() -> Self {
        Self::start_at(test_tools::free_port().unwrap())
    }

    fn start_at(port: u16) -> Self {
        let orb = Orb::builder().listen(&format!("127.0.0.1:{port}")).unwrap();
        let orb = orb.build().unwrap();
        let store = Arc::new(MemoryStore::new());
        let service = NamingService::start(&orb, store, ServiceSettings::default()).unwrap();
        let root = service.root().unchecked_narrow();
        Self { orb, root }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// An ORB of a client whose naming service is at this port.
fn client(port: u16) -> Orb {
    let url = format!("NameService=corbaloc:iiop:1.2@127.0.0.1:{port}/NameService");
    Orb::init(&mut vec!["-ORBInitRef".to_owned(), url]).unwrap()
}

fn name(id: &str) -> Vec<NameComponent> {
    vec![NameComponent {
        id: id.to_owned(),
        kind: String::new(),
    }]
}

fn root(orb: &Orb) -> NamingContextRef {
    let root = orb.resolve_initial_references("NameService").unwrap();
    root.narrow().unwrap()
}

fn object(orb: &Orb) -> ObjectRef {
    let url = "corbaloc:iiop:1.2@127.0.0.1:9/Object";
    orb.string_to_object(url).unwrap()
}

#[test]
fn every_context_can_be_narrowed_to_one_with_leases() {
    let service = Service::start();
    let room = service.root.bind_new_context(&name("room")).unwrap();
    for context in [&service.root, &room.unwrap()] {
        let narrowed: Result<LeasingContextRef, _> = context.as_object().narrow();
        narrowed.unwrap();
    }
}

#[test]
fn a_registration_upon_a_lease_is_unbound_at_its_end() {
    let port = test_tools::free_port().unwrap();
    let _service = Service::start_at(port);
    let orb = client(port);
    let (root, object) = (root(&orb), object(&orb));
    let time = Duration::from_secs(100);
    let path = [name("a"), name("b")].concat();
    let registration = Registration::bind_with_lease(&orb, "a/b", &object, time).unwrap();
    assert_eq!(root.resolve(&path).unwrap(), Some(object.clone()));
    registration.unbind().unwrap();
    let gone = root.resolve(&path);
    assert!(matches!(gone, Err(ResolveError::NotFound(_))), "{gone:?}");

    // What somebody else has bound meanwhile is left alone.
    let other = service_object(&orb, "Other");
    let registration = Registration::bind_with_lease(&orb, "a/b", &object, time).unwrap();
    root.rebind(&path, Some(&other)).unwrap();
    drop(registration);
    assert_eq!(root.resolve(&path).unwrap(), Some(other));
}

fn service_object(orb: &Orb, key: &str) -> ObjectRef {
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:9/{key}");
    orb.string_to_object(&url).unwrap()
}

#[test]
fn a_lease_that_was_lost_is_begun_anew_with_its_names() {
    let port = test_tools::free_port().unwrap();
    let service = Service::start_at(port);
    let orb = client(port);
    let (root, own) = (root(&orb), object(&orb));
    let lease = LeaseKeeper::start(&root, Duration::from_secs(3)).unwrap();
    assert_eq!(lease.time(), Duration::from_secs(3));
    lease.bind(&name("own"), &own).unwrap();
    lease.bind(&name("taken"), &own).unwrap();

    // The next service knows neither the names nor the lease.
    drop(service);
    let _service = Service::start_at(port);
    let other = service_object(&orb, "Other");
    root.rebind(&name("taken"), Some(&other)).unwrap();
    let started = Instant::now();
    while root.resolve(&name("own")).is_err() {
        assert!(started.elapsed() < TIME_OUT, "the name is not bound again");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(root.resolve(&name("taken")).unwrap(), Some(other.clone()));
    lease.end().unwrap();
    root.resolve(&name("own")).unwrap_err();
    assert_eq!(root.resolve(&name("taken")).unwrap(), Some(other));
}

#[test]
fn what_is_no_context_with_leases_is_refused() {
    let orb = Orb::builder().build().unwrap();
    let port = test_tools::free_port().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/NameService");
    let nobody = orb.string_to_object(&url).unwrap();
    let refused = LeaseKeeper::start(&nobody.unchecked_narrow(), Duration::from_secs(3));
    assert!(
        matches!(refused, Err(LeaseError::NoLeases(_))),
        "{refused:?}"
    );
}

#[test]
fn a_resolver_keeps_an_object_until_a_call_fails() {
    let port = test_tools::free_port().unwrap();
    let service = Service::start_at(port);
    // Two objects that can be called.
    let (first, second) = (Service::start(), Service::start());
    let bind = |server: &Service| {
        let object = server.root.as_object();
        service.root.rebind(&name("x"), Some(object)).unwrap();
    };
    bind(&first);
    let orb = client(port);
    let resolver = Resolver::new(&orb).unwrap();
    let found = || resolver.resolve("x");
    let call = || {
        resolver.call("x", |context: &NamingContextRef| {
            context.list(0)?;
            Ok::<_, SystemException>(context.as_object().clone())
        })
    };
    let (one, two) = (first.root.as_object(), second.root.as_object());
    assert_eq!(&call().unwrap(), one);
    bind(&second);
    assert_eq!(&found().unwrap(), one);
    assert_eq!(&call().unwrap(), one);
    drop(first);
    // The call that fails goes to the one that has taken the place.
    assert_eq!(&call().unwrap(), two);
    assert_eq!(&found().unwrap(), two);

    // Where nobody has, it ends with the exception of the call.
    drop(second);
    let failed = call().unwrap_err();
    let ResolverError::Call(exception) = failed else {
        panic!("{failed}");
    };
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
    resolver.forget("x");
    service.root.unbind(&name("x")).unwrap();
    let failed = found().unwrap_err();
    let is_missing = matches!(failed, ResolverError::Resolve(ResolveError::NotFound(_)));
    assert!(is_missing, "{failed}");
}

#[test]
fn a_resolver_keeps_no_more_names_than_it_may() {
    let port = test_tools::free_port().unwrap();
    let service = Service::start_at(port);
    let orb = client(port);
    for (capacity, kept) in [(0, 0), (2, 2)] {
        let resolver = Resolver::new(&orb).unwrap().with_capacity(capacity);
        let ids = ["a", "b", "c"];
        for id in ids {
            service.root.rebind(&name(id), Some(&object(&orb))).unwrap();
            resolver.resolve(id).unwrap();
            service.root.unbind(&name(id)).unwrap();
        }
        // Those that are kept are not asked for.
        let found = ids.iter().filter(|id| resolver.resolve(id).is_ok());
        assert_eq!(found.count(), kept);
    }
}
