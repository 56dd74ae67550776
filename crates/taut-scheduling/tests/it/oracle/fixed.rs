//! RMS and RMS with deferred preemption against the clock.

use taut_scheduling::{Options, Phasing, Strategy, Task, TaskSet, analyze, simulate};

use super::SETS;
use super::clock::{Clock, Done, Pattern, hyperperiod, longest, work};
use super::random::Random;

/// The place of a job where the task `last` comes last among those of the same period.
fn place(tasks: &[Task], last: usize, task: usize, number: u64) -> (u64, bool, usize, u64) {
    (tasks[task].period_ns, task == last, task, number)
}

/// Compares the analysis of a task, among those that may run before it, with the worst that the
/// clock shows of it.
fn compare(
    tasks: &[Task],
    index: usize,
    situations: &[Vec<Pattern>],
    is_deferred: bool,
    result: &taut_scheduling::TaskResult,
) {
    let whole = hyperperiod(tasks);
    let before = tasks
        .iter()
        .enumerate()
        .filter(|(other, task)| *other != index && task.period_ns <= tasks[index].period_ns);
    let load = work(before.map(|(_, task)| task).chain([&tasks[index]]), whole);
    let mut worst = 0;
    let mut is_missed = false;
    for patterns in situations {
        // Late jobs and held up ones move a full load back, and it stays so.
        let is_simple = load < whole && tasks.iter().all(|task| task.jitter_ns == 0);
        let until = if is_simple {
            2 * whole
        } else {
            3 * whole + 120
        };
        let clock = Clock {
            tasks,
            patterns: patterns.clone(),
            until,
            idle_after: None,
            is_deferred,
        };
        let done = clock.run(|job, _| place(tasks, index, job.task, job.number));
        worst = worst.max(longest(&done, index).unwrap_or(0));
        let own = |job: &&Done| job.task == index;
        is_missed |= done.iter().filter(own).any(|job| job.is_missed(until));
    }
    if load > whole {
        assert_eq!(result.response, None, "{tasks:?}");
        assert!(!result.is_feasible && result.missing_ns > 0, "{tasks:?}");
        let is_long = tasks[index].deadline_ns > tasks[index].period_ns;
        assert!(is_missed || is_long, "{tasks:?}");
        return;
    }
    let response = result.response.unwrap().worst_ns;
    assert_eq!(response, worst, "task {index} of {tasks:?}");
    assert_eq!(result.is_feasible, !is_missed, "task {index} of {tasks:?}");
    let missing = response.saturating_sub(tasks[index].deadline_ns);
    assert_eq!(result.missing_ns, missing);
}

#[test]
fn rms_finds_the_response_times_of_the_clock() {
    let mut feasible = 0;
    for seed in 0..SETS {
        let tasks = Random::new(seed).tasks(true);
        let set = TaskSet::from_tasks(tasks.clone());
        let analysis = analyze(&set, &Options::new(Strategy::RateMonotonic)).unwrap();
        feasible += u64::from(analysis.is_feasible());
        let together = [vec![Pattern::NOW; tasks.len()]];
        for (index, result) in analysis.tasks.iter().enumerate() {
            compare(&tasks, index, &together, false, result);
        }
    }
    assert!(
        feasible > SETS / 10 && feasible < SETS * 9 / 10,
        "{feasible}"
    );
}

#[test]
fn rms_with_jitter_finds_the_response_times_of_the_clock() {
    for seed in 0..SETS / 4 {
        let mut random = Random::new(seed);
        let mut tasks = random.tasks(true);
        for task in &mut tasks {
            task.jitter_ns = random.between(0, task.period_ns / 2);
        }
        let set = TaskSet::from_tasks(tasks.clone());
        let analysis = analyze(&set, &Options::new(Strategy::RateMonotonic)).unwrap();
        let late = |task: &Task| Pattern {
            first: Some(0),
            jitter: task.jitter_ns,
        };
        let late = [tasks.iter().map(late).collect::<Vec<_>>()];
        for (index, result) in analysis.tasks.iter().enumerate() {
            compare(&tasks, index, &late, false, result);
        }
    }
}

