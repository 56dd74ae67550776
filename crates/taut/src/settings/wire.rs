//! The settings of connections and messages that both sides of an ORB have in common.

use std::io;
use std::time::Duration;

use taut_cdr::{ByteOrder, CharCodeSet};
use taut_giop::Version;

use super::BidirectionalPolicy;
use crate::transport::{ChannelOption, ConnectionOptions, Stream};

/// The settings of connections and of the messages on them, which hold for the client and
/// the server side of an ORB alike.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WireSettings {
    /// The highest GIOP version to speak: the version in references to objects of this
    /// ORB, and the highest that requests to others use. Default 1.2.
    pub giop_version: Version,
    /// Whether messages are those of GIOPlite instead of GIOP (docs/gioplite.md). It is not
    /// compliant with CORBA, and only for calls between ORBs of Taut that all have it set:
    /// calls to and from any other fail with INV_POLICY, Taut minor 69, or COMM_FAILURE.
    /// `giop_version` then only says what references are like. Default: no.
    #[cfg(feature = "full")]
    pub giop_lite: bool,
    /// Messages of GIOP 1.2 that are larger than this, in octets, are sent in
    /// fragments of at most this size, or of 32 octets if that is more. Messages
    /// of 1.0 and 1.1 are always sent whole: 1.0 has no fragments, and few
    /// peers understand those of 1.1. Fragments of both versions are received.
    /// Default: the largest number, so that nothing is cut.
    pub fragment_size: usize,
    /// The code set that references to objects of this ORB call native, which
    /// clients in other languages then choose for strings, if they can. One that has UTF-8
    /// chooses UTF-8. Default ISO 8859-1.
    pub native_char_code_set: CharCodeSet,
    /// The code sets that strings are written and read in, as client and as
    /// server, besides ISO 8859-1 and UTF-8: the best first. A character that
    /// does not exist in the one agreed upon is DATA_CONVERSION, OMG minor 1; a
    /// client that demands another one gets CODESET_INCOMPATIBLE, OMG minor 2.
    /// There are further ones with the feature `code-sets`. Default: none.
    pub char_code_sets: Vec<CharCodeSet>,
    /// Whether `wchar` and `wstring` are sent and read as UTF-16 where no code set was
    /// agreed for them: to an object whose reference names no code sets, and from a
    /// client that announces none. For peers that are known to have UTF-16. Without it,
    /// such wide characters are INV_OBJREF, OMG minor 1 or 2, in the client, and
    /// BAD_PARAM, OMG minor 23, in the server (CORBA 3.3 part 2, 7.10.2.6). Default
    /// false.
    pub assume_utf16: bool,
    /// The byte order of the messages that are sent; all are understood. The
    /// default, this machine's, is the fastest, and another is for tests of
    /// peers.
    pub byte_order: ByteOrder,
    /// After how long without a word from a peer its system is asked whether it is
    /// still there (TCP keep-alive); if it does not answer for as long again, the
    /// connection is lost. Whole seconds, from 1 to 32,767 (nine hours): the nearest is
    /// taken for less or more. None: never. Default 60 s.
    pub keep_alive: Option<Duration>,
    /// How many octets that were sent the system is asked to keep for each connection
    /// until the peer's has them (`SO_SNDBUF`): a thread that sends more waits. The system
    /// brings it within its bounds (of Linux, `net.core.wmem_max`). More than 2³¹ − 1:
    /// connections fail. None, the default: the system chooses, and adapts it to each
    /// connection.
    pub send_buffer: Option<usize>,
    /// How many octets that have arrived the system is asked to keep until they are received
    /// (`SO_RCVBUF`, `net.core.rmem_max`): when there are more, the peer has to wait.
    /// Without a meaning for Unix-domain sockets. None, the default: as above.
    pub receive_buffer: Option<usize>,
    /// Further options of all connections, of clients and servers (docs/real-time.md);
    /// policies, endpoints and protocols may say others for some. Default: none.
    #[cfg(feature = "full")]
    pub connection_options: ConnectionOptions,
    /// The fate of a connection that cannot have an option that it was to have, beside
    /// [`keep_alive`](Self::keep_alive) and the buffers: because its transport does not have
    /// it, or the system refuses it. Default: it goes without, and an event tells of it.
    #[cfg(feature = "full")]
    pub refused_options: RefusedOptions,
    /// How a thread waits for the reply to its call, and how one that serves a
    /// connection waits for requests, unless [`server.wait_strategy`] says otherwise
    /// (docs/waiting.md). Default: by blocking.
    ///
    /// [`server.wait_strategy`]: crate::ServerSettings::wait_strategy
    pub wait_strategy: WaitStrategy,
    /// How long a wait spins before it blocks, with [`WaitStrategy::Spin`]; the most
    /// that [`WaitStrategy::Adaptive`] lets one spin, if it is less than 100 µs. Default
    /// 1 ms.
    pub spin_time: Duration,
    /// Whether requests go both ways on a connection. Default: only from the
    /// side that opened it.
    pub bidirectional: BidirectionalPolicy,
    /// Whether calls between two ORBs of Taut that both say yes name object and operation
    /// by one handle instead of an object key and a name. A server then says in
    /// references to active objects of transient POAs how; clients whose stubs are of
    /// the object's very interface use it. Other ORBs see a component that they do not
    /// know. Default: no.
    pub operation_handles: bool,
}

