//! The mapping between CORBA priorities and those of the operating system.

use std::fmt;
use std::ops::RangeInclusive;

use taut_sys::priority::{NICE_RANGE, Scheduling, fifo_range};

use super::{NativePriority, Priority};

/// The way in which the operating system schedules the threads that have priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SchedulingClass {
    /// `SCHED_FIFO`: a thread runs until it waits, or until one of a higher priority is ready.
    /// Native priorities are from 1 to 99 on Linux; a larger one is more urgent.
    #[default]
    Fifo,
    /// `SCHED_RR`: the same, but threads of one priority take turns.
    RoundRobin,
    /// `SCHED_OTHER`: threads share the CPUs. Native priorities are nice values, from 19, the
    /// least urgent, to -20.
    Other,
}

/// A mapping between CORBA priorities and native ones (the standard's
/// `RTCORBA::PriorityMapping`, Real-time CORBA 1.2, 4.5.2). It is asked in the threads of calls,
/// so that it should neither wait nor allocate.
///
/// ```
/// use taut::Orb;
/// use taut::real_time::{NativePriority, Priority, PriorityMapping, RealTime};
///
/// /// Three levels are enough for all tasks of a system.
/// #[derive(Debug)]
/// struct ThreeLevels;
///
/// impl PriorityMapping for ThreeLevels {
///     fn to_native(&self, priority: Priority) -> Option<NativePriority> {
///         Some(NativePriority(match priority.get() {
///             0..10_000 => 10,
///             10_000..20_000 => 20,
///             _ => 30,
///         }))
///     }
///
///     fn to_corba(&self, native: NativePriority) -> Option<Priority> {
///         Priority::new(match native.0 {
///             10 => 0,
///             20 => 10_000,
///             30 => 20_000,
///             _ => return None,
///         })
///         .ok()
///     }
/// }
///
/// # fn main() -> Result<(), taut::InitError> {
/// let orb = Orb::builder().real_time(RealTime::new().mapping(ThreeLevels)).build()?;
/// # Ok(())
/// # }
/// ```
pub trait PriorityMapping: Send + Sync + fmt::Debug {
    /// Returns the native priority of threads with this one. None: there is none, and who has
    /// asked for it gets DATA_CONVERSION, OMG minor 2.
    fn to_native(&self, priority: Priority) -> Option<NativePriority>;

    /// Returns the CORBA priority of threads with this native one. None: there is none.
    fn to_corba(&self, native: NativePriority) -> Option<Priority>;
}

/// A mapping that divides all CORBA priorities among a range of native ones; TAO's `linear`, and
/// the default with the whole range of the [`SchedulingClass`].
///
/// A native priority, mapped to CORBA and back, is the same, unless there are more native
/// priorities than CORBA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearMapping {
    /// The native priority of [`Priority::MIN`].
    pub lowest: NativePriority,
    /// The native priority of [`Priority::MAX`]; that of the most urgent threads, which need not
    /// be the larger number.
    pub highest: NativePriority,
}

/// A mapping whose CORBA priorities are the numbers of native ones; TAO's `direct`. All others
/// have no native priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectMapping {
    /// The least native priority.
    pub lowest: NativePriority,
    /// The largest native priority.
    pub highest: NativePriority,
}

impl LinearMapping {
    /// The difference between two neighbouring native priorities, 1 or -1, and how many
    /// there are beside the lowest.
    fn steps(&self) -> (i64, i64) {
        let difference = i64::from(self.highest.0) - i64::from(self.lowest.0);
        (difference.signum(), difference.abs())
    }
}

impl PriorityMapping for LinearMapping {
    fn to_native(&self, priority: Priority) -> Option<NativePriority> {
        let (direction, steps) = self.steps();
        let step = i64::from(priority.get()) * steps / i64::from(i16::MAX);
        let native = i64::from(self.lowest.0) + direction * step;
        i32::try_from(native).ok().map(NativePriority)
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        let (direction, steps) = self.steps();
        let step = (i64::from(native.0) - i64::from(self.lowest.0)) * direction;
        if steps == 0 {
            return (native == self.lowest).then_some(Priority::MIN);
        }
        if !(0..=steps).contains(&step) {
            return None;
        }
        // The least priority that leads back to it.
        let priority = (step * i64::from(i16::MAX)).unsigned_abs();
        i16::try_from(priority.div_ceil(steps.unsigned_abs()))
            .ok()
            .and_then(|number| Priority::new(number).ok())
    }
}

