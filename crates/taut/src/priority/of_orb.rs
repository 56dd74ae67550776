//! The priorities of an ORB: whether it has any, and how they are mapped and applied.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sys::cpu;
use taut_sys::priority::{self as system, Scheduling};

use super::trial;
use super::{
    DirectMapping, LinearMapping, LinearNetworkMapping, NativePriority, NetworkPriorityMapping,
    Priority, PriorityMapping, PriorityTransform, SchedulingClass,
};

/// The wish for an ORB with priorities, for
/// [`OrbBuilder::real_time`](crate::OrbBuilder::real_time): parts of it that are code. Its
/// other properties are the settings in the group [`real_time`](crate::Settings::real_time).
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct RealTime {
    mapping: Option<Arc<dyn PriorityMapping>>,
    transform: Option<Arc<dyn PriorityTransform>>,
    network_mapping: Option<Arc<dyn NetworkPriorityMapping>>,
}

impl RealTime {
    /// Priorities as the settings have them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Priorities are mapped so, whatever the settings say.
    pub fn mapping(mut self, mapping: impl PriorityMapping + 'static) -> Self {
        self.mapping = Some(Arc::new(mapping));
        self
    }

    /// Priorities that travel are changed so.
    pub fn transform(mut self, transform: impl PriorityTransform + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Packets of connections that are to tell the priority of calls are marked so. Without it,
    /// by [`LinearNetworkMapping`].
    pub fn network_mapping(mut self, mapping: impl NetworkPriorityMapping + 'static) -> Self {
        self.network_mapping = Some(Arc::new(mapping));
        self
    }
}

/// The properties of an ORB's priorities that are no code.
#[derive(Debug, Clone)]
pub(crate) struct PriorityOptions {
    pub(crate) class: SchedulingClass,
    /// Whether numbers of CORBA are those of the system.
    pub(crate) is_direct: bool,
    /// The least urgent native priority; none: that of the class.
    pub(crate) lowest: Option<NativePriority>,
    /// The most urgent one, likewise.
    pub(crate) highest: Option<NativePriority>,
    /// Whether it is an error that the system allows no priorities.
    pub(crate) needs_rights: bool,
    /// The priority of the ORB's threads that belong to no lane.
    pub(crate) internal_priority: Option<Priority>,
    /// The CPUs of these; empty: those of the thread that starts one.
    pub(crate) internal_cpus: Vec<usize>,
}

/// Why an ORB cannot have the native priorities that it asks for.
#[derive(Debug)]
#[non_exhaustive]
pub enum NativePriorityError {
    /// The scheduling class has no such native priority.
    OutOfRange {
        /// The setting.
        setting: &'static str,
        /// The priority.
        native: NativePriority,
        /// The class.
        class: SchedulingClass,
    },
    /// The least urgent native priority is more urgent than the most urgent one.
    Reversed {
        /// The least urgent.
        lowest: NativePriority,
        /// The most urgent.
        highest: NativePriority,
    },
    /// Nice values cannot be CORBA priorities: larger ones are less urgent.
    DirectNiceValues,
    /// The system does not allow it, and `real_time.without_rights` is `error`.
    Refused {
        /// The most urgent native priority.
        native: NativePriority,
        /// The system's error.
        source: io::Error,
    },
}

/// The priorities of one ORB.
#[derive(Debug, Default)]
pub(crate) struct Priorities(Option<Rules>);

/// The rules of an ORB that has priorities.
#[derive(Debug)]
struct Rules {
    /// Tells them from those of other ORBs, by all bits but the lowest 16; 0 if there is more to
    /// priorities than the mapping.
    number: u64,
    mapping: Arc<dyn PriorityMapping>,
    transform: Option<Arc<dyn PriorityTransform>>,
    network_mapping: Arc<dyn NetworkPriorityMapping>,
    options: PriorityOptions,
    /// Whether the system has allowed native priorities when the ORB was made.
    are_applied: bool,
    /// Whether somebody has been told that it does not.
    is_told: AtomicBool,
}

/// The number of the next ORB's rules.
static NUMBERS: AtomicU64 = AtomicU64::new(1 << 16);

impl Priorities {
    /// Returns a number that tells a priority of this ORB from all others of the process, as far
    /// as native priorities are concerned; none if transforms have to be told of the object, too.
    #[inline(always)]
    pub(super) fn fit(&self, priority: Priority) -> Option<u64> {
        match &self.0 {
            Some(rules) if rules.number != 0 => Some(rules.number | priority.get() as u64),
            _ => None,
        }
    }

