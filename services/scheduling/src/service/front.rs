//! The interface of applications, upon a configuration run or a production run.

use super::fault::Fault;
use super::operations::{Call, Characteristics, Describing};
use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use crate::rtec_scheduler::scheduler::{
    AddDependencyError, ComputeSchedulingError, ComputeSchedulingReply, CreateError,
    DispatchConfigurationError, EntryPointPriorityError, EntryPointPriorityReply,
    GetConfigInfoSetError, GetConfigInfosError, GetDependencySetError, GetError, GetRtInfoSetError,
    LastScheduledPriorityError, LookupError, PriorityError, PriorityReply,
    RecomputeSchedulingError, RemoveDependencyError, ReplaceSeqError, ResetError, ResetSeqError,
    SetDependencyEnableStateError, SetDependencyEnableStateSeqError, SetError,
    SetRtInfoEnableStateError, SetRtInfoEnableStateSeqError, SetSeqError,
};
use crate::rtec_scheduler::{
    ConfigInfo, CriticalityT, DispatchingTypeT, ImportanceT, InfoTypeT, RtInfo,
    RtInfoEnableStatePair, RtInfoEnabledTypeT, Scheduler, SchedulingAnomaly,
};

/// The work of the service, in whichever of its runs.
pub(super) trait Scheduling: Send + Sync {
    fn create(&self, entry_point: &str) -> Result<i32, Fault>;
    fn lookup(&self, entry_point: &str) -> Result<i32, Fault>;
    fn get(&self, handle: i32) -> Result<RtInfo, Fault>;
    fn describe(&self, all: &[Characteristics], describing: Describing) -> Result<(), Fault>;
    fn add_call(&self, call: Call) -> Result<(), Fault>;
    fn remove_call(&self, call: Call) -> Result<(), Fault>;
    fn enable_calls(&self, calls: &[(Call, DependencyEnabledTypeT)]) -> Result<(), Fault>;
    fn enable(&self, states: &[(i32, RtInfoEnabledTypeT)]) -> Result<(), Fault>;
    fn priority(&self, handle: i32) -> Result<PriorityReply, Fault>;
    fn compute(&self, minimum: i32, maximum: i32) -> Result<Vec<SchedulingAnomaly>, Fault>;
    fn infos(&self) -> Vec<RtInfo>;
    fn levels(&self) -> Result<Vec<ConfigInfo>, Fault>;
    fn level(&self, number: i32) -> Result<ConfigInfo, Fault>;
}

/// The servant.
#[derive(Debug)]
pub(super) struct Front<S> {
    work: S,
}

impl<S: Scheduling> Front<S> {
    pub(super) fn new(work: S) -> Self {
        Self { work }
    }

    pub(super) fn work(&self) -> &S {
        &self.work
    }

    fn describe(&self, infos: &[RtInfo], describing: Describing) -> Result<(), Fault> {
        let all: Vec<_> = infos.iter().map(Characteristics::from).collect();
        self.work.describe(&all, describing)
    }
}

/// The calls of these operations.
fn calls(infos: &[RtInfo]) -> Vec<DependencyInfo> {
    let calls = infos.iter().flat_map(|info| &info.dependencies);
    calls.cloned().collect()
}

/// A call of an operation by another.
fn call(caller: i32, callee: i32, times: i32, kind: DependencyTypeT) -> Call {
    Call {
        caller,
        callee,
        times,
        kind,
    }
}

impl<S: Scheduling> Scheduler for Front<S> {
    fn create(&self, entry_point: &str) -> Result<i32, CreateError> {
        Ok(self.work.create(entry_point)?)
    }

    fn lookup(&self, entry_point: &str) -> Result<i32, LookupError> {
        Ok(self.work.lookup(entry_point)?)
    }

    fn get(&self, handle: i32) -> Result<RtInfo, GetError> {
        Ok(self.work.get(handle)?)
    }

    fn set(
        &self,
        handle: i32,
        criticality: CriticalityT,
        wc_time: u64,
        typical_time: u64,
        cached_time: u64,
        period: i32,
        importance: ImportanceT,
        quantum: u64,
        threads: i32,
        info_type: InfoTypeT,
    ) -> Result<(), SetError> {
        let one = Characteristics {
            handle,
            criticality,
            worst_case: wc_time,
            typical: typical_time,
            cached: cached_time,
            period,
            importance,
            quantum,
            threads,
            info_type,
            volatile_token: None,
        };
        Ok(self.work.describe(&[one], Describing::These)?)
    }

    fn reset(
        &self,
        handle: i32,
        criticality: CriticalityT,
        wc_time: u64,
        typical_time: u64,
        cached_time: u64,
        period: i32,
        importance: ImportanceT,
        quantum: u64,
        threads: i32,
        info_type: InfoTypeT,
    ) -> Result<(), ResetError> {
        let one = Characteristics {
            handle,
            criticality,
            worst_case: wc_time,
            typical: typical_time,
            cached: cached_time,
            period,
            importance,
            quantum,
            threads,
            info_type,
            volatile_token: None,
        };
        Ok(self.work.describe(&[one], Describing::These)?)
    }

