//! The rights of the system that applications do not have.

use taut_scheduling::Description;
use taut_scheduling_service::rtec_base::DependencyTypeT;
use taut_scheduling_service::rtec_scheduler::{RtInfoEnabledTypeT, Scheduler};
use taut_scheduling_service::service::ServiceSettings;
use taut_scheduling_service::taut_scheduling::{Constraints, PrivilegedScheduler};

use super::fixture::{MS, Service, end, set};

#[test]
fn applications_call_operations_of_the_system_and_change_nothing_of_them() {
    let service = Service::configure(ServiceSettings::default());
    let (application, system) = (&service.scheduler, service.privileged.as_ref().unwrap());
    let push = system.create("EventChannel::push").unwrap();
    set(system, push, MS, 0).unwrap();
    let sweep = service.operation("Radar::sweep", MS, 10 * MS);

    assert_eq!(application.lookup("EventChannel::push").unwrap(), push);
    assert_eq!(application.get(push).unwrap().worst_case_execution_time, MS);
    let kind = DependencyTypeT::TwoWayCall;
    application.add_dependency(sweep, push, 1, kind).unwrap();
    for refused in [
        end(set(application, push, 1, 0)),
        end(application.set_seq(&[
            application.get(sweep).unwrap(),
            application.get(push).unwrap(),
        ])),
        end(application.add_dependency(push, sweep, 1, kind)),
        end(application.remove_dependency(push, sweep, 1, kind)),
        end(application.set_rt_info_enable_state(push, RtInfoEnabledTypeT::RtInfoDisabled)),
    ] {
        assert_eq!(refused, "NO_PERMISSION");
    }
    // Replacing all leaves alone what is the system's.
    application.replace_seq(&[]).unwrap();
    assert_eq!(application.get(push).unwrap().worst_case_execution_time, MS);
    assert_eq!(application.get(sweep).unwrap().worst_case_execution_time, 0);
    // The system changes what is the applications'.
    assert_eq!(end(set(system, sweep, MS, 10 * MS)), "done");
}

#[test]
fn constraints_reach_the_analysis_and_the_configuration() {
    let service = Service::configure(ServiceSettings::default());
    let sweep = service.operation("Radar::sweep", 2 * MS, 10 * MS);
    service.operation("Display::refresh", 3 * MS, 20 * MS);
    let system = service.privileged.as_ref().unwrap();
    assert_eq!(end(system.get_constraints(9)), "UnknownTask");
    assert_eq!(
        end(system.set_constraints(9, &Constraints::default())),
        "UnknownTask"
    );
    let constraints = Constraints {
        deadline: 4 * MS,
        blocking: 3 * MS,
        ..Constraints::default()
    };
    system.set_constraints(sweep, &constraints).unwrap();
    assert_eq!(system.get_constraints(sweep).unwrap(), constraints);
    let anomalies = service.scheduler.recompute_scheduling(1, 9).unwrap();
    assert!(
        anomalies[0].description.contains("1ms are missing"),
        "{anomalies:?}"
    );

    let shorter = Constraints {
        blocking: MS,
        ..constraints
    };
    system.set_constraints(sweep, &shorter).unwrap();
    system.set_context_switch(50).unwrap();
    assert_eq!(system.context_switch().unwrap(), 50);
    assert_eq!(service.scheduler.recompute_scheduling(1, 9).unwrap(), []);
    let description = Description::from_toml(&system.configuration().unwrap()).unwrap();
    let (_, info) = description.repository.iter().next().unwrap();
    assert_eq!(
        (info.deadline_ns, info.blocking_ns),
        (Some(4_000_000), 1_000_000)
    );
    assert_eq!(description.options.context_switch_ns, 5_000);
    assert_eq!(description.options.priorities, 1..=9);
}
