//! EDF, MLF and MUF against the clock.

use std::cmp::Reverse;

use taut_scheduling::{Basis, Options, Preemption, Strategy, Task, TaskSet, analyze};

use super::SETS;
use super::clock::{Active, Clock, Pattern, hyperperiod, longest, work};
use super::random::Random;

/// Whether a job of these tasks misses its deadline in a situation, by a rule of choice.
fn misses<K: Ord>(
    tasks: &[Task],
    patterns: Vec<Pattern>,
    is_deferred: bool,
    key: impl Fn(&Active, u64) -> K,
    counts: impl Fn(usize) -> bool,
) -> bool {
    let until = 2 * hyperperiod(tasks) + 60;
    let clock = Clock {
        tasks,
        patterns,
        until,
        idle_after: None,
        is_deferred,
    };
    let done = clock.run(key);
    done.iter()
        .any(|job| counts(job.task) && job.is_missed(until))
}

fn is_over(tasks: &[Task]) -> bool {
    let whole = hyperperiod(tasks);
    work(tasks.iter(), whole) > whole
}

#[test]
fn edf_finds_the_verdicts_and_response_times_of_the_clock() {
    let mut feasible = 0;
    for seed in 0..SETS {
        let tasks = Random::new(seed).tasks(seed % 2 == 0);
        let set = TaskSet::from_tasks(tasks.clone());
        let options = Options::new(Strategy::EarliestDeadlineFirst);
        let analysis = analyze(&set, &options).unwrap();
        if is_over(&tasks) {
            assert!(!analysis.is_feasible(), "{tasks:?}");
            assert!(analysis.tasks.iter().all(|task| task.response.is_none()));
            continue;
        }
        let rule = |job: &Active, _| (job.deadline, job.task, job.number);
        let together = vec![Pattern::NOW; tasks.len()];
        let missed = misses(&tasks, together, false, rule, |_| true);
        assert_eq!(analysis.is_feasible(), !missed, "{tasks:?}");
        feasible += u64::from(!missed);
        for (index, result) in analysis.tasks.iter().enumerate() {
            let found = result.response.unwrap();
            assert_eq!(found.basis, Basis::WorstCase);
            assert_eq!(
                found.worst_ns,
                worst(&tasks, index),
                "task {index} of {tasks:?}"
            );
        }
    }
    assert!(feasible > SETS / 10, "{feasible}");
}

/// The longest response of a task with EDF, over all its first releases against the others'.
fn worst(tasks: &[Task], index: usize) -> u64 {
    let firsts = 0..tasks[index].period_ns;
    let response = |first: u64| {
        let mut patterns = vec![Pattern::NOW; tasks.len()];
        patterns[index] = Pattern::at(first);
        let clock = Clock {
            tasks,
            patterns,
            until: 2 * hyperperiod(tasks) + 60,
            idle_after: Some(first),
            is_deferred: false,
        };
        // The task comes last among those with its deadline.
        let done = clock.run(|job, _| (job.deadline, job.task == index, job.task, job.number));
        longest(&done, index).unwrap()
    };
    firsts.map(response).max().unwrap()
}

#[test]
fn deferred_edf_finds_the_verdicts_of_the_clock() {
    let mut deferral_decides = 0;
    for seed in 0..SETS {
        let mut random = Random::new(seed);
        let mut tasks = random.tasks(false);
        random.divide(&mut tasks);
        let set = TaskSet::from_tasks(tasks.clone());
        let mut options = Options::new(Strategy::EarliestDeadlineFirst);
        let anywhere = analyze(&set, &options).unwrap().is_feasible();
        options.preemption = Preemption::BetweenOperations;
        let found = analyze(&set, &options).unwrap().is_feasible();
        if is_over(&tasks) {
            assert!(!found);
            continue;
        }
        let rule = |job: &Active, _| (job.deadline, job.task, job.number);
        let mut situations = vec![vec![Pattern::NOW; tasks.len()]];
        for (index, task) in tasks.iter().enumerate() {
            let mut begun = 0;
            for segment in &task.segments_ns {
                let mut patterns = vec![Pattern::at(begun + 1); tasks.len()];
                patterns[index] = Pattern::NOW;
                situations.push(patterns);
                begun += segment;
            }
        }
        let missed = situations
            .into_iter()
            .any(|patterns| misses(&tasks, patterns, true, rule, |_| true));
        assert_eq!(found, !missed, "{tasks:?}");
        deferral_decides += u32::from(anywhere && !found);
    }
    assert!(deferral_decides > 100, "{deferral_decides}");
}

