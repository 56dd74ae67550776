//! The operations of a configuration run, as they are described so far.

use std::collections::HashMap;

use ::taut_scheduling::{Handle, Repository};
use taut::SystemExceptionKind;

use super::conversion;
use super::fault::Fault;
use super::settings::ServiceSettings;
use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use crate::rtec_scheduler::{CriticalityT, ImportanceT, InfoTypeT, RtInfo, RtInfoEnabledTypeT};
use crate::taut_scheduling::Constraints;

/// The side that asks: applications may not change what is the system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    Application,
    System,
}

/// How descriptions take the place of older ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Describing {
    /// These operations alone.
    These,
    /// All others are described with nothing.
    All,
}

/// The characteristics that `set` gives to an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Characteristics {
    pub(super) handle: i32,
    pub(super) criticality: CriticalityT,
    pub(super) worst_case: u64,
    pub(super) typical: u64,
    pub(super) cached: u64,
    pub(super) period: i32,
    pub(super) importance: ImportanceT,
    pub(super) quantum: u64,
    pub(super) threads: i32,
    pub(super) info_type: InfoTypeT,
    /// Absent where the operation has no parameter for it.
    pub(super) volatile_token: Option<u64>,
}

impl From<&RtInfo> for Characteristics {
    fn from(info: &RtInfo) -> Self {
        Self {
            handle: info.handle,
            criticality: info.criticality,
            worst_case: info.worst_case_execution_time,
            typical: info.typical_execution_time,
            cached: info.cached_execution_time,
            period: info.period,
            importance: info.importance,
            quantum: info.quantum,
            threads: info.threads,
            info_type: info.info_type,
            volatile_token: Some(info.volatile_token),
        }
    }
}

/// A call of one operation by another, as those name it who add it or take it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) caller: i32,
    pub(super) callee: i32,
    pub(super) times: i32,
    pub(super) kind: DependencyTypeT,
}

impl From<&DependencyInfo> for Call {
    fn from(info: &DependencyInfo) -> Self {
        Self {
            caller: info.rt_info,
            callee: info.rt_info_depended_on,
            times: info.number_of_calls,
            kind: info.dependency_type,
        }
    }
}

/// An operation.
#[derive(Debug, Clone)]
struct Operation {
    info: RtInfo,
    constraints: Constraints,
    is_system: bool,
}

/// All operations, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Operations {
    all: Vec<Operation>,
    by_name: HashMap<String, usize>,
}

impl Operations {
    /// The operations of a repository, which are the applications'.
    pub(super) fn seeded(repository: &Repository) -> Self {
        let mut operations = Self::default();
        for (info, constraints) in conversion::operations(repository) {
            let index = operations.all.len();
            operations.by_name.insert(info.entry_point.clone(), index);
            operations.all.push(Operation {
                info,
                constraints,
                is_system: false,
            });
        }
        operations
    }

    pub(super) fn create(
        &mut self,
        asker: Asker,
        name: &str,
        settings: &ServiceSettings,
    ) -> Result<i32, Fault> {
        if self.by_name.contains_key(name) {
            return Err(Fault::DuplicateName);
        }
        let is_full = self.all.len() >= settings.max_operations;
        if is_full || name.len() > settings.max_name_octets {
            return Err(Fault::Internal);
        }
        let index = self.all.len();
        self.by_name.insert(name.to_owned(), index);
        self.all.push(Operation {
            info: conversion::created(name, index),
            constraints: Constraints::default(),
            is_system: asker == Asker::System,
        });
        Ok(conversion::handle(index))
    }

    pub(super) fn lookup(&self, name: &str) -> Result<i32, Fault> {
        let index = self.by_name.get(name).ok_or(Fault::UnknownTask)?;
        Ok(conversion::handle(*index))
    }

    /// The index of an operation that is there.
    pub(super) fn index(&self, handle: i32) -> Result<usize, Fault> {
        let index = conversion::index(handle).filter(|index| *index < self.all.len());
        index.ok_or(Fault::UnknownTask)
    }

    /// The index of an operation that is there, and may be changed.
    fn changeable(&self, asker: Asker, handle: i32) -> Result<usize, Fault> {
        let index = self.index(handle)?;
        match self.all[index].is_system && asker == Asker::Application {
            true => Err(Fault::no_permission()),
            false => Ok(index),
        }
    }

    pub(super) fn info(&self, index: usize) -> &RtInfo {
        &self.all[index].info
    }

    pub(super) fn infos(&self) -> impl Iterator<Item = &RtInfo> {
        self.all.iter().map(|operation| &operation.info)
    }

    /// Describes operations: all of them, or none if one cannot be described.
    pub(super) fn describe(
        &mut self,
        asker: Asker,
        descriptions: &[Characteristics],
        describing: Describing,
    ) -> Result<(), Fault> {
        let mut indices = Vec::with_capacity(descriptions.len());
        for one in descriptions {
            indices.push(self.changeable(asker, one.handle)?);
            if one.period < 0 || one.threads < 0 {
                return Err(Fault::bad_parameter(
                    "a period or a number of threads is negative",
                ));
            }
        }
        if describing == Describing::All {
            self.forget(asker);
        }
        for (index, one) in indices.into_iter().zip(descriptions) {
            let info = &mut self.all[index].info;
            info.criticality = one.criticality;
            info.worst_case_execution_time = one.worst_case;
            info.typical_execution_time = one.typical;
            info.cached_execution_time = one.cached;
            info.period = one.period;
            info.importance = one.importance;
            info.quantum = one.quantum;
            info.threads = one.threads;
            info.info_type = one.info_type;
            info.volatile_token = one.volatile_token.unwrap_or(info.volatile_token);
        }
        Ok(())
    }

