//! Examples of the literature, computed by hand.

use taut_scheduling::{
    Analysis, AnalysisError, AnomalyKind, Basis, Criticality, Handle, Importance, Options,
    Preemption, Repository, Severity, Strategy, Task, TaskSet, analyze, growth, simulate,
};

/// Tasks with these periods and execution times.
fn set(tasks: &[(u64, u64)]) -> TaskSet {
    let task = |(number, (period, cost)): (usize, &(u64, u64))| {
        Task::new(format!("t{number}"), *period, *cost)
    };
    TaskSet::from_tasks(tasks.iter().enumerate().map(task).collect())
}

fn by(strategy: Strategy, set: &TaskSet) -> Analysis {
    analyze(set, &Options::new(strategy)).unwrap()
}

fn responses(analysis: &Analysis) -> Vec<Option<u64>> {
    let each = analysis.tasks.iter();
    each.map(|task| task.response.map(|response| response.worst_ns))
        .collect()
}

fn has(analysis: &Analysis, kind: AnomalyKind) -> bool {
    analysis
        .anomalies
        .iter()
        .any(|anomaly| anomaly.kind == kind)
}

/// Liu and Layland 1973: utilization below the bound is enough.
#[test]
fn below_the_bound_all_deadlines_hold() {
    let analysis = by(
        Strategy::RateMonotonic,
        &set(&[(100, 20), (150, 40), (350, 100)]),
    );
    assert!(analysis.utilization < analysis.rate_monotonic_bound);
    assert_eq!(responses(&analysis), [Some(20), Some(60), Some(240)]);
    assert!(analysis.is_feasible() && analysis.anomalies.is_empty());
}

/// Sha and Goodenough 1990: over the bound, exact response times decide.
#[test]
fn a_set_over_the_bound_may_pass_by_its_response_times() {
    let analysis = by(
        Strategy::RateMonotonic,
        &set(&[(100, 40), (150, 40), (350, 100)]),
    );
    assert!(analysis.utilization > analysis.rate_monotonic_bound);
    assert_eq!(responses(&analysis), [Some(40), Some(80), Some(300)]);
    assert!(analysis.is_feasible() && has(&analysis, AnomalyKind::BoundExceeded));
    assert_eq!(analysis.anomalies[0].severity, Severity::None);
}

/// Two tasks that take 34/35 of the processor: RMS fails, EDF does not.
#[test]
fn edf_keeps_deadlines_that_rms_misses() {
    let tasks = set(&[(5, 2), (7, 4)]);
    let analysis = by(Strategy::RateMonotonic, &tasks);
    assert_eq!(responses(&analysis), [Some(2), Some(8)]);
    assert_eq!(
        (analysis.tasks[0].missing_ns, analysis.tasks[1].missing_ns),
        (0, 1)
    );
    let text = analysis.anomalies[0].to_string();
    let expected = "error[deadline-missed]: `t1` takes up to 8ns and has a deadline of 7ns: 1ns \
                    are missing";
    assert!(text.starts_with(expected), "{text}");
    for strategy in [
        Strategy::EarliestDeadlineFirst,
        Strategy::MinimumLaxityFirst,
    ] {
        assert!(by(strategy, &tasks).is_feasible(), "{strategy}");
    }
}

/// Lehoczky 1990: with deadlines beyond periods the fifth job is the worst.
#[test]
fn deadlines_beyond_periods_need_all_jobs_of_a_busy_period() {
    let mut tasks = set(&[(70, 26), (100, 62)]);
    tasks.tasks[1].deadline_ns = 118;
    let analysis = by(Strategy::RateMonotonic, &tasks);
    assert_eq!(responses(&analysis), [Some(26), Some(118)]);
    assert!(analysis.is_feasible());
    tasks.tasks[1].deadline_ns = 117;
    assert!(!by(Strategy::RateMonotonic, &tasks).is_feasible());
}

/// Davis, Burns, Bril and Lukkien 2007: without preemption the first job is not the worst.
#[test]
fn a_job_without_preemption_pushes_its_successor() {
    let tasks = set(&[(250, 100), (350, 100), (351, 100)]);
    let analysis = by(Strategy::DeferredRateMonotonic, &tasks);
    let last = analysis.tasks[2].response.unwrap().worst_ns;
    // The first job takes 300, the second one has waited for two jobs of each other task.
    assert!(last > 300, "{last}");
    assert_eq!(analysis.tasks[0].response.unwrap().worst_ns, 199);
}

