//! The state of a call that is awaited.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::OwnedReply;
use crate::connection::asynchronous::{
    AsyncConnection, Awaited, Awaits, Place, Sent, Task, Ticket,
};
use crate::object::{Binding, CalledOperation, ObjectRef, Route, RouteOrder};

/// The operation that is called.
pub(super) enum Operation {
    Static(&'static CalledOperation<'static>),
    Named(Box<str>),
}

/// The answer that is asked of the server, and the event that the future waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending {
    pub(super) response: ResponseFlags,
    pub(super) awaits: Awaits,
}

/// The thing that the call has to do, or waits for.
pub(super) enum Stage {
    /// The time has to come at which the request may be sent.
    Early(SystemTime),
    /// Where the object is has to be found out.
    Bind,
    /// A thread finds out where the object is.
    Binding(Arc<Task<Result<(), SystemException>>>, Place),
    /// A connection is needed.
    Connect(Option<Awaited>),
    /// The request is to be sent when its turn has come. Whether the connection has been
    /// there before.
    Send(Arc<AsyncConnection>, bool, Option<Ticket>),
    /// The reply is to come.
    Sent(Arc<AsyncConnection>, bool, Sent),
    /// The transport is to take the request.
    Leaving(Arc<AsyncConnection>, bool, Ticket),
    /// The time has to come at which the reply may be given to the caller.
    Deliver(SystemTime, Box<OwnedReply>),
    Over,
}

/// The outcome of the attempts so far.
#[derive(Default)]
pub(super) struct Progress {
    pub(super) binding: Option<Held>,
    /// The way from there that the call takes, if it is another than the binding's own.
    pub(super) way: Option<Arc<Binding>>,
    /// The indices of the routes, in the order in which they are tried.
    pub(super) routes: RouteOrder,
    /// The place in that order.
    pub(super) place: usize,
    /// Whether the route that serves is noted, as no policy says the order.
    pub(super) prefers: bool,
    /// The failure of the routes before it.
    pub(super) failed: Option<SystemException>,
    /// How often a connection that was there had ended.
    pub(super) repeated: usize,
    /// The place that the call was forwarded to before it was given up, if it was.
    pub(super) given_up: Option<SystemException>,
    pub(super) fell_back: bool,
}

/// The binding of a call.
#[derive(Clone)]
pub(super) enum Held {
    /// That of the reference itself.
    Direct,
    /// Where a server has sent us.
    Forward(Arc<Binding>),
}

/// The next thing to do.
pub(super) enum Step {
    /// Another step.
    Next,
    /// Nothing, until the future is woken.
    Wait,
    /// Nothing, until a time has come.
    Until(Instant),
    Done(Result<OwnedReply, SystemException>),
}

impl Held {
    pub(super) fn get<'b>(&'b self, object: &'b ObjectRef) -> Option<&'b Binding> {
        match self {
            Self::Direct => object.binding().get_own(),
            Self::Forward(binding) => Some(binding),
        }
    }
}

impl Progress {
    pub(super) fn binding_and_route<'b>(
        &'b self,
        object: &'b ObjectRef,
    ) -> Option<(&'b Binding, &'b Route)> {
        let binding = match &self.way {
            Some(way) => way,
            None => self.binding.as_ref()?.get(object)?,
        };
        let index = self.routes.get(self.place)?;
        Some((binding, binding.routes().nth(*index)?))
    }

    /// Notes that the route has served which was tried last.
    pub(super) fn note_served(&self, binding: &Binding) {
        if self.prefers
            && self.place > 0
            && let Some(&index) = self.routes.get(self.place)
        {
            binding.prefer(index);
        }
    }
}

impl Operation {
    pub(super) fn called(&self) -> CalledOperation<'_> {
        match self {
            Self::Static(operation) => **operation,
            Self::Named(name) => CalledOperation::by_name(name),
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Static(operation) => operation.name,
            Self::Named(name) => name,
        }
    }
}
