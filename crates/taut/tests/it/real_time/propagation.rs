//! The priorities that travel with calls: of which models, with which kinds of calls.

use std::sync::Arc;

use taut::codegen::Encode;
use taut::policy::Policy;
use taut::real_time::{Priority, PriorityTransform, RealTime};
use taut::{
    CallContext, ConnectionSharing, ObjectRef, Orb, SyncScope, SystemException,
    SystemExceptionKind, minor,
};
use taut_giop::service_context::id;

use super::in_thread;
use super::recorder::{Recorder, declared, golden, propagated, real_time};
use crate::asynchronous::executor::block_on;
use crate::common::eventually;
use crate::common::mode::Mode;

/// The kinds of calls, and the operation that each sends.
type Call = (&'static str, fn(&ObjectRef) -> Result<(), SystemException>);

const CALLS: [Call; 10] = [
    ("two-way", |object| {
        object.invoke("ping", |_| Ok(())).map(drop)
    }),
    ("second on the connection", |object| {
        object.invoke("ping", |_| Ok(())).map(drop)
    }),
    ("with a context", |object| {
        let context = CallContext::new().with_service_context(0x4d59_0001, b"own");
        object.invoke_with(&context, "ping", |_| Ok(())).map(drop)
    }),
    ("oneway", |object| {
        object.invoke_oneway("note", |out| "text".encode(out))
    }),
    ("oneway to the server", |object| {
        let object = object.with_sync_scope(SyncScope::WithServer);
        object.invoke_oneway("note", |out| "text".encode(out))
    }),
    ("oneway to the target", |object| {
        let object = object.with_sync_scope(SyncScope::WithTarget);
        object.invoke_oneway("note", |out| "text".encode(out))
    }),
    ("oneway for which nobody waits", |object| {
        let object = object.with_sync_scope(SyncScope::None);
        object.invoke_oneway("note", |out| "text".encode(out))
    }),
    ("future", |object| {
        block_on(object.invoke_async("ping", |_| Ok(()))).map(drop)
    }),
    ("implicit operation", |object| {
        object.non_existent().map(drop)
    }),
    ("limited in time", |object| {
        let object = object.with_call_timeout(std::time::Duration::from_secs(60));
        object.invoke("ping", |_| Ok(())).map(drop)
    }),
];

/// Makes all calls in a thread with a priority, if one is given, and checks which priorities the
/// server has been told.
fn check(orb: &Orb, told: &[Policy], own: Option<i16>, expected: Option<i16>) {
    let server = Recorder::start();
    let object = orb.string_to_object(&server.ior(told).to_string()).unwrap();
    let what = format!("{told:?}, {own:?}");
    in_thread(orb, move |current| {
        if let Some(own) = own {
            current.set_the_priority(own).unwrap();
        }
        for (name, call) in CALLS {
            call(&object).unwrap_or_else(|exception| panic!("{what}, {name}: {exception}"));
            eventually("the request", || server.has_seen());
            let seen = server.take();
            assert_eq!(seen.len(), 1, "{what}, {name}: {seen:?}");
            let expected = expected.map(golden);
            let expected: Vec<_> = expected.iter().map(|data| &data[..]).collect();
            assert_eq!(seen[0].priorities(), expected, "{what}, {name}");
        }
        // A LocateRequest has no contexts.
        object.locate().unwrap();
    });
}

#[test]
fn a_priority_is_told_where_the_reference_asks_for_it_and_the_thread_has_one() {
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        let change = |settings: &mut taut::Settings| settings.client.connection_sharing = sharing;
        let orb = real_time(change).build().unwrap();
        for own in [None, Some(0), Some(0x0102), Some(i16::MAX)] {
            check(&orb, &[], own, None);
            check(&orb, &[declared(7)], own, None);
            check(&orb, &[propagated(7)], own, own);
        }
    }
}

#[test]
fn an_orb_without_priorities_tells_none() {
    let ordinary = Orb::builder().settings(|settings| Mode::tcp().adjust(settings));
    let ordinary = ordinary.build().unwrap();
    let server = Recorder::start();
    let ior = server.ior(&[propagated(7)]).to_string();
    let object = ordinary.string_to_object(&ior).unwrap();
    // The thread's priority is that of all ORBs that have any.
    let other = real_time(|_| ()).build().unwrap();
    in_thread(&other, move |current| {
        current.set_the_priority(9).unwrap();
        for (name, call) in CALLS {
            call(&object).unwrap();
            eventually("the request", || server.has_seen());
            assert!(server.take()[0].priorities().is_empty(), "{name}");
        }
    });
}

