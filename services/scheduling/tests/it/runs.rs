//! A configuration run, and the production run that is made of it.

use std::fs;

use taut_scheduling::Description;
use taut_scheduling_service::rtec_base::{DependencyEnabledTypeT, DependencyTypeT};
use taut_scheduling_service::rtec_scheduler::{RtInfoEnabledTypeT, Scheduler, SchedulerRef};
use taut_scheduling_service::service::{SchedulingService, ServiceSettings, StartError};
use taut_scheduling_service::taut_scheduling::PrivilegedScheduler;

use super::fixture::{MS, Service, end, set};

/// An application, which is the same in both runs. Returns the priorities that it gets.
fn application(scheduler: &SchedulerRef) -> Vec<i32> {
    let operations = [
        ("Radar::sweep", 2, 10),
        ("Display::refresh", 5, 50),
        ("Store::update", 1, 0),
    ];
    let handles = operations.map(|(name, worst_case, period)| {
        let handle = scheduler.create(name).unwrap();
        set(scheduler, handle, worst_case * MS, period * MS).unwrap();
        handle
    });
    let kind = DependencyTypeT::TwoWayCall;
    scheduler
        .add_dependency(handles[0], handles[2], 1, kind)
        .unwrap();
    scheduler.recompute_scheduling(20, 40).unwrap();
    handles
        .map(|handle| scheduler.priority(handle).unwrap().o_priority)
        .to_vec()
}

#[test]
fn a_production_run_serves_what_the_configuration_run_has_computed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mission.toml");
    let mut settings = ServiceSettings::default();
    settings.configuration_file = Some(file.clone());
    let configuration = Service::configure(settings);
    let priorities = application(&configuration.scheduler);
    assert_eq!(priorities, [40, 39, 40]);
    let infos = configuration.scheduler.get_rt_info_set().unwrap();

    let production = Service::produce(&fs::read_to_string(&file).unwrap());
    assert_eq!(application(&production.scheduler), priorities);
    assert_eq!(production.scheduler.get_rt_info_set().unwrap(), infos);
    let levels = |scheduler: &SchedulerRef| scheduler.get_config_infos().unwrap();
    assert_eq!(
        levels(&production.scheduler),
        levels(&configuration.scheduler)
    );
}

