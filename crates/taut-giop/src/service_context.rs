//! Service contexts: what ORBs tell each other beside the call itself
//! (CORBA 3.3 part 2, 7.7).

use taut_cdr::{Decoder, Encoder, Result};

use crate::limits::Limits;
use crate::numbers::numbers;
use crate::tagged::{EncodedEntries, EncodedList, encode_entry};

/// One service context. The data is, for every context that the standard
/// defines, an encapsulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceContext<'m> {
    /// Which context it is; see [`id`].
    pub id: u32,
    /// Its data.
    pub data: &'m [u8],
}

/// The service contexts of a message: those that were received, in place, or
/// those that shall be sent.
#[derive(Debug, Clone, Copy)]
pub struct ServiceContexts<'m>(List<'m>);

#[derive(Debug, Clone, Copy)]
enum List<'m> {
    Received(EncodedList<'m>),
    ToSend(&'m [ServiceContext<'m>]),
}

impl<'m> ServiceContexts<'m> {
    /// No service context.
    pub const EMPTY: Self = Self(List::ToSend(&[]));

    /// The contexts that shall be sent.
    #[inline]
    pub const fn new(contexts: &'m [ServiceContext<'m>]) -> Self {
        Self(List::ToSend(contexts))
    }

    /// Reads a list of contexts and checks it once, so that iterating it cannot
    /// fail. [`Limits::DEFAULT`] hold.
    ///
    /// # Errors
    ///
    /// When the list is malformed, or longer than the limit.
    #[inline]
    pub fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Self::decode_within(input, &Limits::DEFAULT)
    }

    /// Reads a list of contexts that may have up to [`Limits::max_service_contexts`] entries,
    /// each of up to [`Limits::max_service_context_octets`].
    ///
    /// # Errors
    ///
    /// When the list is malformed, or it or one of its contexts is longer than the limit.
    #[inline]
    pub fn decode_within(input: &mut Decoder<'m>, limits: &Limits) -> Result<Self> {
        let max_octets = limits.max_service_context_octets;
        EncodedList::decode(input, limits.max_service_contexts, max_octets)
            .map(|list| Self(List::Received(list)))
    }

    /// Appends the list.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_length(self.len())?;
        for context in self {
            encode_entry(context.id, context.data, out)?;
        }
        Ok(())
    }

    /// How many contexts there are.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Received(list) => list.len(),
            List::ToSend(contexts) => contexts.len(),
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The contexts in their order.
    #[inline]
    pub fn iter(&self) -> Iter<'m> {
        Iter(match self.0 {
            List::Received(list) => Entries::Received(list.iter()),
            List::ToSend(contexts) => Entries::ToSend(contexts.iter()),
        })
    }

    /// The data of the first context with this id.
    #[inline]
    pub fn find(&self, id: u32) -> Option<&'m [u8]> {
        self.iter()
            .find(|context| context.id == id)
            .map(|context| context.data)
    }
}

impl Default for ServiceContexts<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Two lists are equal when they have the same contexts in the same order,
/// wherever they are kept.
impl PartialEq for ServiceContexts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for ServiceContexts<'_> {}

impl<'m> IntoIterator for &ServiceContexts<'m> {
    type Item = ServiceContext<'m>;
    type IntoIter = Iter<'m>;

    #[inline]
    fn into_iter(self) -> Iter<'m> {
        self.iter()
    }
}

/// Iterates over service contexts.
#[derive(Debug, Clone)]
pub struct Iter<'m>(Entries<'m>);

#[derive(Debug, Clone)]
enum Entries<'m> {
    Received(EncodedEntries<'m>),
    ToSend(core::slice::Iter<'m, ServiceContext<'m>>),
}

impl<'m> Iterator for Iter<'m> {
    type Item = ServiceContext<'m>;

    #[inline]
    fn next(&mut self) -> Option<ServiceContext<'m>> {
        match &mut self.0 {
            Entries::Received(entries) => {
                entries.next().map(|(id, data)| ServiceContext { id, data })
            }
            Entries::ToSend(contexts) => contexts.next().copied(),
        }
    }
}