/// The rule of least laxity, with ties as the product has them.
fn laxity(tasks: &[Task], job: &Active, now: u64) -> impl Ord + use<> {
    let laxity = job.deadline - now as i64 - job.left as i64;
    let importance = Reverse(tasks[job.task].importance);
    (laxity, importance, !job.ran_last, job.nominal, job.task)
}

#[test]
fn mlf_finds_the_verdicts_and_response_times_of_the_clock() {
    for seed in 0..SETS {
        let tasks = Random::new(seed).tasks(seed % 2 == 0);
        let set = TaskSet::from_tasks(tasks.clone());
        let mut options = Options::new(Strategy::MinimumLaxityFirst);
        options.quantum_ns = Some(1);
        let analysis = analyze(&set, &options).unwrap();
        if is_over(&tasks) {
            assert!(!analysis.is_feasible(), "{tasks:?}");
            continue;
        }
        let together = vec![Pattern::NOW; tasks.len()];
        let rule = |job: &Active, now| laxity(&tasks, job, now);
        let missed = misses(&tasks, together.clone(), false, rule, |_| true);
        assert_eq!(analysis.is_feasible(), !missed, "{tasks:?}");
        let clock = Clock {
            tasks: &tasks,
            patterns: together,
            until: 2 * hyperperiod(&tasks),
            idle_after: None,
            is_deferred: false,
        };
        let done = clock.run(rule);
        for (index, result) in analysis.tasks.iter().enumerate() {
            let found = result.response.map(|response| response.worst_ns);
            assert_eq!(found, longest(&done, index), "task {index} of {tasks:?}");
        }
    }
}

#[test]
fn muf_finds_the_verdicts_and_response_times_of_the_clock_for_each_criticality() {
    let mut protected = 0;
    for seed in 0..SETS {
        let tasks = Random::new(seed).tasks(false);
        let set = TaskSet::from_tasks(tasks.clone());
        let mut options = Options::new(Strategy::MaximumUrgencyFirst);
        options.quantum_ns = Some(1);
        let analysis = analyze(&set, &options).unwrap();
        let rule = |job: &Active, now| {
            let criticality = Reverse(tasks[job.task].criticality);
            (criticality, laxity(&tasks, job, now))
        };
        for (index, task) in tasks.iter().enumerate() {
            let is_peer = |other: usize| tasks[other].criticality == task.criticality;
            let together = vec![Pattern::NOW; tasks.len()];
            let missed = misses(&tasks, together, false, rule, is_peer);
            let mut peers = analysis.tasks.iter().filter(|other| is_peer(other.task));
            let found = peers.all(|peer| peer.is_feasible);
            assert_eq!(found, !missed, "criticality of {index} in {tasks:?}");
            protected += u32::from(found && !analysis.is_feasible());
        }
        if is_over(&tasks) {
            continue;
        }
        let clock = Clock {
            tasks: &tasks,
            patterns: vec![Pattern::NOW; tasks.len()],
            until: 2 * hyperperiod(&tasks),
            idle_after: None,
            is_deferred: false,
        };
        let done = clock.run(rule);
        for (index, result) in analysis.tasks.iter().enumerate() {
            let found = result.response.map(|response| response.worst_ns);
            assert_eq!(found, longest(&done, index), "task {index} of {tasks:?}");
        }
    }
    assert!(protected > 1_000, "{protected}");
}
