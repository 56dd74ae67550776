//! A caller sees the same of a local call as of one by message.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use taut::{
    CollocationStrategy, CompletionStatus, Context, Orb, Reference, SyncScope, SystemExceptionKind,
};

use super::generated::contexts::{Shell, ShellRef, ShellSkeleton, shell};
use super::{
    BREAKS, Broken, Circle, CircleSkeleton, DIVIDES, DivByZero, FAILS, FAILURE, Home, OutlineError,
    PANICS, Point, Shape, ShapeRef, client, eventually, kind,
};

const STRATEGIES: [CollocationStrategy; 3] = [
    CollocationStrategy::ThroughPoa,
    CollocationStrategy::Direct,
    CollocationStrategy::Off,
];

#[test]
fn results_and_exceptions_are_those_of_a_message() {
    let home = Home::new();
    for strategy in STRATEGIES {
        let circle = home.circle.with_collocation(strategy);
        for _ in 0..2 {
            assert_eq!(circle.outline(3).unwrap(), vec![Point::default(); 3]);
            let why = "asked for".to_owned();
            assert_eq!(
                circle.outline(DIVIDES).unwrap_err(),
                OutlineError::DivByZero(DivByZero { why })
            );
            assert_eq!(
                circle.outline(BREAKS).unwrap_err(),
                OutlineError::Broken(Broken)
            );
            assert_eq!(
                circle.outline(FAILS).unwrap_err(),
                OutlineError::System(FAILURE)
            );
            let sum = circle.sum(&[1, 2, 3], "six", None).unwrap();
            assert_eq!((sum.result, sum.s.as_str()), (6, "six"));
        }
    }
}

#[test]
fn a_panic_costs_its_caller_unknown() {
    let home = Home::new();
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Off] {
        let circle = home.circle.with_collocation(strategy);
        for _ in 0..2 {
            let Err(OutlineError::System(exception)) = circle.outline(PANICS) else {
                panic!("{strategy:?}");
            };
            assert_eq!(exception.kind, SystemExceptionKind::Unknown);
            assert_eq!(exception.completed, CompletionStatus::Maybe);
            circle.radius().unwrap();
        }
    }
}

/// As that of any method does. Nothing of the call is left behind.
#[test]
fn a_panic_of_a_direct_call_goes_on_in_its_caller() {
    let home = Home::new();
    let circle = home.circle.with_collocation(CollocationStrategy::Direct);
    // Through the POA, until a call has come back.
    assert!(circle.outline(PANICS).is_err());
    circle.radius().unwrap();
    for _ in 0..2 {
        let call = AssertUnwindSafe(|| circle.outline(PANICS));
        assert!(catch_unwind(call).is_err());
        circle.radius().unwrap();
    }
    let call = AssertUnwindSafe(|| circle.log("panic"));
    assert!(catch_unwind(call).is_err());
    // The thread is in no servant any more, so it may wait.
    home.deactivate();
    assert_eq!(Arc::strong_count(&home.servant), 1);
    home.orb.shutdown(true).unwrap();
}

#[test]
fn an_inout_argument_is_unchanged_when_the_call_raises() {
    let home = Home::new();
    for strategy in STRATEGIES {
        let circle = home.circle.with_collocation(strategy);
        let mut k = 1.0;
        let centre = circle.move_by(&Point { x: 2.0, y: 0.0 }, &mut k).unwrap();
        assert_eq!((centre.x, k), (2.0, 3.0), "{strategy:?}");
        let far = Point { x: 500.0, y: 0.0 };
        assert_eq!(circle.move_by(&far, &mut k).unwrap_err(), FAILURE);
        assert_eq!(k, 3.0, "{strategy:?}");
    }
}

#[test]
fn what_a_oneway_raises_is_its_callers_only_if_it_waits_for_the_target() {
    let home = Home::unreachable();
    home.circle.log("text").unwrap();
    assert!(home.servant.ran_here());
    home.circle.log("fail").unwrap();
    home.circle.log("panic").unwrap();
    let server = home.circle.with_sync_scope(SyncScope::WithServer);
    server.log("fail").unwrap();
    let target = home.circle.with_sync_scope(SyncScope::WithTarget);
    assert_eq!(target.log("fail").unwrap_err(), FAILURE);
    assert_eq!(
        kind(target.log("panic")),
        Some(SystemExceptionKind::Unknown)
    );
    assert_eq!(home.servant.logged.load(Ordering::SeqCst), 6);
    home.deactivate();
    home.circle.log("nobody").unwrap();
    assert_eq!(
        kind(target.log("nobody")),
        Some(SystemExceptionKind::ObjectNotExist)
    );
}

/// A oneway that waits for nothing does not wait for a servant either.
#[test]
fn a_oneway_that_waits_for_nothing_goes_by_message() {
    let home = Home::new();
    let circle = home.circle.with_sync_scope(SyncScope::None);
    circle.log("text").unwrap();
    eventually("the oneway", || home.servant.ran_elsewhere());
}