    fn set_seq(&self, infos: &[RtInfo]) -> Result<(), SetSeqError> {
        Ok(self.describe(infos, Describing::These)?)
    }

    fn reset_seq(&self, infos: &[RtInfo]) -> Result<(), ResetSeqError> {
        Ok(self.describe(infos, Describing::These)?)
    }

    fn replace_seq(&self, infos: &[RtInfo]) -> Result<(), ReplaceSeqError> {
        Ok(self.describe(infos, Describing::All)?)
    }

    fn add_dependency(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
    ) -> Result<(), AddDependencyError> {
        let call = call(handle, dependency, number_of_calls, dependency_type);
        Ok(self.work.add_call(call)?)
    }

    fn remove_dependency(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
    ) -> Result<(), RemoveDependencyError> {
        let call = call(handle, dependency, number_of_calls, dependency_type);
        Ok(self.work.remove_call(call)?)
    }

    fn set_dependency_enable_state(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
        enabled: DependencyEnabledTypeT,
    ) -> Result<(), SetDependencyEnableStateError> {
        let call = call(handle, dependency, number_of_calls, dependency_type);
        Ok(self.work.enable_calls(&[(call, enabled)])?)
    }

    fn set_dependency_enable_state_seq(
        &self,
        dependencies: &[DependencyInfo],
    ) -> Result<(), SetDependencyEnableStateSeqError> {
        let calls = dependencies
            .iter()
            .map(|info| (Call::from(info), info.enabled));
        Ok(self.work.enable_calls(&calls.collect::<Vec<_>>())?)
    }

    fn set_rt_info_enable_state(
        &self,
        handle: i32,
        enabled: RtInfoEnabledTypeT,
    ) -> Result<(), SetRtInfoEnableStateError> {
        Ok(self.work.enable(&[(handle, enabled)])?)
    }

    fn set_rt_info_enable_state_seq(
        &self,
        pair_set: &[RtInfoEnableStatePair],
    ) -> Result<(), SetRtInfoEnableStateSeqError> {
        let states = pair_set.iter().map(|pair| (pair.handle, pair.enabled));
        Ok(self.work.enable(&states.collect::<Vec<_>>())?)
    }

    fn priority(&self, handle: i32) -> Result<PriorityReply, PriorityError> {
        Ok(self.work.priority(handle)?)
    }

    fn entry_point_priority(
        &self,
        entry_point: &str,
    ) -> Result<EntryPointPriorityReply, EntryPointPriorityError> {
        let handle = self.work.lookup(entry_point)?;
        let place = self.work.priority(handle)?;
        Ok(EntryPointPriorityReply {
            o_priority: place.o_priority,
            p_subpriority: place.p_subpriority,
            p_priority: place.p_priority,
        })
    }

    fn compute_scheduling(
        &self,
        minimum_priority: i32,
        maximum_priority: i32,
    ) -> Result<ComputeSchedulingReply, ComputeSchedulingError> {
        let anomalies = self.work.compute(minimum_priority, maximum_priority)?;
        let infos = self.work.infos();
        Ok(ComputeSchedulingReply {
            dependencies: calls(&infos),
            infos,
            configs: self.work.levels().unwrap_or_default(),
            anomalies,
        })
    }

    fn recompute_scheduling(
        &self,
        minimum_priority: i32,
        maximum_priority: i32,
    ) -> Result<Vec<SchedulingAnomaly>, RecomputeSchedulingError> {
        Ok(self.work.compute(minimum_priority, maximum_priority)?)
    }

    fn get_rt_info_set(&self) -> Result<Vec<RtInfo>, GetRtInfoSetError> {
        Ok(self.work.infos())
    }

    fn get_dependency_set(&self) -> Result<Vec<DependencyInfo>, GetDependencySetError> {
        Ok(calls(&self.work.infos()))
    }

    fn get_config_info_set(&self) -> Result<Vec<ConfigInfo>, GetConfigInfoSetError> {
        Ok(self.work.levels().unwrap_or_default())
    }

    fn dispatch_configuration(
        &self,
        p_priority: i32,
    ) -> Result<(i32, DispatchingTypeT), DispatchConfigurationError> {
        let level = self.work.level(p_priority)?;
        Ok((level.thread_priority, level.dispatching_type))
    }

    fn last_scheduled_priority(&self) -> Result<i32, LastScheduledPriorityError> {
        let levels = self.work.levels()?;
        let last = levels.last().ok_or(Fault::NotScheduled)?;
        Ok(last.preemption_priority)
    }

    fn get_config_infos(&self) -> Result<Vec<ConfigInfo>, GetConfigInfosError> {
        Ok(self.work.levels()?)
    }
}
