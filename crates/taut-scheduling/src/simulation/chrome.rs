//! A timeline as a trace that Perfetto and Chrome open.

use super::timeline::Timeline;
use crate::quoted::quoted;

impl Timeline {
    /// Returns the timeline as a trace in the JSON form of Chrome's trace events: a thread for
    /// each task, a complete event for each time on the processor, an instant event for each
    /// release, each preemption and each missed deadline. A time on the processor says the number of
    /// its job, and whether the job ended with it.
    pub fn to_trace_json(&self) -> String {
        let mut events = vec![String::from(
            "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\
             \"args\":{\"name\":\"schedule\"}}",
        )];
        for (lane, name) in self.lanes.iter().enumerate() {
            events.push(format!(
                "{{\"ph\":\"M\",\"pid\":1,\"tid\":{lane},\"name\":\"thread_name\",\
                 \"args\":{{\"name\":{}}}}}",
                quoted(name)
            ));
        }
        let name = |task: usize| quoted(self.lanes.get(task).map_or("", String::as_str));
        let instant = |task: usize, what: &str, time: u64| {
            format!(
                "{{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":{task},\"name\":\"{what}\",\"ts\":{}}}",
                microseconds(time)
            )
        };
        for slice in &self.slices {
            let length = slice.end_ns - slice.start_ns;
            let job = self.jobs.get(slice.job);
            let is_last = job.is_some_and(|job| job.end_ns == Some(slice.end_ns));
            events.push(format!(
                "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":{},\"ts\":{},\"dur\":{},\
                 \"args\":{{\"job\":{},\"is_last\":{is_last}}}}}",
                slice.task,
                name(slice.task),
                microseconds(slice.start_ns),
                microseconds(length),
                slice.job
            ));
            if self.is_preempted(slice) {
                events.push(instant(slice.task, "preempted", slice.end_ns));
            }
        }
        for job in &self.jobs {
            events.push(instant(job.task, "release", job.release_ns));
            if job.is_missed(self.end_ns) {
                events.push(instant(job.task, "deadline missed", job.deadline_ns));
            }
        }
        format!(
            "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}\n]}}\n",
            events.join(",\n")
        )
    }
}

/// A time in microseconds, the unit of traces, with its nanoseconds behind the point.
fn microseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000, ns % 1_000)
}