#[test]
fn the_reply_tells_the_priority_that_the_server_has_taken() {
    let orb = real_time(|_| ()).build().unwrap();
    let server = Recorder::start();
    let object = orb
        .string_to_object(&server.ior(&[propagated(7)]).to_string())
        .unwrap();
    in_thread(&orb, move |current| {
        current.set_the_priority(9).unwrap();
        let context = CallContext::new();
        context
            .within(|| object.invoke("ping", |_| Ok(())).map(drop))
            .unwrap();
        let told = context.reply_service_context(id::RT_CORBA_PRIORITY);
        assert_eq!(told, Some(golden(9)));
        let context = Arc::new(CallContext::new());
        let future = object.invoke_async_with(Arc::clone(&context), "ping", |_| Ok(()));
        block_on(future).unwrap();
        let told = context.reply_service_context(id::RT_CORBA_PRIORITY);
        assert_eq!(told, Some(golden(9)));
    });
}

#[test]
fn the_priority_of_a_future_is_that_of_the_thread_that_made_it() {
    let orb = real_time(|_| ()).build().unwrap();
    let server = Recorder::start();
    let object = orb
        .string_to_object(&server.ior(&[propagated(7)]).to_string())
        .unwrap();
    let future = in_thread(&orb, move |current| {
        current.set_the_priority(21).unwrap();
        object.invoke_async("ping", |_| Ok(()))
    });
    in_thread(&orb, move |current| {
        current.set_the_priority(22).unwrap();
        block_on(future).unwrap();
    });
    assert_eq!(server.take()[0].priorities(), [golden(21)]);
}

#[test]
fn each_place_to_which_a_call_is_sent_says_whether_it_wants_the_priority() {
    let orb = real_time(|_| ()).build().unwrap();
    for (here, there, expected_here, expected_there) in [
        (propagated(1), declared(2), true, false),
        (declared(1), propagated(2), false, true),
        (propagated(1), propagated(2), true, true),
    ] {
        let (first, second) = (Recorder::start(), Recorder::start());
        let object = |ior: taut::Ior| orb.string_to_object(&ior.to_string()).unwrap();
        first.forward_to(&object(second.ior(&[there])));
        let object = object(first.ior(&[here]));
        in_thread(&orb, move |current| {
            current.set_the_priority(5).unwrap();
            object.invoke("ping", |_| Ok(())).map(drop).unwrap();
            object.invoke("ping", |_| Ok(())).map(drop).unwrap();
            block_on(object.invoke_async("ping", |_| Ok(()))).unwrap();
        });
        let told = |server: &Recorder, is_told: bool, times: usize| {
            let seen = server.take();
            assert_eq!(seen.len(), times);
            let told = seen.iter().map(|one| one.priorities() == [golden(5)]);
            assert!(told.clone().all(|told| told == is_told), "{seen:?}");
        };
        told(&first, expected_here, 1);
        told(&second, expected_there, 3);
    }
}

/// Halves what is sent, but for odd priorities.
#[derive(Debug)]
struct Halves;

impl PriorityTransform for Halves {
    fn inbound(&self, _: Priority, _: &[u8]) -> Option<Priority> {
        None
    }

    fn outbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority> {
        assert!(object_id.is_empty(), "there is no servant");
        match priority.get() {
            odd if odd % 2 == 1 => None,
            even => Priority::new(even / 2).ok(),
        }
    }
}

#[test]
fn a_transform_changes_what_is_sent_or_ends_the_call() {
    let builder = Orb::builder().real_time(RealTime::new().transform(Halves));
    let builder = builder.settings(|settings| Mode::tcp().adjust(settings));
    let orb = builder.build().unwrap();
    check(&orb, &[propagated(7)], Some(20), Some(10));
    check(&orb, &[propagated(7)], None, None);
    // Nothing is sent, so that nothing is asked for.
    check(&orb, &[declared(7)], Some(21), None);
    check(&orb, &[], Some(21), None);
    let server = Recorder::start();
    let object = orb
        .string_to_object(&server.ior(&[propagated(7)]).to_string())
        .unwrap();
    in_thread(&orb, move |current| {
        current.set_the_priority(21).unwrap();
        for (name, call) in CALLS {
            let exception = call(&object).unwrap_err();
            assert_eq!(
                exception.kind,
                SystemExceptionKind::DataConversion,
                "{name}"
            );
            assert_eq!(exception.minor, minor::omg(2), "{name}: {exception}");
        }
        assert!(server.take().is_empty());
    });
}

#[test]
fn user_code_may_not_send_the_context_of_an_orb_with_priorities() {
    let server = Recorder::start();
    let call = |orb: &Orb, number: u32| {
        let object = orb.string_to_object(&server.ior(&[]).to_string()).unwrap();
        let context = CallContext::new().with_service_context(number, golden(1));
        object.invoke_with(&context, "ping", |_| Ok(())).map(drop)
    };
    let orb = real_time(|_| ()).build().unwrap();
    for number in [id::RT_CORBA_PRIORITY, id::RT_CORBA_PRIORITY_RANGE] {
        let exception = call(&orb, number).unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::BadParam);
        assert_eq!(exception.minor, minor::RESERVED_SERVICE_CONTEXT);
        let ordinary = Orb::builder().build().unwrap();
        call(&ordinary, number).unwrap();
    }
}
