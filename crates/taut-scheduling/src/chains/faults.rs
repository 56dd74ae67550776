//! The faults for which no tasks come of descriptions.

use super::is_released;
use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::info::RtInfo;
use crate::repository::{Handle, Repository};
use crate::time::{LONGEST_NS, ShownTime};

pub(super) fn limit(message: String) -> Anomaly {
    let anomaly = Anomaly::new(Severity::Fatal, AnomalyKind::Limit, [], message);
    anomaly.help("raise this limit, or describe fewer operations")
}

/// The faults that an operation's description has by itself.
pub(super) fn faults_of(repository: &Repository, handle: Handle, info: &RtInfo) -> Vec<Anomaly> {
    let name = &info.entry_point;
    let fault = |kind, message: String| Anomaly::new(Severity::Fatal, kind, [handle], message);
    let mut faults = Vec::new();
    if !info.is_described {
        let calls_it = |(_, one): &(Handle, &RtInfo)| {
            one.dependencies
                .iter()
                .any(|called| called.callee == handle)
        };
        let caller = repository.iter().find(calls_it);
        let by = caller.map_or(String::new(), |(_, info)| {
            format!("by `{}`", info.entry_point)
        });
        let message = format!("`{name}` is called {by} and not described");
        let fault = fault(AnomalyKind::UnresolvedDependency, message);
        return vec![fault.help("give it a worst-case execution time, or take the call away")];
    }
    if info.threads.is_some_and(|threads| threads > 0) && info.period_ns.is_none() {
        let message = format!("`{name}` has threads of its own and no period");
        let fault = fault(AnomalyKind::ThreadSpecification, message);
        faults.push(fault.help("give it a period, or no threads"));
    }
    if info.worst_case_ns == 0 && info.dependencies.is_empty() {
        let message = format!("`{name}` has no worst-case execution time");
        let fault = fault(AnomalyKind::NoExecutionTime, message);
        faults.push(fault.help("measure it, or give an estimate, and add a margin"));
    }
    let times = [
        ("worst-case execution time", info.worst_case_ns),
        ("period", info.period_ns.unwrap_or(1)),
        ("deadline", info.deadline_ns.unwrap_or(1)),
        ("offset", info.offset_ns),
        ("jitter", info.jitter_ns),
        ("blocking", info.blocking_ns),
    ];
    for (what, time) in times {
        let is_zero = time == 0 && (what == "period" || what == "deadline");
        if is_zero || time > LONGEST_NS {
            let message = format!("the {what} of `{name}` is {}", ShownTime(time));
            let help = "it must be more than nothing and less than 36 years";
            faults.push(fault(AnomalyKind::Range, message).help(help));
        }
    }
    if info.dependencies.iter().any(|called| called.calls == 0) {
        let message = format!("`{name}` calls an operation 0 times");
        faults.push(fault(AnomalyKind::Range, message).help("take the call away"));
    }
    faults
}

pub(super) fn circle_of(repository: &Repository, members: Vec<Handle>) -> Anomaly {
    let names = members.iter().chain(members.first());
    let names: Vec<_> = names
        .map(|handle| format!("`{}`", repository[*handle].entry_point))
        .collect();
    let message = format!(
        "operations call each other in a circle: {}",
        names.join(" → ")
    );
    let anomaly = Anomaly::new(
        Severity::Fatal,
        AnomalyKind::CyclicDependencies,
        members,
        message,
    );
    anomaly.help("take one of the calls away")
}

/// One fault for each operation that has neither a period nor a caller with one.
pub(super) fn never_released(repository: &Repository, periods: &[u64]) -> Vec<Anomaly> {
    let mut is_reached = vec![false; repository.len()];
    for (_, info) in repository.iter() {
        for called in &info.dependencies {
            is_reached[called.callee.index()] = true;
        }
    }
    let described = repository.iter().filter(|(_, info)| info.is_described);
    let never = described.filter(|(handle, info)| {
        let index = handle.index();
        periods[index] == 0 || (!is_reached[index] && !is_released(info))
    });
    never
        .map(|(handle, info)| {
            let message = format!(
                "`{}` is never released: it has neither a period nor a caller that has one",
                info.entry_point
            );
            Anomaly::new(
                Severity::Fatal,
                AnomalyKind::NeverReleased,
                [handle],
                message,
            )
            .help("give it a period, or name it among the calls of another operation")
        })
        .collect()
}
