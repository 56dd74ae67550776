//! Names that lead through several services, of Taut and of omniORB.

use taut::{ObjectRef, Orb, Reference};
use taut_interop::OmniNames;
use taut_interop::param_test::serve;
use taut_naming::naming_context::{
    BindError, CannotProceed, NotFoundReason, ResolveError, UnbindError,
};
use taut_naming::service::ServiceSettings;
use taut_naming::{NameComponent, NamingContext, NamingContextExtRef, NamingContextRef};

use super::cases::name;
use super::services::{Ours, orb};

/// The base interface of a reference.
fn base(context: &NamingContextExtRef) -> NamingContextRef {
    context.as_object().unchecked_narrow()
}

/// An object that answers: some services ask it whether it is a context.
fn object(orb: &Orb) -> ObjectRef {
    serve(orb).unwrap().into_object()
}

/// Every operation goes through `outer/far`, a context of another service.
pub(super) fn every_operation_goes_through(
    outer: &NamingContextExtRef,
    inner: &NamingContextExtRef,
) {
    let client = orb();
    let (one, other) = (object(&client), object(&client));
    outer
        .bind_context(&name("far"), Some(&base(inner)))
        .unwrap();

    outer.bind(&name("far/x"), Some(&one)).unwrap();
    assert_eq!(outer.resolve(&name("far/x")).unwrap(), Some(one.clone()));
    assert_eq!(inner.resolve(&name("x")).unwrap(), Some(one.clone()));
    let again = outer.bind(&name("far/x"), Some(&one));
    assert!(
        matches!(again, Err(BindError::AlreadyBound(_))),
        "{again:?}"
    );
    outer.rebind(&name("far/x"), Some(&other)).unwrap();
    assert_eq!(inner.resolve(&name("x")).unwrap(), Some(other.clone()));

    let room = outer.bind_new_context(&name("far/room")).unwrap().unwrap();
    room.bind(&name("y"), Some(&one)).unwrap();
    assert_eq!(outer.resolve(&name("far/room/y")).unwrap(), Some(one));
    outer.bind_context(&name("far/same"), Some(&room)).unwrap();
    outer
        .rebind_context(&name("far/same"), Some(&room))
        .unwrap();
    outer.unbind(&name("far/same/y")).unwrap();
}

/// Faults of names that lead through `outer/far` are those of the context there, which has `room`
/// without names and the object `x`.
fn faults_come_through(outer: &NamingContextExtRef) {
    match outer.resolve(&name("far/room/y/z")) {
        Err(ResolveError::NotFound(found)) => {
            assert_eq!(found.why, NotFoundReason::MissingNode);
            assert_eq!(found.rest_of_name, name("y/z"));
        }
        result => panic!("{result:?}"),
    }
    match outer.unbind(&name("far/x/z")) {
        Err(UnbindError::NotFound(found)) => {
            assert_eq!(found.why, NotFoundReason::NotContext);
            assert_eq!(found.rest_of_name, name("x/z"));
        }
        result => panic!("{result:?}"),
    }
}

#[test]
fn names_lead_from_taut_to_taut() {
    let (outer, inner) = (Ours::start(), Ours::start());
    every_operation_goes_through(&outer.root, &inner.root);
    faults_come_through(&outer.root);
}

#[test]
fn names_lead_from_taut_to_omniorb_and_back() {
    let Some(theirs) = OmniNames::start().unwrap() else {
        return;
    };
    let ours = Ours::start();
    let client = orb();
    let theirs = client.string_to_object(&theirs.corbaloc()).unwrap();
    let theirs: NamingContextExtRef = theirs.narrow().unwrap();
    let ours_from_there = client.string_to_object(&ours.corbaloc()).unwrap();
    let ours_from_there: NamingContextExtRef = ours_from_there.narrow().unwrap();
    every_operation_goes_through(&ours.root, &theirs);
    faults_come_through(&ours.root);
    for bound in ["x", "same", "room"] {
        theirs.unbind(&name(bound)).unwrap();
    }
    every_operation_goes_through(&theirs, &ours_from_there);
    faults_come_through(&theirs);
    // Each is bound in the other: a ring of two.
    let found = ours.root.resolve(&name("far/far/room")).unwrap();
    assert!(found.is_some());
}

/// `next` of each of three services is the next one's root.
fn ring(settings: &ServiceSettings) -> [Ours; 3] {
    let services = [(); 3].map(|()| Ours::start_with(settings.clone()));
    for (index, service) in services.iter().enumerate() {
        let next = &services[(index + 1) % services.len()];
        let next = base(&next.root);
        service
            .root
            .bind_context(&name("next"), Some(&next))
            .unwrap();
    }
    services
}

fn around(times: usize, last: &str) -> Vec<NameComponent> {
    let mut around = vec![name("next").remove(0); times];
    around.extend(name(last));
    around
}

#[test]
fn a_ring_of_services_is_gone_around_as_often_as_the_name_says() {
    let services = ring(&ServiceSettings::default());
    let client = orb();
    let object = object(&client);
    services[1].root.bind(&name("x"), Some(&object)).unwrap();
    for times in [1, 4, 7] {
        let found = services[0].root.resolve(&around(times, "x")).unwrap();
        assert_eq!(found.as_ref(), Some(&object), "{times}");
    }
}

#[test]
fn a_long_way_around_a_ring_is_given_up_and_can_be_gone_on_with() {
    let mut settings = ServiceSettings::default();
    settings.max_federation_hops = 5;
    let services = ring(&settings);
    let client = orb();
    let object = object(&client);
    services[0].root.bind(&name("x"), Some(&object)).unwrap();
    match services[0].root.resolve(&around(9, "x")) {
        Err(ResolveError::CannotProceed(CannotProceed { cxt, rest_of_name })) => {
            // The sixth service is not asked: five components have led to five services.
            assert_eq!(rest_of_name, around(3, "x"));
            let found = cxt.unwrap().resolve(&rest_of_name).unwrap();
            assert_eq!(found, Some(object));
        }
        result => panic!("{result:?}"),
    }
}

#[test]
fn a_service_that_does_not_answer_is_given_up() {
    let mut settings = ServiceSettings::default();
    settings.federation_timeout = std::time::Duration::from_millis(200);
    let ours = Ours::start_with(settings);
    // It accepts connections and requests, and never lets them in.
    let silent = orb();
    let poa = silent.root_poa().unwrap();
    let there = poa
        .create_reference("IDL:omg.org/CosNaming/NamingContext:1.0")
        .unwrap();
    let there: NamingContextRef = there.unchecked_narrow();
    ours.root.bind_context(&name("far"), Some(&there)).unwrap();
    match ours.root.resolve(&name("far/x")) {
        Err(ResolveError::CannotProceed(exception)) => {
            assert_eq!(exception.rest_of_name, name("x"));
            assert_eq!(
                exception.cxt.map(Reference::into_object),
                Some(there.into_object())
            );
        }
        result => panic!("{result:?}"),
    }
    // Whether it was bound is not known, so the client must not repeat it blindly.
    let bound = ours.root.bind(&name("far/x"), Some(&object(&orb())));
    assert!(matches!(bound, Err(BindError::System(_))), "{bound:?}");
    let _ = silent.shutdown(false);
}
