//! `taut schedule serve`: a configuration run, the production run that is made of it, and its faults.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use taut::Orb;
use taut_interop::Process;
use taut_scheduling_service::rtec_scheduler::scheduler::CreateError;
use taut_scheduling_service::rtec_scheduler::{
    CriticalityT, ImportanceT, InfoTypeT, Scheduler, SchedulerRef,
};
use taut_scheduling_service::taut_scheduling::{
    PrivilegedScheduler, PrivilegedSchedulerRef, Strategy,
};

use super::served::{TIME_OUT, signal};
use super::support::{run, taut};

/// A service; it is killed when the value is dropped.
struct Service {
    process: Process,
    orb: Orb,
    url: String,
}

impl Service {
    fn start(arguments: &[&str]) -> Self {
        let mut command = taut();
        command.args(["schedule", "serve", "--endpoint", "127.0.0.1:0"]);
        let mut process = Process::start(command.args(arguments)).unwrap();
        let url = process.read_line(TIME_OUT).unwrap();
        let orb = Orb::builder().build().unwrap();
        Self { process, orb, url }
    }

    fn scheduler(&self) -> SchedulerRef {
        self.orb
            .string_to_object(&self.url)
            .unwrap()
            .narrow()
            .unwrap()
    }

    /// Ends it in order.
    fn end(mut self) {
        signal(self.process.id(), "-TERM");
        let status = self.process.wait(TIME_OUT).unwrap();
        assert_eq!(status.code(), Some(0), "{status}");
        self.orb.shutdown(true).unwrap();
    }
}

const IDL: &str = "\
interface Radar {
  @period(\"10ms\") @wcet(\"2ms\")
  void sweep();
};
";

fn path(directory: &Path, name: &str) -> String {
    directory.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_configuration_run_is_seeded_by_idl_and_saves_what_a_production_run_serves() {
    let directory = tempfile::tempdir().unwrap();
    let [idl, saved, privileged] =
        ["radar.idl", "mission.toml", "privileged.ior"].map(|name| path(directory.path(), name));
    fs::write(&idl, IDL).unwrap();
    let service = Service::start(&[
        "--seed",
        &idl,
        "--save",
        &saved,
        "--privileged-ior",
        &privileged,
        "--strategy",
        "edf",
    ]);
    let scheduler = service.scheduler();
    assert_eq!(scheduler.lookup("Radar::sweep").unwrap(), 1);
    let refresh = scheduler.create("Display::refresh").unwrap();
    let set = scheduler.set(
        refresh,
        CriticalityT::LowCriticality,
        50_000,
        0,
        0,
        500_000,
        ImportanceT::LowImportance,
        0,
        0,
        InfoTypeT::Operation,
    );
    set.unwrap();
    // The privileged scheduler is for the owner of the file.
    let mode = fs::metadata(&privileged).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let reference = fs::read_to_string(&privileged).unwrap();
    let system = service.orb.string_to_object(reference.trim()).unwrap();
    let system: PrivilegedSchedulerRef = system.narrow().unwrap();
    assert_eq!(
        system.the_strategy().unwrap(),
        Strategy::EarliestDeadlineFirst
    );
    system.set_the_strategy(Strategy::RateMonotonic).unwrap();
    scheduler.recompute_scheduling(1, 50).unwrap();
    service.end();
    assert_eq!(run(&["schedule", "check", &saved]).status, Some(0));

    let service = Service::start(&["--production", &saved]);
    let scheduler = service.scheduler();
    let place = scheduler.entry_point_priority("Display::refresh").unwrap();
    assert_eq!((place.o_priority, place.p_priority), (49, 1));
    assert_eq!(scheduler.create("Radar::sweep").unwrap(), 1);
    assert!(matches!(
        scheduler.create("x"),
        Err(CreateError::Internal(_))
    ));
    service.end();
}

#[test]
fn what_cannot_be_served_is_said_before_anything_is() {
    let directory = tempfile::tempdir().unwrap();
    let [late, wrong] = ["late.toml", "wrong.idl"].map(|name| path(directory.path(), name));
    fs::write(
        &late,
        "[[operation]]\nname = \"a\"\nperiod = \"1ms\"\nwcet = \"2ms\"\n",
    )
    .unwrap();
    fs::write(&wrong, IDL.replace("10ms", "10 hours")).unwrap();
    for (arguments, part) in [
        (["--production", &late], "`a` misses its deadline"),
        (
            ["--production", "/no/such/file.toml"],
            "cannot read /no/such/file.toml",
        ),
        (["--seed", &wrong], "has no unit that is known"),
        (
            ["--max-operations=0", "--seed=/no/such/file.toml"],
            "cannot read",
        ),
    ] {
        let serve = ["schedule", "serve", "--endpoint", "127.0.0.1:0"];
        let outcome = run(&[&serve[..], &arguments[..]].concat());
        assert!(outcome.errors.contains(part), "{outcome:?}");
        assert_eq!((outcome.status, &outcome.output[..]), (Some(1), ""));
    }
    let both = ["schedule", "serve", "--production", &late, "--save", "x"];
    assert_eq!(run(&both).status, Some(2));
}
