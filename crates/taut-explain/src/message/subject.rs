//! The subjects of messages.

use alloc::string::String;

use taut_giop::message::ReplyStatus;

/// The subject of a message, by which replies are matched with requests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// A call.
    Request {
        /// Its id.
        request_id: u32,
        /// Whether a reply is to come.
        expects_reply: bool,
        /// The operation's name.
        operation: String,
    },
    /// The answer to a call.
    Reply {
        /// The request's id.
        request_id: u32,
        /// The outcome of the call.
        status: ReplyStatus,
    },
    /// The caller no longer wants the answer.
    Cancel {
        /// The request's id.
        request_id: u32,
    },
    /// The question where an object is.
    LocateRequest {
        /// Its id.
        request_id: u32,
    },
    /// The answer to that question.
    LocateReply {
        /// The question's id.
        request_id: u32,
    },
    /// The end of the connection.
    Close,
    /// The sender did not understand.
    Error,
    /// Nothing that could be found out.
    Unknown,
}

/// Arguments, results or a user exception's members, which only who knows the
/// operation can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The first octet, from that of the message's header.
    pub offset: usize,
    /// The exception's repository id, if it is one.
    pub exception: Option<String>,
}
