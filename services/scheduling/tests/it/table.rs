//! Each operation of the scheduler in each case that ends it in another way.

use taut_scheduling_service::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use taut_scheduling_service::rtec_scheduler::{
    CriticalityT, ImportanceT, InfoTypeT, RtInfo, RtInfoEnableStatePair, RtInfoEnabledTypeT,
    Scheduler, SchedulerRef,
};
use taut_scheduling_service::service::ServiceSettings;

use super::fixture::{MS, Service, end, set};

/// A number that no operation has.
const NOBODY: i32 = 99;

type Case = (&'static str, fn(&SchedulerRef, i32) -> String, &'static str);

fn reset(scheduler: &SchedulerRef, handle: i32, period: i32, threads: i32) -> String {
    end(scheduler.reset(
        handle,
        CriticalityT::HighCriticality,
        MS,
        MS,
        0,
        period,
        ImportanceT::LowImportance,
        0,
        threads,
        InfoTypeT::Conjunction,
    ))
}

fn info(handle: i32, period: i32) -> RtInfo {
    RtInfo {
        handle,
        period,
        worst_case_execution_time: MS,
        ..RtInfo::default()
    }
}

fn call(callee: i32, times: i32) -> DependencyInfo {
    DependencyInfo {
        dependency_type: DependencyTypeT::TwoWayCall,
        number_of_calls: times,
        rt_info: 1,
        rt_info_depended_on: callee,
        enabled: DependencyEnabledTypeT::DependencyDisabled,
    }
}

fn state(handle: i32) -> RtInfoEnableStatePair {
    RtInfoEnableStatePair {
        handle,
        enabled: RtInfoEnabledTypeT::RtInfoEnabled,
    }
}

const TWO_WAY: DependencyTypeT = DependencyTypeT::TwoWayCall;
const DISABLED: DependencyEnabledTypeT = DependencyEnabledTypeT::DependencyDisabled;

