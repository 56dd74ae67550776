//! The dispatcher's threads.

use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

use taut_sys::{cpu, priority};

use super::events::{self, EventRecorder};
use super::queue::{Division, Queues};
use super::record::Ended;
use super::{Code, DispatchError, Priorities, Settings};
use crate::schedule::Entry;
use crate::simulation::Job;

/// Starts a thread for each queue, and the one that releases operations.
pub(super) fn start(
    entries: &[Entry],
    codes: Vec<Option<Code>>,
    (queues, recorders): (&Arc<Queues>, Vec<EventRecorder>),
    division: Division,
    settings: &Settings,
) -> Result<Vec<JoinHandle<()>>, DispatchError> {
    let mut of_queue: Vec<HashMap<usize, Code>> = Vec::new();
    of_queue.resize_with(queues.len(), HashMap::new);
    let mut urgency = vec![i32::MIN; queues.len()];
    for (index, (entry, code)) in entries.iter().zip(codes).enumerate() {
        let queue = queues.queue_of(index);
        urgency[queue] = urgency[queue].max(entry.priority);
        if let Some(code) = code {
            of_queue[queue].insert(index, code);
        }
    }
    let range = priority::fifo_range().unwrap_or(i32::MIN..=i32::MAX);
    let highest = urgency.iter().copied().max().unwrap_or(0);
    // Where priorities go round, there is one below the jobs', and one above.
    let highest = match division {
        Division::Operations => highest.clamp(
            range.start().saturating_add(1),
            range.end().saturating_sub(1),
        ),
        _ => highest,
    };
    let above = highest.saturating_add(1).min(*range.end());
    let goes_round = division == Division::Operations && settings.priorities != Priorities::Unset;
    let ceiling = goes_round.then_some(above);
    let mut threads = Vec::new();
    let mut numbers = Vec::new();
    let outcome = (|| {
        for ((queue, codes), recorder) in of_queue.into_iter().enumerate().zip(recorders) {
            let shared = Arc::clone(queues);
            let name = format!("taut dispatch {queue}");
            let run = move || work(&shared, queue, (codes, recorder), ceiling);
            let urgency = ceiling.unwrap_or(urgency[queue]);
            let (thread, number) = spawn(&name, queues, settings, urgency, run)?;
            threads.push(thread);
            numbers.push(number);
        }
        if goes_round {
            queues.urge_by_priority(numbers, highest);
        }
        let shared = Arc::clone(queues);
        let run = move || shared.release_in_time();
        threads.push(spawn("taut release", queues, settings, above, run)?.0);
        Ok(())
    })();
    match outcome {
        Ok(()) => Ok(threads),
        Err(error) => {
            queues.stop();
            for thread in threads {
                // Nothing of its outcome matters any more.
                let _ = thread.join();
            }
            Err(error)
        }
    }
}

/// Starts a thread on its CPU and with its priority, and waits until it has them. Returns the
/// system's number of it, too.
fn spawn(
    name: &str,
    queues: &Arc<Queues>,
    settings: &Settings,
    urgency: i32,
    run: impl FnOnce() + Send + 'static,
) -> Result<(JoinHandle<()>, i32), DispatchError> {
    let (ready, readiness) = mpsc::channel();
    let shared = Arc::clone(queues);
    let settings = settings.clone();
    let body = move || {
        let prepared = prepare(&shared, &settings, urgency);
        let goes_on = prepared.is_ok();
        // The starter waits for it.
        let _ = ready.send(prepared.map(|()| cpu::thread_id()));
        if goes_on {
            run();
        }
    };
    let builder = Builder::new().name(name.to_owned());
    let thread = builder.spawn(body).map_err(DispatchError::Thread)?;
    // A thread says how it is before all else.
    let ended = |_| DispatchError::Thread(io::Error::other("it has ended"));
    let number = readiness.recv().map_err(ended)??;
    Ok((thread, number))
}

/// Binds the calling thread to its CPU and gives it its priority.
fn prepare(queues: &Queues, settings: &Settings, urgency: i32) -> Result<(), DispatchError> {
    if let Some(cpu) = settings.cpu {
        cpu::pin(cpu).map_err(|source| DispatchError::Cpu { cpu, source })?;
    }
    if settings.priorities == Priorities::Unset {
        return Ok(());
    }
    match priority::set_fifo(urgency) {
        Ok(()) => Ok(()),
        Err(source) => {
            let error = DispatchError::Priority {
                priority: urgency,
                source,
            };
            match settings.priorities {
                Priorities::Required => Err(error),
                _ => {
                    queues.note_refused(error.to_string());
                    Ok(())
                }
            }
        }
    }
}

/// Executes the jobs of a queue until the dispatcher stops. Where priorities go round, the thread has
/// the ceiling while it takes a job and ends one.
fn work(
    queues: &Queues,
    queue: usize,
    (mut codes, mut recorder): (HashMap<usize, Code>, EventRecorder),
    ceiling: Option<i32>,
) {
    // Where it is refused, the report says so already.
    let change = |priority: Option<i32>| priority.map(priority::set_fifo);
    while let Some((job, priority)) = queues.take(queue) {
        let Some(code) = codes.get_mut(&job.operation) else {
            continue;
        };
        let _ = change(priority);
        let (start_ns, before) = (queues.now_ns(), cpu::thread_time());
        let mut begun = Job::new(job.operation, job.release_ns, job.deadline_ns);
        begun.start_ns = Some(start_ns);
        events::started(&mut recorder, job.number, &begun);
        let outcome = catch_unwind(AssertUnwindSafe(code));
        let execution = cpu::thread_time().saturating_sub(before);
        let end_ns = queues.now_ns();
        let _ = change(ceiling);
        events::ended(&mut recorder, job.number, end_ns);
        let ended = Ended {
            operation: job.operation,
            release_ns: job.release_ns,
            deadline_ns: job.deadline_ns,
            end_ns,
            execution_ns: u64::try_from(execution.as_nanos()).unwrap_or(u64::MAX),
            has_panicked: outcome.is_err(),
        };
        queues.note(queue, ended);
    }
}