/// The fate of a connection that cannot have an option that it was to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RefusedOptions {
    /// It goes without the option. An event tells of it, and so does
    /// `ObjectRef::connection_report`.
    #[default]
    Report,
    /// It is not used: a client's call ends with INV_POLICY, Taut minor 125, unless another
    /// address of the object serves; a server closes it.
    Error,
}

/// A way in which a thread waits for a message (docs/waiting.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WaitStrategy {
    /// In one system call, in which it sleeps. Waking it takes the system some 20 µs
    /// where CPUs are idle, more than all the rest of a small call.
    #[default]
    Block,
    /// It looks for the message again and again before it blocks, but only where that
    /// has lately made waits shorter, and for about as long as the wait would take.
    /// Whether it does is tried ever more seldom while it does not.
    Adaptive,
    /// It looks for the message again and again for the time of
    /// [`WireSettings::spin_time`], whatever comes of it, and then blocks. For threads
    /// that have a CPU of their own.
    Spin,
}

impl WireSettings {
    /// Sets the properties of a new connection. An event tells of one that
    /// its transport does not have.
    ///
    /// # Errors
    ///
    /// The reason why the transport could not set one that it has.
    pub(crate) fn set_options_of(&self, stream: &Stream) -> io::Result<()> {
        let options = [
            self.keep_alive.map(ChannelOption::KeepAlive),
            self.send_buffer.map(ChannelOption::SendBuffer),
            self.receive_buffer.map(ChannelOption::ReceiveBuffer),
        ];
        for option in options.into_iter().flatten() {
            match stream.set_option(option) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    tracing::debug!(
                        peer = stream.peer(),
                        ?option,
                        "the transport has no such option"
                    );
                }
                set => set?,
            }
        }
        Ok(())
    }

    /// Whether strings may be in this code set.
    pub(crate) fn has_char_code_set(&self, code_set: CharCodeSet) -> bool {
        matches!(code_set, CharCodeSet::Iso8859_1 | CharCodeSet::Utf8)
            || code_set == self.native_char_code_set
            || self.char_code_sets.contains(&code_set)
    }
}

impl Default for WireSettings {
    fn default() -> Self {
        Self {
            giop_version: Version::HIGHEST,
            #[cfg(feature = "full")]
            giop_lite: false,
            fragment_size: usize::MAX,
            native_char_code_set: CharCodeSet::Iso8859_1,
            char_code_sets: Vec::new(),
            assume_utf16: false,
            byte_order: ByteOrder::NATIVE,
            keep_alive: Some(Duration::from_secs(60)),
            send_buffer: None,
            receive_buffer: None,
            #[cfg(feature = "full")]
            connection_options: ConnectionOptions::NONE,
            #[cfg(feature = "full")]
            refused_options: RefusedOptions::Report,
            wait_strategy: WaitStrategy::Block,
            spin_time: Duration::from_millis(1),
            bidirectional: BidirectionalPolicy::Normal,
            operation_handles: false,
        }
    }
}

impl WaitStrategy {
    /// The way in which the missing part of a message is waited for: how long that takes
    /// says nothing of how long replies take.
    pub(crate) fn for_the_rest(self) -> Self {
        match self {
            Self::Adaptive => Self::Block,
            other => other,
        }
    }
}