#[test]
fn a_configuration_run_writes_the_schedule_as_rust() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mission.rs");
    let mut settings = ServiceSettings::default();
    settings.configuration_file = Some(file.clone());
    application(&Service::configure(settings).scheduler);
    let text = fs::read_to_string(&file).unwrap();
    for part in [
        "pub static SCHEDULE",
        "RADAR_SWEEP",
        "priority: 40",
        "priority: 39",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_schedule_that_cannot_be_written_is_an_exception() {
    let mut settings = ServiceSettings::default();
    settings.configuration_file = Some("/nonexistent/mission.toml".into());
    let service = Service::configure(settings);
    service.operation("a", MS, 10 * MS);
    assert_eq!(
        end(service.scheduler.recompute_scheduling(1, 9)),
        "PERSIST_STORE"
    );
}

#[test]
fn a_production_run_never_has_the_priorities_the_other_way_round() {
    let directory = tempfile::tempdir().unwrap();
    let compute = |name: &str| {
        let file = directory.path().join(name);
        let mut settings = ServiceSettings::default();
        settings.configuration_file = Some(file.clone());
        let service = Service::configure(settings);
        service.operation("a", MS, 10 * MS);
        // Lower numbers are more urgent.
        let outcome = end(service.scheduler.recompute_scheduling(50, 10));
        assert_eq!(service.scheduler.priority(1).unwrap().o_priority, 10);
        let configuration = service.privileged.as_ref().unwrap().configuration();
        assert_eq!(configuration.unwrap_err().kind.name(), "PERSIST_STORE");
        (outcome, fs::read_to_string(file).ok())
    };
    assert_eq!(compute("a.toml"), ("PERSIST_STORE".to_owned(), None));
    let (outcome, text) = compute("a.rs");
    assert_eq!(outcome, "done");
    assert!(text.unwrap().contains("priority: 10"));
}

#[test]
fn a_schedule_that_cannot_be_computed_changes_nothing_of_the_configuration() {
    let service = Service::configure(ServiceSettings::default());
    service.operation("a", MS, 10 * MS);
    service.scheduler.recompute_scheduling(20, 40).unwrap();
    service.operation("too much", 10 * MS, 10 * MS);
    let system = service.privileged.as_ref().unwrap();
    let before = system.configuration().unwrap();
    assert!(before.contains("lowest = 20, highest = 40"), "{before}");
    assert_eq!(
        end(service.scheduler.recompute_scheduling(1, 9)),
        "UtilizationBoundExceeded"
    );
    assert_eq!(system.configuration().unwrap(), before);
}

const PRODUCTION: &str = "\
[[operation]]
name = \"a\"
period = \"10ms\"
wcet = \"1ms\"
";

#[test]
fn in_production_nothing_changes() {
    let service = Service::produce(PRODUCTION);
    let scheduler = &service.scheduler;
    assert!(service.privileged.is_none());
    let before = scheduler.get(1).unwrap();
    assert_eq!(end(set(scheduler, 1, 9 * MS, 10 * MS)), "done");
    assert_eq!(scheduler.get(1).unwrap(), before);
    let (kind, off) = (
        DependencyTypeT::OneWayCall,
        RtInfoEnabledTypeT::RtInfoDisabled,
    );
    let no_call = DependencyEnabledTypeT::DependencyDisabled;
    for (ends, expected) in [
        (end(scheduler.create("b")), "Internal"),
        (end(scheduler.lookup("b")), "UnknownTask"),
        (end(scheduler.get(2)), "UnknownTask"),
        (end(scheduler.priority(0)), "UnknownTask"),
        (end(scheduler.entry_point_priority("b")), "UnknownTask"),
        (end(set(scheduler, 2, 1, 1)), "UnknownTask"),
        (end(scheduler.add_dependency(1, 2, 1, kind)), "UnknownTask"),
        (
            end(scheduler.remove_dependency(2, 1, 1, kind)),
            "UnknownTask",
        ),
        (
            end(scheduler.set_dependency_enable_state(1, 2, 1, kind, no_call)),
            "UnknownTask",
        ),
        (
            end(scheduler.set_rt_info_enable_state(2, off)),
            "UnknownTask",
        ),
        (end(scheduler.set_rt_info_enable_state(1, off)), "done"),
        (
            end(scheduler.dispatch_configuration(1)),
            "UnknownPriorityLevel",
        ),
        (end(scheduler.compute_scheduling(1, 9)), "done"),
        (end(scheduler.last_scheduled_priority()), "done"),
    ] {
        assert_eq!(ends, expected);
    }
}

#[test]
fn an_infeasible_file_starts_no_production_run() {
    let text = PRODUCTION.replace("1ms", "11ms");
    let description = Description::from_toml(&text).unwrap();
    let orb = taut::Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let error = SchedulingService::produce(&orb, &description).unwrap_err();
    assert!(matches!(error, StartError::NoSchedule(_)), "{error}");
    assert!(
        error.to_string().contains("`a` misses its deadline"),
        "{error}"
    );
    // Where one is there is no room for another.
    let seed = Description::from_toml(PRODUCTION).unwrap();
    SchedulingService::produce(&orb, &seed).unwrap();
    let error = SchedulingService::produce(&orb, &seed).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ORB has a scheduling service already"
    );
    let mut settings = ServiceSettings::default();
    (settings.seed, settings.max_operations) = (Some(seed), 0);
    let error = SchedulingService::configure(&orb, settings).unwrap_err();
    assert!(
        error.to_string().contains("`max_operations` allows"),
        "{error}"
    );
    let _ = orb.shutdown(true);
}

#[test]
fn a_configuration_run_begins_with_its_seed() {
    let mut settings = ServiceSettings::default();
    settings.seed = Some(Description::from_toml(PRODUCTION).unwrap());
    let service = Service::configure(settings);
    assert_eq!(service.scheduler.lookup("a").unwrap(), 1);
    service.operation("b", MS, 20 * MS);
    service.scheduler.recompute_scheduling(1, 9).unwrap();
    assert_eq!(service.scheduler.priority(2).unwrap().o_priority, 8);
}