/// Three tasks whose demand before 16 is 16: nothing can grow.
#[test]
fn demand_before_a_deadline_decides_with_edf() {
    let mut repository = Repository::default();
    for (name, cost, deadline, period) in [("a", 2, 4, 6), ("b", 2, 5, 8), ("c", 3, 7, 9)] {
        let handle = repository.describe(name);
        repository[handle].worst_case_ns = cost;
        repository[handle].deadline_ns = Some(deadline);
        repository[handle].period_ns = Some(period);
    }
    let options = Options::new(Strategy::EarliestDeadlineFirst);
    let set = TaskSet::of(&repository, &options.limits).unwrap();
    assert!(analyze(&set, &options).unwrap().is_feasible());
    for handle in [0, 1, 2].map(Handle) {
        let growth = growth(&repository, &options, handle).unwrap();
        assert_eq!(growth.longest_ns, Some(growth.worst_case_ns), "{handle:?}");
    }
    repository[Handle(2)].worst_case_ns = 4;
    let set = TaskSet::of(&repository, &options.limits).unwrap();
    let analysis = analyze(&set, &options).unwrap();
    // Before 7 there are 2 + 2 + 4 to do.
    assert_eq!(analysis.tasks[2].missing_ns, 1);
    let smaller = growth(&repository, &options, Handle(2)).unwrap();
    assert_eq!(smaller.longest_ns, Some(3));
    repository[Handle(0)].worst_case_ns = 5;
    assert_eq!(
        growth(&repository, &options, Handle(2)).unwrap().longest_ns,
        None
    );
}

#[test]
fn an_operation_may_grow_until_the_slowest_deadline_is_reached() {
    let mut repository = Repository::default();
    for (name, cost, period) in [("a", 20, 100), ("b", 40, 150), ("c", 100, 350)] {
        let handle = repository.describe(name);
        repository[handle].worst_case_ns = cost;
        repository[handle].period_ns = Some(period);
    }
    let options = Options::new(Strategy::RateMonotonic);
    let growth = growth(&repository, &options, Handle(2)).unwrap();
    // By 300, 3 · 20 and 2 · 40 are due to the others; by 350, 4 · 20 and 3 · 40.
    assert_eq!(growth.longest_ns, Some(160));
}

/// Stewart and Khosla 1991: in overload MUF protects what is critical.
#[test]
fn muf_keeps_the_critical_deadlines_in_overload() {
    let mut tasks = set(&[(10, 5), (20, 6), (40, 16)]);
    tasks.tasks[2].criticality = Criticality::VeryHigh;
    tasks.tasks[1].criticality = Criticality::High;
    let rms = by(Strategy::RateMonotonic, &tasks);
    assert!(!rms.tasks[2].is_feasible && has(&rms, AnomalyKind::CriticalityInversion));
    let muf = by(Strategy::MaximumUrgencyFirst, &tasks);
    let feasible: Vec<_> = muf.tasks.iter().map(|task| task.is_feasible).collect();
    assert_eq!(feasible, [false, false, true]);
    assert!(!has(&muf, AnomalyKind::CriticalityInversion));
    let levels: Vec<_> = muf.tasks.iter().map(|task| task.level).collect();
    assert_eq!(levels, [2, 1, 0]);
}

#[test]
fn importance_breaks_ties_of_laxity() {
    let mut tasks = set(&[(10, 2), (10, 2)]);
    tasks.tasks[1].importance = Importance::High;
    let mut options = Options::new(Strategy::MinimumLaxityFirst);
    options.quantum_ns = Some(5);
    let simulation = simulate(&tasks, &options, Some(10)).unwrap();
    assert_eq!(simulation.timeline.slices[0].task, 1);
}

#[test]
fn context_switches_and_blocking_lengthen_responses() {
    let mut tasks = set(&[(100, 20), (150, 40)]);
    tasks.tasks[0].blocking_ns = 7;
    let mut options = Options::new(Strategy::RateMonotonic);
    options.context_switch_ns = 3;
    let analysis = analyze(&tasks, &options).unwrap();
    assert_eq!(responses(&analysis), [Some(26 + 7), Some(26 + 46)]);
    assert!((analysis.utilization - (0.26 + 46.0 / 150.0)).abs() < 1e-9);
    options.strategy = Strategy::EarliestDeadlineFirst;
    tasks.tasks[0].blocking_ns = 75;
    let analysis = analyze(&tasks, &options).unwrap();
    assert_eq!(analysis.tasks[0].missing_ns, 1, "26 and 75 are due by 100");
}

#[test]
fn switches_at_each_quantum_are_counted_for_laxity() {
    let tasks = set(&[(100, 20), (150, 40)]);
    let mut options = Options::new(Strategy::MinimumLaxityFirst);
    options.context_switch_ns = 1;
    let error = analyze(&tasks, &options).unwrap_err();
    assert_eq!(
        error,
        AnalysisError::NoQuantum {
            strategy: options.strategy
        }
    );
    options.quantum_ns = Some(10);
    let analysis = analyze(&tasks, &options).unwrap();
    assert!((analysis.utilization - (0.24 + 48.0 / 150.0)).abs() < 1e-9);
}

