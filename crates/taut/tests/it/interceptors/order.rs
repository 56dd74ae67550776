//! The points of each kind of call, and their order.

use taut::interceptors::DuplicateName;
use taut::{CallContext, InitError, Located, Reference, SyncScope, SystemExceptionKind};

use super::generated::demo::circle::OutlineError;
use super::generated::demo::{Circle, CircleRef, Shape};
use super::{DIVIDES, FAILS, FAILURE, House, Log, Noting, PANICS, builder};
use crate::common::eventually;
use crate::common::mode::{Mode, for_each_mode};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning, unix_reactor, unix_shared] {
        starting_points_run_in_order_and_ending_points_in_reverse,
        a_user_exception_is_one_to_interceptors_too,
        system_exceptions_of_servants_and_their_panics_are_seen_on_both_sides,
        a_call_by_name_is_seen_as_one_by_a_stub,
        oneways_are_seen_whatever_they_wait_for,
        the_operations_that_every_object_has_are_seen,
        a_forwarded_call_runs_through_the_points_for_each_target,
        a_locate_request_is_no_request_of_an_operation,
        a_call_that_reaches_nobody_ends_with_an_exception,
    }
}

/// The points around a servant, on both sides, for one operation.
fn whole(operation: &str, servant: &str, status: &str) -> Vec<String> {
    let (receive, send) = match status {
        "Successful" => ("receive_reply", "send_reply"),
        _ => ("receive_exception", "send_exception"),
    };
    let mut all = vec![
        format!("A.send_request {operation}"),
        format!("B.send_request {operation}"),
        format!("X.receive_request_service_contexts {operation}"),
        format!("Y.receive_request_service_contexts {operation}"),
        format!("X.receive_request {operation}"),
        format!("Y.receive_request {operation}"),
    ];
    if !servant.is_empty() {
        all.push(format!("servant {servant}"));
    }
    all.extend([
        format!("Y.{send} {operation} {status}"),
        format!("X.{send} {operation} {status}"),
        format!("B.{receive} {operation} {status}"),
        format!("A.{receive} {operation} {status}"),
    ]);
    all
}

fn starting_points_run_in_order_and_ending_points_in_reverse(mode: Mode) {
    calls_with_results(&House::new(mode));
}

#[test]
fn within_the_process_they_are_the_same() {
    let house = House::in_process(|one| one, |one| one);
    calls_with_results(&house);
    user_exceptions(&house);
    system_exceptions(&house);
    by_name(&house);
    operations_of_every_object(&house);
    forwards(&house);
}

fn calls_with_results(house: &House) {
    for _ in 0..3 {
        assert_eq!(house.circle.outline(2).unwrap().len(), 2);
        assert_eq!(house.take(), whole("outline", "outline", "Successful"));
        assert_eq!(house.circle.name().unwrap(), "drawn");
        assert_eq!(house.take(), whole("_get_name", "name", "Successful"));
        house.circle.set_radius(2.0).unwrap();
        assert_eq!(
            house.take(),
            whole("_set_radius", "set_radius", "Successful")
        );
        let mut k = 1.0;
        let moved = house.circle.move_by(&Default::default(), &mut k).unwrap();
        assert_eq!((moved, k), (Default::default(), 2.0));
        assert_eq!(house.take(), whole("move_by", "move_by", "Successful"));
        let sum = house.circle.sum(&[1, 2, 3], "one", None).unwrap();
        assert_eq!((sum.result, &*sum.s), (6, "one"));
        house.take();
        // Its argument is lent, its result is received apart where nobody looks at it.
        house.circle.feed(&vec![7; 300_000]).unwrap();
        assert_eq!(house.take(), whole("feed", "feed", "Successful"));
        assert_eq!(house.circle.outline(999).unwrap().len(), 999);
        house.take();
    }
}

fn a_user_exception_is_one_to_interceptors_too(mode: Mode) {
    user_exceptions(&House::new(mode));
}

