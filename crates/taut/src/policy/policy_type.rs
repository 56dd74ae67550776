//! The numbers of policy types, and the levels at which policies may be.

use std::fmt;

/// The number of a policy type (the standard's `CORBA::PolicyType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyType(pub u32);

/// The levels at which a policy may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyLevels(u8);

/// Gives out the numbers, with the names.
macro_rules! policy_types {
    ($($(#[$doc:meta])* $constant:ident = $number:literal, $name:literal;)*) => {
        impl PolicyType {
            $($(#[$doc])* pub const $constant: Self = Self($number);)*

            /// Returns the name of the type, if its vendor or the standard has given it one.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

policy_types! {
    /// Which threads run the servants of a POA.
    THREAD = 16, "ThreadPolicy";
    /// How long the references of a POA live.
    LIFESPAN = 17, "LifespanPolicy";
    /// How many objects a servant may incarnate.
    ID_UNIQUENESS = 18, "IdUniquenessPolicy";
    /// The side that chooses object ids.
    ID_ASSIGNMENT = 19, "IdAssignmentPolicy";
    /// Whether asking for a servant's reference activates it.
    IMPLICIT_ACTIVATION = 20, "ImplicitActivationPolicy";
    /// Whether a POA remembers its servants.
    SERVANT_RETENTION = 21, "ServantRetentionPolicy";
    /// Where the servant of a request comes from.
    REQUEST_PROCESSING = 22, "RequestProcessingPolicy";
    /// Whether a reference that is bound may be bound elsewhere.
    REBIND = 23, "RebindPolicy";
    /// The event that a oneway waits for.
    SYNC_SCOPE = 24, "SyncScopePolicy";
    /// The priorities that requests may have.
    REQUEST_PRIORITY = 25, "RequestPriorityPolicy";
    /// The priorities that replies may have.
    REPLY_PRIORITY = 26, "ReplyPriorityPolicy";
    /// The time before which a request is not delivered.
    REQUEST_START_TIME = 27, "RequestStartTimePolicy";
    /// The time after which a request is not delivered.
    REQUEST_END_TIME = 28, "RequestEndTimePolicy";
    /// The time before which a reply is not delivered.
    REPLY_START_TIME = 29, "ReplyStartTimePolicy";
    /// The time after which a reply is not delivered.
    REPLY_END_TIME = 30, "ReplyEndTimePolicy";
    /// How long the delivery of a request may take.
    RELATIVE_REQUEST_TIMEOUT = 31, "RelativeRequestTimeoutPolicy";
    /// How long a call may take in all.
    RELATIVE_ROUNDTRIP_TIMEOUT = 32, "RelativeRoundtripTimeoutPolicy";
    /// Whether requests go by routers.
    ROUTING = 33, "RoutingPolicy";
    /// How many routers a request may pass.
    MAX_HOPS = 34, "MaxHopsPolicy";
    /// The order in which routers deliver requests.
    QUEUE_ORDER = 35, "QueueOrderPolicy";
    /// Whether connections carry requests both ways.
    BIDIRECTIONAL = 37, "BidirectionalPolicy";
    /// Where the priority of a request comes from.
    PRIORITY_MODEL = 40, "PriorityModelPolicy";
    /// The thread pool of a POA.
    THREADPOOL = 41, "ThreadpoolPolicy";
    /// The protocols that a server offers, in its order.
    SERVER_PROTOCOL = 42, "ServerProtocolPolicy";
    /// The protocols that a client uses, in its order.
    CLIENT_PROTOCOL = 43, "ClientProtocolPolicy";
    /// Whether a reference has connections of its own.
    PRIVATE_CONNECTION = 44, "PrivateConnectionPolicy";
    /// The bands of priorities that have connections of their own.
    PRIORITY_BANDED_CONNECTION = 45, "PriorityBandedConnectionPolicy";
    /// TAO: how many oneways are sent together.
    BUFFERING_CONSTRAINT = 0x5441_0001, "BufferingConstraintPolicy";
    /// TAO: how long a connection may take to be opened.
    CONNECT_TIMEOUT = 0x5441_0008, "ConnectTimeoutPolicy";
    /// Taut: how replies are waited for.
    WAIT_STRATEGY = 0x5455_0001, "WaitStrategyPolicy";
    /// Taut: how objects of this process are called.
    COLLOCATION = 0x5455_0002, "CollocationPolicy";
    /// Taut: how many forwards a call follows.
    MAX_FORWARDS = 0x5455_0003, "MaxForwardsPolicy";
    /// Taut: how long a call waits for a connection that others use.
    CONNECTION_WAIT = 0x5455_0004, "ConnectionWaitPolicy";
    /// Taut: the order in which the addresses of a reference are tried.
    TRANSPORT_ORDER = 0x5455_0005, "TransportOrderPolicy";
    /// Taut: what becomes of a call if no preferred protocol can be had.
    PROTOCOL_FALLBACK = 0x5455_0006, "ProtocolFallbackPolicy";
    /// Taut: the options of the connections that calls go over.
    CONNECTION_OPTIONS = 0x5455_0020, "ConnectionOptionsPolicy";
    /// Taut: whether requests tell their deadlines.
    DEADLINE_PROPAGATION = 0x5455_0010, "DeadlinePropagationPolicy";
}

/// Writes name and number, as far as there is a name: `RebindPolicy (23)`.
impl fmt::Display for PolicyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "policy type {:#x}", self.0),
        }
    }
}

impl PolicyLevels {
    /// The ORB.
    pub const ORB: Self = Self(1);
    /// A thread.
    pub const THREAD: Self = Self(2);
    /// A reference.
    pub const REFERENCE: Self = Self(4);
    /// One call.
    pub const CALL: Self = Self(8);
    /// A POA, which tells it clients in its references.
    pub const EXPOSED: Self = Self(16);
    /// All levels of a client.
    pub const CLIENT: Self = Self(15);

    /// Returns these levels and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether all of these levels are among them.
    pub const fn contains(self, levels: Self) -> bool {
        self.0 & levels.0 == levels.0
    }
}

/// Writes the levels' names: `ORB, thread, reference, call`.
impl fmt::Display for PolicyLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::ORB, "ORB"),
            (Self::THREAD, "thread"),
            (Self::REFERENCE, "reference"),
            (Self::CALL, "call"),
            (Self::EXPOSED, "POA"),
        ];
        let here: Vec<_> = names
            .into_iter()
            .filter(|(level, _)| self.contains(*level))
            .map(|(_, name)| name)
            .collect();
        f.write_str(&here.join(", "))
    }
}