#[test]
fn what_every_object_is_asked_needs_no_message() {
    let home = Home::unreachable();
    let orb = client();
    for circle in [home.circle.clone(), home.seen_by(&orb)] {
        let object = circle.as_object();
        assert!(object.is_a("IDL:example.org/demo/Shape:1.0").unwrap());
        assert!(!object.is_a("IDL:example.org/demo/Square:1.0").unwrap());
        assert!(!object.non_existent().unwrap());
        assert_eq!(
            object.repository_id().unwrap(),
            "IDL:example.org/demo/Circle:1.0"
        );
        assert_eq!(object.locate().unwrap(), taut::Located::Here);
        assert_eq!(object.narrow::<ShapeRef>().unwrap().name().unwrap(), "disc");
    }
    home.deactivate();
    for circle in [home.circle.clone(), home.seen_by(&orb)] {
        let object = circle.as_object();
        assert!(object.non_existent().unwrap());
        assert_eq!(object.locate().unwrap(), taut::Located::Unknown);
        assert_eq!(
            kind(object.is_a("IDL:other:1.0")),
            Some(SystemExceptionKind::ObjectNotExist)
        );
    }
}

#[test]
fn inherited_operations_are_called_through_a_reference_to_the_base() {
    let home = Home::unreachable();
    let shape: ShapeRef = home.circle.clone().into();
    assert_eq!(shape.name().unwrap(), "disc");
    assert!(home.servant.ran_here());
    assert_eq!(home.circle.name().unwrap(), "disc");
    assert!(home.servant.ran_here());
}

/// `CircleSkeleton` around a trait object, and an `Arc` as a servant itself.
#[test]
fn a_servant_may_be_shared_and_its_type_unknown() {
    let home = Home::unreachable();
    home.deactivate();
    let shared: Arc<dyn Circle> = Arc::clone(&home.servant) as Arc<dyn Circle>;
    let by_trait = home
        .poa
        .activate(CircleSkeleton::from_arc(Arc::clone(&shared)))
        .unwrap();
    let in_itself = home.poa.activate(CircleSkeleton::new(shared)).unwrap();
    for circle in [by_trait, in_itself] {
        assert_eq!(circle.name().unwrap(), "disc");
        assert!(home.servant.ran_here());
        assert_eq!(circle.radius().unwrap(), 1.0);
        assert!(home.servant.ran_here());
    }
}

/// A reference belongs to an ORB: what is passed to an object of another one has
/// to become that one's.
#[test]
fn references_are_not_shared_between_orbs() {
    let (home, other) = (Home::new(), client());
    let shape = || ShapeRef::from(home.circle.clone());
    home.circle.sum(&[], "", Some(&shape())).unwrap();
    assert!(home.servant.ran_here());

    let seen = home.seen_by(&other);
    let passed: ShapeRef = home.seen_by(&other).into();
    seen.sum(&[], "", Some(&passed)).unwrap();
    assert!(home.servant.ran_elsewhere());
    // Its own operations have none.
    seen.radius().unwrap();
    assert!(home.servant.ran_here());
    // The reference that the servant got works without the ORB of the caller that passed
    // it.
    other.shutdown(true).unwrap();
    let kept = home.servant.other.lock().clone().unwrap();
    assert_eq!(kept.name().unwrap(), "disc");
    assert!(home.servant.ran_here());
}

/// Tells what context it is called in.
#[derive(Default)]
struct Teller {
    said: Mutex<Vec<(String, String)>>,
    was_called: AtomicBool,
}

impl Shell for Teller {
    fn whoami(&self, context: &Context) -> taut::Result<String> {
        Ok(format!("{:?}", context.get("user")))
    }

    fn getenv(&self, name: &str, context: &Context) -> Result<String, shell::GetenvError> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        *self.said.lock() = context.iter().map(owned).collect();
        Ok(context.get(name).unwrap_or_default().to_owned())
    }

    fn log(&self, _: &str, context: &Context) -> taut::Result<()> {
        self.was_called.store(context.len() == 1, Ordering::SeqCst);
        Ok(())
    }

    fn words(
        &self,
        first: &[String],
        _: &mut i32,
        _: &Context,
    ) -> taut::Result<(Vec<String>, i32)> {
        Ok((first.to_vec(), 0))
    }

    fn many(
        &self,
        _: i32,
        _: i32,
        _: i32,
        _: i32,
        _: i32,
        _: i32,
        _: &Context,
    ) -> taut::Result<()> {
        Ok(())
    }
}

#[test]
fn only_what_the_clause_asks_for_goes_with_a_call() {
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    let teller = Arc::new(Teller::default());
    let shell: ShellRef = poa
        .activate(ShellSkeleton::from_arc(Arc::clone(&teller)))
        .unwrap();
    poa.manager().activate().unwrap();
    let mut context = Context::new();
    for (name, value) in [("user", "Ada"), ("screen.width", "80"), ("secret", "42")] {
        context.set(name, value).unwrap();
    }
    for strategy in STRATEGIES {
        let shell = shell.with_collocation(strategy);
        assert_eq!(shell.getenv("secret", &context).unwrap(), "");
        assert_eq!(teller.said.lock().len(), 2, "{strategy:?}");
        assert_eq!(shell.whoami(&context).unwrap(), "Some(\"Ada\")");
        teller.was_called.store(false, Ordering::SeqCst);
        shell.log("", &context).unwrap();
        eventually("the oneway", || teller.was_called.load(Ordering::SeqCst));
    }
}
