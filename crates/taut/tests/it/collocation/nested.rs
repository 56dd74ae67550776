//! Servants that call other servants.

use std::net::TcpListener;
use std::time::Duration;

use taut::{
    CollocationStrategy, CompletionStatus, Reference, SystemException, SystemExceptionKind,
    ThreadPolicy, deadline, minor,
};

use super::{
    Circle, CircleRef, CircleSkeleton, Home, OutlineError, Path, Point, Shape, ShapeRef, SumReply,
};

/// A servant that asks another one, until there is none.
struct Link(CircleRef);

impl Shape for Link {
    fn name(&self) -> taut::Result<String> {
        self.0.name()
    }
}

impl Circle for Link {
    fn radius(&self) -> taut::Result<f64> {
        Ok(self.0.radius()? + 1.0)
    }

    fn set_radius(&self, value: f64) -> taut::Result<()> {
        self.0.set_radius(value)
    }

    fn outline(&self, n: u32) -> Result<Path, OutlineError> {
        self.0.outline(n)
    }

    fn move_by(&self, d: &Point, k: &mut f64) -> taut::Result<Point> {
        self.0.move_by(d, k)
    }

    fn feed(&self, samples: &[i32]) -> taut::Result<()> {
        self.0.feed(samples)
    }

    fn sum(&self, values: &[i32], name: &str, other: Option<&ShapeRef>) -> taut::Result<SumReply> {
        self.0.sum(values, name, other)
    }

    fn log(&self, msg: &str) -> taut::Result<()> {
        self.0.log(msg)
    }
}

/// More than the look-ups that a thread can have open at little cost.
const DEPTH: usize = 30;

#[test]
fn calls_may_nest() {
    let home = Home::unreachable();
    let mut last = home.circle.clone();
    for _ in 0..DEPTH {
        last = home.poa.activate(CircleSkeleton::new(Link(last))).unwrap();
    }
    assert_eq!(last.radius().unwrap(), 1.0 + DEPTH as f64);
    assert!(home.servant.ran_here());
}

#[test]
fn who_has_the_turn_need_not_wait_for_it() {
    let home = Home::new();
    let single = home.poa.create_poa(
        "single",
        Some(home.poa.manager()),
        &[ThreadPolicy::SingleThread.into()],
    );
    let single = single.unwrap();
    let first = single.activate(CircleSkeleton::new(Link(home.circle.clone())));
    let second = single.activate(CircleSkeleton::new(Link(first.unwrap())));
    let second = second.unwrap();
    assert_eq!(second.radius().unwrap(), 3.0);
    // In a thread of the server, too.
    let by_message = second.with_collocation(CollocationStrategy::Off);
    assert_eq!(by_message.radius().unwrap(), 3.0);
}

#[test]
fn the_deadline_of_a_call_holds_for_those_that_its_servant_makes() {
    let home = Home::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let remote: CircleRef = home.orb.string_to_object(&url).unwrap().unchecked_narrow();
    let link = home
        .poa
        .activate(CircleSkeleton::new(Link(remote)))
        .unwrap();
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let link = link.with_collocation(strategy);
        for _ in 0..2 {
            let late = deadline::within(Duration::from_millis(50), || link.radius()).unwrap_err();
            assert_eq!(late.kind, SystemExceptionKind::Timeout, "{late}");
        }
    }
}

#[test]
fn a_servant_is_not_called_after_the_deadline() {
    let home = Home::new();
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Off] {
        let circle = home.circle.with_collocation(strategy);
        let late = deadline::within(Duration::ZERO, || circle.radius()).unwrap_err();
        let (kind, minor) = (SystemExceptionKind::Timeout, minor::NOT_SENT_IN_TIME);
        assert_eq!(
            late,
            SystemException::new(kind, minor, CompletionStatus::No)
        );
        assert!(!home.servant.ran_here() && !home.servant.ran_elsewhere());
    }
    for strategy in [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct] {
        let circle = home.circle.with_collocation(strategy);
        let hasty = circle.with_call_timeout(Duration::from_secs(60));
        for circle in [&hasty, &circle, &hasty] {
            circle.radius().unwrap();
            assert!(home.servant.ran_here());
        }
    }
}
