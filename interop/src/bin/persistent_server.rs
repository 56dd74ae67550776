//! Taut's server of `session_test.idl` whose object outlives it: a process of its own
//! that can be killed and started again.
//!
//! ```text
//! persistent_server NAME eagerly      makes its POAs at once, and prints the reference
//! persistent_server NAME on-demand    makes POAs and servant when they are asked for
//! ```
//!
//! Takes `-ORB` arguments. Ends when its input is closed.

use std::env;
use std::error::Error;
use std::sync::Arc;

use taut::{
    AdapterActivator, IdAssignmentPolicy, LifespanPolicy, ObjectId, Orb, Poa, PoaError, Policy,
    RequestProcessingPolicy, Servant, ServantActivator, ServantManager, ServantManagerError,
    SystemException,
};
use taut_interop::run_until_input_ends;
use taut_interop::session_test::{SessionServant, SessionSkeleton};

/// The POAs on the way from the root to the object, and its id.
const HOUSE: &str = "house";
const SESSIONS: &str = "sessions";
const SESSION: &str = "session";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let orb = Orb::init(&mut arguments)?;
    let (name, is_eager) = match &arguments[..] {
        [name, how] if how == "eagerly" => (name, true),
        [name, how] if how == "on-demand" => (name, false),
        _ => return Err("usage: persistent_server NAME eagerly|on-demand [-ORB…]".into()),
    };
    let root = orb.root_poa()?;
    if is_eager {
        let sessions = sessions(&house(&root)?, &[])?;
        let servant = SessionSkeleton::new(SessionServant::new(name));
        let session = sessions.activate_with_id(&SESSION.into(), servant)?;
        root.manager().activate()?;
        println!("{}", taut::Reference::as_object(&session));
    } else {
        root.set_adapter_activator(Some(Arc::new(OnDemand(name.clone()))))?;
        root.manager().activate()?;
        println!("ready");
    }
    run_until_input_ends(&orb);
    Ok(())
}

fn house(root: &Poa) -> Result<Poa, PoaError> {
    root.create_poa(HOUSE, Some(root.manager()), &[])
}

fn sessions(house: &Poa, further: &[Policy]) -> Result<Poa, PoaError> {
    let policies = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let policies = [&policies, further].concat();
    house.create_poa(SESSIONS, Some(house.manager()), &policies)
}

/// Provides POAs and servants when requests come for them.
#[derive(Clone)]
struct OnDemand(String);

impl AdapterActivator for OnDemand {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        match name {
            HOUSE => {
                let house = house(parent)?;
                house.set_adapter_activator(Some(Arc::new(self.clone())))?;
                Ok(true)
            }
            SESSIONS => {
                let policy = RequestProcessingPolicy::UseServantManager.into();
                let sessions = sessions(parent, &[policy])?;
                sessions.set_servant_manager(ServantManager::activator(self.clone()))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

impl ServantActivator for OnDemand {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        Ok(Arc::new(SessionSkeleton::new(SessionServant::new(&self.0))))
    }
}
