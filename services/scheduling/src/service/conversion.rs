//! The values of the IDL from those of the analysis, and back.

use ::taut_scheduling::{
    Anomaly, CallKind, Criticality, Importance, Repository, Severity, Strategy,
};

use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use crate::rtec_scheduler::{
    AnomalySeverity, CriticalityT, DispatchingTypeT, ImportanceT, InfoTypeT, RtInfo,
    RtInfoEnabledTypeT, SchedulingAnomaly,
};
use crate::taut_scheduling::{self, Constraints};

/// The nanoseconds of a unit of the IDL's times.
const UNIT_NS: u64 = 100;

/// Nanoseconds of a time of the IDL.
pub(super) fn nanoseconds(time: u64) -> u64 {
    time.saturating_mul(UNIT_NS)
}

/// A time of the IDL: no shorter than the nanoseconds.
pub(super) fn time(ns: u64) -> u64 {
    ns.div_ceil(UNIT_NS)
}

/// A period of the IDL, no longer than the nanoseconds: what is released more often needs more. The
/// longest is 214 seconds.
pub(super) fn period(ns: u64) -> i32 {
    i32::try_from(ns / UNIT_NS).unwrap_or(i32::MAX)
}

/// The number of an operation by its index.
pub(super) fn handle(index: usize) -> i32 {
    i32::try_from(index).map_or(i32::MAX, |index| index.saturating_add(1))
}

/// The index of an operation by its number, which may be nobody's.
pub(super) fn index(handle: i32) -> Option<usize> {
    usize::try_from(handle).ok()?.checked_sub(1)
}

/// Translates two enumerations that have the same enumerators in the same order.
macro_rules! enumerations {
    ($($to_own:ident $to_idl:ident: $own:ident $idl:ident { $($a:ident $b:ident,)* })*) => {$(
        pub(super) fn $to_own(value: $idl) -> $own {
            match value {
                $($idl::$b => $own::$a,)*
            }
        }

        pub(super) fn $to_idl(value: $own) -> $idl {
            match value {
                $($own::$a => $idl::$b,)*
            }
        }
    )*};
}

enumerations! {
    criticality criticality_t: Criticality CriticalityT {
        VeryLow VeryLowCriticality,
        Low LowCriticality,
        Medium MediumCriticality,
        High HighCriticality,
        VeryHigh VeryHighCriticality,
    }
    importance importance_t: Importance ImportanceT {
        VeryLow VeryLowImportance,
        Low LowImportance,
        Medium MediumImportance,
        High HighImportance,
        VeryHigh VeryHighImportance,
    }
    call_kind dependency_type: CallKind DependencyTypeT {
        OneWay OneWayCall,
        TwoWay TwoWayCall,
    }
}

pub(super) fn strategy(value: taut_scheduling::Strategy) -> Strategy {
    use taut_scheduling::Strategy as Idl;
    match value {
        Idl::RateMonotonic => Strategy::RateMonotonic,
        Idl::DeferredRateMonotonic => Strategy::DeferredRateMonotonic,
        Idl::EarliestDeadlineFirst => Strategy::EarliestDeadlineFirst,
        Idl::MaximumUrgencyFirst => Strategy::MaximumUrgencyFirst,
        Idl::MinimumLaxityFirst => Strategy::MinimumLaxityFirst,
    }
}

/// A strategy in the IDL; None for one that it does not have.
pub(super) fn strategy_t(value: Strategy) -> Option<taut_scheduling::Strategy> {
    use taut_scheduling::Strategy as Idl;
    Some(match value {
        Strategy::RateMonotonic => Idl::RateMonotonic,
        Strategy::DeferredRateMonotonic => Idl::DeferredRateMonotonic,
        Strategy::EarliestDeadlineFirst => Idl::EarliestDeadlineFirst,
        Strategy::MaximumUrgencyFirst => Idl::MaximumUrgencyFirst,
        Strategy::MinimumLaxityFirst => Idl::MinimumLaxityFirst,
        _ => return None,
    })
}

/// The order of jobs in a level.
pub(super) fn dispatching_type(strategy: Strategy) -> DispatchingTypeT {
    match strategy {
        Strategy::EarliestDeadlineFirst => DispatchingTypeT::DeadlineDispatching,
        _ if strategy.depends_on_laxity() => DispatchingTypeT::LaxityDispatching,
        _ => DispatchingTypeT::StaticDispatching,
    }
}

pub(super) fn anomaly(anomaly: &Anomaly) -> SchedulingAnomaly {
    let severity = match anomaly.severity {
        Severity::None => AnomalySeverity::AnomalyNone,
        Severity::Warning => AnomalySeverity::AnomalyWarning,
        Severity::Error => AnomalySeverity::AnomalyError,
        _ => AnomalySeverity::AnomalyFatal,
    };
    let description = match &anomaly.help {
        Some(help) => format!("{}; {help}", anomaly.message),
        None => anomaly.message.clone(),
    };
    SchedulingAnomaly {
        description,
        severity,
    }
}

/// An operation that has been created and not described.
pub(super) fn created(entry_point: &str, index: usize) -> RtInfo {
    RtInfo {
        entry_point: entry_point.to_owned(),
        handle: handle(index),
        criticality: CriticalityT::MediumCriticality,
        importance: ImportanceT::MediumImportance,
        info_type: InfoTypeT::Operation,
        enabled: RtInfoEnabledTypeT::RtInfoEnabled,
        ..RtInfo::default()
    }
}

/// The descriptions and constraints of a repository's operations, in its order.
pub(super) fn operations(repository: &Repository) -> Vec<(RtInfo, Constraints)> {
    let each = repository.iter().map(|(own, info)| {
        let index = own.0 as usize;
        let call = |call: &::taut_scheduling::Dependency| DependencyInfo {
            dependency_type: dependency_type(call.kind),
            number_of_calls: i32::try_from(call.calls).unwrap_or(i32::MAX),
            rt_info: handle(index),
            rt_info_depended_on: handle(call.callee.0 as usize),
            enabled: DependencyEnabledTypeT::DependencyEnabled,
        };
        let described = RtInfo {
            worst_case_execution_time: time(info.worst_case_ns),
            typical_execution_time: time(info.typical_ns.unwrap_or(0)),
            period: info.period_ns.map_or(0, period),
            criticality: criticality_t(info.criticality),
            importance: importance_t(info.importance),
            threads: info
                .threads
                .map_or(0, |it| i32::try_from(it).unwrap_or(i32::MAX)),
            dependencies: info.dependencies.iter().map(call).collect(),
            ..created(&info.entry_point, index)
        };
        let constraints = Constraints {
            deadline: info.deadline_ns.map_or(0, |ns| ns / UNIT_NS),
            offset: time(info.offset_ns),
            jitter: time(info.jitter_ns),
            blocking: time(info.blocking_ns),
        };
        (described, constraints)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_so_that_a_verdict_still_holds() {
        assert_eq!((time(0), time(1), time(100), time(101)), (0, 1, 1, 2));
        assert_eq!(
            (period(199), period(200), period(u64::MAX)),
            (1, 2, i32::MAX)
        );
        assert_eq!(nanoseconds(u64::MAX), u64::MAX);
    }

    #[test]
    fn numbers_begin_with_one() {
        assert_eq!((handle(0), handle(usize::MAX)), (1, i32::MAX));
        assert_eq!(
            (index(1), index(0), index(-1), index(i32::MIN)),
            (Some(0), None, None, None)
        );
    }
}