    /// Takes from all volatile operations that may be changed what they were described with.
    fn forget(&mut self, asker: Asker) {
        for (index, operation) in self.all.iter_mut().enumerate() {
            let info = &mut operation.info;
            let is_closed = operation.is_system && asker == Asker::Application;
            if !is_closed && info.enabled != RtInfoEnabledTypeT::RtInfoNonVolatile {
                *info = RtInfo {
                    enabled: info.enabled,
                    dependencies: std::mem::take(&mut info.dependencies),
                    ..conversion::created(&info.entry_point, index)
                };
            }
        }
    }

    /// Finds a call that is there.
    fn call(&mut self, asker: Asker, call: Call) -> Result<(usize, usize), Fault> {
        let caller = self.changeable(asker, call.caller)?;
        self.index(call.callee)?;
        let calls = &self.all[caller].info.dependencies;
        let place = calls.iter().position(|it| Call::from(it) == call);
        place.map(|place| (caller, place)).ok_or(Fault::UnknownTask)
    }

    pub(super) fn add_call(
        &mut self,
        asker: Asker,
        call: Call,
        settings: &ServiceSettings,
    ) -> Result<(), Fault> {
        let caller = self.changeable(asker, call.caller)?;
        self.index(call.callee)?;
        if call.times < 1 {
            return Err(Fault::bad_parameter("an operation is called once at least"));
        }
        let calls = &mut self.all[caller].info.dependencies;
        if calls.len() >= settings.max_dependencies {
            let why = "the operation has as many calls as `max_dependencies` allows";
            return Err(Fault::refused(SystemExceptionKind::ImpLimit, why));
        }
        calls.push(DependencyInfo {
            dependency_type: call.kind,
            number_of_calls: call.times,
            rt_info: call.caller,
            rt_info_depended_on: call.callee,
            enabled: DependencyEnabledTypeT::DependencyEnabled,
        });
        Ok(())
    }

    pub(super) fn remove_call(&mut self, asker: Asker, call: Call) -> Result<(), Fault> {
        let (caller, place) = self.call(asker, call)?;
        self.all[caller].info.dependencies.remove(place);
        Ok(())
    }

    /// Says of calls whether they count: of all of them, or of none if one is not there.
    pub(super) fn enable_calls(
        &mut self,
        asker: Asker,
        calls: &[(Call, DependencyEnabledTypeT)],
    ) -> Result<(), Fault> {
        let places = calls.iter().map(|(call, _)| self.call(asker, *call));
        let places: Vec<_> = places.collect::<Result<_, _>>()?;
        for ((caller, place), (_, enabled)) in places.into_iter().zip(calls) {
            self.all[caller].info.dependencies[place].enabled = *enabled;
        }
        Ok(())
    }

    /// Says of operations whether they count: of all of them, or of none if one is not there.
    pub(super) fn enable(
        &mut self,
        asker: Asker,
        states: &[(i32, RtInfoEnabledTypeT)],
    ) -> Result<(), Fault> {
        let indices = states
            .iter()
            .map(|(handle, _)| self.changeable(asker, *handle));
        let indices: Vec<_> = indices.collect::<Result<_, _>>()?;
        for (index, (_, enabled)) in indices.into_iter().zip(states) {
            self.all[index].info.enabled = *enabled;
        }
        Ok(())
    }

    pub(super) fn constraints(&mut self, handle: i32) -> Result<&mut Constraints, Fault> {
        let index = self.index(handle)?;
        Ok(&mut self.all[index].constraints)
    }

    /// The operations that count, for the analysis, each with its index here.
    pub(super) fn repository(&self) -> (Repository, Vec<usize>) {
        let mut repository = Repository::default();
        let mut indices = Vec::new();
        let counts =
            |operation: &Operation| operation.info.enabled != RtInfoEnabledTypeT::RtInfoDisabled;
        for (index, operation) in self.all.iter().enumerate().filter(|(_, one)| counts(one)) {
            let handle = repository.describe(&operation.info.entry_point);
            indices.push(index);
            describe(&mut repository, handle, operation);
        }
        for operation in self.all.iter().filter(|one| counts(one)) {
            for call in &operation.info.dependencies {
                let callee = self.index(call.rt_info_depended_on).ok();
                let callee = callee
                    .map(|index| &self.all[index])
                    .filter(|one| counts(one));
                let Some(callee) = callee else { continue };
                if call.enabled != DependencyEnabledTypeT::DependencyDisabled {
                    let caller = repository.refer(&operation.info.entry_point);
                    let callee = repository.refer(&callee.info.entry_point);
                    let times = u32::try_from(call.number_of_calls).unwrap_or(0);
                    let kind = conversion::call_kind(call.dependency_type);
                    repository.add_dependency(caller, callee, times, kind);
                }
            }
        }
        (repository, indices)
    }
}

/// Describes an operation for the analysis.
fn describe(repository: &mut Repository, handle: Handle, operation: &Operation) {
    let (info, constraints) = (&operation.info, &operation.constraints);
    let some = |time: u64| (time > 0).then_some(conversion::nanoseconds(time));
    let own = &mut repository[handle];
    own.worst_case_ns = conversion::nanoseconds(info.worst_case_execution_time);
    own.typical_ns = some(info.typical_execution_time);
    own.period_ns = some(u64::try_from(info.period).unwrap_or(0));
    own.deadline_ns = some(constraints.deadline);
    own.offset_ns = conversion::nanoseconds(constraints.offset);
    own.jitter_ns = conversion::nanoseconds(constraints.jitter);
    own.blocking_ns = conversion::nanoseconds(constraints.blocking);
    own.criticality = conversion::criticality(info.criticality);
    own.importance = conversion::importance(info.importance);
    own.threads = u32::try_from(info.threads)
        .ok()
        .filter(|threads| *threads > 0);
}
