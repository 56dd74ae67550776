//! The scheduling service upon the crate `taut-scheduling`.
//!
//! [`SchedulingService::configure`] starts a configuration run, [`SchedulingService::produce`] a
//! production run. Both serve the same interface under the object key `ScheduleService`, so that
//! one program can do both runs: in production, `create` returns the number that the configuration
//! run gave to a name.
//!
//! ```no_run
//! use taut_scheduling_service::service::{SchedulingService, ServiceSettings};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let orb = taut::Orb::builder().listen("*:2810")?.build()?;
//!     let mut settings = ServiceSettings::default();
//!     settings.configuration_file = Some("mission.toml".into());
//!     let service = SchedulingService::configure(&orb, settings)?;
//!     println!("{}", service.scheduler());
//!     orb.run();
//!     Ok(())
//! }
//! ```

mod conversion;
mod fault;
mod front;
mod operations;
mod privileged;
mod production;
mod run;
mod settings;
mod start_error;

use std::fmt;
use std::sync::Arc;

use ::taut_scheduling::{Description, Schedule};
use taut::{IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Orb, Poa};

use crate::rtec_scheduler::SchedulerSkeleton;
use crate::taut_scheduling::{PrivilegedSchedulerRef, PrivilegedSchedulerSkeleton};
use front::Front;
use production::Production;
use run::ConfigurationRun;

pub use settings::ServiceSettings;
pub use start_error::StartError;

/// The object key under which clients find the service.
pub const KEY: &str = "ScheduleService";

/// The names of the POAs.
const POA: &str = "TautScheduling";
const PRIVILEGED_POA: &str = "TautSchedulingPrivileged";

/// A scheduling service in an ORB. It goes on until the ORB is shut down.
#[derive(Clone)]
pub struct SchedulingService {
    scheduler: ObjectRef,
    privileged: Option<PrivilegedSchedulerRef>,
}

impl SchedulingService {
    /// Starts a configuration run, with no operations but those of the settings' seed.
    ///
    /// # Errors
    ///
    /// When the seed has more operations than the settings allow, the ORB cannot listen or has
    /// been shut down, or has a scheduling service already.
    pub fn configure(orb: &Orb, settings: ServiceSettings) -> Result<Self, StartError> {
        let run = Arc::new(ConfigurationRun::new(settings)?);
        let front = Front::new(Arc::clone(&run).applications());
        let mut service = Self::serve(orb, SchedulerSkeleton::new(front))?;

        // Its id cannot be guessed: to have the reference is to have the right.
        let id = ObjectId::new(taut_sys::entropy::random::<16>().map_err(StartError::Entropy)?);
        let poa = child(orb, PRIVILEGED_POA, LifespanPolicy::Transient)?;
        let skeleton = PrivilegedSchedulerSkeleton::new(Front::new(run.system()));
        service.privileged = Some(poa.activate_with_id(&id, skeleton)?);
        poa.manager().activate().map_err(StartError::Manager)?;
        Ok(service)
    }

    /// Starts a production run of operations that a configuration run has described.
    ///
    /// # Errors
    ///
    /// When no schedule comes of the descriptions in which all deadlines hold, and as
    /// [`configure`](Self::configure).
    pub fn produce(orb: &Orb, description: &Description) -> Result<Self, StartError> {
        let production = Production::of_description(description)?;
        Self::serve(orb, SchedulerSkeleton::new(Front::new(production)))
    }

    /// Starts a production run of a schedule that is linked into the program. Its descriptions of
    /// operations have total times, and no calls.
    ///
    /// # Errors
    ///
    /// As [`configure`](Self::configure).
    pub fn produce_linked(orb: &Orb, schedule: &Schedule) -> Result<Self, StartError> {
        let production = Production::of_schedule(schedule.clone());
        Self::serve(orb, SchedulerSkeleton::new(Front::new(production)))
    }

    /// Serves the interface of applications.
    fn serve<T>(orb: &Orb, skeleton: SchedulerSkeleton<T>) -> Result<Self, StartError>
    where
        T: crate::rtec_scheduler::Scheduler + 'static,
    {
        let poa = child(orb, POA, LifespanPolicy::Persistent)?;
        let id = ObjectId::from(KEY);
        let scheduler = poa.activate_with_id(&id, skeleton)?;
        let scheduler = ObjectRef::from(scheduler);
        orb.bind_object_key(KEY, &scheduler);
        poa.manager().activate().map_err(StartError::Manager)?;
        Ok(Self {
            scheduler,
            privileged: None,
        })
    }

    /// Returns the service, as applications see it.
    pub fn scheduler(&self) -> &ObjectRef {
        &self.scheduler
    }

    /// Returns the service, as services and the ORB see it. To have this reference is to have the right
    /// to change all operations. None in a production run, in which nothing changes.
    pub fn privileged(&self) -> Option<&PrivilegedSchedulerRef> {
        self.privileged.as_ref()
    }
}

/// A POA for one object whose id is given.
fn child(orb: &Orb, name: &str, lifespan: LifespanPolicy) -> Result<Poa, StartError> {
    let parent = orb.root_poa().map_err(StartError::Server)?;
    let policies = [lifespan.into(), IdAssignmentPolicy::UserId.into()];
    Ok(parent.create_poa(name, None, &policies)?)
}

impl fmt::Debug for SchedulingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulingService")
            .field("is_production", &self.privileged.is_none())
            .finish_non_exhaustive()
    }
}