/// Of operations upon the service with `Radar::sweep` (1), which calls `Store::update` (2) twice;
/// nothing is computed yet.
const DESCRIBING: &[Case] = &[
    ("create", |it, _| end(it.create("new")), "done"),
    (
        "create of a name that is there",
        |it, _| end(it.create("Radar::sweep")),
        "DuplicateName",
    ),
    (
        "create of a long name",
        |it, _| end(it.create(&"n".repeat(65))),
        "Internal",
    ),
    ("lookup", |it, _| end(it.lookup("Store::update")), "done"),
    (
        "lookup of nobody",
        |it, _| end(it.lookup("nobody")),
        "UnknownTask",
    ),
    ("get", |it, it_is| end(it.get(it_is)), "done"),
    ("get of nobody", |it, _| end(it.get(NOBODY)), "UnknownTask"),
    ("get of 0", |it, _| end(it.get(0)), "UnknownTask"),
    ("get of less than 0", |it, _| end(it.get(-1)), "UnknownTask"),
    ("set", |it, it_is| end(set(it, it_is, MS, MS)), "done"),
    (
        "set of nobody",
        |it, _| end(set(it, NOBODY, MS, MS)),
        "UnknownTask",
    ),
    ("reset", |it, it_is| reset(it, it_is, 1, 0), "done"),
    (
        "reset of nobody",
        |it, _| reset(it, NOBODY, 1, 0),
        "UnknownTask",
    ),
    (
        "reset with less than no period",
        |it, it_is| reset(it, it_is, -1, 0),
        "BAD_PARAM",
    ),
    (
        "reset with less than no thread",
        |it, it_is| reset(it, it_is, 1, -1),
        "BAD_PARAM",
    ),
    (
        "set_seq",
        |it, it_is| end(it.set_seq(&[info(it_is, 1)])),
        "done",
    ),
    (
        "set_seq of nobody",
        |it, _| end(it.set_seq(&[info(1, 1), info(NOBODY, 1)])),
        "UnknownTask",
    ),
    (
        "set_seq of less than no period",
        |it, _| end(it.set_seq(&[info(1, -1)])),
        "BAD_PARAM",
    ),
    (
        "reset_seq",
        |it, it_is| end(it.reset_seq(&[info(it_is, 1)])),
        "done",
    ),
    (
        "reset_seq of nobody",
        |it, _| end(it.reset_seq(&[info(NOBODY, 1)])),
        "UnknownTask",
    ),
    (
        "replace_seq",
        |it, it_is| end(it.replace_seq(&[info(it_is, 1)])),
        "done",
    ),
    (
        "replace_seq of nobody",
        |it, _| end(it.replace_seq(&[info(NOBODY, 1)])),
        "UnknownTask",
    ),
    (
        "add_dependency",
        |it, _| end(it.add_dependency(1, 2, 1, TWO_WAY)),
        "done",
    ),
    (
        "add_dependency of nobody",
        |it, _| end(it.add_dependency(NOBODY, 2, 1, TWO_WAY)),
        "UnknownTask",
    ),
    (
        "add_dependency on nobody",
        |it, _| end(it.add_dependency(1, NOBODY, 1, TWO_WAY)),
        "UnknownTask",
    ),
    (
        "add_dependency of no call",
        |it, _| end(it.add_dependency(1, 2, 0, TWO_WAY)),
        "BAD_PARAM",
    ),
    (
        "add_dependency beyond the limit",
        |it, _| {
            it.add_dependency(1, 2, 7, TWO_WAY).unwrap();
            it.add_dependency(1, 2, 8, TWO_WAY).unwrap();
            end(it.add_dependency(1, 2, 9, TWO_WAY))
        },
        "IMP_LIMIT",
    ),
    (
        "remove_dependency",
        |it, _| end(it.remove_dependency(1, 2, 2, TWO_WAY)),
        "done",
    ),
    (
        "remove_dependency that is not there",
        |it, _| end(it.remove_dependency(1, 2, 3, TWO_WAY)),
        "UnknownTask",
    ),
    (
        "set_dependency_enable_state",
        |it, _| end(it.set_dependency_enable_state(1, 2, 2, TWO_WAY, DISABLED)),
        "done",
    ),
    (
        "set_dependency_enable_state of what is not there",
        |it, _| end(it.set_dependency_enable_state(2, 1, 2, TWO_WAY, DISABLED)),
        "UnknownTask",
    ),
    (
        "set_dependency_enable_state_seq",
        |it, _| end(it.set_dependency_enable_state_seq(&[call(2, 2)])),
        "done",
    ),
    (
        "set_dependency_enable_state_seq of what is not there",
        |it, _| end(it.set_dependency_enable_state_seq(&[call(2, 2), call(NOBODY, 1)])),
        "UnknownTask",
    ),
    (
        "set_rt_info_enable_state",
        |it, it_is| end(it.set_rt_info_enable_state(it_is, RtInfoEnabledTypeT::RtInfoDisabled)),
        "done",
    ),
    (
        "set_rt_info_enable_state of nobody",
        |it, _| end(it.set_rt_info_enable_state(NOBODY, RtInfoEnabledTypeT::RtInfoDisabled)),
        "UnknownTask",
    ),
    (
        "set_rt_info_enable_state_seq",
        |it, it_is| end(it.set_rt_info_enable_state_seq(&[state(it_is)])),
        "done",
    ),
    (
        "set_rt_info_enable_state_seq of nobody",
        |it, it_is| end(it.set_rt_info_enable_state_seq(&[state(it_is), state(NOBODY)])),
        "UnknownTask",
    ),
    ("get_rt_info_set", |it, _| end(it.get_rt_info_set()), "done"),
    (
        "get_dependency_set",
        |it, _| end(it.get_dependency_set()),
        "done",
    ),
    (
        "get_config_info_set",
        |it, _| end(it.get_config_info_set()),
        "done",
    ),
    (
        "priority before a schedule",
        |it, it_is| end(it.priority(it_is)),
        "NotScheduled",
    ),
    (
        "priority of nobody",
        |it, _| end(it.priority(NOBODY)),
        "UnknownTask",
    ),
    (
        "entry_point_priority before a schedule",
        |it, _| end(it.entry_point_priority("Radar::sweep")),
        "NotScheduled",
    ),
    (
        "entry_point_priority of nobody",
        |it, _| end(it.entry_point_priority("nobody")),
        "UnknownTask",
    ),
    (
        "dispatch_configuration before a schedule",
        |it, _| end(it.dispatch_configuration(0)),
        "NotScheduled",
    ),
    (
        "last_scheduled_priority before a schedule",
        |it, _| end(it.last_scheduled_priority()),
        "NotScheduled",
    ),
    (
        "get_config_infos before a schedule",
        |it, _| end(it.get_config_infos()),
        "NotScheduled",
    ),
];

