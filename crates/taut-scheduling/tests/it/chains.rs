//! Chains of calls: totals, periods, circles, gaps, threads, limits.

use taut_scheduling::{AnomalyKind, CallKind, Faults, Handle, Limits, Repository, TaskSet};

/// A repository in which operations have a worst case and perhaps a period.
fn repository(operations: &[(&str, u64, Option<u64>)]) -> Repository {
    let mut repository = Repository::default();
    for (name, worst_case_ns, period_ns) in operations {
        let handle = repository.describe(name);
        repository[handle].worst_case_ns = *worst_case_ns;
        repository[handle].period_ns = *period_ns;
    }
    repository
}

fn call(repository: &mut Repository, caller: &str, callee: &str, calls: u32, kind: CallKind) {
    let caller = repository.lookup(caller).unwrap();
    let callee = repository.refer(callee);
    repository.add_dependency(caller, callee, calls, kind);
}

fn tasks(repository: &Repository) -> TaskSet {
    TaskSet::of(repository, &Limits::default()).unwrap()
}

fn faults(repository: &Repository, limits: &Limits) -> Vec<(AnomalyKind, String)> {
    let Faults(faults) = TaskSet::of(repository, limits).unwrap_err();
    let each = faults.into_iter().map(|fault| (fault.kind, fault.message));
    each.collect()
}

#[test]
fn a_caller_waits_for_all_that_it_calls() {
    let mut repository = repository(&[("a", 5, Some(100)), ("b", 3, None), ("c", 2, None)]);
    call(&mut repository, "a", "b", 2, CallKind::TwoWay);
    call(&mut repository, "b", "c", 3, CallKind::TwoWay);
    let set = tasks(&repository);
    assert_eq!(set.tasks.len(), 1);
    assert_eq!(set.tasks[0].cost_ns(), 5 + 2 * (3 + 3 * 2));
    assert_eq!(set.tasks[0].segments_ns, [5, 3, 2, 2, 2, 3, 2, 2, 2]);
    assert_eq!(set.periods_ns, [100, 100, 100]);
}

#[test]
fn a_diamond_has_the_smaller_period_and_is_counted_for_each_caller() {
    let mut repository = repository(&[("a", 5, Some(100)), ("b", 3, Some(40)), ("c", 2, None)]);
    call(&mut repository, "a", "c", 1, CallKind::TwoWay);
    call(&mut repository, "b", "c", 1, CallKind::TwoWay);
    let set = tasks(&repository);
    let costs: Vec<_> = set.tasks.iter().map(|task| task.cost_ns()).collect();
    assert_eq!(costs, [7, 5]);
    let c = repository.lookup("c").unwrap();
    assert_eq!(set.periods_ns[2], 40);
    assert_eq!(set.task_of[2], 1, "{c:?} runs at the priority of b");
}

#[test]
fn an_operation_called_without_waiting_is_a_task_at_its_callers_rate() {
    let mut repository = repository(&[
        ("a", 5, Some(100)),
        ("b", 3, None),
        ("log", 2, None),
        ("disk", 1, None),
    ]);
    let a = repository.lookup("a").unwrap();
    repository[a].deadline_ns = Some(80);
    call(&mut repository, "a", "b", 2, CallKind::TwoWay);
    call(&mut repository, "b", "log", 3, CallKind::OneWay);
    call(&mut repository, "log", "disk", 1, CallKind::TwoWay);
    let set = tasks(&repository);
    let names: Vec<_> = set.tasks.iter().map(|task| &task.name[..]).collect();
    assert_eq!(names, ["a", "log (called by a)"]);
    let log = &set.tasks[1];
    assert_eq!(
        (log.period_ns, log.deadline_ns, log.released_by),
        (100, 80, Some(a))
    );
    assert_eq!(
        (set.tasks[0].cost_ns(), log.cost_ns()),
        (5 + 2 * 3, 6 * (2 + 1))
    );
    // One that has a period of its own is released by it alone.
    let handle = repository.lookup("log").unwrap();
    repository[handle].period_ns = Some(50);
    let set = tasks(&repository);
    let costs: Vec<_> = set
        .tasks
        .iter()
        .map(|task| (task.period_ns, task.cost_ns()))
        .collect();
    assert_eq!(costs, [(100, 11), (50, 3)]);
}

#[test]
fn each_thread_of_an_operation_is_a_task() {
    let mut repository = repository(&[("a", 5, Some(100)), ("log", 1, None)]);
    repository[Handle(0)].threads = Some(2);
    call(&mut repository, "a", "log", 1, CallKind::OneWay);
    let set = tasks(&repository);
    let names: Vec<_> = set.tasks.iter().map(|task| &task.name[..]).collect();
    let expected = [
        "a #1",
        "a #2",
        "log (called by a #1)",
        "log (called by a #2)",
    ];
    assert_eq!(names, expected);
    assert!((set.utilization() - 0.12).abs() < 1e-9);
}