impl DirectMapping {
    fn contains(&self, number: i32) -> bool {
        (self.lowest.0..=self.highest.0).contains(&number)
    }
}

impl PriorityMapping for DirectMapping {
    fn to_native(&self, priority: Priority) -> Option<NativePriority> {
        let number = i32::from(priority.get());
        self.contains(number).then_some(NativePriority(number))
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        let number = i16::try_from(native.0).ok()?;
        let priority = Priority::new(number).ok()?;
        self.contains(native.0).then_some(priority)
    }
}

impl SchedulingClass {
    /// Returns the native priorities of the class. Those of [`SchedulingClass::Other`], nice
    /// values, are the less urgent the larger they are.
    pub fn native_range(self) -> RangeInclusive<i32> {
        match self {
            // The range of Linux if the system cannot say it.
            Self::Fifo | Self::RoundRobin => fifo_range().unwrap_or(1..=99),
            Self::Other => NICE_RANGE,
        }
    }

    /// Returns the least and the most urgent native priority of the class.
    pub(super) fn bounds(self) -> (NativePriority, NativePriority) {
        let range = self.native_range();
        let (start, end) = (NativePriority(*range.start()), NativePriority(*range.end()));
        match self {
            Self::Fifo | Self::RoundRobin => (start, end),
            Self::Other => (end, start),
        }
    }

    /// Returns how the system schedules a thread with a native priority of this class.
    pub(super) fn scheduling(self, native: NativePriority) -> Scheduling {
        let priority = native.0;
        match self {
            Self::Fifo => Scheduling::Fifo { priority },
            Self::RoundRobin => Scheduling::RoundRobin { priority },
            Self::Other => Scheduling::Other { nice: priority },
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn linear(lowest: i32, highest: i32) -> LinearMapping {
        LinearMapping {
            lowest: NativePriority(lowest),
            highest: NativePriority(highest),
        }
    }

    /// Every native priority of these ranges survives the way to CORBA and back, and the order
    /// of urgency is kept.
    #[test]
    fn a_linear_mapping_gives_back_each_native_priority() {
        for (lowest, highest) in [(1, 99), (19, -20), (-20, 19), (5, 6), (0, 32_767), (40, 40)] {
            let mapping = linear(lowest, highest);
            let range = lowest.min(highest)..=lowest.max(highest);
            for native in range.clone().map(NativePriority) {
                let corba = mapping.to_corba(native).unwrap();
                assert_eq!(mapping.to_native(corba), Some(native), "{mapping:?}");
            }
            let natives: Vec<_> = (0..=i16::MAX)
                .map(|number| mapping.to_native(Priority(number)).unwrap().0)
                .collect();
            assert!(natives.is_sorted_by(|one, next| match lowest <= highest {
                true => one <= next && next - one <= 1,
                false => one >= next && one - next <= 1,
            }));
            assert_eq!(natives.first(), Some(&lowest));
            assert_eq!(natives.last(), Some(&highest));
            for native in [range.start() - 1, range.end() + 1, i32::MIN, i32::MAX] {
                assert_eq!(mapping.to_corba(NativePriority(native)), None);
            }
        }
    }

    #[test]
    fn a_linear_mapping_of_all_numbers_overflows_nowhere() {
        let mapping = linear(i32::MIN, i32::MAX);
        assert_eq!(mapping.to_native(Priority::MIN).unwrap().0, i32::MIN);
        assert_eq!(mapping.to_native(Priority::MAX).unwrap().0, i32::MAX);
        let corba = mapping.to_corba(NativePriority(i32::MAX));
        assert_eq!(corba, Some(Priority::MAX));
    }

    #[test]
    fn a_direct_mapping_has_those_numbers_that_are_priorities_of_both() {
        let mapping = DirectMapping {
            lowest: NativePriority(1),
            highest: NativePriority(99),
        };
        for (number, native) in [(0, None), (1, Some(1)), (99, Some(99)), (100, None)] {
            let native = native.map(NativePriority);
            assert_eq!(mapping.to_native(Priority(number)), native);
            if let Some(native) = native {
                assert_eq!(mapping.to_corba(native), Some(Priority(number)));
            }
        }
        for native in [i32::MIN, -1, 0, 100, 32_768, i32::MAX] {
            assert_eq!(mapping.to_corba(NativePriority(native)), None);
        }
        let everything = DirectMapping {
            lowest: NativePriority(i32::MIN),
            highest: NativePriority(i32::MAX),
        };
        assert_eq!(everything.to_corba(NativePriority(-1)), None);
    }
}
