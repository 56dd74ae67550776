//! The progress of a request.

use taut_giop::Ior;

/// How far a request has come.
pub(super) enum Served<R> {
    /// A servant has carried it out.
    Done(R),
    /// Nobody has yet: the thread that runs the ORB shall, and this is another.
    ForMainThread,
    /// The caller shall ask there.
    Forward(Box<Ior>),
}
