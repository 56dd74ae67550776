//! The interceptors of references that an ORB makes.

use std::fmt;

use taut_giop::component::TaggedComponent;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::{Registered, bad_param, out_of_order};
use crate::object::AddedComponent;
use crate::upcall;

/// Adds components to the references of POAs (`PortableInterceptor::IORInterceptor`, CORBA 3.3
/// part 1, 16.5).
pub trait IorInterceptor: Send + Sync {
    /// Returns the name, which tells it from others of the ORB. Those without a name may be
    /// several.
    fn name(&self) -> &str {
        ""
    }

    /// Runs when the ORB has ended.
    fn destroy(&self) {}

    /// A POA is being made: the references that it will make can get components. An error
    /// is reported by an event, and changes nothing.
    ///
    /// # Errors
    ///
    /// Those of the application.
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException>;

    /// All interceptors have added their components.
    ///
    /// # Errors
    ///
    /// The POA is not made then: OBJ_ADAPTER with OMG minor 6.
    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// A POA manager has changed its state.
    fn adapter_manager_state_changed(&self, manager_id: &str, state: AdapterState) {
        let _ = (manager_id, state);
    }

    /// The POA with these names, from the root on, has been destroyed.
    fn adapter_state_changed(&self, adapter_name: &[String], state: AdapterState) {
        let _ = (adapter_name, state);
    }
}

/// The state of a POA or its manager (`PortableInterceptor::AdapterState`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum AdapterState {
    /// Requests wait.
    Holding = 0,
    /// Requests are carried out.
    Active = 1,
    /// Requests are refused with TRANSIENT.
    Discarding = 2,
    /// Requests are refused for good.
    Inactive = 3,
    /// The POA has been destroyed.
    NonExistent = 4,
}

/// The facts about a POA that its floor knows.
pub(crate) trait AdapterFacts {
    /// The value of the policy with this number of the standard.
    fn policy(&self, policy_type: u32) -> Option<u32>;
    fn name(&self) -> Vec<String>;
    fn manager_id(&self) -> String;
    fn state(&self) -> AdapterState;
    /// The tags of the profiles that its references have.
    fn profiles(&self) -> Vec<u32>;
}

/// A POA that is being made (`PortableInterceptor::IORInfo`, CORBA 3.3 part 1, 16.5.2).
pub struct IorInfo<'p> {
    adapter: &'p dyn AdapterFacts,
    added: &'p mut Vec<AddedComponent>,
    is_established: bool,
}

impl<'p> IorInfo<'p> {
    pub(super) fn new(
        adapter: &'p dyn AdapterFacts,
        added: &'p mut Vec<AddedComponent>,
        is_established: bool,
    ) -> Self {
        Self {
            adapter,
            added,
            is_established,
        }
    }

    /// Adds a component to all profiles of the POA's references.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 14 at `components_established`.
    pub fn add_ior_component(&mut self, component: TaggedComponent) -> Result<(), SystemException> {
        self.add(component, None)
    }

    /// Adds a component to the profiles with this tag.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with OMG minor 29 if the references have no such profile; BAD_INV_ORDER with
    /// OMG minor 14 at `components_established`.
    pub fn add_ior_component_to_profile(
        &mut self,
        component: TaggedComponent,
        profile: u32,
    ) -> Result<(), SystemException> {
        match self.adapter.profiles().contains(&profile) {
            true => self.add(component, Some(profile)),
            false => Err(bad_param(29)),
        }
    }

    /// Returns the value that a policy of the standard has in the POA, by the number of its
    /// type, such as 17 for the lifespan; none for a policy that POAs do not have.
    pub fn get_effective_policy(&self, policy_type: u32) -> Option<u32> {
        self.adapter.policy(policy_type)
    }

    /// Returns the names of the POA and of those above it, from the root on.
    pub fn adapter_name(&self) -> Vec<String> {
        self.adapter.name()
    }

    /// Returns the id of the POA's manager.
    pub fn manager_id(&self) -> String {
        self.adapter.manager_id()
    }

    /// Returns the state of the POA's manager.
    pub fn state(&self) -> AdapterState {
        self.adapter.state()
    }

    fn add(
        &mut self,
        component: TaggedComponent,
        profile: Option<u32>,
    ) -> Result<(), SystemException> {
        if self.is_established {
            return Err(out_of_order(CompletionStatus::No));
        }
        self.added.push(AddedComponent { component, profile });
        Ok(())
    }
}

impl fmt::Debug for IorInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IorInfo")
            .field("adapter_name", &self.adapter_name())
            .field("added", &self.added)
            .finish_non_exhaustive()
    }
}

impl Registered {
    /// Whether there are interceptors of references.
    pub(crate) fn watches_references(&self) -> bool {
        !self.ior.is_empty()
    }

    /// Has all interceptors add components to the references of a POA that is being made.
    ///
    /// # Errors
    ///
    /// OBJ_ADAPTER with OMG minor 6 when one of them does not agree.
    pub(crate) fn components(
        &self,
        adapter: &dyn AdapterFacts,
    ) -> Result<Vec<AddedComponent>, SystemException> {
        let mut added = Vec::new();
        for one in &self.ior {
            let mut info = IorInfo::new(adapter, &mut added, false);
            let establish = || one.establish_components(&mut info);
            let outcome = upcall::outside("establish_components", one.name(), establish);
            if let Ok(Err(exception)) = outcome {
                tracing::warn!(interceptor = one.name(), %exception, "no components established");
            }
        }
        for one in &self.ior {
            let mut info = IorInfo::new(adapter, &mut added, true);
            let established = || one.components_established(&mut info);
            let outcome = upcall::outside("components_established", one.name(), established);
            if let Err(exception) | Ok(Err(exception)) = outcome {
                let (kind, completed) = (SystemExceptionKind::ObjAdapter, CompletionStatus::No);
                let refusal = SystemException::omg(kind, 6, completed);
                return Err(refusal.because(exception.to_string()));
            }
        }
        Ok(added)
    }

    /// Tells all interceptors that a POA manager has another state.
    pub(crate) fn manager_changed(&self, manager_id: &str, state: AdapterState) {
        for one in &self.ior {
            let changed = || one.adapter_manager_state_changed(manager_id, state);
            let _ = upcall::outside("adapter_manager_state_changed", one.name(), changed);
        }
    }

    /// Tells all interceptors that a POA is no more.
    pub(crate) fn adapter_destroyed(&self, adapter_name: &[String]) {
        for one in &self.ior {
            let changed = || one.adapter_state_changed(adapter_name, AdapterState::NonExistent);
            let _ = upcall::outside("adapter_state_changed", one.name(), changed);
        }
    }
}
