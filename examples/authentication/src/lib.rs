//! Authentication of callers: a client's interceptor says it, a server's checks it, and a servant asks for it.
//!
//! The interface [`vault`] knows nothing of this.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Current, InitializerError, Interruption,
    OrbInitInfo, OrbInitializer, ServerRequestInfo, ServerRequestInterceptor, SlotId,
};
use taut::{Any, CompletionStatus, ServiceContext, SystemException, SystemExceptionKind};

taut::include_idl!("vault");

/// The service context that both sides have agreed on. (The OMG gives ids to vendors, as it
/// gives them their minor codes.)
const TOKEN: u32 = 0x4d59_0010;

/// Says with each request who calls: a client's interceptor.
pub struct Presents {
    token: Vec<u8>,
}

impl Presents {
    /// An interceptor that presents this token.
    pub fn new(token: &str) -> Self {
        Self {
            token: token.as_bytes().to_vec(),
        }
    }
}

impl ClientRequestInterceptor for Presents {
    fn name(&self) -> &str {
        "presents a token"
    }

    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let context = ServiceContext {
            id: TOKEN,
            data: self.token.clone(),
        };
        Ok(info.add_request_service_context(context, true)?)
    }
}

/// Has a server let in those who present a token that it knows: an initializer, for the
/// interceptor needs a slot for the caller's name.
pub struct Authentication {
    names: Arc<BTreeMap<Vec<u8>, String>>,
    caller: Arc<OnceLock<Slot>>,
}

impl Authentication {
    /// The authentication of these tokens and their owners.
    pub fn new<'u>(users: impl IntoIterator<Item = (&'u str, &'u str)>) -> Self {
        let users = users.into_iter();
        let names = users.map(|(token, name)| (token.as_bytes().to_vec(), name.to_owned()));
        Self {
            names: Arc::new(names.collect()),
            caller: Arc::default(),
        }
    }

    /// The object that servants ask who has called.
    pub fn caller(&self) -> Caller {
        Caller(Arc::clone(&self.caller))
    }
}

impl OrbInitializer for Authentication {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        let id = info.allocate_slot_id();
        let current = info.pi_current();
        if self.caller.set(Slot { id, current }).is_err() {
            return Err("an authentication is for one ORB".into());
        }
        let names = Arc::clone(&self.names);
        info.add_server_request_interceptor(Arc::new(Checks { names, slot: id }))?;
        Ok(())
    }
}

/// Checks who calls, before a servant is looked for, and leaves the name in a slot.
struct Checks {
    names: Arc<BTreeMap<Vec<u8>, String>>,
    slot: SlotId,
}

impl ServerRequestInterceptor for Checks {
    fn name(&self) -> &str {
        "checks tokens"
    }

    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let token = info.get_request_service_context(TOKEN);
        let name = token.and_then(|token| self.names.get(&token.data));
        let name = name.ok_or(NO_PERMISSION)?;
        let name = Any::new(name)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
        info.set_slot(self.slot, name)
            .map_err(SystemException::from)?;
        Ok(())
    }
}

const NO_PERMISSION: SystemException =
    SystemException::new(SystemExceptionKind::NoPermission, 0, CompletionStatus::No);

/// Tells a servant who has called.
#[derive(Clone)]
pub struct Caller(Arc<OnceLock<Slot>>);

struct Slot {
    id: SlotId,
    current: Current,
}

impl Caller {
    /// Returns the name of the caller whose request this thread carries out, if it does.
    pub fn name(&self) -> Option<String> {
        let Slot { id, current } = self.0.get()?;
        current.get_slot(*id).ok()?.extract().ok()
    }
}
