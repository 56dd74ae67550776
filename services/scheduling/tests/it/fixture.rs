//! Scheduling services for the tests.

use std::fmt::Debug;

use taut::{Orb, SystemException};
use taut_scheduling::Description;
use taut_scheduling_service::rtec_scheduler::{
    CriticalityT, ImportanceT, InfoTypeT, Scheduler, SchedulerRef,
};
use taut_scheduling_service::service::{SchedulingService, ServiceSettings};
use taut_scheduling_service::taut_scheduling::PrivilegedSchedulerRef;

/// A millisecond in the units of the IDL.
pub(crate) const MS: u64 = 10_000;

/// A service in an ORB of its own.
pub(crate) struct Service {
    orb: Orb,
    pub(crate) scheduler: SchedulerRef,
    pub(crate) privileged: Option<PrivilegedSchedulerRef>,
}

impl Service {
    fn of(start: impl FnOnce(&Orb) -> SchedulingService) -> Self {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = builder.build().unwrap();
        let service = start(&orb);
        Self {
            scheduler: service.scheduler().unchecked_narrow(),
            privileged: service.privileged().cloned(),
            orb,
        }
    }

    /// A configuration run.
    pub(crate) fn configure(settings: ServiceSettings) -> Self {
        Self::of(|orb| SchedulingService::configure(orb, settings).unwrap())
    }

    /// A production run of what a TOML file describes.
    pub(crate) fn produce(text: &str) -> Self {
        let description = Description::from_toml(text).unwrap();
        Self::of(|orb| SchedulingService::produce(orb, &description).unwrap())
    }

    /// Creates an operation with a worst case and a period, in units of the IDL.
    pub(crate) fn operation(&self, name: &str, worst_case: u64, period: u64) -> i32 {
        let handle = self.scheduler.create(name).unwrap();
        set(&self.scheduler, handle, worst_case, period).unwrap();
        handle
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// Describes an operation with the middle of all degrees.
pub(crate) fn set(
    scheduler: &impl Scheduler,
    handle: i32,
    worst_case: u64,
    period: u64,
) -> Result<(), taut_scheduling_service::rtec_scheduler::scheduler::SetError> {
    scheduler.set(
        handle,
        CriticalityT::MediumCriticality,
        worst_case,
        0,
        0,
        i32::try_from(period).unwrap(),
        ImportanceT::MediumImportance,
        0,
        0,
        InfoTypeT::Operation,
    )
}

/// The end of an operation: `done`, or the name of its exception.
pub(crate) fn end<T, E: Debug + std::error::Error>(outcome: Result<T, E>) -> String {
    let Err(error) = outcome else {
        return "done".to_owned();
    };
    let text = format!("{error:?}");
    if text.starts_with("System(") {
        let source = std::error::Error::source(&error).unwrap();
        let exception = source.downcast_ref::<SystemException>().unwrap();
        return exception.kind.name().to_owned();
    }
    text.split('(').next().unwrap().to_owned()
}
