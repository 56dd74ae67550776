//! omniORB's client of Taut's scheduling service, with stubs that omniidl made of the same IDL.

use std::process::Command;
use std::time::Duration;

use taut::Orb;
use taut_interop::{Process, peers};
use taut_scheduling_service::service::{KEY, SchedulingService, ServiceSettings};

const TIME_OUT: Duration = Duration::from_secs(60);

/// The lines of omniORB's client: operations with their times in units of 100 ns and their
/// priorities, calls, levels, and the exceptions by their repository ids.
const EXPECTED: &[&str] = &[
    "early: IDL:RtecScheduler/NOT_SCHEDULED:1.0",
    "again: IDL:RtecScheduler/DUPLICATE_NAME:1.0",
    "nobody: IDL:RtecScheduler/UNKNOWN_TASK:1.0",
    "info Radar::sweep 1 20000 10000 100000 3 1 1 20 0 0 1 0",
    "info Display::refresh 2 50000 25000 500000 3 1 0 19 0 1 1 0",
    "info Store::update 3 10000 5000 0 3 1 0 20 1 0 1 0",
    "call 1 3 2 1 1",
    "level 0 20 0 100000",
    "level 1 19 0 500000",
    "anomalies 0",
    "priority 19 0 1",
    "by name 20 1 0",
    "last 19 0",
    "overload: IDL:RtecScheduler/UTILIZATION_BOUND_EXCEEDED:1.0",
    "unscheduled: IDL:RtecScheduler/NOT_SCHEDULED:1.0",
];

#[test]
fn omniorbs_client_describes_operations_and_reads_their_schedule() {
    let Some(client) = peers::omniorb("scheduler_client") else {
        return;
    };
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.build().unwrap();
    SchedulingService::configure(&orb, ServiceSettings::default()).unwrap();
    let mut command = Command::new(client);
    command.arg(orb.corbaloc(KEY).unwrap());
    let mut process = Process::start(&mut command).unwrap();
    let (lines, status) = process.finish(TIME_OUT).unwrap();
    assert!(status.success(), "{status}: {lines:?}");
    assert_eq!(lines, EXPECTED);
    orb.shutdown(true).unwrap();
}
