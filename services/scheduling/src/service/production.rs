//! A production run: look-ups in a schedule that a configuration run has computed.

use ::taut_scheduling::{Description, Faults, Handle, Schedule, TaskSet, analyze};

use super::conversion;
use super::fault::Fault;
use super::front::Scheduling;
use super::operations::{Call, Characteristics, Describing};
use super::run::{level_of, levels_of, place, put};
use super::start_error::StartError;
use crate::rtec_base::DependencyEnabledTypeT;
use crate::rtec_scheduler::scheduler::PriorityReply;
use crate::rtec_scheduler::{ConfigInfo, RtInfo, RtInfoEnabledTypeT, SchedulingAnomaly};

/// A schedule that stays as it is. Its look-ups take constant time, no lock and no memory.
#[derive(Debug)]
pub(super) struct Production {
    schedule: Schedule,
    infos: Vec<RtInfo>,
    levels: Vec<ConfigInfo>,
    anomalies: Vec<SchedulingAnomaly>,
}

impl Production {
    pub(super) fn of_description(description: &Description) -> Result<Self, StartError> {
        let (repository, options) = (&description.repository, &description.options);
        let set = TaskSet::of(repository, &options.limits);
        let set = set.map_err(|Faults(faults)| StartError::NoSchedule(faults))?;
        let analysis = analyze(&set, options).map_err(StartError::Analysis)?;
        if !analysis.is_feasible() {
            return Err(StartError::NoSchedule(analysis.anomalies));
        }
        let schedule = Schedule::new(repository, &set, &analysis, options);
        let infos = conversion::operations(repository).into_iter();
        let infos = infos.map(|(info, _)| info).collect();
        let anomalies = analysis.anomalies.iter().map(conversion::anomaly).collect();
        Ok(Self::new(schedule, infos, anomalies))
    }

    pub(super) fn of_schedule(schedule: Schedule) -> Self {
        let each = schedule.entries().iter().enumerate();
        let infos = each.map(|(index, entry)| RtInfo {
            worst_case_execution_time: conversion::time(entry.total_ns),
            period: match entry.is_released {
                true => conversion::period(entry.period_ns),
                false => 0,
            },
            criticality: conversion::criticality_t(entry.criticality),
            importance: conversion::importance_t(entry.importance),
            ..conversion::created(&entry.name, index)
        });
        let infos = infos.collect();
        Self::new(schedule, infos, Vec::new())
    }

    fn new(schedule: Schedule, mut infos: Vec<RtInfo>, anomalies: Vec<SchedulingAnomaly>) -> Self {
        for (info, entry) in infos.iter_mut().zip(schedule.entries()) {
            put(&place(entry), info);
        }
        Self {
            levels: levels_of(&schedule),
            schedule,
            infos,
            anomalies,
        }
    }

    fn info(&self, handle: i32) -> Result<&RtInfo, Fault> {
        let info = conversion::index(handle).and_then(|index| self.infos.get(index));
        info.ok_or(Fault::UnknownTask)
    }

    /// An application describes an operation as in its configuration run. Where it does so
    /// otherwise, the schedule stays, and the event tells.
    fn compare(&self, one: &Characteristics) -> Result<(), Fault> {
        let info = self.info(one.handle)?;
        let is_same = info.worst_case_execution_time == one.worst_case
            && info.period == one.period
            && info.criticality == one.criticality
            && info.importance == one.importance;
        if !is_same {
            tracing::warn!(
                target: "taut::scheduling",
                operation = %info.entry_point,
                "an operation is described otherwise than in the configuration run"
            );
        }
        Ok(())
    }
}

impl Scheduling for Production {
    fn create(&self, entry_point: &str) -> Result<i32, Fault> {
        // The configuration run has created all operations; its IDL knows no better exception.
        self.lookup(entry_point).map_err(|_| Fault::Internal)
    }

    fn lookup(&self, entry_point: &str) -> Result<i32, Fault> {
        let handle = self
            .schedule
            .lookup(entry_point)
            .ok_or(Fault::UnknownTask)?;
        Ok(conversion::handle(handle.0 as usize))
    }

    fn get(&self, handle: i32) -> Result<RtInfo, Fault> {
        self.info(handle).cloned()
    }

    fn describe(&self, all: &[Characteristics], _: Describing) -> Result<(), Fault> {
        all.iter().try_for_each(|one| self.compare(one))
    }

    fn add_call(&self, call: Call) -> Result<(), Fault> {
        self.info(call.caller)?;
        self.info(call.callee).map(|_| ())
    }

    fn remove_call(&self, call: Call) -> Result<(), Fault> {
        self.add_call(call)
    }

    fn enable_calls(&self, calls: &[(Call, DependencyEnabledTypeT)]) -> Result<(), Fault> {
        calls.iter().try_for_each(|(call, _)| self.add_call(*call))
    }

    fn enable(&self, states: &[(i32, RtInfoEnabledTypeT)]) -> Result<(), Fault> {
        states
            .iter()
            .try_for_each(|(handle, _)| self.info(*handle).map(|_| ()))
    }

    fn priority(&self, handle: i32) -> Result<PriorityReply, Fault> {
        let index = conversion::index(handle).and_then(|index| u32::try_from(index).ok());
        let entry = index.and_then(|index| self.schedule.get(Handle(index)));
        entry.map(place).ok_or(Fault::UnknownTask)
    }

    fn compute(&self, _: i32, _: i32) -> Result<Vec<SchedulingAnomaly>, Fault> {
        Ok(self.anomalies.clone())
    }

    fn infos(&self) -> Vec<RtInfo> {
        self.infos.clone()
    }

    fn levels(&self) -> Result<Vec<ConfigInfo>, Fault> {
        Ok(self.levels.clone())
    }

    fn level(&self, number: i32) -> Result<ConfigInfo, Fault> {
        level_of(&self.levels, number)
    }
}
