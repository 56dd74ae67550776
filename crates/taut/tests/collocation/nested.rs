//! Servants that call other servants.

use taut::{CollocationStrategy, Reference, ThreadPolicy};

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
