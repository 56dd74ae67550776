//! Interceptors that do not let a request go on as it would (CORBA 3.3 part 1, 16.3.4 and
//! 16.3.7).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use taut::interceptors::Interruption;
use taut::{
    CompletionStatus, ObjectRef, Reference, ServiceContext, SyncScope, SystemException,
    SystemExceptionKind, minor,
};

use super::generated::demo::circle::OutlineError;
use super::generated::demo::{Circle, CircleRef};
use super::{DIVIDES, FAILURE, House, Noting};
use crate::common::mode::{Mode, for_each_mode};

for_each_mode! {
    [tcp, reactor, shared] {
        an_exception_at_send_request_is_seen_by_those_before_and_sends_nothing,
        an_exception_at_an_ending_point_of_the_client_is_seen_by_those_behind,
        an_exception_of_a_server_point_is_seen_by_those_that_have_begun,
        an_exception_before_the_servant_keeps_it_from_running,
        a_reply_becomes_an_exception_and_an_exception_another,
        a_panic_in_a_point_is_unknown_to_the_caller,
        every_point_that_may_forward_does,
        servers_forward_at_every_point_that_may,
        service_contexts_go_both_ways_and_are_replaced_or_refused,
    }
}

const REFUSAL: SystemException =
    SystemException::new(SystemExceptionKind::NoPermission, 1, CompletionStatus::No);

fn refuse<T>(_: T) -> Result<(), Interruption> {
    Err(REFUSAL.into())
}

/// Only the interceptor of this name does what is said.
fn only(name: &'static str, change: impl Fn(Noting) -> Noting) -> impl Fn(Noting) -> Noting {
    move |one| match one.name == name {
        true => change(one),
        false => one,
    }
}

fn same(one: Noting) -> Noting {
    one
}

fn an_exception_at_send_request_is_seen_by_those_before_and_sends_nothing(mode: Mode) {
    let house = House::with(
        mode,
        only("B", |b| b.at_client("send_request", |_| refuse(()))),
        same,
    );
    assert_eq!(house.circle.radius(), Err(REFUSAL));
    let expected = [
        "A.send_request _get_radius",
        "B.send_request _get_radius",
        "A.receive_exception _get_radius SystemException",
    ];
    assert_eq!(house.take(), expected);
    for scope in [
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
    ] {
        let circle = house.circle.with_sync_scope(scope);
        assert_eq!(circle.log("hello"), Err(REFUSAL));
        assert_eq!(house.take().len(), 3);
    }
}

fn an_exception_at_an_ending_point_of_the_client_is_seen_by_those_behind(mode: Mode) {
    let raises = |point| only("B", move |b: Noting| b.at_client(point, |_| refuse(())));
    let house = House::with(mode, raises("receive_reply"), same);
    assert_eq!(house.circle.radius(), Err(REFUSAL));
    assert_eq!(
        house.take()[7..],
        [
            "Y.send_reply _get_radius Successful",
            "X.send_reply _get_radius Successful",
            "B.receive_reply _get_radius Successful",
            "A.receive_exception _get_radius SystemException",
        ]
    );
    let house = House::with(mode, raises("receive_other"), same);
    let circle = house.circle.with_sync_scope(SyncScope::WithTransport);
    assert_eq!(circle.log("hello"), Err(REFUSAL));
    let all = house.take();
    let of_client: Vec<_> = all
        .iter()
        .filter(|note| note.starts_with(['A', 'B']))
        .collect();
    assert_eq!(
        of_client[2..],
        [
            "B.receive_other log Successful",
            "A.receive_exception log SystemException",
        ]
    );
}

fn an_exception_of_a_server_point_is_seen_by_those_that_have_begun(mode: Mode) {
    let raises = |point| only("Y", move |y: Noting| y.at_server(point, |_| refuse(())));
    let house = House::with(mode, same, raises("receive_request_service_contexts"));
    assert_eq!(house.circle.radius(), Err(REFUSAL));
    assert_eq!(
        house.take()[2..5],
        [
            "X.receive_request_service_contexts _get_radius",
            "Y.receive_request_service_contexts _get_radius",
            "X.send_exception _get_radius SystemException",
        ]
    );
    let house = House::with(mode, same, raises("receive_request"));
    assert_eq!(house.circle.radius(), Err(REFUSAL));
    assert_eq!(
        house.take()[4..8],
        [
            "X.receive_request _get_radius",
            "Y.receive_request _get_radius",
            "Y.send_exception _get_radius SystemException",
            "X.send_exception _get_radius SystemException",
        ]
    );
}

fn an_exception_before_the_servant_keeps_it_from_running(mode: Mode) {
    for point in ["receive_request_service_contexts", "receive_request"] {
        let house = House::with(
            mode,
            same,
            only("X", move |x| x.at_server(point, |_| refuse(()))),
        );
        assert_eq!(house.circle.radius(), Err(REFUSAL));
        let all = house.take();
        assert!(
            !all.iter().any(|note| note.starts_with("servant")),
            "{all:?}"
        );
    }
}