#[test]
fn a_circle_names_its_members() {
    let mut repository = repository(&[("x", 1, Some(9)), ("a", 1, None), ("b", 1, None)]);
    for (caller, callee) in [("x", "a"), ("a", "b"), ("b", "a")] {
        call(&mut repository, caller, callee, 1, CallKind::TwoWay);
    }
    let found = faults(&repository, &Limits::default());
    assert_eq!(found[0].0, AnomalyKind::CyclicDependencies);
    assert!(found[0].1.contains("circle: `a` → `b` → `a`"), "{found:?}");
    call(&mut repository, "x", "x", 1, CallKind::OneWay);
    let found = faults(&repository, &Limits::default());
    assert_eq!(found[0].0, AnomalyKind::CyclicDependencies);
}

#[test]
fn gaps_are_named_all_at_once() {
    let mut repository = repository(&[
        ("a", 1, Some(9)),
        ("idle", 1, None),
        ("threads", 1, None),
        ("empty", 0, Some(9)),
        ("long", 1 << 61, Some(9)),
        ("never", 1, Some(0)),
    ]);
    let threads = repository.lookup("threads").unwrap();
    repository[threads].threads = Some(1);
    call(&mut repository, "a", "nobody", 1, CallKind::TwoWay);
    call(&mut repository, "long", "a", 0, CallKind::TwoWay);
    let found = faults(&repository, &Limits::default());
    for (kind, part) in [
        (
            AnomalyKind::UnresolvedDependency,
            "`nobody` is called by `a` and not described",
        ),
        (AnomalyKind::NeverReleased, "`idle` is never released"),
        (AnomalyKind::ThreadSpecification, "`threads` has threads"),
        (AnomalyKind::NoExecutionTime, "`empty` has no worst-case"),
        (
            AnomalyKind::Range,
            "the worst-case execution time of `long`",
        ),
        (AnomalyKind::Range, "`long` calls an operation 0 times"),
        (AnomalyKind::Range, "the period of `never` is 0s"),
    ] {
        let is_there = |fault: &(AnomalyKind, String)| fault.0 == kind && fault.1.contains(part);
        assert!(found.iter().any(is_there), "{part} in {found:#?}");
    }
}

#[test]
fn operations_that_only_idle_ones_call_are_never_released() {
    let mut repository = repository(&[("a", 1, None), ("b", 1, None), ("c", 1, Some(5))]);
    call(&mut repository, "a", "b", 1, CallKind::TwoWay);
    let c = repository.lookup("c").unwrap();
    repository[c].threads = Some(0);
    let found = faults(&repository, &Limits::default());
    let names: Vec<_> = found.iter().map(|fault| &fault.1[..3]).collect();
    assert_eq!(names, ["`a`", "`b`", "`c`"]);
}

#[test]
fn each_limit_ends_an_analysis_that_is_too_large() {
    let mut large = repository(&[("a", 1, Some(9)), ("b", 1, Some(9)), ("c", 1, None)]);
    call(&mut large, "a", "c", 100, CallKind::TwoWay);
    call(&mut large, "b", "c", 50, CallKind::OneWay);
    let limited = |set: &dyn Fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        faults(&large, &limits)
    };
    for (found, part) in [
        (
            limited(&|limits| limits.max_operations = 2),
            "`max_operations` allows 2",
        ),
        (
            limited(&|limits| limits.max_tasks = 2),
            "`max_tasks` allows 2",
        ),
        (
            limited(&|limits| limits.max_calls = 100),
            "`a` and all that it calls are 101",
        ),
        (
            limited(&|limits| limits.max_calls = 49),
            "`max_calls` allows 49",
        ),
    ] {
        assert_eq!(found[0].0, AnomalyKind::Limit);
        assert!(found[0].1.contains(part), "{found:?}");
    }
    // Counts beyond all numbers do no harm.
    let mut deep = repository(&[("0", 1, Some(9))]);
    for level in 1..60 {
        let (caller, callee) = ((level - 1).to_string(), level.to_string());
        let handle = deep.describe(&callee);
        deep[handle].worst_case_ns = 1;
        call(&mut deep, &caller, &callee, u32::MAX, CallKind::TwoWay);
    }
    assert_eq!(faults(&deep, &Limits::default())[0].0, AnomalyKind::Limit);
}

#[test]
fn a_chain_of_ten_thousand_calls_is_followed() {
    let mut repository = Repository::default();
    for level in 0..10_000 {
        let handle = repository.describe(&level.to_string());
        repository[handle].worst_case_ns = 1;
        if level > 0 {
            repository.add_dependency(Handle(level - 1), handle, 1, CallKind::TwoWay);
        }
    }
    repository[Handle(0)].period_ns = Some(20_000);
    let set = tasks(&repository);
    assert_eq!(set.tasks[0].cost_ns(), 10_000);
    assert_eq!(set.periods_ns[9_999], 20_000);
}
