//! The steps of a call's way.

/// A step, from the end of the one before it on its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(
    not(feature = "probes"),
    expect(dead_code, reason = "no probe is for all steps together")
)]
pub enum Step {
    /// From the stub's call of the ORB until a connection is the call's own: the
    /// reference's binding, a buffer for the reply, the lease.
    ConnectionLeased,
    /// The header copied, the arguments encoded.
    RequestWritten,
    /// In the system, which took the request.
    RequestSent,
    /// In the system, until the reply was there: the server's work is part of it.
    ReplyReceived,
    /// The reply's header looked at, the connection given back.
    ReplyChecked,
    /// The result decoded.
    ResultDecoded,
    /// The reply's buffer given back.
    CallReturned,
    /// From the first step of a call to the last.
    Call,

    /// In the system, until a request was there; from the reply before it on.
    RequestReceived,
    /// The request framed, its header read, and that of the reply written.
    RequestFramed,
    /// The POA and the object found by the key.
    ObjectFound,
    /// The operation found by its name.
    OperationFound,
    /// The arguments decoded, or borrowed.
    ArgumentsDecoded,
    /// The servant's method.
    ServantReturned,
    /// The result encoded, the reply's message ended.
    ReplyWritten,
    /// In the system, which took the reply, with the notes of what is under way.
    ReplySent,
    /// From the request's arrival until its reply was sent.
    Request,
}

#[cfg(feature = "probes")]
pub use told::{Kind, Side};

/// What only those who read the times ask.
#[cfg(feature = "probes")]
mod told {
    use super::Step;

    /// Which side of a call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Side {
        /// The caller's.
        Client,
        /// The servant's.
        Server,
    }

    /// Whose time it is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Kind {
        /// The ORB's own, stub and skeleton included.
        Orb,
        /// That of a system call, and for what comes in also the wait for it.
        System,
        /// The servant's.
        Servant,
        /// All steps together.
        Whole,
    }

    impl Step {
        /// All, in the order of a call's way on each side.
        pub const ALL: [Self; 17] = [
            Self::ConnectionLeased,
            Self::RequestWritten,
            Self::RequestSent,
            Self::ReplyReceived,
            Self::ReplyChecked,
            Self::ResultDecoded,
            Self::CallReturned,
            Self::Call,
            Self::RequestReceived,
            Self::RequestFramed,
            Self::ObjectFound,
            Self::OperationFound,
            Self::ArgumentsDecoded,
            Self::ServantReturned,
            Self::ReplyWritten,
            Self::ReplySent,
            Self::Request,
        ];

        /// Which side it is on.
        pub fn side(self) -> Side {
            match self {
                Self::ConnectionLeased
                | Self::RequestWritten
                | Self::RequestSent
                | Self::ReplyReceived
                | Self::ReplyChecked
                | Self::ResultDecoded
                | Self::CallReturned
                | Self::Call => Side::Client,
                Self::RequestReceived
                | Self::RequestFramed
                | Self::ObjectFound
                | Self::OperationFound
                | Self::ArgumentsDecoded
                | Self::ServantReturned
                | Self::ReplyWritten
                | Self::ReplySent
                | Self::Request => Side::Server,
            }
        }

        /// Whose time it is.
        pub fn kind(self) -> Kind {
            match self {
                Self::RequestSent
                | Self::ReplyReceived
                | Self::RequestReceived
                | Self::ReplySent => Kind::System,
                Self::ServantReturned => Kind::Servant,
                Self::Call | Self::Request => Kind::Whole,
                _ => Kind::Orb,
            }
        }

        /// In words, such as `request written`.
        pub fn name(self) -> &'static str {
            match self {
                Self::ConnectionLeased => "connection leased",
                Self::RequestWritten => "request written",
                Self::RequestSent => "request sent",
                Self::ReplyReceived => "reply received",
                Self::ReplyChecked => "reply checked",
                Self::ResultDecoded => "result decoded",
                Self::CallReturned => "call returned",
                Self::Call => "the call",
                Self::RequestReceived => "request received",
                Self::RequestFramed => "request framed",
                Self::ObjectFound => "object found",
                Self::OperationFound => "operation found",
                Self::ArgumentsDecoded => "arguments decoded",
                Self::ServantReturned => "servant returned",
                Self::ReplyWritten => "reply written",
                Self::ReplySent => "reply sent",
                Self::Request => "the request",
            }
        }
    }
}
