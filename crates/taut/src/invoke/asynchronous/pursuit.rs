//! The way of a call from its first poll to its reply.

use std::fmt;
use std::sync::Arc;
use std::task::{Poll, Waker};

use taut_giop::message::{MessageHeader, ResponseFlags};
use taut_giop::{CompletionStatus, Ior, SystemException, SystemExceptionKind, minor};

use super::OwnedReply;
use super::body::Body;
use crate::connection::ConnectionFault;
use crate::connection::asynchronous::{
    AsyncConnection, Awaited, Awaits, Began, Engine, Lost, Place, Sent, Task, Ticket, TimerKey,
    Writing,
};
use crate::counters;
use crate::exception::unwritable;
use crate::invoke::arguments::Arguments;
use crate::invoke::attempt::{Outcome, interpret, is_answer};
use crate::invoke::call_context::KeptTerms;
use crate::invoke::reply::ReplyBody;
use crate::invoke::request::{Exchange, RequestContexts, write_encoded};
use crate::invoke::{Redirections, failure, is_dead_end_exception, is_stale_handle};
use crate::message::Message;
use crate::object::{Binding, Bound, CalledOperation, ObjectRef, Route};

/// A call that is awaited.
pub(super) struct Pursuit {
    object: ObjectRef,
    operation: Operation,
    sending: Sending,
    body: Body,
    terms: KeptTerms,
    timer: Option<TimerKey>,
    has_begun: bool,
    stage: Stage,
    redirections: Redirections,
    progress: Progress,
}

/// The operation that is called.
pub(super) enum Operation {
    Static(&'static CalledOperation<'static>),
    Named(Box<str>),
}

/// What is asked of the server, and what the future waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending {
    pub(super) response: ResponseFlags,
    pub(super) awaits: Awaits,
}

/// What the call has to do, or waits for.
enum Stage {
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
    Over,
}

/// What has become of the attempts so far.
struct Progress {
    binding: Option<Held>,
    /// The index of the route that is tried.
    route: usize,
    /// That of the route that was tried first.
    first: usize,
    /// The failure of the routes before it.
    failed: Option<SystemException>,
    /// How often a connection that was there had ended.
    repeated: usize,
    /// The place that the call was forwarded to before it was given up, if it was.
    given_up: Option<SystemException>,
    fell_back: bool,
}

/// The binding of a call.
enum Held {
    /// That of the reference itself.
    Direct,
    /// Where a server has sent us.
    Forward(Arc<Binding>),
}

impl Held {
    fn get<'b>(&'b self, object: &'b ObjectRef) -> Option<&'b Binding> {
        match self {
            Self::Direct => object.binding().get_own(),
            Self::Forward(binding) => Some(binding),
        }
    }
}

/// What comes next.
enum Step {
    /// Another step.
    Next,
    /// Nothing, until the future is woken.
    Wait,
    Done(Result<OwnedReply, SystemException>),
}

/// The most attempts over connections that had ended before they were asked.
const MAX_REPEATED: usize = 8;

/// The octets of a request beside its arguments, about.
const HEADER: usize = 128;

impl Pursuit {
    pub(super) fn new(
        object: &ObjectRef,
        operation: Operation,
        sending: Sending,
        body: Body,
        terms: KeptTerms,
    ) -> Self {
        Self {
            object: object.clone(),
            operation,
            sending,
            body,
            terms,
            timer: None,
            has_begun: false,
            stage: Stage::Bind,
            redirections: Redirections::new(object.core().settings.client.max_forwards),
            progress: Progress {
                binding: None,
                route: 0,
                first: 0,
                failed: None,
                repeated: 0,
                given_up: None,
                fell_back: false,
            },
        }
    }

