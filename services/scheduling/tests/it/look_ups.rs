//! Look-ups of a production run cost no memory, and no time that grows with the operations.

use std::fmt::Write as _;

use taut::ObjectRef;
use taut_scheduling_service::rtec_scheduler::{Scheduler, SchedulerRef};

use super::fixture::Service;

/// A file with so many operations.
fn many(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(
            text,
            "[[operation]]\nname = \"M::op{number}\"\nperiod = \"1s\"\nwcet = \"1us\""
        );
        text
    })
}

#[test]
fn a_look_up_in_production_allocates_nothing() {
    let service = Service::produce(&many(500));
    // The servant is in this process: what is counted is the service's work and the direct call.
    let scheduler: SchedulerRef = ObjectRef::from(service.scheduler.clone()).unchecked_narrow();
    let allocations = counting_allocator::in_steady_state(1_000, || {
        let handle = scheduler.lookup("M::op499").unwrap();
        assert_eq!(handle, 500);
        let place = scheduler.priority(handle).unwrap();
        let same = scheduler.entry_point_priority("M::op499").unwrap();
        assert_eq!(
            (place.o_priority, place.p_priority),
            (same.o_priority, same.p_priority)
        );
        assert!(scheduler.lookup("M::op500").is_err());
        assert!(scheduler.priority(501).is_err());
    });
    assert_eq!(allocations, 0);
}