/// Of operations once the schedule is computed.
const COMPUTED: &[Case] = &[
    ("priority", |it, it_is| end(it.priority(it_is)), "done"),
    (
        "entry_point_priority",
        |it, _| end(it.entry_point_priority("Store::update")),
        "done",
    ),
    (
        "dispatch_configuration",
        |it, _| end(it.dispatch_configuration(0)),
        "done",
    ),
    (
        "dispatch_configuration of no level",
        |it, _| end(it.dispatch_configuration(1)),
        "UnknownPriorityLevel",
    ),
    (
        "dispatch_configuration of less than 0",
        |it, _| end(it.dispatch_configuration(-1)),
        "UnknownPriorityLevel",
    ),
    (
        "last_scheduled_priority",
        |it, _| end(it.last_scheduled_priority()),
        "done",
    ),
    (
        "get_config_infos",
        |it, _| end(it.get_config_infos()),
        "done",
    ),
    (
        "get_config_info_set",
        |it, _| end(it.get_config_info_set()),
        "done",
    ),
    (
        "priority of an operation that does not count",
        |it, it_is| {
            it.set_rt_info_enable_state(2, RtInfoEnabledTypeT::RtInfoDisabled)
                .unwrap();
            it.recompute_scheduling(1, 10).unwrap();
            format!("{}, {}", end(it.priority(it_is)), end(it.priority(2)))
        },
        "done, NotScheduled",
    ),
    (
        "priority after a change",
        |it, it_is| {
            set(it, it_is, MS, 20 * MS).unwrap();
            end(it.priority(it_is))
        },
        "NotScheduled",
    ),
    (
        "priority after a change that failed",
        |it, it_is| {
            set(it, NOBODY, MS, 20 * MS).unwrap_err();
            end(it.priority(it_is))
        },
        "done",
    ),
];

/// A service with an operation that calls another twice, and the caller's number.
fn service() -> (Service, i32) {
    let mut settings = ServiceSettings::default();
    settings.max_name_octets = 64;
    settings.max_dependencies = 3;
    let service = Service::configure(settings);
    let sweep = service.operation("Radar::sweep", MS, 10 * MS);
    let update = service.operation("Store::update", MS, 0);
    let added = service.scheduler.add_dependency(sweep, update, 2, TWO_WAY);
    added.unwrap();
    assert_eq!((sweep, update), (1, 2));
    (service, sweep)
}

fn differing(cases: &[Case], computed: bool) -> Vec<String> {
    let end_of = |case: &Case| {
        let (service, sweep) = service();
        if computed {
            service.scheduler.recompute_scheduling(1, 10).unwrap();
        }
        case.1(&service.scheduler, sweep)
    };
    let ends = cases.iter().map(|case| (case, end_of(case)));
    let other = ends.filter(|(case, end)| *end != case.2);
    other
        .map(|(case, end)| format!("{}: {end}, not {}", case.0, case.2))
        .collect()
}

#[test]
fn each_operation_ends_in_each_case_as_its_idl_says() {
    assert_eq!(differing(DESCRIBING, false), Vec::<String>::new());
    assert_eq!(differing(COMPUTED, true), Vec::<String>::new());
}

#[test]
fn the_limit_of_operations_holds() {
    let mut settings = ServiceSettings::default();
    settings.max_operations = 1;
    let service = Service::configure(settings);
    service.scheduler.create("one").unwrap();
    assert_eq!(end(service.scheduler.create("two")), "Internal");
}