    /// Goes on as far as nothing has to be waited for.
    pub(super) fn poll(&mut self, waker: &Waker) -> Poll<Result<OwnedReply, SystemException>> {
        assert!(
            !matches!(self.stage, Stage::Over),
            "a future was polled after it had been ready"
        );
        match self.go_on(waker) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(reply)) => {
                self.end();
                Poll::Ready(Ok(reply))
            }
            Err(exception) => {
                self.end();
                let (object, operation) = (&self.object, self.operation.name());
                let terms = self.terms.get();
                let concluded = failure::concluded(exception, object, operation, &terms);
                Poll::Ready(Err(concluded))
            }
        }
    }

    fn go_on(&mut self, waker: &Waker) -> Result<Poll<OwnedReply>, SystemException> {
        let object = self.object.clone();
        let core = object.core();
        if !self.has_begun {
            self.has_begun = true;
            core.lifecycle.check()?;
            if let Some(context) = self.terms.context() {
                context.begin(core)?;
            }
        }
        let engine = core
            .connections
            .engine()
            .map_err(|error| no_engine(&error))?;
        loop {
            match self.step(engine, waker) {
                Step::Next => {}
                Step::Done(done) => return done.map(Poll::Ready),
                Step::Wait => {
                    let Some(deadline) = self.terms.get().until() else {
                        return Ok(Poll::Pending);
                    };
                    if self.terms.get().is_late() {
                        return Err(self.too_late());
                    }
                    match &self.timer {
                        Some(timer) => engine.renew_deadline(timer, waker),
                        None => self.timer = Some(engine.add_deadline(deadline, waker)),
                    }
                    return Ok(Poll::Pending);
                }
            }
        }
    }

    fn step(&mut self, engine: &Arc<Engine>, waker: &Waker) -> Step {
        match &mut self.stage {
            Stage::Bind => self.bind(engine),
            Stage::Binding(task, place) => match task.poll(place, waker) {
                Poll::Pending => Step::Wait,
                Poll::Ready(Err(exception)) => Step::Done(Err(exception)),
                Poll::Ready(Ok(())) => {
                    self.stage = Stage::Bind;
                    Step::Next
                }
            },
            Stage::Connect(_) => self.connect(engine, waker),
            Stage::Send(..) => self.send(waker),
            Stage::Sent(connection, reused, sent) => match connection.poll(*sent, waker) {
                Poll::Pending => Step::Wait,
                Poll::Ready(Err(lost)) => {
                    let (connection, reused) = (Arc::clone(connection), *reused);
                    self.stage = Stage::Connect(None);
                    self.lost(&connection, reused, lost)
                }
                Poll::Ready(Ok((header, message))) => {
                    let (connection, sent) = (Arc::clone(connection), *sent);
                    // There is nothing to give up any more.
                    self.stage = Stage::Connect(None);
                    self.read(engine, &connection, sent, header, message)
                }
            },
            Stage::Leaving(connection, reused, ticket) => {
                match connection.poll_left(*ticket, waker) {
                    Poll::Pending => Step::Wait,
                    Poll::Ready(Ok(())) => self.done_without_reply(),
                    Poll::Ready(Err(lost)) => {
                        let (connection, reused) = (Arc::clone(connection), *reused);
                        self.stage = Stage::Connect(None);
                        self.lost(&connection, reused, lost)
                    }
                }
            }
            Stage::Over => Step::Done(Err(failure::internal())),
        }
    }

    /// Finds out where the object is.
    fn bind(&mut self, engine: &Arc<Engine>) -> Step {
        let held = match self.object.binding().get() {
            Some(Bound::Direct(_)) => Held::Direct,
            Some(Bound::Forward(binding)) => Held::Forward(binding),
            None => {
                let object = self.object.clone();
                return self.have_bound(engine, move || {
                    let (core, ior) = (object.core(), object.ior());
                    let binding = Binding::new(core, ior, object.wait_strategy(), None)?;
                    object.binding().bind(binding);
                    Ok(())
                });
            }
        };
        let first = held
            .get(&self.object)
            .map_or(0, |binding| binding.preferred().0);
        self.progress.binding = Some(held);
        self.progress.begin_routes(first);
        self.stage = Stage::Connect(None);
        Step::Next
    }

    /// Has a thread bind the reference.
    fn have_bound(
        &mut self,
        engine: &Engine,
        bind: impl FnOnce() -> Result<(), SystemException> + Send + 'static,
    ) -> Step {
        let (task, promise) = Task::new(Err(no_thread()));
        let submitted = engine.submit(move || promise.finish(bind()));
        if let Err(error) = submitted {
            return Step::Done(Err(no_engine(&error)));
        }
        self.stage = Stage::Binding(task, Place::default());
        Step::Next
    }

    /// Gets a connection for the route.
    fn connect(&mut self, engine: &Arc<Engine>, waker: &Waker) -> Step {
        let Self {
            stage: Stage::Connect(awaited),
            progress,
            object,
            terms,
            ..
        } = self
        else {
            return Step::Done(Err(failure::internal()));
        };
        let Some((_, route)) = progress.binding_and_route(object) else {
            return Step::Done(Err(failure::internal()));
        };
        let terms = terms.get();
        if awaited.is_none() {
            terms.begin_attempt();
            if terms.is_late() {
                return Step::Done(Err(failure::too_late()));
            }
        }
        match route.endpoint.poll_connection(engine, awaited, waker) {
            Poll::Pending => Step::Wait,
            Poll::Ready(Ok((connection, reused))) => {
                self.stage = Stage::Send(connection, reused, None);
                Step::Next
            }
            Poll::Ready(Err(error)) => {
                let is_late = terms.is_late();
                let error = (*error).clone();
                let exception = failure::no_connection(error, &route.endpoint, is_late);
                match is_late {
                    true => self.failed(exception),
                    false => self.try_next_route(exception),
                }
            }
        }
    }

    /// Sends the request, if its turn has come.
    fn send(&mut self, waker: &Waker) -> Step {
        let Self {
            stage: Stage::Send(connection, reused, ticket),
            progress,
            object,
            terms,
            body,
            operation,
            sending,
            ..
        } = self
        else {
            return Step::Done(Err(failure::internal()));
        };
        let Some((binding, route)) = progress.binding_and_route(object) else {
            return Step::Done(Err(failure::internal()));
        };
        body.adapt(route.characters);
        let octets = match body.octets() {
            Ok(octets) => octets,
            Err(error) => return Step::Done(Err(unwritable(error, CompletionStatus::No))),
        };
        let (terms, called) = (terms.get(), operation.called());
        let asked = (&called, sending.response);
        let write = |writing: &mut Writing, request_id: u32| {
            let agree = route.has_code_sets() && !writing.code_sets_sent;
            let introduction = agree.then(|| [route.code_sets_context(), None]);
            let contexts = RequestContexts::of(introduction, terms.of_user());
            let (outgoing, contexts) = (&mut writing.outgoing, contexts.as_ref());
            write_encoded(
                outgoing, binding, route, asked, request_id, contexts, octets,
            )?;
            writing.code_sets_sent |= agree;
            writing.version = writing.version.max(route.version);
            Ok(())
        };
        let size = octets.len() + HEADER;
        let began = connection.begin(ticket, size, sending.awaits, waker, write);
        let (connection, reused) = (Arc::clone(connection), *reused);
        match began {
            Ok(Began::Waits) => Step::Wait,
            Ok(Began::Sent(sent)) => {
                self.stage = Stage::Sent(connection, reused, sent);
                Step::Wait
            }
            Ok(Began::Leaves(ticket)) => {
                self.stage = Stage::Leaving(connection, reused, ticket);
                Step::Wait
            }
            Ok(Began::Left) => self.done_without_reply(),
            Err(lost) => {
                self.stage = Stage::Connect(None);
                self.lost(&connection, reused, lost)
            }
        }
    }

    /// Ends a call to which nothing comes back.
    fn done_without_reply(&self) -> Step {
        let body = ReplyBody::none();
        let reply = OwnedReply::new(self.object.core(), Message::none(), body);
        Step::Done(Ok(reply))
    }

    /// Goes on after a request was lost.
    fn lost(&mut self, connection: &AsyncConnection, reused: bool, lost: Lost) -> Step {
        let (fault, not_executed) = match lost {
            Lost::NotWritten(error) => {
                return Step::Done(Err(unwritable(&error, CompletionStatus::No)));
            }
            Lost::Connection {
                fault,
                not_executed,
            } => (fault, not_executed),
        };
        let peer = connection.peer();
        if !not_executed {
            let completed = CompletionStatus::Maybe;
            return self.failed(failure::connection_lost(peer, &fault, completed));
        }
        self.progress.repeated += 1;
        if reused && self.progress.repeated <= MAX_REPEATED {
            counters::client::sent_again();
            self.stage = Stage::Connect(None);
            return Step::Next;
        }
        let exception = failure::connection_lost(peer, &fault, CompletionStatus::No);
        self.try_next_route(exception)
    }

    /// Goes on with the next route, if there is one.
    fn try_next_route(&mut self, exception: SystemException) -> Step {
        let progress = &mut self.progress;
        let failed = match &progress.failed {
            Some(earlier) => failure::after(earlier, exception),
            None => exception,
        };
        let binding = progress.binding.as_ref();
        let count = binding
            .and_then(|held| held.get(&self.object))
            .map_or(0, |binding| binding.routes().count());
        let first = progress.first;
        let next = match progress.route {
            route if route == first => 0,
            route => route + 1,
        };
        let next = if next == first { next + 1 } else { next };
        if next >= count {
            return self.failed(failed);
        }
        progress.failed = Some(failed);
        progress.route = next;
        self.stage = Stage::Connect(None);
        Step::Next
    }

    /// Goes on after an attempt has ended with an exception: elsewhere, if that may help.
    fn failed(&mut self, exception: SystemException) -> Step {
        let progress = &mut self.progress;
        let exception = match &progress.failed {
            Some(earlier) if failure::is_late(&exception) => failure::after(earlier, exception),
            _ => exception,
        };
        let held = progress.binding.as_ref();
        let Some(binding) = held.and_then(|held| held.get(&self.object)) else {
            return Step::Done(Err(exception));
        };
        if is_stale_handle(&exception) && binding.retire_handles() {
            progress.begin_routes(binding.preferred().0);
            self.stage = Stage::Connect(None);
            return Step::Next;
        }
        let was_forwarded = binding.forwarded;
        if was_forwarded && !progress.fell_back && is_dead_end_exception(&exception) {
            // Where we were sent to nobody is any more: ask the original reference again,
            // once.
            progress.fell_back = true;
            progress.given_up = Some(failure::at_forward(exception));
            self.object.binding().forget_forward();
            self.stage = Stage::Bind;
            return Step::Next;
        }
        let last = match was_forwarded {
            true => failure::at_forward(exception),
            false => exception,
        };
        Step::Done(Err(match progress.given_up.take() {
            Some(earlier) => failure::after(&earlier, last),
            None => last,
        }))
    }

    /// Reads what has come in answer to the request.
    fn read(
        &mut self,
        engine: &Arc<Engine>,
        connection: &Arc<AsyncConnection>,
        sent: Sent,
        header: MessageHeader,
        message: Message,
    ) -> Step {
        let (called, terms) = (self.operation.called(), self.terms.get());
        let exchange = Exchange::Request {
            operation: &called,
            response: self.sending.response,
            arguments: Arguments::whole(&|_| Ok(())),
        };
        if !is_answer(header.message_type, &exchange) {
            connection.refuse(header.message_type);
        }
        let found = self.progress.binding_and_route(&self.object);
        let Some((binding, route)) = found else {
            return Step::Done(Err(failure::internal()));
        };
        let asked = (sent.request_id(), Some(&terms));
        let outcome = match interpret(route, &exchange, header, &message, asked) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => Err(failure::internal()),
            Err(exception) => Err(exception),
        };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(exception) => return self.failed(exception),
        };
        if self.progress.route != self.progress.first {
            binding.prefer(self.progress.route);
        }
        match outcome {
            Outcome::Reply(body) => {
                Step::Done(Ok(OwnedReply::new(self.object.core(), message, body)))
            }
            Outcome::Done | Outcome::Unknown => self.done_without_reply(),
            Outcome::Forward(target) => match self.redirections.follow_one_of(binding) {
                Ok(()) => self.follow(engine, target),
                Err(exception) => Step::Done(Err(exception)),
            },
            Outcome::Readdress(mode) => {
                if let Err(exception) = self.redirections.follow_one_of(binding) {
                    return Step::Done(Err(exception));
                }
                if !binding.set_addressing(mode, self.object.ior()) {
                    let fault = "it asks for the target in a form that the reference has not";
                    let (peer, completed) = (route.endpoint.address(), CompletionStatus::No);
                    return Step::Done(Err(failure::protocol_error(peer, fault, completed)));
                }
                let preferred = binding.preferred().0;
                self.progress.begin_routes(preferred);
                self.stage = Stage::Connect(None);
                Step::Next
            }
        }
    }

    /// Goes on where a server has sent the call.
    fn follow(&mut self, engine: &Arc<Engine>, target: Box<Ior>) -> Step {
        let object = self.object.clone();
        self.have_bound(engine, move || {
            let strategy = object.wait_strategy();
            let binding = Binding::forwarded(object.core(), target, strategy, None)?;
            object.binding().forward(binding);
            Ok(())
        })
    }

    /// Gives up a call whose time is over.
    #[cold]
    fn too_late(&mut self) -> SystemException {
        let (connection, fault) = match &self.stage {
            Stage::Sent(connection, ..) => (connection, ConnectionFault::TimedOut),
            Stage::Leaving(connection, ..) => (connection, ConnectionFault::NotTaken),
            _ => return failure::too_late(),
        };
        failure::connection_lost(connection.peer(), &fault, CompletionStatus::Maybe)
    }

    /// Gives up what there is to give up.
    fn end(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Sent(connection, _, sent) => connection.abandon(sent),
            Stage::Send(connection, _, Some(ticket)) | Stage::Leaving(connection, _, ticket) => {
                connection.forget(ticket);
            }
            Stage::Binding(task, mut place) => task.forget(&mut place),
            Stage::Send(..) | Stage::Bind | Stage::Connect(_) | Stage::Over => {}
        }
        if let Some(timer) = self.timer.take()
            && let Ok(engine) = self.object.core().connections.engine()
        {
            engine.remove_deadline(&timer);
        }
    }
}