#[test]
fn deferred_rms_finds_the_response_times_of_the_clock() {
    for seed in 0..SETS {
        let mut random = Random::new(seed);
        let mut tasks = random.tasks(true);
        random.divide(&mut tasks);
        let set = TaskSet::from_tasks(tasks.clone());
        let options = Options::new(Strategy::DeferredRateMonotonic);
        let analysis = analyze(&set, &options).unwrap();
        for (index, result) in analysis.tasks.iter().enumerate() {
            let mut situations = vec![together_but_lower(&tasks, index)];
            situations.extend(held_up(&tasks, index));
            compare(&tasks, index, &situations, true, result);
        }
    }
}

/// All tasks that may run before a task are released with it, and no others.
fn together_but_lower(tasks: &[Task], index: usize) -> Vec<Pattern> {
    let period = tasks[index].period_ns;
    let pattern = |task: &Task| match task.period_ns <= period {
        true => Pattern::NOW,
        false => Pattern::NEVER,
    };
    tasks.iter().map(pattern).collect()
}

/// Each operation of a less urgent task has begun when the others are released.
fn held_up(tasks: &[Task], index: usize) -> Vec<Vec<Pattern>> {
    let period = tasks[index].period_ns;
    let mut situations = Vec::new();
    for (lower, task) in tasks.iter().enumerate() {
        let mut begun = 0;
        for segment in &task.segments_ns {
            if task.period_ns > period {
                let mut patterns = together_but_lower(tasks, index);
                for pattern in &mut patterns {
                    pattern.first = pattern.first.map(|_| begun + 1);
                }
                patterns[lower] = Pattern::NOW;
                situations.push(patterns);
            }
            begun += segment;
        }
    }
    situations
}

#[test]
fn offsets_are_counted_as_the_clock_counts_them() {
    let mut saved = 0;
    for seed in 0..SETS {
        let mut random = Random::new(seed);
        let mut tasks = random.tasks(false);
        for task in &mut tasks {
            task.offset_ns = random.between(0, task.period_ns);
        }
        let set = TaskSet::from_tasks(tasks.clone());
        let mut options = Options::new(Strategy::RateMonotonic);
        options.phasing = Phasing::Offsets;
        let analysis = analyze(&set, &options).unwrap();
        let whole = hyperperiod(&tasks);
        if work(tasks.iter(), whole) > whole {
            assert!(!analysis.is_feasible(), "{tasks:?}");
            continue;
        }
        let latest = tasks.iter().map(|task| task.offset_ns).max().unwrap();
        let until = latest + 2 * hyperperiod(&tasks);
        let clock = Clock {
            tasks: &tasks,
            patterns: tasks
                .iter()
                .map(|task| Pattern::at(task.offset_ns))
                .collect(),
            until,
            idle_after: None,
            is_deferred: false,
        };
        let done = clock.run(|job, _| (tasks[job.task].period_ns, job.nominal, job.task));
        for (index, result) in analysis.tasks.iter().enumerate() {
            let found = result.response.map(|response| response.worst_ns);
            assert_eq!(found, longest(&done, index), "task {index} of {tasks:?}");
        }
        let is_missed = done.iter().any(|job| job.is_missed(until));
        assert_eq!(analysis.is_feasible(), !is_missed, "{tasks:?}");
        let simulation = simulate(&set, &options, None).unwrap();
        assert_eq!(simulation.timeline.misses() > 0, is_missed, "{tasks:?}");
        options.phasing = Phasing::Any;
        let holds_always = analyze(&set, &options).unwrap().is_feasible();
        assert!(analysis.is_feasible() || !holds_always, "{tasks:?}");
        saved += u32::from(analysis.is_feasible() && !holds_always);
    }
    assert!(
        saved > 100,
        "{saved} sets are feasible by their offsets alone"
    );
}