fn a_reply_becomes_an_exception_and_an_exception_another(mode: Mode) {
    let server = only("Y", |y| {
        y.at_server("send_reply", |_| refuse(()))
            .at_server("send_exception", |_| Err(FAILURE.into()))
    });
    let house = House::with(mode, same, server);
    assert_eq!(house.circle.radius(), Err(REFUSAL));
    assert_eq!(
        house.take()[7..9],
        [
            "Y.send_reply _get_radius Successful",
            "X.send_exception _get_radius SystemException",
        ]
    );
    match house.circle.outline(DIVIDES) {
        Err(OutlineError::System(exception)) => assert_eq!(exception, FAILURE),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        house.take()[7..9],
        [
            "Y.send_exception outline UserException",
            "X.send_exception outline SystemException",
        ]
    );
    let client = only("B", |b| b.at_client("receive_exception", |_| refuse(())));
    let house = House::with(mode, client, same);
    match house.circle.outline(DIVIDES) {
        Err(OutlineError::System(exception)) => assert_eq!(exception, REFUSAL),
        other => panic!("{other:?}"),
    }
}

fn a_panic_in_a_point_is_unknown_to_the_caller(mode: Mode) {
    let client = only("B", |b| {
        b.at_client("send_request", |_| panic!("of the test"))
    });
    let house = House::with(mode, client, same);
    let exception = house.circle.radius().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Unknown);
    for point in [
        "receive_request_service_contexts",
        "receive_request",
        "send_reply",
    ] {
        let server = only("Y", move |y| y.at_server(point, |_| panic!("of the test")));
        let house = House::with(mode, same, server);
        let exception = house.circle.radius().unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::Unknown);
        assert_eq!(exception.minor, minor::SERVANT_PANICKED);
    }
}

/// Sends a request to another object, once.
#[derive(Default)]
struct Elsewhere {
    target: Mutex<Option<ObjectRef>>,
    has_run: AtomicBool,
}

impl Elsewhere {
    fn forward(&self) -> Result<(), Interruption> {
        match (
            self.target.lock().as_ref(),
            self.has_run.swap(true, Ordering::AcqRel),
        ) {
            (Some(target), false) => Err(Interruption::ForwardRequest(target.clone())),
            _ => Ok(()),
        }
    }
}

fn every_point_that_may_forward_does(mode: Mode) {
    for (point, operation) in [
        ("send_request", "radius"),
        ("receive_exception", "divide"),
        ("receive_other", "log"),
    ] {
        let elsewhere = Arc::<Elsewhere>::default();
        let client = {
            let elsewhere = &elsewhere;
            only("B", move |b| {
                let elsewhere = Arc::clone(elsewhere);
                b.at_client(point, move |info| {
                    let outcome = elsewhere.forward();
                    if outcome.is_ok() {
                        let effective = info.effective_target();
                        let target = elsewhere.target.lock();
                        assert_eq!(Some(&effective), target.as_ref());
                        assert_ne!(info.target(), effective);
                    }
                    outcome
                })
            })
        };
        let house = House::with(mode, client, same);
        *elsewhere.target.lock() = Some(house.another());
        match operation {
            "radius" => assert_eq!(house.circle.radius(), Ok(1.5)),
            "divide" => assert!(house.circle.outline(DIVIDES).is_err()),
            _ => house.circle.log("hello").unwrap(),
        }
        let all = house.take();
        let of_a: Vec<_> = all.iter().filter(|note| note.starts_with("A.")).collect();
        assert_eq!(of_a.len(), 4, "{all:?}");
        assert!(of_a[1].starts_with("A.receive_other") && of_a[1].ends_with("LocationForward"));
        assert!(elsewhere.has_run.load(Ordering::Acquire));
    }
}

fn servers_forward_at_every_point_that_may(mode: Mode) {
    for point in [
        "receive_request_service_contexts",
        "receive_request",
        "send_exception",
        "send_other",
    ] {
        let elsewhere = Arc::<Elsewhere>::default();
        let server = {
            let elsewhere = &elsewhere;
            only("Y", move |y| {
                let elsewhere = Arc::clone(elsewhere);
                y.at_server(point, move |_| elsewhere.forward())
            })
        };
        let house = House::with(mode, same, server);
        let other = house.another();
        *elsewhere.target.lock() = Some(other);
        house
            .server
            .bind_object_key("Circle", house.circle.as_object());
        let url = house.server.corbaloc("Circle").unwrap();
        let forwarded: CircleRef = house
            .client
            .string_to_object(&url)
            .unwrap()
            .unchecked_narrow();
        let circle = match point {
            "send_other" => &forwarded,
            _ => &house.circle,
        };
        let outcome = circle.outline(match point {
            "send_exception" => DIVIDES,
            _ => 3,
        });
        assert_eq!(outcome.is_err(), point == "send_exception");
        assert!(elsewhere.has_run.load(Ordering::Acquire), "{point}");
        let all = house.take();
        assert!(
            all.contains(&"X.send_other outline LocationForward".to_owned()),
            "{all:?}"
        );
        assert!(
            all.contains(&"B.receive_other outline LocationForward".to_owned()),
            "{all:?}"
        );
    }
}

