//! The dispatcher: its order, its counts, its errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taut_scheduling::dispatcher::{DispatchError, Dispatcher, Priorities, Running};
use taut_scheduling::{
    Criticality, Handle, Importance, Options, Preemption, Repository, Schedule, Strategy, TaskSet,
    analyze,
};

/// A time in which nothing has to happen, and after which something hangs.
const HANG: Duration = Duration::from_secs(60);

const MS: u64 = 1_000_000;

/// The schedule of operations that have periods so long that they are released once only.
fn schedule(repository: &Repository, strategy: Strategy) -> Schedule {
    let options = Options::new(strategy);
    let set = TaskSet::of(repository, &options.limits).unwrap();
    let analysis = analyze(&set, &options).unwrap();
    Schedule::new(repository, &set, &analysis, &options)
}

fn operation(repository: &mut Repository, name: &str, period_ms: u64, worst_ms: u64) -> Handle {
    let handle = repository.describe(name);
    repository[handle].period_ns = Some(period_ms * MS);
    repository[handle].worst_case_ns = worst_ms * MS;
    handle
}

/// Runs a dispatcher of one thread, whose operations `a`, `b` and `c` are released while another
/// one has the thread, and returns the order in which they are executed.
fn order(strategy: Strategy, change: impl FnOnce(&mut Repository)) -> String {
    const HOUR: u64 = 3_600_000;
    let mut repository = Repository::default();
    let gate = operation(&mut repository, "gate", HOUR, 1);
    for name in ["a", "b", "c"] {
        operation(&mut repository, name, HOUR, 1);
    }
    change(&mut repository);
    let schedule = schedule(&repository, strategy);
    let mut dispatcher = Dispatcher::new(&schedule);
    dispatcher.settings(|settings| settings.priorities = Priorities::Unset);
    let (entered, is_entered) = mpsc::channel();
    let (open, opened) = mpsc::channel::<()>();
    // The first gate closes as soon as it is released, the second one is the one that counts.
    let gate_code = move || {
        entered.send(()).unwrap();
        opened.recv_timeout(HANG).unwrap();
    };
    dispatcher.execute(gate, gate_code).unwrap();
    let (done, ends) = mpsc::channel();
    for (handle, name) in [1, 2, 3].map(Handle).into_iter().zip(["a", "b", "c"]) {
        let done = done.clone();
        dispatcher
            .execute(handle, move || done.send(name).unwrap())
            .unwrap();
    }
    let running = dispatcher.start().unwrap();
    let wait = |ends: &Receiver<&str>| ends.recv_timeout(HANG).unwrap().to_owned();
    // The first releases of all.
    is_entered.recv_timeout(HANG).unwrap();
    open.send(()).unwrap();
    let _: Vec<_> = (0..3).map(|_| wait(&ends)).collect();
    let releaser = running.releaser();
    assert!(releaser.release(gate));
    is_entered.recv_timeout(HANG).unwrap();
    for handle in [3, 2, 1].map(Handle) {
        assert!(releaser.release(handle));
    }
    open.send(()).unwrap();
    let order: Vec<_> = (0..3).map(|_| wait(&ends)).collect();
    let report = running.stop();
    assert!(
        report.operations.iter().all(|one| one.released == 2),
        "{report:?}"
    );
    assert!(!releaser.release(gate), "it has stopped");
    order.concat()
}

#[test]
fn deferred_rms_prefers_the_shortest_period() {
    let order = order(Strategy::DeferredRateMonotonic, |repository| {
        for (number, hours) in [(1, 2), (2, 4), (3, 3)] {
            repository[Handle(number)].period_ns = Some(hours * 3_600_000 * MS);
        }
    });
    assert_eq!(order, "acb");
}

#[test]
fn edf_prefers_the_earliest_deadline() {
    let order = order(Strategy::EarliestDeadlineFirst, |repository| {
        for (number, minutes) in [(1, 30), (2, 10), (3, 20)] {
            repository[Handle(number)].deadline_ns = Some(minutes * 60_000 * MS);
        }
    });
    assert_eq!(order, "bca");
}