impl Drop for Pursuit {
    fn drop(&mut self) {
        self.end();
    }
}

impl Progress {
    fn binding_and_route<'b>(&'b self, object: &'b ObjectRef) -> Option<(&'b Binding, &'b Route)> {
        let binding = self.binding.as_ref()?.get(object)?;
        Some((binding, binding.routes().nth(self.route)?))
    }

    /// Tries the routes anew.
    fn begin_routes(&mut self, first: usize) {
        (self.first, self.route) = (first, first);
        self.failed = None;
        self.repeated = 0;
    }
}

impl Operation {
    fn called(&self) -> CalledOperation<'_> {
        match self {
            Self::Static(operation) => **operation,
            Self::Named(name) => CalledOperation::by_name(name),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Static(operation) => operation.name,
            Self::Named(name) => name,
        }
    }
}

impl fmt::Debug for Pursuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("object", &self.object)
            .field("operation", &self.operation.name())
            .finish_non_exhaustive()
    }
}

/// There is no thread for calls that are awaited.
#[cold]
fn no_engine(error: &std::io::Error) -> SystemException {
    no_thread().because(error.to_string())
}

fn no_thread() -> SystemException {
    let (kind, minor) = (SystemExceptionKind::NoResources, minor::NO_THREAD);
    SystemException::new(kind, minor, CompletionStatus::No)
}