const ONE: u32 = 0x4d59_0011;
const TWO: u32 = 0x4d59_0012;

fn context(id: u32, data: &[u8]) -> ServiceContext {
    ServiceContext {
        id,
        data: data.to_vec(),
    }
}

fn service_contexts_go_both_ways_and_are_replaced_or_refused(mode: Mode) {
    contexts(&House::with(mode, contexts_of_client, contexts_of_server));
}

#[test]
fn service_contexts_go_both_ways_within_the_process() {
    contexts(&House::in_process(contexts_of_client, contexts_of_server));
}

fn contexts_of_client(one: Noting) -> Noting {
    let is_first = one.name == "A";
    one.at_client("send_request", move |info| {
        if is_first {
            info.add_request_service_context(context(ONE, b"first"), false)?;
            return Ok(info.add_request_service_context(context(TWO, b"both"), false)?);
        }
        let again = info.add_request_service_context(context(ONE, b"second"), false);
        assert_eq!(again, Err(order(15)));
        info.add_request_service_context(context(ONE, b"second"), true)?;
        let found = info.get_request_service_context(ONE)?;
        assert_eq!(found, Some(context(ONE, b"second")));
        assert_eq!(info.get_request_service_context(1)?, None);
        let reserved = info.add_request_service_context(context(1, b""), false);
        assert_eq!(reserved.unwrap_err().minor, minor::RESERVED_SERVICE_CONTEXT);
        Ok(())
    })
    .at_client("receive_reply", ends)
    .at_client("receive_exception", ends)
}

fn ends(info: &mut taut::interceptors::ClientRequestInfo<'_>) -> Result<(), Interruption> {
    assert_eq!(
        info.get_reply_service_context(ONE)?,
        Some(context(ONE, b"second"))
    );
    assert_eq!(
        info.get_reply_service_context(TWO)?,
        Some(context(TWO, b"both"))
    );
    assert_eq!(info.get_reply_service_context(3)?, None);
    let late = info.add_request_service_context(context(ONE, b""), true);
    assert_eq!(late.unwrap_err().minor, order(14).minor);
    Ok(())
}

fn contexts_of_server(one: Noting) -> Noting {
    let is_first = one.name == "X";
    one.at_server("receive_request_service_contexts", move |info| {
        let received = info.get_request_service_context(ONE);
        assert_eq!(received, Some(context(ONE, b"second")));
        match is_first {
            true => info.add_reply_service_context(context(ONE, b"early"), false)?,
            false => {
                let again = info.add_reply_service_context(context(ONE, b"other"), false);
                assert_eq!(again, Err(order(15)));
            }
        }
        Ok(())
    })
    .at_server("receive_request", move |info| {
        if is_first {
            let both = info.get_request_service_context(TWO).unwrap();
            info.add_reply_service_context(both, false)?;
        }
        Ok(())
    })
    .at_server("send_reply", answers)
    .at_server("send_exception", answers)
}

fn answers(info: &mut taut::interceptors::ServerRequestInfo<'_>) -> Result<(), Interruption> {
    assert!(info.get_reply_service_context(ONE)?.is_some());
    assert_eq!(
        info.get_reply_service_context(TWO)?,
        Some(context(TWO, b"both"))
    );
    let received = info.get_request_service_context(ONE).unwrap();
    Ok(info.add_reply_service_context(received, true)?)
}

fn order(minor: u32) -> SystemException {
    SystemException::omg(
        SystemExceptionKind::BadInvOrder,
        minor,
        CompletionStatus::No,
    )
}

fn contexts(house: &House) {
    for _ in 0..3 {
        assert_eq!(house.circle.radius(), Ok(1.5));
        match house.circle.outline(DIVIDES) {
            Err(OutlineError::DivByZero(_)) => {}
            other => panic!("{other:?}"),
        }
        let unknown = house.circle.as_object().invoke("fly", |_| Ok(()));
        assert_eq!(unknown.unwrap_err().kind, SystemExceptionKind::BadOperation);
    }
    // An assertion in a point is UNKNOWN for the caller if it does not hold.
    let all = house.take();
    let ended = all.iter().filter(|note| note.starts_with("A.receive_"));
    assert_eq!(ended.count(), 9);
    assert!(all.contains(&"A.receive_exception outline UserException".to_owned()));
}