#[test]
fn mlf_prefers_the_least_laxity() {
    let order = order(Strategy::MinimumLaxityFirst, |repository| {
        for (number, minutes, worst) in [(1, 30, 1), (2, 40, 20), (3, 35, 11)] {
            repository[Handle(number)].deadline_ns = Some(minutes * 60_000 * MS);
            repository[Handle(number)].worst_case_ns = worst * 60_000 * MS;
        }
    });
    // Laxities of 29, 20 and 24 minutes.
    assert_eq!(order, "bca");
}

#[test]
fn muf_has_a_queue_for_each_criticality() {
    let mut repository = Repository::default();
    let low = operation(&mut repository, "low", 3_600_000, 1);
    let high = operation(&mut repository, "high", 3_600_000, 1);
    repository[high].criticality = Criticality::High;
    repository[low].importance = Importance::High;
    let schedule = schedule(&repository, Strategy::MaximumUrgencyFirst);
    let mut dispatcher = Dispatcher::new(&schedule);
    let (done, ends) = mpsc::channel();
    let (open, opened) = mpsc::channel::<()>();
    // The less critical operation waits within for the more critical one, whose thread is free.
    dispatcher
        .execute(low, move || opened.recv_timeout(HANG).unwrap())
        .unwrap();
    dispatcher
        .execute(high, move || {
            open.send(()).unwrap();
            done.send(()).unwrap();
        })
        .unwrap();
    let running = dispatcher.start().unwrap();
    ends.recv_timeout(HANG).unwrap();
    drop(running);
}

/// A dispatcher of one operation with this period, deadline and code.
fn one(
    period_ms: u64,
    deadline_ns: u64,
    settings: impl FnOnce(&mut taut_scheduling::dispatcher::Settings),
    code: impl FnMut() + Send + 'static,
) -> (Running, Handle) {
    let mut repository = Repository::default();
    let handle = operation(&mut repository, "op", period_ms, 1);
    repository[handle].deadline_ns = Some(deadline_ns);
    let schedule = schedule(&repository, Strategy::RateMonotonic);
    let mut dispatcher = Dispatcher::new(&schedule);
    dispatcher.settings(settings);
    dispatcher.execute(handle, code).unwrap();
    (dispatcher.start().unwrap(), handle)
}

#[test]
fn periodic_releases_missed_deadlines_and_times_are_recorded() {
    let (done, ends) = mpsc::channel();
    let code = move || {
        // Some work, so that there is a time to measure.
        std::hint::black_box((0..10_000_u64).fold(0, |sum, one| sum ^ one));
        let _ = done.send(());
    };
    let (running, handle) = one(1, 1, |settings| settings.max_recorded_jobs = 3, code);
    for _ in 0..10 {
        ends.recv_timeout(HANG).unwrap();
    }
    let report = running.stop();
    let operation = report.operation(handle).unwrap();
    assert!(operation.completed >= 10 && operation.released >= operation.completed);
    assert_eq!(
        operation.missed, operation.completed,
        "no deadline of 1 ns holds"
    );
    assert_eq!(report.missed(), operation.missed);
    assert!(operation.longest_response_ns > 0 && operation.longest_execution_ns > 0);
    assert_eq!(
        (report.timeline.jobs.len(), report.timeline.slices.len()),
        (3, 3)
    );
    let releases: Vec<_> = report
        .timeline
        .jobs
        .iter()
        .map(|job| job.release_ns)
        .collect();
    assert!(
        releases.iter().all(|release| release % MS == 0),
        "{releases:?}"
    );
    assert_eq!(report.timeline.misses(), 3);
    assert_eq!(
        report.measurements().longest_ns["op"],
        operation.longest_execution_ns
    );
}