fn user_exceptions(house: &House) {
    match house.circle.outline(DIVIDES) {
        Err(OutlineError::DivByZero(exception)) => assert_eq!(exception.why, "asked to"),
        other => panic!("{other:?}"),
    }
    assert_eq!(house.take(), whole("outline", "outline", "UserException"));
}

fn system_exceptions_of_servants_and_their_panics_are_seen_on_both_sides(mode: Mode) {
    system_exceptions(&House::new(mode));
}

fn system_exceptions(house: &House) {
    let fails = |n| match house.circle.outline(n) {
        Err(OutlineError::System(exception)) => exception,
        other => panic!("{other:?}"),
    };
    assert_eq!(fails(FAILS), FAILURE);
    assert_eq!(house.take(), whole("outline", "outline", "SystemException"));
    assert_eq!(fails(PANICS).kind, SystemExceptionKind::Unknown);
    assert_eq!(house.take(), whole("outline", "outline", "SystemException"));
}

fn a_call_by_name_is_seen_as_one_by_a_stub(mode: Mode) {
    by_name(&House::new(mode));
}

fn by_name(house: &House) {
    let object = house.circle.as_object();
    object.invoke("_get_name", |_| Ok(())).unwrap();
    assert_eq!(house.take(), whole("_get_name", "name", "Successful"));
    let context = CallContext::new();
    object
        .invoke_with(&context, "_get_name", |_| Ok(()))
        .unwrap();
    assert_eq!(house.take(), whole("_get_name", "name", "Successful"));
    let unknown = object.invoke("fly", |_| Ok(())).unwrap_err();
    assert_eq!(unknown.kind, SystemExceptionKind::BadOperation);
    assert_eq!(house.take(), whole("fly", "", "SystemException"));
}

fn oneways_are_seen_whatever_they_wait_for(mode: Mode) {
    oneways(&House::new(mode));
}

#[test]
fn oneways_within_the_process_are_seen_whatever_they_wait_for() {
    oneways(&House::in_process(|one| one, |one| one));
}

fn oneways(house: &House) {
    let server_side = [
        "X.receive_request_service_contexts log",
        "Y.receive_request_service_contexts log",
        "X.receive_request log",
        "Y.receive_request log",
        "servant log",
        "Y.send_reply log Successful",
        "X.send_reply log Successful",
    ];
    for (scope, ending) in [
        (SyncScope::None, "receive_other"),
        (SyncScope::WithTransport, "receive_other"),
        (SyncScope::WithServer, "receive_reply"),
        (SyncScope::WithTarget, "receive_reply"),
    ] {
        let circle = house.circle.with_sync_scope(scope);
        for text in ["hello", "again"] {
            circle.log(text).unwrap();
            if scope == SyncScope::None {
                house
                    .client
                    .flush_oneways(std::time::Duration::from_secs(20))
                    .unwrap();
            }
            // The two sides go on side by side, where nobody waits for the servant.
            eventually("all points have run", || {
                house.log.lock().len() == 4 + server_side.len()
            });
            let all = house.take();
            let of = |names: [&str; 2]| -> Vec<_> {
                let is_of = |note: &&String| names.iter().any(|name| note.starts_with(name));
                all.iter().filter(is_of).cloned().collect()
            };
            let client_side = [
                "A.send_request log".to_owned(),
                "B.send_request log".to_owned(),
                format!("B.{ending} log Successful"),
                format!("A.{ending} log Successful"),
            ];
            assert_eq!(of(["A.", "B."]), client_side, "{scope:?}");
            let server: Vec<_> = all
                .iter()
                .filter(|note| !note.starts_with(['A', 'B']))
                .collect();
            assert_eq!(server, server_side.iter().collect::<Vec<_>>(), "{scope:?}");
        }
    }
    let circle = house.circle.with_sync_scope(SyncScope::WithTarget);
    assert_eq!(circle.log("fail"), Err(FAILURE));
    assert_eq!(house.take(), whole("log", "log", "SystemException"));
}

