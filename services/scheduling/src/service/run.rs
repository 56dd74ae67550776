//! A configuration run: operations are described, schedules computed.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ::taut_scheduling::{
    AnalysisError, AnomalyKind, Description, Faults, Handle, Options, Repository, Schedule,
    TaskSet, analyze, to_rust,
};
use parking_lot::{Mutex, MutexGuard};
use taut::SystemExceptionKind;

use super::conversion;
use super::fault::Fault;
use super::front::Scheduling;
use super::operations::{Asker, Call, Characteristics, Describing, Operations};
use super::settings::ServiceSettings;
use super::start_error::StartError;
use crate::rtec_base::DependencyEnabledTypeT;
use crate::rtec_scheduler::scheduler::PriorityReply;
use crate::rtec_scheduler::{
    AnomalySeverity, ConfigInfo, RtInfo, RtInfoEnabledTypeT, SchedulingAnomaly,
};

/// A schedule that has been computed.
#[derive(Debug)]
struct Computed {
    /// The priorities of each operation, by its index; none of those that do not count.
    places: Vec<Option<PriorityReply>>,
    levels: Vec<ConfigInfo>,
}

/// The state of a configuration run.
#[derive(Debug)]
pub(super) struct State {
    pub(super) operations: Operations,
    pub(super) options: Options,
    /// Whether the last schedule was computed for priorities of which the lower one is more urgent.
    counts_upwards: bool,
    /// None when something has changed since: no priority is told that is no longer true.
    computed: Option<Computed>,
}

/// A configuration run, which applications and the system share.
#[derive(Debug)]
pub(super) struct ConfigurationRun {
    settings: ServiceSettings,
    state: Mutex<State>,
}

/// A configuration run as applications see it, or as the system sees it.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) run: Arc<ConfigurationRun>,
    asker: Asker,
}

impl ConfigurationRun {
    pub(super) fn new(settings: ServiceSettings) -> Result<Self, StartError> {
        let none = Repository::default();
        let repository = settings
            .seed
            .as_ref()
            .map_or(&none, |seed| &seed.repository);
        if repository.len() > settings.max_operations {
            let max = settings.max_operations;
            return Err(StartError::SeedTooLarge("max_operations", max));
        }
        let calls = repository.iter().map(|(_, info)| info.dependencies.len());
        if calls.max().unwrap_or(0) > settings.max_dependencies {
            let max = settings.max_dependencies;
            return Err(StartError::SeedTooLarge("max_dependencies", max));
        }
        let state = State {
            operations: Operations::seeded(repository),
            options: settings.options.clone(),
            counts_upwards: false,
            computed: None,
        };
        Ok(Self {
            settings,
            state: Mutex::new(state),
        })
    }

    pub(super) fn applications(self: Arc<Self>) -> Side {
        Side {
            run: self,
            asker: Asker::Application,
        }
    }

