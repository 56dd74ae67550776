//! The parts of a request's way, each by itself, for those who measure what they
//! cost. Not for programs: it changes with the parts.

use std::sync::Arc;

use taut_giop::ior::{IiopProfile, TaggedProfile};
use taut_giop::{CompletionStatus, Ior, SystemException, SystemExceptionKind, Version};

use super::object_key::ObjectKey;
use super::{Adapters, AdaptersOrigin, Poa, PoaError, ServantIdentity};
use taut_sync::hazard;

use crate::buffer_pool;
use crate::core::OrbCore;
use crate::object::{ObjectRef, PoolEndpoints, ReferenceFactory, Told};
use crate::server::{Disposition, ObjectAdapter, ServerRequest};
use crate::settings::Settings;
use crate::transport::Protocols;
use crate::upcall;

/// All that stands between an object key and a servant, without an ORB: no socket,
/// no thread.
pub struct Demultiplexer {
    adapters: Adapters,
}

/// Makes references that lead nowhere; what counts are their keys.
struct Nowhere {
    core: Arc<OrbCore>,
}

impl ReferenceFactory for Nowhere {
    fn reference(&self, type_id: &str, object_key: &[u8], _: bool, _: Told<'_>) -> ObjectRef {
        let profile = IiopProfile {
            version: Version::V1_2,
            host: "nowhere.invalid".to_owned(),
            port: 1,
            object_key: object_key.to_vec(),
            components: Vec::new(),
        };
        let profiles: Vec<TaggedProfile> = profile.to_profile().into_iter().collect();
        let type_id = type_id.to_owned();
        ObjectRef::new(Arc::clone(&self.core), Ior { type_id, profiles })
    }

    fn profile_tags(&self) -> Vec<u32> {
        Vec::new()
    }

    fn pool(&self, _: u32) -> Option<Arc<PoolEndpoints>> {
        None
    }
}

impl Demultiplexer {
    /// With a root POA, whose manager holds requests until it is activated.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT when the setting `server.id` is too long.
    pub fn new(incarnation: [u8; 16], settings: Settings) -> Result<Self, PoaError> {
        let origin = AdaptersOrigin::new(incarnation, &settings)?;
        hazard::prepare_thread();
        let core = Arc::new(OrbCore::new(settings, Protocols::default(), None));
        let references = Arc::new(Nowhere {
            core: Arc::clone(&core),
        });
        let adapters = Adapters::new(origin, &core, references);
        Ok(Self { adapters })
    }

    /// The root POA.
    pub fn root(&self) -> &Poa {
        self.adapters.root()
    }

    /// Whether there is the POA that a key names: looked for as the setting
    /// `server.poa_demultiplexing` says.
    #[inline]
    pub fn has_poa(&self, key: &[u8]) -> bool {
        ObjectKey::parse(key).is_some_and(|key| self.adapters.find(&key).is_ok())
    }

    /// From a key in hand to the servant's operation and back, as a request without
    /// arguments and without reply.
    ///
    /// # Errors
    ///
    /// The system exception that the caller would get.
    #[inline]
    pub fn dispatch(&self, key: &[u8], operation: &[u8]) -> Result<(), SystemException> {
        let mut request = ServerRequest::bare(operation);
        let outcome =
            upcall::run(|| self.adapters.dispatch(key, &mut request)).unwrap_or_else(|panic| {
                let object = || self.adapters.table.describe(key);
                Err(upcall::panicked("a measurement", &request, object, panic))
            });
        match outcome? {
            Disposition::Done => Ok(()),
            _ => Err(SystemException::new(
                SystemExceptionKind::Transient,
                0,
                CompletionStatus::No,
            )),
        }
    }
}

/// Whether a POA has an active object with the slot and the id in a key: looked for
/// as the setting `server.object_demultiplexing` says.
#[inline]
pub fn has_object(poa: &Poa, key: &[u8]) -> bool {
    ObjectKey::parse(key)
        .is_some_and(|key| poa.shared.map.find(key.object, key.name.id()).is_some())
}

/// Whether a servant incarnates an object of a POA: looked for as the setting
/// `server.servant_demultiplexing` says.
#[inline]
pub fn has_servant(poa: &Poa, identity: ServantIdentity) -> bool {
    poa.shared.map.activation_of(identity).is_some()
}

/// A buffer for a message, from those that the thread keeps.
#[inline]
pub fn take_buffer() -> Vec<u8> {
    buffer_pool::take()
}

/// Gives a message's buffer back to the thread.
#[inline]
pub fn give_buffer(buffer: Vec<u8>) {
    buffer_pool::give(buffer);
}

/// The octets that a reference's object key has.
pub fn object_key(reference: &ObjectRef) -> Option<Vec<u8>> {
    let profile = reference.ior().profiles.first()?;
    Some(IiopProfile::parse(&profile.data).ok()?.object_key)
}
