//! The steps of a call's way.

/// A step, from the end of the one before it on its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
