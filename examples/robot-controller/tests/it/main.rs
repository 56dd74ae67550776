//! The controller stops its arm for an operator who calls it over TCP.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taut::Orb;
use taut_robot_controller::robot::arm::MoveToError;
use taut_robot_controller::robot::{Arm as _, ArmRef};
use taut_robot_controller::{Plant, RELEASED, SCHEDULE, serve, start};

/// A time after which something hangs.
const HANG: Duration = Duration::from_secs(60);

fn wait_until(mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < HANG);
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_most_critical_operation_has_the_highest_priority() {
    let priorities = RELEASED.map(|handle| SCHEDULE.get(handle).unwrap().priority);
    assert_eq!(priorities, [50, 49, 48, 47]);
}

#[test]
fn an_operator_moves_and_stops_the_arm() {
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let plant = Arc::new(Plant::default());
    let reference = serve(&orb, &plant).unwrap();
    let controller = start(&plant).unwrap();
    let operators = Orb::builder().build().unwrap();
    let arm: ArmRef = operators
        .string_to_object(&reference)
        .unwrap()
        .narrow()
        .unwrap();
    arm.move_to(1.0).unwrap();
    wait_until(|| arm.position().unwrap() > 0.5);
    arm.emergency_stop().unwrap();
    wait_until(|| plant.has_brake());
    assert!(matches!(arm.move_to(0.0), Err(MoveToError::Stopped(_))));
    // The brake stays on while the controller goes on.
    let cycles = arm.cycles().unwrap();
    wait_until(|| arm.cycles().unwrap() > cycles);
    assert!(plant.has_brake());
    let report = controller.stop();
    assert_eq!(
        report
            .operations
            .iter()
            .map(|one| one.panicked)
            .sum::<u64>(),
        0
    );
    operators.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
