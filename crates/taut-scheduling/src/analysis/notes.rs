//! Anomalies that come of a verdict.

use super::TaskResult;
use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::options::{Options, Phasing};
use crate::strategy::Strategy;
use crate::task::Task;
use crate::time::ShownTime;

/// The anomalies of a verdict.
pub(super) fn of(
    tasks: &[Task],
    results: &[TaskResult],
    options: &Options,
    utilization: f64,
    bound: f64,
) -> Vec<Anomaly> {
    let mut anomalies: Vec<_> = results
        .iter()
        .filter(|result| !result.is_feasible)
        .map(|result| missed(&tasks[result.task], result, utilization))
        .collect();
    let is_feasible = anomalies.is_empty();
    if is_feasible && options.strategy.has_fixed_priorities() && utilization > bound {
        let message = format!(
            "utilization {:.1} % is over the bound of {:.1} % for {} tasks; exact response times \
             show that all deadlines hold",
            utilization * 100.0,
            bound * 100.0,
            tasks.len()
        );
        let kind = AnomalyKind::BoundExceeded;
        anomalies.push(Anomaly::new(Severity::None, kind, [], message));
    }
    let with_offset = tasks.iter().filter(|task| task.offset_ns > 0);
    let with_offset: Vec<_> = with_offset.map(|task| task.operation).collect();
    if options.phasing == Phasing::Any && !with_offset.is_empty() {
        let message = format!(
            "{} of {} tasks have offsets, which the verdict does not rely on",
            with_offset.len(),
            tasks.len()
        );
        let kind = AnomalyKind::OffsetsIgnored;
        let note = Anomaly::new(Severity::None, kind, with_offset, message);
        anomalies.push(note.help("choose the phasing `offsets` to have them counted"));
    }
    if !is_feasible {
        anomalies.extend(inversion(tasks, results, options));
    }
    anomalies
}

/// The anomaly of a task that misses its deadline.
fn missed(task: &Task, result: &TaskResult, utilization: f64) -> Anomaly {
    let (name, missing) = (&task.name, ShownTime(result.missing_ns));
    let deadline = ShownTime(task.deadline_ns);
    let message = match result.response {
        Some(response) if response.worst_ns > task.deadline_ns => format!(
            "`{name}` takes up to {} and has a deadline of {deadline}: {missing} are missing",
            ShownTime(response.worst_ns)
        ),
        None if utilization > 1.0 => format!(
            "`{name}` misses its deadline of {deadline}: the processor is asked for {:.1} %, and \
             {missing} are missing in each of the task's periods",
            utilization * 100.0
        ),
        _ => format!("`{name}` may miss its deadline of {deadline}: {missing} are missing"),
    };
    let kind = AnomalyKind::DeadlineMissed;
    let anomaly = Anomaly::new(Severity::Error, kind, [task.operation], message);
    anomaly.help("shorten what runs before it, or lengthen periods or deadlines")
}

/// The most critical operation that misses its deadline while less critical ones do not.
fn inversion(tasks: &[Task], results: &[TaskResult], options: &Options) -> Option<Anomaly> {
    if options.strategy == Strategy::MaximumUrgencyFirst {
        return None;
    }
    let missing = results.iter().filter(|result| !result.is_feasible);
    let task = |result: &TaskResult| &tasks[result.task];
    let victim = missing.max_by_key(|result| task(result).criticality)?;
    let victim = task(victim);
    let kept = results.iter().filter(|result| result.is_feasible);
    let kept = kept
        .map(task)
        .find(|it| it.criticality < victim.criticality)?;
    let message = format!(
        "`{}`, whose criticality is {}, misses deadlines while `{}`, whose criticality is {}, \
         keeps them",
        victim.name, victim.criticality, kept.name, kept.criticality
    );
    let anomaly = Anomaly::new(
        Severity::Warning,
        AnomalyKind::CriticalityInversion,
        [victim.operation, kept.operation],
        message,
    );
    Some(anomaly.help("the strategy muf gives the processor to the most critical operations"))
}