numbers! {
    /// The ids of service contexts.
    id,
    /// Returns the name that the standard, or the vendor, gives to the context with this
    /// id.
    id_name;
    /// The transaction that the call belongs to.
    TRANSACTION_SERVICE = 0, "TransactionService";
    /// The transmission code sets of the connection; see [`crate::code_set`].
    CODE_SETS = 1, "CodeSets";
    /// COM interworking.
    CHAIN_BYPASS_CHECK = 2, "ChainBypassCheck";
    /// COM interworking.
    CHAIN_BYPASS_INFO = 3, "ChainBypassInfo";
    /// COM interworking: the logical thread.
    LOGICAL_THREAD_ID = 4, "LogicalThreadId";
    /// The client's own end points, for calls back over the same connection.
    BI_DIR_IIOP = 5, "BI_DIR_IIOP";
    /// The sender's code base (Java).
    SENDING_CONTEXT_RUN_TIME = 6, "SendingContextRunTime";
    /// Policies that hold for this call.
    INVOCATION_POLICIES = 7, "INVOCATION_POLICIES";
    /// SECIOP.
    FORWARDED_IDENTITY = 8, "FORWARDED_IDENTITY";
    /// The exception behind UNKNOWN (Java).
    UNKNOWN_EXCEPTION_INFO = 9, "UnknownExceptionInfo";
    /// The CORBA priority of the caller.
    RT_CORBA_PRIORITY = 10, "RTCorbaPriority";
    /// The priority band of a connection.
    RT_CORBA_PRIORITY_RANGE = 11, "RTCorbaPriorityRange";
    /// Fault tolerance: the version of the object group.
    FT_GROUP_VERSION = 12, "FT_GROUP_VERSION";
    /// Fault tolerance: the identity of the request.
    FT_REQUEST = 13, "FT_REQUEST";
    /// Text that accompanies a system exception.
    EXCEPTION_DETAIL_MESSAGE = 14, "ExceptionDetailMessage";
    /// Security attributes (CSIv2).
    SECURITY_ATTRIBUTE_SERVICE = 15, "SecurityAttributeService";
    /// The activity that the call belongs to.
    ACTIVITY_SERVICE = 16, "ActivityService";
    /// The format of custom RMI streams (Java).
    RMI_CUSTOM_MAX_STREAM_FORMAT = 17, "RMICustomMaxStreamFormat";
    /// Telecom wireless: the session with the access point.
    ACCESS_SESSION_ID = 18, "ACCESS_SESSION_ID";
    /// Telecom wireless: the session with the service.
    SERVICE_SESSION_ID = 19, "SERVICE_SESSION_ID";
    /// Firewall traversal: the path.
    FIREWALL_PATH = 20, "FIREWALL_PATH";
    /// Firewall traversal: the answer.
    FIREWALL_PATH_RESP = 21, "FIREWALL_PATH_RESP";
    /// Taut: fills the header of a reply up to an alignment.
    TAUT_PADDING = 0x5455_0000, "Taut padding";
    /// Taut: the trace that the call belongs to; the crate `taut-otel` has its octets.
    TAUT_TRACE_CONTEXT = 0x5455_0001, "Taut trace context";
    /// Taut: the deadline of the call; see [`crate::deadline_context`].
    TAUT_DEADLINE = 0x5455_0002, "Taut deadline";
    /// TAO: fills the header up to an alignment.
    TAO_ALIGNMENT_FILLER = 0x5441_4f00, "TAO alignment filler";
    /// TAO: the network priority of the reply.
    TAO_REPLY_NETWORK_PRIORITY = 0x5441_0005, "TAO REP_NWPRIORITY";
    /// omniORB: restricted connections.
    OMNIORB_RESTRICTED_CONNECTION = 0x4154_5404, "omniORB RESTRICTED_CONNECTION";
    /// JacORB: fills the header up to an alignment.
    JACORB_PADDING = 0x4a41_4301, "JacORB padding";
    /// JacORB: proxies.
    JACORB_PROXY = 0x4a41_4302, "JacORB proxy";
}
