//! The mission runs, and its schedule is that of the IDL. Nothing is asserted about times.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::time::Duration;

use taut_mission_computer::{Mission, RELEASED, SCHEDULE, handles, table};

#[test]
fn shorter_periods_have_higher_priorities_and_calls_are_at_their_callers() {
    let priorities = RELEASED.map(|handle| SCHEDULE.get(handle).unwrap().priority);
    assert_eq!(priorities, [40, 39, 38, 37]);
    let update = SCHEDULE.get(handles::MISSION_TRACKS_UPDATE).unwrap();
    assert_eq!((update.priority, update.is_released), (40, false));
    let sweep = SCHEDULE.get(handles::MISSION_SENSORS_SWEEP).unwrap();
    assert_eq!(sweep.total_ns, 3_400_000);
}

#[test]
fn each_operation_is_executed_beside_a_load() {
    let orb = taut::Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let mission = Mission::new(&orb).unwrap();
    // All are released at once in the beginning; on a busy machine the time may be too short.
    let has_run = |seconds| {
        let report = mission.run(Duration::from_secs(seconds), 1).unwrap();
        let of = RELEASED.map(|handle| report.operation(handle).unwrap().clone());
        assert_eq!(of.iter().map(|one| one.panicked).sum::<u64>(), 0);
        let shown = table(&report);
        assert!(of.iter().all(|one| shown.contains(&one.name)), "{shown}");
        of.iter().all(|one| one.completed > 0)
    };
    assert!(
        [1, 5, 30].into_iter().any(has_run),
        "an operation is never executed"
    );
    orb.shutdown(true).unwrap();
}