    /// The priorities of an ORB that has any.
    ///
    /// # Errors
    ///
    /// [`NativePriorityError`].
    pub(crate) fn new(
        real_time: RealTime,
        options: PriorityOptions,
    ) -> Result<Self, NativePriorityError> {
        let (lowest, highest) = options.bounds()?;
        let mapping = match real_time.mapping {
            Some(mapping) => mapping,
            None if options.is_direct => Arc::new(DirectMapping { lowest, highest }),
            None => Arc::new(LinearMapping { lowest, highest }),
        };
        let most_urgent = mapping.to_native(Priority::MAX).unwrap_or(highest);
        let allowed = trial::of(options.class.scheduling(most_urgent));
        if options.needs_rights
            && let Err(source) = allowed
        {
            let native = most_urgent;
            return Err(NativePriorityError::Refused { native, source });
        }
        let rules = Rules {
            number: match real_time.transform {
                None => NUMBERS.fetch_add(1 << 16, Ordering::Relaxed),
                Some(_) => 0,
            },
            mapping,
            transform: real_time.transform,
            network_mapping: real_time
                .network_mapping
                .unwrap_or_else(|| Arc::new(LinearNetworkMapping)),
            options,
            are_applied: allowed.is_ok(),
            is_told: AtomicBool::new(false),
        };
        if let Err(error) = allowed {
            rules.tell(&error);
        }
        Ok(Self(Some(rules)))
    }

    /// Whether the ORB has priorities; without, none is ever applied or sent.
    #[inline]
    pub(crate) fn is_real_time(&self) -> bool {
        self.0.is_some()
    }

    /// Whether native priorities are applied: the system allows it.
    pub(crate) fn are_applied(&self) -> bool {
        self.0.as_ref().is_some_and(|rules| rules.are_applied)
    }

    /// Returns the native priority of threads with this one.
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION, OMG minor 2, if there is none.
    pub(crate) fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        let native = self
            .0
            .as_ref()
            .map(|rules| rules.mapping.to_native(priority));
        match native {
            Some(Some(native)) => Ok(native),
            Some(None) => Err(unmappable(format!(
                "priority {priority} has no native priority by the mapping of the ORB"
            ))),
            None => Err(not_real_time()),
        }
    }

    /// Returns the CORBA priority of threads with this native one, if there is one.
    pub(crate) fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        self.0.as_ref()?.mapping.to_corba(native)
    }

    /// Returns the priority at which a request is carried out that has come with this one.
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION, OMG minor 2, if the transform has none.
    pub(crate) fn inbound(
        &self,
        priority: Priority,
        object_id: &[u8],
    ) -> Result<Priority, SystemException> {
        match self.transform() {
            None => Ok(priority),
            Some(transform) => transform
                .inbound(priority, object_id)
                .ok_or_else(|| untransformed(priority, "has come")),
        }
    }

    /// Whether a transform changes priorities.
    #[inline]
    pub(crate) fn has_transform(&self) -> bool {
        self.transform().is_some()
    }

    /// Returns the rule by which packets are marked; none without priorities.
    pub(super) fn network_mapping(&self) -> Option<&dyn NetworkPriorityMapping> {
        Some(&*self.0.as_ref()?.network_mapping)
    }

    pub(super) fn transform(&self) -> Option<&dyn PriorityTransform> {
        self.0.as_ref()?.transform.as_deref()
    }

    /// Returns how the system is to schedule a thread with this priority; none if the system
    /// does not allow it.
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION, OMG minor 2, if it has no native priority.
    pub(crate) fn scheduling(
        &self,
        priority: Priority,
    ) -> Result<Option<Scheduling>, SystemException> {
        let applied = self.applied(priority)?;
        Ok(applied.map(|(class, native)| class.scheduling(native)))
    }

    /// Returns the class and the native priority of a thread with this one, likewise.
    ///
    /// # Errors
    ///
    /// Those of [`scheduling`](Self::scheduling).
    pub(super) fn applied(
        &self,
        priority: Priority,
    ) -> Result<Option<(SchedulingClass, NativePriority)>, SystemException> {
        let native = self.to_native(priority)?;
        let rules = self.0.as_ref().filter(|rules| rules.are_applied);
        Ok(rules.map(|rules| (rules.options.class, native)))
    }

    /// Returns the outcome of a priority that the system has refused.
    ///
    /// # Errors
    ///
    /// NO_PERMISSION, Taut minor 100, if `real_time.without_rights` says so.
    #[cold]
    pub(super) fn refused(&self, error: &io::Error) -> Result<(), SystemException> {
        let Some(rules) = &self.0 else { return Ok(()) };
        if rules.options.needs_rights {
            let (kind, minor) = (
                SystemExceptionKind::NoPermission,
                minor::NATIVE_PRIORITY_REFUSED,
            );
            return Err(
                SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
            );
        }
        rules.tell(error);
        Ok(())
    }

    /// Gives the calling thread, which is one of the ORB and belongs to no lane, the priority
    /// and the CPUs of such threads. An event tells what the system refuses.
    pub(crate) fn begin_internal_thread(&self) {
        let Some(rules) = &self.0 else { return };
        let options = &rules.options;
        if !options.internal_cpus.is_empty()
            && let Err(error) = cpu::pin_to(&options.internal_cpus)
        {
            let cpus = &options.internal_cpus;
            tracing::warn!(%error, ?cpus, "a thread may not run on the CPUs of real_time.internal_cpus");
        }
        let native = options
            .internal_priority
            .map(|priority| rules.mapping.to_native(priority));
        if let Some(Some(native)) = native.filter(|_| rules.are_applied)
            && let Err(error) = system::set(options.class.scheduling(native))
        {
            rules.tell(&error);
        }
    }
}

