//! The properties of steps for those who read the times.

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
            Self::RequestSent | Self::ReplyReceived | Self::RequestReceived | Self::ReplySent => {
                Kind::System
            }
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