#[test]
fn releases_beyond_the_limit_are_left_out_and_counted() {
    let (entered, is_entered) = mpsc::channel();
    let (open, opened) = mpsc::channel::<()>();
    let code = move || {
        entered.send(()).unwrap();
        opened.recv_timeout(HANG).unwrap();
    };
    let (running, handle) = one(
        3_600_000,
        MS,
        |settings| settings.max_pending_jobs = 2,
        code,
    );
    is_entered.recv_timeout(HANG).unwrap();
    let releaser = running.releaser();
    let released: Vec<_> = (0..4).map(|_| releaser.release(handle)).collect();
    assert_eq!(released, [true, true, false, false]);
    assert!(!releaser.release(Handle(9)), "there is no such operation");
    for _ in 0..3 {
        open.send(()).unwrap();
    }
    for _ in 0..2 {
        is_entered.recv_timeout(HANG).unwrap();
    }
    let report = running.stop();
    let operation = report.operation(handle).unwrap();
    assert_eq!((operation.released, operation.skipped), (3, 2));
}

#[test]
fn an_operation_that_panics_is_counted_and_goes_on() {
    let (done, ends) = mpsc::channel();
    let calls = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&calls);
    let code = move || {
        let mut calls = counted
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *calls += 1;
        let _ = done.send(*calls);
        if *calls == 1 {
            std::panic::resume_unwind(Box::new("the first call fails"));
        }
    };
    let (running, handle) = one(1, MS, |_| {}, code);
    while ends.recv_timeout(HANG).unwrap() < 3 {}
    let report = running.stop();
    assert_eq!(report.operation(handle).unwrap().panicked, 1);
}

#[test]
fn priorities_are_those_of_the_schedule_or_their_refusal_is_told() {
    let (told, priorities) = mpsc::channel();
    let code = move || {
        let _ = told.send(taut_sys::priority::current().unwrap());
    };
    let (running, _) = one(3_600_000, MS, |_| {}, code);
    let priority = priorities.recv_timeout(HANG).unwrap();
    let report = running.stop();
    match report.priorities_refused {
        None => assert_eq!(priority, Some(99)),
        Some(reason) => {
            assert_eq!(priority, None);
            assert!(reason.contains("CAP_SYS_NICE"), "{reason}");
        }
    }
}

#[test]
fn wrong_dispatchers_do_not_start() {
    let mut repository = Repository::default();
    let a = operation(&mut repository, "a", 10, 1);
    let schedule = schedule(&repository, Strategy::RateMonotonic);
    let mut dispatcher = Dispatcher::new(&schedule);
    let error = dispatcher.execute(Handle(1), || ()).unwrap_err();
    assert!(
        matches!(error, DispatchError::UnknownOperation(Handle(1))),
        "{error}"
    );
    let error = Dispatcher::new(&schedule).start().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("releases `a`, for which there is no code"),
        "{error}"
    );
    dispatcher.execute(a, || ()).unwrap();
    let error = dispatcher.execute(a, || ()).unwrap_err();
    assert!(matches!(error, DispatchError::TwiceGiven(_)), "{error}");
    dispatcher.settings(|settings| settings.cpu = Some(usize::MAX));
    let error = dispatcher.start().unwrap_err();
    assert!(matches!(error, DispatchError::Cpu { .. }), "{error}");
}