    pub(super) fn system(self: Arc<Self>) -> Side {
        Side {
            run: self,
            asker: Asker::System,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Writes a schedule to the file of the settings, if they have one.
    fn save(&self, state: &State, schedule: &Schedule) -> Result<(), Fault> {
        let Some(path) = &self.settings.configuration_file else {
            return Ok(());
        };
        let text = match path.extension().is_some_and(|it| it == "rs") {
            true => to_rust(schedule),
            false => state.configuration()?,
        };
        replace(path, &text).map_err(|error| {
            tracing::error!(
                target: "taut::scheduling",
                file = %path.display(),
                %error,
                "the schedule cannot be written"
            );
            let why = format!("{} cannot be written: {error}", path.display());
            Fault::refused(SystemExceptionKind::PersistStore, &why)
        })
    }
}

/// Puts a text into a file: all of it, or none.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".new");
    fs::write(&partial, text)?;
    fs::rename(&partial, path)
}

impl State {
    /// Changes operations; the schedule does not hold any more, unless that fails.
    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Operations) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let outcome = change(&mut self.operations)?;
        self.computed = None;
        Ok(outcome)
    }

    /// Changes the options of the analysis; the schedule does not hold any more.
    pub(super) fn change_options(&mut self, change: impl FnOnce(&mut Options)) {
        change(&mut self.options);
        self.computed = None;
    }

    /// All that is known, as a TOML file. Fails where a production run of it would have priorities
    /// the other way round: in a file higher ones are more urgent.
    pub(super) fn configuration(&self) -> Result<String, Fault> {
        if self.counts_upwards {
            let why = "no TOML file says that lower priorities are more urgent; write Rust, or give \
                       `compute_scheduling` the lower one as the minimum";
            return Err(Fault::refused(SystemExceptionKind::PersistStore, why));
        }
        let mut description = Description::default();
        description.repository = self.operations.repository().0;
        description.options = self.options.clone();
        Ok(description.to_toml())
    }

    fn computed(&self) -> Result<&Computed, Fault> {
        self.computed.as_ref().ok_or(Fault::NotScheduled)
    }

    /// Computes the schedule, if one comes of the operations. The anomalies say why if not.
    fn compute(
        &mut self,
        minimum: i32,
        maximum: i32,
    ) -> Result<(Vec<SchedulingAnomaly>, Option<Schedule>), Fault> {
        self.computed = None;
        let (repository, indices) = self.operations.repository();
        let is_released = repository.iter().any(|(_, info)| info.period_ns.is_some());
        if !is_released {
            return Err(Fault::TaskCountMismatch);
        }
        // Where lower numbers are more urgent, the levels count upwards.
        let levels = minimum.abs_diff(maximum);
        let mut options = self.options.clone();
        options.priorities = 0..=i32::try_from(levels).unwrap_or(i32::MAX);
        let set = match TaskSet::of(&repository, &options.limits) {
            Ok(set) => set,
            Err(Faults(faults)) => {
                let is_limit = |kind| kind == AnomalyKind::Limit;
                if faults.iter().any(|fault| is_limit(fault.kind)) {
                    return Err(Fault::Internal);
                }
                return Ok((faults.iter().map(conversion::anomaly).collect(), None));
            }
        };
        let analysis = match analyze(&set, &options) {
            Ok(analysis) => analysis,
            Err(AnalysisError::TooManySteps { .. } | AnalysisError::TooManyJobs { .. }) => {
                return Err(Fault::Internal);
            }
            Err(error) => {
                let anomaly = SchedulingAnomaly {
                    description: error.to_string(),
                    severity: AnomalySeverity::AnomalyFatal,
                };
                return Ok((vec![anomaly], None));
            }
        };
        // All of the processor, exactly, may be a hair more in binary fractions.
        if analysis.utilization > 1.0 + 1e-9 {
            return Err(Fault::UtilizationBoundExceeded);
        }
        let mut anomalies = analysis.anomalies.iter();
        if anomalies.any(|one| one.kind == AnomalyKind::InsufficientPriorityLevels) {
            return Err(Fault::InsufficientThreadPriorityLevels);
        }
        let mut schedule = Schedule::new(&repository, &set, &analysis, &options);
        schedule.set_priorities(|level| {
            let level = i32::try_from(level).unwrap_or(i32::MAX);
            match minimum <= maximum {
                true => maximum.saturating_sub(level),
                false => maximum.saturating_add(level),
            }
        });
        let mut places: Vec<_> = self.operations.infos().map(|_| None).collect();
        for (number, index) in (0..).zip(indices) {
            places[index] = schedule.get(Handle(number)).map(place);
        }
        self.options.priorities = minimum.min(maximum)..=minimum.max(maximum);
        self.counts_upwards = minimum > maximum;
        self.computed = Some(Computed {
            places,
            levels: levels_of(&schedule),
        });
        let anomalies = analysis.anomalies.iter().map(conversion::anomaly).collect();
        Ok((anomalies, Some(schedule)))
    }
}

/// The priorities of an operation in a schedule.
pub(super) fn place(entry: &::taut_scheduling::Entry) -> PriorityReply {
    PriorityReply {
        o_priority: entry.priority,
        p_subpriority: i32::try_from(entry.subpriority).unwrap_or(i32::MAX),
        p_priority: i32::try_from(entry.level).unwrap_or(i32::MAX),
    }
}

