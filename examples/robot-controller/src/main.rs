//! Runs the controller for 6 seconds, or for as many as the argument says: the operator moves the
//! arm, and stops it at two thirds of the time.

use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use taut::Orb;
use taut_robot_controller::robot::{Arm as _, ArmRef};
use taut_robot_controller::{Plant, RELEASED, SCHEDULE, serve, start};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1);
    let seconds: u64 = seconds.map_or(Ok(6), |text| text.parse())?;
    let third = Duration::from_secs(seconds) / 3;
    let orb = Orb::builder().listen("127.0.0.1:0")?.build()?;
    let plant = Arc::new(Plant::default());
    let reference = serve(&orb, &plant)?;
    let controller = start(&plant)?;

    // The operator has an ORB of its own, and calls over TCP.
    let operators = Orb::builder().build()?;
    let arm: ArmRef = operators.string_to_object(&reference)?.narrow()?;
    arm.move_to(1.0)?;
    thread::sleep(third);
    println!(
        "The arm is at {:.3} after {} cycles.",
        arm.position()?,
        arm.cycles()?
    );
    arm.move_to(-1.0)?;
    thread::sleep(third);
    println!(
        "The arm is at {:.3}; the operator stops it.",
        arm.position()?
    );
    arm.move_to(1.0)?;
    thread::sleep(Duration::from_millis(100));
    arm.emergency_stop()?;
    thread::sleep(third);
    println!(
        "The arm is at {:.3}, after {} cycles in which it moved on.",
        arm.position()?,
        plant.cycles_since_stop()
    );
    if let Err(error) = arm.move_to(0.0) {
        println!("It moves no more: {error}");
    }

    let report = controller.stop();
    println!(
        "\n  {:<26}{:>9}{:>7}{:>8}{:>9}{:>9}{:>11}",
        "operation", "priority", "jobs", "missed", "p50 us", "p99 us", "longest us"
    );
    let us = |ns: Option<u64>| ns.map_or("-".to_owned(), |ns| format!("{:.0}", ns as f64 / 1e3));
    for handle in RELEASED {
        let (Some(one), Some(entry)) = (report.operation(handle), SCHEDULE.get(handle)) else {
            continue;
        };
        println!(
            "  {:<26}{:>9}{:>7}{:>8}{:>9}{:>9}{:>11}",
            one.name,
            entry.priority,
            one.completed,
            one.missed + one.skipped,
            us(one.responses.percentile_ns(50.0)),
            us(one.responses.percentile_ns(99.0)),
            us(one.responses.longest_ns()),
        );
    }
    if let Some(reason) = &report.priorities_refused {
        println!("  without priorities: {reason}");
    }
    operators.shutdown(true)?;
    orb.shutdown(true)?;
    Ok(())
}
