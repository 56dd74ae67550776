//! The outcome of computing: priorities, levels, anomalies, exceptions.

use taut_scheduling_service::rtec_base::DependencyTypeT;
use taut_scheduling_service::rtec_scheduler::scheduler::PriorityReply;
use taut_scheduling_service::rtec_scheduler::{
    AnomalySeverity, DispatchingTypeT, RtInfoEnabledTypeT, Scheduler,
};
use taut_scheduling_service::service::ServiceSettings;
use taut_scheduling_service::taut_scheduling::{PrivilegedScheduler, Strategy};

use super::fixture::{MS, Service, end, set};

/// Four rates with a utilization of 0.65.
fn mission() -> Service {
    let service = Service::configure(ServiceSettings::default());
    for (name, worst_case, period) in [
        ("sensors", 5, 25),
        ("processing", 10, 50),
        ("displays", 15, 100),
        ("log", 100, 1_000),
    ] {
        service.operation(name, worst_case * MS, period * MS);
    }
    service
}

fn places(service: &Service) -> Vec<(i32, i32, i32)> {
    let place = |it: PriorityReply| (it.o_priority, it.p_priority, it.p_subpriority);
    let handles = 1..=4;
    handles
        .map(|handle| place(service.scheduler.priority(handle).unwrap()))
        .collect()
}

#[test]
fn shorter_periods_have_higher_priorities_whichever_way_they_are_numbered() {
    let service = mission();
    let reply = service.scheduler.compute_scheduling(10, 50).unwrap();
    assert_eq!(
        places(&service),
        [(50, 0, 0), (49, 1, 0), (48, 2, 0), (47, 3, 0)]
    );
    let infos = reply.infos.iter();
    let told: Vec<_> = infos.map(|info| (info.handle, info.priority)).collect();
    assert_eq!(told, [(1, 50), (2, 49), (3, 48), (4, 47)]);
    let levels: Vec<_> = reply
        .configs
        .iter()
        .map(|it| {
            (
                it.preemption_priority,
                it.thread_priority,
                it.timer_periods.clone(),
            )
        })
        .collect();
    let ms = |ms: u64| vec![i32::try_from(ms * MS).unwrap()];
    let expected = [
        (0, 50, ms(25)),
        (1, 49, ms(50)),
        (2, 48, ms(100)),
        (3, 47, ms(1_000)),
    ];
    assert_eq!(levels, expected);
    assert_eq!(service.scheduler.last_scheduled_priority().unwrap(), 3);
    let third = service.scheduler.dispatch_configuration(2).unwrap();
    assert_eq!(third, (48, DispatchingTypeT::StaticDispatching));

    service.scheduler.recompute_scheduling(50, 10).unwrap();
    assert_eq!(
        places(&service),
        [(10, 0, 0), (11, 1, 0), (12, 2, 0), (13, 3, 0)]
    );
}

#[test]
fn a_dynamic_strategy_has_one_level_with_its_order() {
    let service = mission();
    let privileged = service.privileged.as_ref().unwrap();
    privileged
        .set_the_strategy(Strategy::EarliestDeadlineFirst)
        .unwrap();
    assert_eq!(
        privileged.the_strategy().unwrap(),
        Strategy::EarliestDeadlineFirst
    );
    service.scheduler.recompute_scheduling(10, 50).unwrap();
    assert!(
        places(&service)
            .iter()
            .all(|place| (place.0, place.1) == (50, 0))
    );
    let level = service.scheduler.dispatch_configuration(0).unwrap();
    assert_eq!(level, (50, DispatchingTypeT::DeadlineDispatching));
}

#[test]
fn computing_has_an_exception_where_no_schedule_can_be() {
    let empty = Service::configure(ServiceSettings::default());
    let compute =
        |service: &Service, levels| end(service.scheduler.recompute_scheduling(1, levels));
    assert_eq!(compute(&empty, 9), "TaskCountMismatch");
    empty.operation("called by nobody", MS, 0);
    assert_eq!(compute(&empty, 9), "TaskCountMismatch");

    let service = mission();
    assert_eq!(compute(&service, 3), "InsufficientThreadPriorityLevels");
    assert_eq!(end(service.scheduler.priority(1)), "NotScheduled");
    assert_eq!(compute(&service, 4), "done");
    service.operation("too much", 4 * MS, 10 * MS);
    assert_eq!(compute(&service, 9), "UtilizationBoundExceeded");
    assert_eq!(
        end(service.scheduler.compute_scheduling(1, 9)),
        "UtilizationBoundExceeded"
    );
}

#[test]
fn a_limit_of_the_analysis_is_internal() {
    let mut settings = ServiceSettings::default();
    settings.options.limits.max_steps = 1;
    let service = Service::configure(settings);
    service.operation("one", MS, 10 * MS);
    service.operation("two", MS, 20 * MS);
    assert_eq!(
        end(service.scheduler.recompute_scheduling(1, 9)),
        "Internal"
    );
}

