//! Traces of timelines, read for the execution times in them.

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_scheduling::Measurements;

use crate::failure::Failure;
use crate::input;

/// How many octets a trace may have: 256 MiB.
const OCTETS_MAX: usize = 256 << 20;

/// A trace in the JSON form of Chrome's trace events, as far as it is looked at.
#[derive(Deserialize)]
struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

/// An event.
#[derive(Deserialize)]
struct Event {
    ph: String,
    tid: u64,
    name: String,
    /// The length of a slice in microseconds.
    dur: Option<f64>,
    args: Option<Arguments>,
}

/// The facts that a slice tells of its job.
#[derive(Deserialize)]
struct Arguments {
    job: Option<u64>,
    #[serde(default)]
    is_last: bool,
}

/// Returns the execution times of the jobs that ended in a trace.
///
/// # Errors
///
/// When the file cannot be read, is no trace, or no job ends in it.
pub(super) fn measurements(path: &str) -> Result<Measurements, Failure> {
    let text = input::read_text(path, OCTETS_MAX)?;
    let trace: Trace = serde_json::from_str(&text).map_err(|error| {
        Failure::Message(format!(
            "{path} is no trace of a timeline: {error}; `taut schedule simulate --trace`, or a \
             program with a dispatcher, writes one"
        ))
    })?;
    // The time of each job: what it is called, how long it had the processor, whether it ended.
    let mut jobs: BTreeMap<(u64, u64), (String, f64, bool)> = BTreeMap::new();
    for event in trace.events.into_iter().filter(|event| event.ph == "X") {
        let (
            Some(length),
            Some(Arguments {
                job: Some(job),
                is_last,
            }),
        ) = (event.dur, event.args)
        else {
            continue;
        };
        let entry = jobs.entry((event.tid, job));
        let (_, sum, has_ended) = entry.or_insert_with(|| (event.name, 0.0, false));
        *sum += length;
        *has_ended |= is_last;
    }
    let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (name, microseconds, _) in jobs.into_values().filter(|(_, _, has_ended)| *has_ended) {
        let ns = (microseconds * 1_000.0).round().max(0.0) as u64;
        times.entry(name).or_default().push(ns);
    }
    if times.is_empty() {
        return Err(Failure::Message(format!("no job ends in the trace {path}")));
    }
    let mut measurements = Measurements::default();
    for (name, mut times) in times {
        measurements.note_all(&name, &mut times);
    }
    Ok(measurements)
}