#[test]
fn an_earlier_deadline_preempts_where_priorities_are_allowed() {
    let mut repository = Repository::default();
    let long = operation(&mut repository, "long", 3_600_000, 1);
    let urgent = operation(&mut repository, "urgent", 3_600_000, 1);
    repository[urgent].deadline_ns = Some(60_000 * MS);
    let schedule = schedule(&repository, Strategy::EarliestDeadlineFirst);
    let mut dispatcher = Dispatcher::new(&schedule);
    let cpu = *taut_sys::cpu::allowed().unwrap().last().unwrap();
    dispatcher.settings(|settings| {
        settings.preemption = Preemption::Anywhere;
        settings.cpu = Some(cpu);
    });
    // The long job leaves the CPU to nobody until the urgent one has run in its midst.
    let urgent_jobs = Arc::new(AtomicU64::new(0));
    let (seen, (entered, is_entered)) = (Arc::clone(&urgent_jobs), mpsc::channel());
    let long_code = move || {
        let before = seen.load(Ordering::SeqCst);
        entered.send(()).unwrap();
        let start = Instant::now();
        while seen.load(Ordering::SeqCst) == before {
            assert!(start.elapsed() < HANG, "nobody preempts");
        }
    };
    dispatcher.execute(long, long_code).unwrap();
    let urgent_code = move || {
        urgent_jobs.fetch_add(1, Ordering::SeqCst);
    };
    dispatcher.execute(urgent, urgent_code).unwrap();
    let running = dispatcher.start().unwrap();
    // The urgent one comes first, so that the long one finds it done.
    is_entered.recv_timeout(HANG).unwrap();
    assert!(running.releaser().release(urgent));
    while running.report().operation(long).unwrap().completed == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let report = running.stop();
    assert_eq!(
        report
            .operations
            .iter()
            .map(|one| one.panicked)
            .sum::<u64>(),
        0
    );
    match &report.priorities_refused {
        Some(reason) => eprintln!("LEFT OUT: preemption in the timeline, for {reason}"),
        None => assert_eq!(report.timeline.preemptions(), 1, "{:?}", report.timeline),
    }
}

#[test]
fn misses_that_nobody_expects_are_named() {
    let mut repository = Repository::default();
    let late = operation(&mut repository, "late", 3_600_000, 1);
    repository[late].deadline_ns = Some(1);
    let schedule = schedule(&repository, Strategy::RateMonotonic);
    let mut dispatcher = Dispatcher::new(&schedule);
    dispatcher.settings(|settings| settings.priorities = Priorities::Unset);
    let (done, ends) = mpsc::channel();
    dispatcher
        .execute(late, move || done.send(()).unwrap())
        .unwrap();
    let running = dispatcher.start().unwrap();
    ends.recv_timeout(HANG).unwrap();
    // Nothing ends within a nanosecond.
    while running.report().missed() == 0 {
        std::thread::yield_now();
    }
    let report = running.stop();
    let names = |may_miss: &[Handle]| {
        let may_miss = may_miss.iter().copied().collect();
        let unexpected = report.unexpected_misses(&may_miss).into_iter();
        unexpected.map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (names(&[]), names(&[late])),
        (vec!["late".to_owned()], vec![])
    );
}

/// The threads of this process that a dispatcher has started.
fn dispatching_threads() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm"));
    // A thread may end meanwhile.
    let names = threads.filter_map(|thread| name(thread.unwrap()).ok());
    names.filter(|name| name.starts_with("taut ")).count()
}

#[test]
fn the_first_job_is_released_when_all_threads_are_there() {
    const RATES: u64 = 60;
    let mut repository = Repository::default();
    for rate in 0..RATES {
        operation(&mut repository, &format!("op {rate}"), 3_600_000 + rate, 1);
    }
    let schedule = schedule(&repository, Strategy::RateMonotonic);
    let mut dispatcher = Dispatcher::new(&schedule);
    dispatcher.settings(|settings| settings.priorities = Priorities::Unset);
    let (told, counts) = mpsc::channel();
    for (handle, _) in repository.iter() {
        let told = told.clone();
        let code = move || told.send(dispatching_threads()).unwrap();
        dispatcher.execute(handle, code).unwrap();
    }
    let running = dispatcher.start().unwrap();
    // A thread for each rate, and the one that releases.
    let first = counts.recv_timeout(HANG).unwrap();
    assert!(first > RATES as usize, "{first}");
    let report = running.stop();
    let late = report.timeline.jobs.iter().filter(|job| job.release_ns > 0);
    assert_eq!(late.count(), 0);
}