/// The levels of a schedule, the most urgent first.
pub(super) fn levels_of(schedule: &Schedule) -> Vec<ConfigInfo> {
    let mut levels: Vec<ConfigInfo> = Vec::new();
    let mut entries: Vec<_> = schedule.entries().iter().collect();
    entries.sort_by_key(|entry| entry.level);
    for entry in entries {
        let level = i32::try_from(entry.level).unwrap_or(i32::MAX);
        if levels
            .last()
            .is_none_or(|last| last.preemption_priority != level)
        {
            levels.push(ConfigInfo {
                preemption_priority: level,
                thread_priority: entry.priority,
                dispatching_type: conversion::dispatching_type(schedule.strategy()),
                timer_periods: Vec::new(),
            });
        }
        let period = conversion::period(entry.period_ns);
        if let Some(last) = levels.last_mut()
            && entry.is_released
            && !last.timer_periods.contains(&period)
        {
            last.timer_periods.push(period);
        }
    }
    levels
}

/// The level of this number.
pub(super) fn level_of(levels: &[ConfigInfo], number: i32) -> Result<ConfigInfo, Fault> {
    let level = usize::try_from(number).ok();
    let level = level.and_then(|number| levels.get(number));
    level.cloned().ok_or(Fault::UnknownPriorityLevel)
}

impl Scheduling for Side {
    fn create(&self, entry_point: &str) -> Result<i32, Fault> {
        let settings = &self.run.settings;
        let mut state = self.run.state();
        state.change(|operations| operations.create(self.asker, entry_point, settings))
    }

    fn lookup(&self, entry_point: &str) -> Result<i32, Fault> {
        self.run.state().operations.lookup(entry_point)
    }

    fn get(&self, handle: i32) -> Result<RtInfo, Fault> {
        let state = self.run.state();
        let index = state.operations.index(handle)?;
        Ok(with_place(&state, index))
    }

    fn describe(&self, all: &[Characteristics], describing: Describing) -> Result<(), Fault> {
        let mut state = self.run.state();
        state.change(|operations| operations.describe(self.asker, all, describing))
    }

    fn add_call(&self, call: Call) -> Result<(), Fault> {
        let mut state = self.run.state();
        let settings = &self.run.settings;
        state.change(|operations| operations.add_call(self.asker, call, settings))
    }

    fn remove_call(&self, call: Call) -> Result<(), Fault> {
        let mut state = self.run.state();
        state.change(|operations| operations.remove_call(self.asker, call))
    }

    fn enable_calls(&self, calls: &[(Call, DependencyEnabledTypeT)]) -> Result<(), Fault> {
        let mut state = self.run.state();
        state.change(|operations| operations.enable_calls(self.asker, calls))
    }

    fn enable(&self, states: &[(i32, RtInfoEnabledTypeT)]) -> Result<(), Fault> {
        let mut state = self.run.state();
        state.change(|operations| operations.enable(self.asker, states))
    }

    fn priority(&self, handle: i32) -> Result<PriorityReply, Fault> {
        let state = self.run.state();
        let index = state.operations.index(handle)?;
        let place = state.computed()?.places[index];
        place.ok_or(Fault::NotScheduled)
    }

    fn compute(&self, minimum: i32, maximum: i32) -> Result<Vec<SchedulingAnomaly>, Fault> {
        let mut state = self.run.state();
        let (anomalies, schedule) = state.compute(minimum, maximum)?;
        if let Some(schedule) = schedule {
            self.run.save(&state, &schedule)?;
        }
        Ok(anomalies)
    }

    fn infos(&self) -> Vec<RtInfo> {
        let state = self.run.state();
        let indices = 0..state.operations.infos().count();
        indices.map(|index| with_place(&state, index)).collect()
    }

    fn levels(&self) -> Result<Vec<ConfigInfo>, Fault> {
        Ok(self.run.state().computed()?.levels.clone())
    }

    fn level(&self, number: i32) -> Result<ConfigInfo, Fault> {
        let state = self.run.state();
        level_of(&state.computed()?.levels, number)
    }
}

/// An operation with the priorities that were computed.
fn with_place(state: &State, index: usize) -> RtInfo {
    let mut info = state.operations.info(index).clone();
    let computed = state.computed.as_ref();
    if let Some(place) = computed.and_then(|computed| computed.places[index].as_ref()) {
        put(place, &mut info);
    }
    info
}

/// Puts an operation's priorities into its description.
pub(super) fn put(place: &PriorityReply, info: &mut RtInfo) {
    info.priority = place.o_priority;
    info.preemption_subpriority = place.p_subpriority;
    info.preemption_priority = place.p_priority;
}
