//! The on-line part: each handle has what the analysis found, in constant time and without memory.

use taut_scheduling::{
    CallKind, Criticality, Handle, Importance, Options, Repository, Schedule, Strategy, TaskSet,
    analyze, to_rust,
};

/// A repository of `count` operations at three rates, each with an operation that it calls.
fn repository(count: u32) -> Repository {
    let mut repository = Repository::default();
    for number in 0..count {
        let caller = repository.describe(&format!("M::I{}::op{number}", number % 3));
        repository[caller].worst_case_ns = 10;
        repository[caller].period_ns = Some(1_000_000 * (1 + u64::from(number % 3)));
        repository[caller].importance = Importance::ALL[number as usize % 5];
        let callee = repository.describe(&format!("M::Helper::help{number}"));
        repository[callee].worst_case_ns = 5;
        repository.add_dependency(caller, callee, 2, CallKind::TwoWay);
    }
    repository
}

fn schedule(repository: &Repository, options: &Options) -> Schedule {
    let set = TaskSet::of(repository, &options.limits).unwrap();
    let analysis = analyze(&set, options).unwrap();
    assert!(analysis.is_feasible());
    Schedule::new(repository, &set, &analysis, options)
}

#[test]
fn each_operation_has_the_place_that_was_computed() {
    let repository = repository(30);
    let mut options = Options::new(Strategy::RateMonotonic);
    options.priorities = 10..=20;
    let schedule = schedule(&repository, &options);
    for (handle, info) in repository.iter() {
        assert_eq!(schedule.lookup(&info.entry_point), Some(handle));
        let entry = schedule.get(handle).unwrap();
        let rate = (handle.0 / 2) % 3;
        assert_eq!((entry.level, entry.priority), (rate, 20 - rate as i32));
        assert_eq!(entry.period_ns, 1_000_000 * (1 + u64::from(rate)));
        let is_caller = handle.0 % 2 == 0;
        assert_eq!(entry.total_ns, if is_caller { 20 } else { 5 });
        assert_eq!(entry.is_released, is_caller);
    }
    assert_eq!(schedule.lookup("M::I0::op1"), None);
    assert_eq!(schedule.get(Handle(60)), None);
    let mut subpriorities: Vec<_> = schedule
        .entries()
        .iter()
        .filter(|it| it.level == 1)
        .collect();
    subpriorities.sort_by_key(|entry| entry.subpriority);
    let importances: Vec<_> = subpriorities.iter().map(|entry| entry.importance).collect();
    assert!(
        importances.is_sorted_by(|one, other| one >= other),
        "{importances:?}"
    );
    let places = subpriorities.iter().map(|entry| entry.subpriority);
    assert!(places.eq(0..20));
}

#[test]
fn look_ups_allocate_nothing() {
    let schedule = schedule(&repository(100), &Options::default());
    let allocations = counting_allocator::in_steady_state(100, || {
        let handle = schedule.lookup("M::I1::op40").unwrap();
        assert!(schedule.get(handle).is_some());
        assert_eq!(schedule.lookup("nothing"), None);
    });
    assert_eq!(allocations, 0);
}

#[test]
fn an_empty_schedule_knows_no_name() {
    let schedule = schedule(&Repository::default(), &Options::default());
    assert_eq!(schedule.lookup(""), None);
    assert_eq!(schedule.lookup("a"), None);
}

#[allow(
    unreachable_pub,
    dead_code,
    reason = "programs include it at their roots"
)]
mod linked_in {
    //! The source that `to_rust` makes of the repository of 4 operations below.
    include!("../data/schedule.rs");
}

#[test]
fn a_schedule_that_is_linked_in_is_the_one_that_was_computed() {
    let mut repository = repository(2);
    let a = repository.lookup("M::I0::op0").unwrap();
    repository[a].criticality = Criticality::High;
    let schedule = schedule(&repository, &Options::new(Strategy::MaximumUrgencyFirst));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/schedule.rs");
    let text = to_rust(&schedule);
    if std::env::var_os("TAUT_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    assert_eq!(linked_in::SCHEDULE, schedule);
    assert_eq!(linked_in::handles::M_I1_OP1, Handle(2));
    assert_eq!(
        linked_in::SCHEDULE.lookup("M::Helper::help1"),
        Some(Handle(3))
    );
}
