//! The work of a dispatcher's threads, in records that others read meanwhile, and the timeline that
//! comes of them.

use std::collections::HashMap;

use taut_sync::ring::{Recorder, Ring};

use crate::simulation::{Job, Slice, Timeline};

/// The numbers of a record.
const WORDS: usize = 6;

/// The records of a thread.
pub(super) type Events = Ring<WORDS>;

/// The right of a thread to record.
pub(super) type EventRecorder = Recorder<WORDS>;

/// The first numbers of records.
const STARTED: u64 = 0;
const ENDED: u64 = 1;

/// A ring for so many jobs, with two records each.
pub(super) fn recorder(jobs: usize) -> EventRecorder {
    Events::with_capacity(jobs.saturating_mul(2))
}

/// Records that a job has begun.
pub(super) fn started(recorder: &mut EventRecorder, number: u64, job: &Job) {
    recorder.write([
        STARTED,
        job.task as u64,
        number,
        job.release_ns,
        job.deadline_ns,
        job.start_ns.unwrap_or(0),
    ]);
}

/// Records that a job has ended.
pub(super) fn ended(recorder: &mut EventRecorder, number: u64, end_ns: u64) {
    recorder.write([ENDED, 0, number, end_ns, 0, 0]);
}

/// The timeline of what threads have recorded until `now_ns`. Where all share one processor, and
/// have the priorities of the schedule, it has a break for each time at which a job was preempted
/// by another one.
pub(super) fn timeline<'r>(
    lanes: Vec<String>,
    rings: impl Iterator<Item = &'r Events>,
    now_ns: u64,
    is_one_processor: bool,
) -> Timeline {
    let mut jobs: HashMap<u64, Job> = HashMap::new();
    for [kind, task, number, release_ns, deadline_ns, start_ns] in rings.flat_map(Ring::records) {
        if kind == STARTED {
            let mut job = Job::new(task as usize, release_ns, deadline_ns);
            job.start_ns = Some(start_ns);
            jobs.insert(number, job);
        } else if let Some(job) = jobs.get_mut(&number) {
            // Its end stands in the place of the release.
            job.end_ns = Some(release_ns);
        }
    }
    let mut jobs: Vec<_> = jobs.into_iter().collect();
    jobs.sort_by_key(|(number, job)| (job.release_ns, *number));
    let mut timeline = Timeline::new(lanes);
    timeline.end_ns = now_ns;
    timeline.jobs = jobs.into_iter().map(|(_, job)| job).collect();
    timeline.slices = match is_one_processor {
        true => divided(&timeline.jobs, now_ns),
        false => whole(&timeline.jobs, now_ns),
    };
    timeline
}

/// A slice from the start to the end of each job.
fn whole(jobs: &[Job], now_ns: u64) -> Vec<Slice> {
    let slice = |(number, job): (usize, &Job)| {
        let start = job.start_ns?;
        Some(Slice::new(
            job.task,
            number,
            start,
            job.end_ns.unwrap_or(now_ns),
        ))
    };
    let mut slices: Vec<_> = jobs.iter().enumerate().filter_map(slice).collect();
    slices.sort_by_key(|slice| slice.start_ns);
    slices
}

/// The slices of jobs on one processor: a job that starts while another one runs has preempted it,
/// until it ends.
fn divided(jobs: &[Job], now_ns: u64) -> Vec<Slice> {
    // Of what happens at one time, the end of a job that ran comes first, and that of one that took
    // no time comes last.
    let mut points: Vec<(u64, u8, usize)> = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        if let Some(start) = job.start_ns {
            let end = job.end_ns.unwrap_or(now_ns).max(start);
            points.push((start, 1, number));
            points.push((end, if end > start { 0 } else { 2 }, number));
        }
    }
    points.sort_unstable();
    let mut slices: Vec<Slice> = Vec::new();
    let mut preempted: Vec<usize> = Vec::new();
    let mut since = 0;
    for (time, kind, number) in points {
        if let Some(running) = preempted.last().copied().filter(|_| time > since) {
            match slices.last_mut() {
                Some(last) if last.job == running && last.end_ns == since => last.end_ns = time,
                _ => slices.push(Slice::new(jobs[running].task, running, since, time)),
            }
        }
        since = time;
        match kind {
            1 => preempted.push(number),
            _ => preempted.retain(|other| *other != number),
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread's ring with jobs of one task: number, start and end.
    fn ring(task: usize, jobs: &[(u64, u64, Option<u64>)]) -> EventRecorder {
        let mut recorder = recorder(10);
        for (number, start, end) in jobs {
            let mut job = Job::new(task, *start, start + 100);
            job.start_ns = Some(*start);
            started(&mut recorder, *number, &job);
            if let Some(end) = end {
                ended(&mut recorder, *number, *end);
            }
        }
        recorder
    }

    fn slices(timeline: &Timeline) -> Vec<(usize, usize, u64, u64)> {
        let slices = timeline.slices.iter();
        slices
            .map(|it| (it.task, it.job, it.start_ns, it.end_ns))
            .collect()
    }

    #[test]
    fn a_job_that_starts_within_another_one_has_preempted_it() {
        // The slow job is preempted twice by the fast one, and the middle one once while preempting.
        let rings = [
            ring(
                0,
                &[(0, 10, Some(20)), (3, 40, Some(50)), (4, 60, Some(60))],
            ),
            ring(1, &[(2, 35, Some(55))]),
            ring(2, &[(1, 0, None)]),
        ];
        let lanes = ["fast", "middle", "slow"].map(str::to_owned).to_vec();
        let of = |is_one_processor| {
            let rings = rings.iter().map(|recorder| &**recorder.ring());
            timeline(lanes.clone(), rings, 80, is_one_processor)
        };
        let divided = of(true);
        assert_eq!(
            slices(&divided),
            [
                (2, 0, 0, 10),
                (0, 1, 10, 20),
                (2, 0, 20, 35),
                (1, 2, 35, 40),
                (0, 3, 40, 50),
                (1, 2, 50, 55),
                (2, 0, 55, 80),
            ]
        );
        assert_eq!(divided.preemptions(), 3);
        assert_eq!((divided.jobs.len(), divided.jobs[0].end_ns), (5, None));
        let whole = of(false);
        assert_eq!(
            slices(&whole),
            [
                (2, 0, 0, 80),
                (0, 1, 10, 20),
                (1, 2, 35, 55),
                (0, 3, 40, 50),
                (0, 4, 60, 60)
            ]
        );
        assert_eq!(whole.preemptions(), 0);
    }

    #[test]
    fn an_end_whose_start_is_lost_is_left_out() {
        let mut recorder = recorder(1);
        let mut job = Job::new(0, 0, 100);
        job.start_ns = Some(1);
        for number in 0..2 {
            started(&mut recorder, number, &job);
            ended(&mut recorder, number, 5);
        }
        ended(&mut recorder, 1, 9);
        let ring = &**recorder.ring();
        let timeline = timeline(vec!["a".to_owned()], [ring].into_iter(), 10, true);
        assert_eq!(timeline.jobs, []);
    }
}