impl Rules {
    /// Tells once that the system does not allow native priorities.
    fn tell(&self, error: &io::Error) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %error,
                class = ?self.options.class,
                "the system allows no native priorities: threads keep theirs"
            );
        }
    }
}

impl PriorityOptions {
    /// Returns the least and the most urgent native priority.
    fn bounds(&self) -> Result<(NativePriority, NativePriority), NativePriorityError> {
        let class = self.class;
        if self.is_direct && class == SchedulingClass::Other {
            return Err(NativePriorityError::DirectNiceValues);
        }
        let (least, most) = class.bounds();
        let (lowest, highest) = (self.lowest.unwrap_or(least), self.highest.unwrap_or(most));
        for (setting, native) in [
            ("real_time.lowest_native", lowest),
            ("real_time.highest_native", highest),
        ] {
            if !class.native_range().contains(&native.0) {
                return Err(NativePriorityError::OutOfRange {
                    setting,
                    native,
                    class,
                });
            }
        }
        let is_reversed = match class {
            SchedulingClass::Other => lowest < highest,
            SchedulingClass::Fifo | SchedulingClass::RoundRobin => lowest > highest,
        };
        match is_reversed {
            true => Err(NativePriorityError::Reversed { lowest, highest }),
            false => Ok((lowest, highest)),
        }
    }
}

/// The transform has no answer to a priority, of which `how` tells the way.
#[cold]
pub(super) fn untransformed(priority: Priority, how: &str) -> SystemException {
    unmappable(format!(
        "the PriorityTransform of the ORB has no priority for {priority}, which {how}"
    ))
}

#[cold]
fn unmappable(problem: String) -> SystemException {
    let kind = SystemExceptionKind::DataConversion;
    SystemException::omg(kind, 2, CompletionStatus::No).because(problem)
}

/// The ORB has no priorities.
#[cold]
pub(crate) fn not_real_time() -> SystemException {
    let (kind, minor) = (SystemExceptionKind::BadInvOrder, minor::NOT_REAL_TIME);
    SystemException::new(kind, minor, CompletionStatus::No)
}

impl fmt::Display for NativePriorityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange {
                setting,
                native,
                class,
            } => {
                let range = class.native_range();
                let (start, end) = (range.start(), range.end());
                write!(
                    f,
                    "{setting} = {native}: the scheduling class {class:?} has {start} to {end}"
                )
            }
            Self::Reversed { lowest, highest } => write!(
                f,
                "real_time.lowest_native = {lowest} is more urgent than real_time.highest_native \
                 = {highest}: exchange them"
            ),
            Self::DirectNiceValues => f.write_str(
                "real_time.priority_mapping = direct goes with the scheduling classes fifo and \
                 round-robin alone: a larger nice value is less urgent; write linear",
            ),
            Self::Refused { native, source } => write!(
                f,
                "the system does not allow the native priority {native}: {source}: give the \
                 process the right to it (CAP_SYS_NICE, ulimit -r, or ulimit -e for nice values), \
                 lower real_time.highest_native, or go without native priorities by \
                 real_time.without_rights = continue"
            ),
        }
    }
}

impl Error for NativePriorityError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Refused { source, .. } => Some(source),
            _ => None,
        }
    }
}
