//! The components that interceptors add to the references of a POA, and what they are told of
//! POAs.

use std::sync::{Arc, OnceLock};

use taut_giop::SystemException;

use super::manager::StateObserver;
use super::{Poa, PoaManagerState};
use crate::core::OrbCore;
use crate::interceptors::{self, AdapterFacts, AdapterState, Registered};
use crate::object::AddedComponent;

/// The components that the references of a POA have, once interceptors have said so.
#[derive(Default)]
pub(super) struct Components(OnceLock<Result<Box<[AddedComponent]>, SystemException>>);

impl Components {
    /// Those that there are.
    pub(super) fn get(&self) -> &[AddedComponent] {
        match self.0.get() {
            Some(Ok(components)) => components,
            _ => &[],
        }
    }
}

/// The interceptors of references, if the ORB has some.
fn watchers(core: &OrbCore) -> Option<&Arc<Registered>> {
    interceptors::of(core).filter(|registered| registered.watches_references())
}

/// Returns the code that tells interceptors the states of managers, if there are some.
pub(super) fn observer(core: &Arc<OrbCore>) -> Option<StateObserver> {
    let registered = Arc::clone(watchers(core)?);
    Some(Arc::new(move |id: &str, state| {
        registered.manager_changed(id, seen(state));
    }))
}

fn seen(state: PoaManagerState) -> AdapterState {
    match state {
        PoaManagerState::Holding => AdapterState::Holding,
        PoaManagerState::Active => AdapterState::Active,
        PoaManagerState::Discarding => AdapterState::Discarding,
        PoaManagerState::Inactive => AdapterState::Inactive,
    }
}

impl Poa {
    /// Has interceptors add components to the references that this POA is going to make,
    /// unless they have.
    ///
    /// # Errors
    ///
    /// OBJ_ADAPTER with OMG minor 6 when one of them does not agree.
    pub(crate) fn establish_components(&self) -> Result<(), SystemException> {
        let shared = &self.shared;
        let Some(registered) = watchers(&shared.table.core) else {
            return Ok(());
        };
        let established = shared.components.0.get_or_init(|| {
            let components = registered.components(self)?;
            Ok(components.into_boxed_slice())
        });
        established.as_ref().map(drop).map_err(Clone::clone)
    }

    /// Tells interceptors that this POA is no more.
    pub(super) fn tell_destroyed(&self) {
        if let Some(registered) = watchers(&self.shared.table.core) {
            registered.adapter_destroyed(&self.names());
        }
    }
}

impl AdapterFacts for Poa {
    fn policy(&self, policy_type: u32) -> Option<u32> {
        self.policy_value(policy_type)
    }

    fn name(&self) -> Vec<String> {
        self.names()
    }

    fn manager_id(&self) -> String {
        self.manager().id().to_owned()
    }

    fn state(&self) -> AdapterState {
        seen(self.manager().state())
    }

    fn profiles(&self) -> Vec<u32> {
        self.shared.table.profile_tags()
    }
}
