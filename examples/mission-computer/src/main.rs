//! Runs the mission computer with 0, 1, 2 and 4 threads beside it, for 2 seconds each, or for as
//! many as the argument says.

use std::error::Error;
use std::time::Duration;

use taut_mission_computer::{Mission, SCHEDULE, table};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1);
    let seconds: u64 = seconds.map_or(Ok(2), |text| text.parse())?;
    let orb = taut::Orb::builder().listen("127.0.0.1:0")?.build()?;
    let mission = Mission::new(&orb)?;
    println!("The schedule, by {}:", SCHEDULE.strategy());
    for entry in SCHEDULE.entries() {
        println!(
            "  {:<28} level {}, priority {}, {} us",
            entry.name,
            entry.level,
            entry.priority,
            entry.total_ns / 1_000
        );
    }
    for best_effort in [0, 1, 2, 4] {
        let report = mission.run(Duration::from_secs(seconds), best_effort)?;
        println!("\nBeside {best_effort} threads without deadlines:");
        print!("{}", table(&report));
        if let Some(reason) = &report.priorities_refused {
            println!("  without priorities: {reason}");
        }
    }
    orb.shutdown(true)?;
    Ok(())
}