#[test]
fn a_missed_deadline_is_an_anomaly_of_a_schedule_that_there_is() {
    let service = Service::configure(ServiceSettings::default());
    service.operation("fast", 2 * MS, 5 * MS);
    let slow = service.operation("slow", 4 * MS, 7 * MS);
    let anomalies = service.scheduler.recompute_scheduling(1, 9).unwrap();
    let errors: Vec<_> = anomalies
        .iter()
        .filter(|one| one.severity == AnomalySeverity::AnomalyError)
        .collect();
    assert_eq!(errors.len(), 1, "{anomalies:?}");
    assert!(
        errors[0].description.contains("`slow` takes up to 8ms"),
        "{anomalies:?}"
    );
    assert_eq!(service.scheduler.priority(slow).unwrap().o_priority, 8);
}

#[test]
fn faults_of_descriptions_are_fatal_and_name_their_operations() {
    let circle = Service::configure(ServiceSettings::default());
    circle.operation("a", MS, 10 * MS);
    circle.operation("b", MS, 0);
    for (caller, callee) in [(1, 2), (2, 1)] {
        let kind = DependencyTypeT::TwoWayCall;
        circle
            .scheduler
            .add_dependency(caller, callee, 1, kind)
            .unwrap();
    }
    let no_time = Service::configure(ServiceSettings::default());
    no_time.operation("a", 0, 10 * MS);
    for (service, part) in [(circle, "`a` → `b`"), (no_time, "`a` has no worst-case")] {
        let reply = service.scheduler.compute_scheduling(1, 9).unwrap();
        assert_eq!(reply.anomalies[0].severity, AnomalySeverity::AnomalyFatal);
        let text = &reply.anomalies[0].description;
        assert!(text.contains(part), "{text}");
        assert_eq!(reply.configs, []);
        assert_eq!(end(service.scheduler.priority(1)), "NotScheduled");
    }
}

#[test]
fn calls_are_a_part_of_their_callers_and_do_not_count_when_they_are_disabled() {
    let service = Service::configure(ServiceSettings::default());
    let caller = service.operation("caller", 4 * MS, 10 * MS);
    let callee = service.operation("callee", 4 * MS, 0);
    let kind = DependencyTypeT::TwoWayCall;
    service
        .scheduler
        .add_dependency(caller, callee, 2, kind)
        .unwrap();
    let over = end(service.scheduler.recompute_scheduling(1, 9));
    assert_eq!(over, "UtilizationBoundExceeded");
    let calls = service.scheduler.get_dependency_set().unwrap();
    assert_eq!(
        (calls[0].rt_info, calls[0].rt_info_depended_on),
        (caller, callee)
    );
    assert_eq!((calls.len(), calls[0].number_of_calls), (1, 2));

    // Without the callee the caller has time enough.
    let disabled = RtInfoEnabledTypeT::RtInfoDisabled;
    service
        .scheduler
        .set_rt_info_enable_state(callee, disabled)
        .unwrap();
    assert_eq!(end(service.scheduler.recompute_scheduling(1, 9)), "done");
    let enabled = RtInfoEnabledTypeT::RtInfoEnabled;
    service
        .scheduler
        .set_rt_info_enable_state(callee, enabled)
        .unwrap();
    service
        .scheduler
        .remove_dependency(caller, callee, 2, kind)
        .unwrap();
    service
        .scheduler
        .add_dependency(caller, callee, 1, kind)
        .unwrap();
    assert_eq!(end(service.scheduler.recompute_scheduling(1, 9)), "done");
    let places = [caller, callee].map(|it| service.scheduler.priority(it).unwrap().o_priority);
    assert_eq!(places, [9, 9]);
}

#[test]
fn replacing_takes_from_all_others_what_they_had_unless_they_are_not_volatile() {
    let service = mission();
    let keep = RtInfoEnabledTypeT::RtInfoNonVolatile;
    service.scheduler.set_rt_info_enable_state(2, keep).unwrap();
    let mut first = service.scheduler.get(1).unwrap();
    first.volatile_token = 7;
    service.scheduler.replace_seq(&[first.clone()]).unwrap();
    let infos = service.scheduler.get_rt_info_set().unwrap();
    let periods: Vec<_> = infos.iter().map(|info| info.period).collect();
    assert_eq!(periods, [first.period, 500_000, 0, 0]);
    assert_eq!(
        (infos[0].volatile_token, &infos[2].entry_point[..]),
        (7, "displays")
    );
    set(&service.scheduler, 3, MS, 100 * MS).unwrap();
    assert_eq!(service.scheduler.get(3).unwrap().period, 1_000_000);
}
