//! Requests of which somebody is told the object before its servant runs.

use taut_giop::SystemException;

use super::adapters::disposition;
use super::current::{self, Called};
use super::error::object_not_active;
use super::incarnated::Incarnated;
use super::main_thread::serve_in_main_thread;
use super::served::Served;
use super::{Adapters, ObjectId, Poa, names_in};
use crate::object::{Interface, ServedObject};
use crate::server::{AroundServant, Arrival, Disposition, SentPriority, ServerRequest};

/// Carries out a request whose servant `around` runs. Its operation is named: an ORB with
/// interceptors offers no handles.
///
/// # Errors
///
/// The system exception that the caller gets.
#[cold]
pub(super) fn dispatch(
    adapters: &Adapters,
    (object_key, sent): (&[u8], SentPriority),
    request: &mut ServerRequest<'_>,
    around: &mut dyn AroundServant,
) -> Result<Disposition, SystemException> {
    if let Some(target) = adapters.table.elsewhere(object_key) {
        return Ok(Disposition::Forward(target));
    }
    loop {
        let (call, arrived) = ((request.operation(), sent), &mut Arrival::of(request));
        let run = |servant: &Incarnated| run_around(servant, request, around);
        let served = adapters.serve_otherwise(object_key, call, arrived, run)?;
        arrived.note_reply(request);
        let served = match served {
            Served::ForMainThread => {
                let called = (object_key, sent);
                serve_in_main_thread(&adapters.table, called, request, Some(around))?
            }
            served => Some(served),
        };
        // A request that the main thread did not let in is tried once more.
        if let Some(disposition) = served.and_then(disposition) {
            return Ok(disposition);
        }
    }
}

/// Has the servant of the object that is called carry out the operation that the request names.
pub(super) fn run_around(
    servant: &Incarnated,
    request: &mut ServerRequest<'_>,
    around: &mut dyn AroundServant,
) -> Result<(), SystemException> {
    let object = current::with(|called| CalledObject::of(&called));
    let object = object.map_err(|_| object_not_active())?;
    around.around(Box::new(object), request, &mut |request| {
        servant.dispatch(request)
    })
}

/// The object that is called, for as long as somebody wants to know.
struct CalledObject {
    poa: Poa,
    id: ObjectId,
    interface: &'static Interface,
}

impl CalledObject {
    fn of(called: &Called<'_>) -> Self {
        Self {
            poa: called.poa().clone(),
            id: called.object_id(),
            interface: called.servant().interface(),
        }
    }
}

impl ServedObject for CalledObject {
    fn object_id(&self) -> Vec<u8> {
        self.id.as_octets().to_vec()
    }

    fn adapter_id(&self) -> Vec<u8> {
        self.poa.id()
    }

    fn adapter_name(&self) -> Vec<String> {
        self.poa.names()
    }

    fn interface(&self) -> &'static Interface {
        self.interface
    }

    fn policy(&self, policy_type: u32) -> Option<u32> {
        self.poa.policy_value(policy_type)
    }
}

impl Poa {
    /// The names on the way from the root POA, its own among them.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = vec!["RootPOA".to_owned()];
        let below = names_in(self.path()).map(|(_, names)| names);
        names.extend(below.unwrap_or_default().into_iter().map(str::to_owned));
        names
    }

    /// The value of the policy with this number of the standard (`PortableServer`, `RTCORBA`), if
    /// POAs have it.
    pub(super) fn policy_value(&self, policy_type: u32) -> Option<u32> {
        let policies = self.policies();
        Some(match policy_type {
            16 => policies.thread as u32,
            17 => policies.lifespan as u32,
            18 => policies.id_uniqueness as u32,
            // USER_ID is 0.
            19 => u32::from(policies.assigns_ids()),
            // IMPLICIT_ACTIVATION is 0.
            20 => u32::from(!policies.activates_implicitly()),
            21 => u32::from(!policies.retains()),
            22 => policies.request_processing as u32,
            // By its own policies or by the ORB's.
            41 => self.shared.pool.as_ref()?.pool(),
            _ => return None,
        })
    }
}
