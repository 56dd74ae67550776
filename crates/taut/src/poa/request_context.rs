//! The context of a request, for the servant that carries it out.

use taut_giop::SystemException;

use super::current::{self, NoContext};
use crate::server::{peer_name, peer_source};
use crate::service_contexts::{ServiceContext, ServiceContextList};
use crate::upcall::contexts::{self, Source};

/// The request that the calling thread carries out: its service contexts, those of its reply,
/// and who sent it: what [`CallContext`](crate::CallContext) is for the caller. For servants of any kind;
/// [`Current`](crate::Current) tells the object.
///
/// It is that of the innermost request: a servant that calls another one in its own process
/// has its own again afterwards. Calls within the process have service contexts as those from
/// elsewhere.
///
/// ```
/// use taut::RequestContext;
///
/// /// An id that both sides have agreed on.
/// const TRACE: u32 = 0x4d59_0001;
///
/// /// Returns the trace that the caller has named to the caller, as a method of a servant may.
/// fn acknowledge_trace() -> taut::Result<()> {
///     if let Some(trace) = RequestContext::service_context(TRACE)? {
///         RequestContext::add_to_reply(TRACE, trace)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestContext;

impl RequestContext {
    /// Returns the service contexts that came with the request, in their order, those of
    /// ORBs among them.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn service_contexts() -> Result<Vec<ServiceContext>, NoContext> {
        current::with(|_| contexts::received(ServiceContextList::to_vec))
    }

    /// Returns the data of the first service context with this id that came with the request.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn service_context(id: u32) -> Result<Option<Vec<u8>>, NoContext> {
        current::with(|_| contexts::received(|list| list.find(id).map(<[u8]>::to_vec)))
    }

    /// Returns the address of the peer that sent the request, as events give it: for IIOP,
    /// `192.0.2.7:40112`. None for a call from this process.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn peer() -> Result<Option<String>, NoContext> {
        current::with(|_| contexts::peer().or_else(peer_name))
    }

    /// Returns where the peer that sent the request is, as far as the system vouches for it: the
    /// address of its machine or, over Unix-domain sockets, its user. None for a call from this
    /// process, and over a protocol that was added and does not tell.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn source() -> Result<Option<Source>, NoContext> {
        current::with(|_| contexts::source().or_else(peer_source))
    }

    /// Has the reply carry a service context, behind those that were added before, whether it
    /// is a result, a user exception or a system exception. Where the caller waits for no
    /// reply, it goes nowhere; so it does if the reply has been sent before the servant was
    /// called ([`SyncScope::WithServer`](crate::SyncScope::WithServer)).
    ///
    /// # Errors
    ///
    /// BAD_PARAM with [`minor::RESERVED_SERVICE_CONTEXT`](crate::minor::RESERVED_SERVICE_CONTEXT)
    /// when the ORB sends contexts with this id itself; IMP_LIMIT with
    /// [`minor::SERVICE_CONTEXT_LIMIT`](crate::minor::SERVICE_CONTEXT_LIMIT); BAD_INV_ORDER
    /// outside of a servant.
    pub fn add_to_reply(id: u32, data: impl AsRef<[u8]>) -> Result<(), SystemException> {
        current::with(|called| {
            let limits = called.poa().limits();
            contexts::with_reply(|list| list.push_checked(id, data.as_ref(), limits))
        })?
    }
}