#[test]
fn rates_that_share_a_priority_hold_each_other_up() {
    let tasks = set(&[(10, 2), (20, 8), (21, 2), (22, 2)]);
    let mut options = Options::new(Strategy::RateMonotonic);
    options.priorities = 5..=6;
    let analysis = analyze(&tasks, &options).unwrap();
    let levels: Vec<_> = analysis.tasks.iter().map(|task| task.level).collect();
    assert_eq!(levels, [0, 1, 1, 1]);
    assert!(has(&analysis, AnomalyKind::InsufficientPriorityLevels));
    // 12 of the slower ones, and two jobs of the fastest.
    assert_eq!(
        responses(&analysis),
        [Some(2), Some(16), Some(16), Some(16)]
    );
    assert!(analysis.is_feasible());
    options.priorities = 1..=4;
    let analysis = analyze(&tasks, &options).unwrap();
    assert!(!has(&analysis, AnomalyKind::InsufficientPriorityLevels));
}

#[test]
fn an_overload_says_how_much_is_missing() {
    let tasks = set(&[(10, 6), (20, 10)]);
    for strategy in Strategy::ALL {
        let analysis = by(strategy, &tasks);
        assert!(!analysis.is_feasible(), "{strategy}");
        assert_eq!(analysis.tasks[1].missing_ns, 2, "{strategy}");
        assert_eq!(analysis.tasks[1].response, None, "{strategy}");
        let tells = |anomaly: &taut_scheduling::Anomaly| {
            anomaly.message.contains("`t1`") && anomaly.message.contains("110.0 %, and 2ns")
        };
        assert!(
            analysis.anomalies.iter().any(tells),
            "{strategy}: {:?}",
            analysis.anomalies
        );
    }
}

#[test]
fn offsets_that_do_not_count_are_noted_and_uncertain_ones_are_errors() {
    let mut tasks = set(&[(10, 4), (10, 4)]);
    tasks.tasks[1].offset_ns = 5;
    let mut options = Options::new(Strategy::RateMonotonic);
    let analysis = analyze(&tasks, &options).unwrap();
    assert!(has(&analysis, AnomalyKind::OffsetsIgnored));
    options.phasing = taut_scheduling::Phasing::Offsets;
    let analysis = analyze(&tasks, &options).unwrap();
    assert_eq!(responses(&analysis), [Some(4), Some(4)]);
    assert_eq!(analysis.tasks[0].response.unwrap().basis, Basis::Simulated);
    tasks.tasks[1].jitter_ns = 1;
    let error = analyze(&tasks, &options).unwrap_err();
    let named = AnalysisError::UncertainReleases {
        task: "t1".to_owned(),
    };
    assert_eq!(error, named);
}

#[test]
fn limits_end_what_would_take_too_long() {
    let tasks = set(&[
        (1_000_003, 400_000),
        (1_000_033, 400_000),
        (1_000_037, 199_900),
    ]);
    let mut options = Options::new(Strategy::RateMonotonic);
    options.limits.max_steps = 3;
    let error = analyze(&tasks, &options).unwrap_err();
    assert!(
        matches!(error, AnalysisError::TooManySteps { .. }),
        "{error}"
    );
    options.strategy = Strategy::EarliestDeadlineFirst;
    let error = analyze(&tasks, &options).unwrap_err();
    assert!(error.to_string().contains("`max_steps`"), "{error}");
    options.limits.max_jobs = 100;
    let error = simulate(&tasks, &options, None).unwrap_err();
    assert_eq!(error, AnalysisError::TooManyJobs { max_jobs: 100 });
    assert!(simulate(&tasks, &options, Some(10_000_000)).is_ok());
    // The verdict of laxity stands without the times that only a simulation has.
    let mut options = Options::new(Strategy::MinimumLaxityFirst);
    options.limits.max_jobs = 100;
    let analysis = analyze(&tasks, &options).unwrap();
    assert!(analysis.is_feasible());
    assert_eq!(analysis.tasks[0].response, None);
}

#[test]
fn wrong_tasks_are_errors() {
    for (period, cost, deadline) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1 << 61, 1, 1)] {
        let mut tasks = set(&[(period, cost)]);
        tasks.tasks[0].deadline_ns = deadline;
        let error = analyze(&tasks, &Options::default()).unwrap_err();
        assert_eq!(
            error,
            AnalysisError::Range {
                task: "t0".to_owned()
            }
        );
    }
    assert!(by(Strategy::RateMonotonic, &TaskSet::default()).is_feasible());
}

#[test]
fn deferring_preemption_is_an_option_of_each_strategy() {
    // A less urgent operation of 6 holds up a task that has 5.
    let tasks = set(&[(5, 1), (20, 6)]);
    for strategy in [
        Strategy::EarliestDeadlineFirst,
        Strategy::MinimumLaxityFirst,
    ] {
        let mut options = Options::new(strategy);
        options.quantum_ns = Some(1);
        assert!(analyze(&tasks, &options).unwrap().is_feasible());
        options.preemption = Preemption::BetweenOperations;
        let analysis = analyze(&tasks, &options).unwrap();
        assert_eq!(analysis.tasks[0].missing_ns, 1, "{strategy}");
    }
    let mut divided = tasks.clone();
    divided.tasks[1].segments_ns = vec![4, 2];
    assert!(by(Strategy::DeferredRateMonotonic, &divided).is_feasible());
    assert!(!by(Strategy::DeferredRateMonotonic, &tasks).is_feasible());
}