fn the_operations_that_every_object_has_are_seen(mode: Mode) {
    operations_of_every_object(&House::new(mode));
}

fn operations_of_every_object(house: &House) {
    let object = house.circle.as_object();
    assert!(!object.non_existent().unwrap());
    assert_eq!(house.take(), whole("_non_existent", "", "Successful"));
    assert!(object.is_a("IDL:example.org/demo/Shape:1.0").unwrap());
    assert_eq!(house.take(), whole("_is_a", "", "Successful"));
    object.repository_id().unwrap();
    assert_eq!(house.take(), whole("_repository_id", "", "Successful"));
    assert!(object.component().unwrap().is_none());
    assert_eq!(house.take(), whole("_component", "", "Successful"));
}

fn a_forwarded_call_runs_through_the_points_for_each_target(mode: Mode) {
    forwards(&House::new(mode));
}

fn forwards(house: &House) {
    house
        .server
        .bind_object_key("Circle", house.circle.as_object());
    let url = house.server.corbaloc("Circle").unwrap();
    let circle: CircleRef = house
        .client
        .string_to_object(&url)
        .unwrap()
        .unchecked_narrow();
    circle.radius().unwrap();
    let mut forward = vec![
        "A.send_request _get_radius".to_owned(),
        "B.send_request _get_radius".to_owned(),
        "X.receive_request_service_contexts _get_radius".to_owned(),
        "Y.receive_request_service_contexts _get_radius".to_owned(),
        "Y.send_other _get_radius LocationForward".to_owned(),
        "X.send_other _get_radius LocationForward".to_owned(),
        "B.receive_other _get_radius LocationForward".to_owned(),
        "A.receive_other _get_radius LocationForward".to_owned(),
    ];
    let direct = whole("_get_radius", "radius", "Successful");
    forward.extend(direct.iter().cloned());
    assert_eq!(house.take(), forward);
    circle.radius().unwrap();
    assert_eq!(house.take(), direct);
}

fn a_locate_request_is_no_request_of_an_operation(mode: Mode) {
    let house = House::new(mode);
    house
        .server
        .bind_object_key("Circle", house.circle.as_object());
    let url = house.server.corbaloc("Circle").unwrap();
    let circle: CircleRef = house
        .client
        .string_to_object(&url)
        .unwrap()
        .unchecked_narrow();
    assert_eq!(circle.as_object().locate().unwrap(), Located::Here);
    assert!(house.take().is_empty());
    // It has found out where calls go.
    circle.radius().unwrap();
    assert_eq!(house.take(), whole("_get_radius", "radius", "Successful"));
}

fn a_call_that_reaches_nobody_ends_with_an_exception(mode: Mode) {
    let house = House::new(mode);
    house.server.shutdown(true).unwrap();
    house.take();
    let exception = house.circle.radius().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
    let expected = [
        "A.send_request _get_radius",
        "B.send_request _get_radius",
        "B.receive_exception _get_radius SystemException",
        "A.receive_exception _get_radius SystemException",
    ];
    assert_eq!(house.take(), expected);
}

#[test]
fn names_tell_interceptors_apart_and_they_end_with_the_orb() {
    let log = Log::default();
    let twice = builder(&["A", "", "B", "", "A"], &log).build();
    match twice {
        Err(InitError::DuplicateName(DuplicateName { name })) => assert_eq!(name, "A"),
        other => panic!("{other:?}"),
    }
    let orb = builder(&["A", "", ""], &log);
    // Those of servers have names of their own.
    let orb = orb
        .server_interceptor(Noting::new("A", &log))
        .build()
        .unwrap();
    assert!(log.lock().is_empty());
    orb.shutdown(true).unwrap();
    assert_eq!(
        *log.lock(),
        ["A.destroy", ".destroy", ".destroy", "A.destroy"]
    );
}
