//! The way of a call from its first poll to its reply.

use std::fmt;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::{Instant, SystemTime};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::OwnedReply;
use super::body::Body;
use super::state::{Held, Operation, Progress, Sending, Stage, Step};
use crate::connection::ConnectionFault;
use crate::connection::asynchronous::{
    AsyncConnection, Began, Engine, Lost, Place, Task, TimerKey, Writing,
};
use crate::counters;
use crate::exception::unwritable;
use crate::interceptors::{self, Slots};
use crate::invoke::attempt::Outcome;
use crate::invoke::call_context::KeptTerms;
use crate::invoke::intercepted::{Kept, Points};
use crate::invoke::request::{RequestContexts, write_encoded};
use crate::invoke::{Redirections, failure};
use crate::message::Message;
use crate::object::{Binding, Bound, ObjectRef};

/// A call that is awaited.
pub(super) struct Pursuit {
    pub(super) object: ObjectRef,
    pub(super) operation: Operation,
    pub(super) sending: Sending,
    pub(super) body: Body,
    pub(super) terms: KeptTerms,
    timer: Option<(Instant, TimerKey)>,
    has_begun: bool,
    pub(super) stage: Stage,
    pub(super) redirections: Redirections,
    pub(super) progress: Progress,
    /// The interceptors that take part in the attempt, if there are any.
    pub(super) points: Option<Points>,
    /// The data that they keep from one attempt to the next.
    pub(super) kept: Kept,
    /// The slots of the thread that has made the call, for interceptors.
    pub(super) slots: Slots,
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
        let max_forwards = terms.qos().max_forwards(object.core());
        let stage = terms.qos().send_from().map_or(Stage::Bind, Stage::Early);
        Self {
            object: object.clone(),
            operation,
            sending,
            body,
            terms,
            timer: None,
            has_begun: false,
            stage,
            redirections: Redirections::new(max_forwards),
            progress: Progress::default(),
            points: None,
            kept: Kept::default(),
            slots: interceptors::of(object.core())
                .map_or_else(Slots::default, |registered| registered.slots_of_thread()),
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
        let engine = core.connections.engine();
        let engine = engine.map_err(|error| no_engine(&error))?;
        loop {
            let wake_at = match self.step(engine, waker) {
                Step::Next => continue,
                Step::Done(done) => return done.map(Poll::Ready),
                Step::Until(at) => Some(at),
                Step::Wait => match self.deadline() {
                    Some(at) if at <= Instant::now() => match self.give_up(engine) {
                        Step::Done(done) => return done.map(Poll::Ready),
                        _ => continue,
                    },
                    at => at,
                },
            };
            self.set_timer(engine, wake_at, waker);
            return Ok(Poll::Pending);
        }
    }

    /// When the call does not wait any more for what it waits for.
    fn deadline(&self) -> Option<Instant> {
        let terms = self.terms.get();
        match self.stage {
            Stage::Sent(..) => terms.until(),
            _ => terms.send_until(),
        }
    }

    /// Has the future woken at this time.
    fn set_timer(&mut self, engine: &Engine, at: Option<Instant>, waker: &Waker) {
        match (&self.timer, at) {
            (Some((before, key)), Some(at)) if *before == at => engine.renew_deadline(key, waker),
            (None, None) => {}
            _ => {
                if let Some((_, key)) = self.timer.take() {
                    engine.remove_deadline(&key);
                }
                self.timer = at.map(|at| (at, engine.add_deadline(at, waker)));
            }
        }
    }

    fn step(&mut self, engine: &Arc<Engine>, waker: &Waker) -> Step {
        match &mut self.stage {
            Stage::Early(start) => match left_until(*start) {
                None => {
                    self.stage = Stage::Bind;
                    Step::Next
                }
                Some(at) if self.terms.get().send_until().is_some_and(|by| by < at) => {
                    Step::Done(Err(failure::too_late()))
                }
                Some(at) => Step::Until(at),
            },
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
            Stage::Send(..) => self.send(engine, waker),
            Stage::Sent(connection, reused, sent) => match connection.poll(*sent, waker) {
                Poll::Pending => Step::Wait,
                Poll::Ready(Err(lost)) => {
                    let (connection, reused) = (Arc::clone(connection), *reused);
                    self.stage = Stage::Connect(None);
                    self.lost(engine, &connection, reused, lost)
                }
                Poll::Ready(Ok((header, message))) => {
                    let (connection, sent) = (Arc::clone(connection), *sent);
                    // There is nothing to give up any more.
                    self.stage = Stage::Connect(None);
                    let outcome = self.read(&connection, sent, header, &message);
                    self.settle(engine, outcome, message)
                }
            },
            Stage::Leaving(connection, reused, ticket) => {
                match connection.poll_left(*ticket, waker) {
                    Poll::Pending => Step::Wait,
                    Poll::Ready(left) => {
                        let (connection, reused) = (Arc::clone(connection), *reused);
                        self.stage = Stage::Connect(None);
                        match left {
                            Ok(()) => self.settle(engine, Ok(Outcome::Done), Message::none()),
                            Err(lost) => self.lost(engine, &connection, reused, lost),
                        }
                    }
                }
            }
            Stage::Deliver(..) => self.deliver(),
            Stage::Over => Step::Done(Err(failure::internal())),
        }
    }

    /// Finds out where the object is, and begins an attempt to call it there.
    fn bind(&mut self, engine: &Arc<Engine>) -> Step {
        let held = match self.object.binding().get() {
            Some(Bound::Lent(_)) => Held::Direct,
            Some(Bound::Shared(binding)) => Held::Forward(binding),
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
        self.progress.binding = Some(held);
        self.begin_attempt(engine)
    }

    /// Begins an attempt where the reference is bound.
    pub(super) fn begin_attempt(&mut self, engine: &Arc<Engine>) -> Step {
        let (object, progress) = (&self.object, &mut self.progress);
        let Some(binding) = progress.binding.as_ref().and_then(|held| held.get(object)) else {
            return Step::Done(Err(failure::internal()));
        };
        let qos = self.terms.qos();
        if let Err(exception) = qos.check(object, binding) {
            return Step::Done(Err(exception));
        }
        progress.way = match self.terms.get().way(object, binding) {
            Ok(Bound::Lent(_)) => None,
            Ok(Bound::Shared(way)) => Some(way),
            Err(exception) => return Step::Done(Err(exception)),
        };
        let binding = progress.way.as_deref().unwrap_or(binding);
        let order = match qos.route_order(object.core(), binding) {
            Ok(order) => order,
            Err(exception) => return self.settle(engine, Err(exception), Message::none()),
        };
        progress.prefers = order.is_none();
        progress.routes = order.unwrap_or_else(|| binding.usual_order());
        (progress.place, progress.repeated, progress.failed) = (0, 0, None);
        self.stage = Stage::Connect(None);
        match self.begin_points() {
            Some(ended) => self.settle(engine, ended, Message::none()),
            None => Step::Next,
        }
    }

    /// Has a thread bind the reference.
    pub(super) fn have_bound(
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
            points,
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
            match points {
                Some(points) => points.watch(&terms).begin_attempt(),
                None => terms.begin_attempt(),
            }
            if terms.is_late() {
                return self.settle(engine, Err(failure::too_late()), Message::none());
            }
        }
        let endpoint = &route.endpoint;
        match endpoint.poll_connection(engine, terms.patience, awaited, waker) {
            Poll::Pending => Step::Wait,
            Poll::Ready(Ok((connection, reused))) => {
                self.stage = Stage::Send(connection, reused, None);
                Step::Next
            }
            Poll::Ready(Err(error)) => {
                let is_late = terms.is_late();
                let exception = failure::no_connection((*error).clone(), endpoint, is_late);
                match is_late {
                    true => self.fail(engine, exception),
                    false => self.try_next_route(engine, exception),
                }
            }
        }
    }

    /// Sends the request, if its turn has come.
    fn send(&mut self, engine: &Arc<Engine>, waker: &Waker) -> Step {
        let Self {
            stage: Stage::Send(connection, reused, ticket),
            progress,
            object,
            terms,
            body,
            operation,
            sending,
            points,
            ..
        } = self
        else {
            return Step::Done(Err(failure::internal()));
        };
        let Some((binding, route)) = progress.binding_and_route(object) else {
            return Step::Done(Err(failure::internal()));
        };
        body.adapt(route.characters);
        let (own, called) = (terms.get(), operation.called());
        let watched = points.as_ref().map(|points| points.watch(&own));
        let terms = watched.as_ref().unwrap_or(&own);
        let asked = (&called, sending.response);
        let began = match body.octets() {
            Err(error) => Err(Lost::NotWritten(*error)),
            Ok(octets) => {
                let write = |writing: &mut Writing, request_id: u32| {
                    let agree = route.has_code_sets() && !writing.code_sets_sent;
                    let introduction = agree.then(|| [route.code_sets_context(), None]);
                    let quality = terms.quality_to_tell(route);
                    let contexts = RequestContexts::of(introduction, quality, terms.of_user());
                    let (outgoing, contexts) = (&mut writing.outgoing, contexts.as_ref());
                    write_encoded(
                        outgoing, binding, route, asked, request_id, contexts, octets,
                    )?;
                    writing.code_sets_sent |= agree;
                    writing.version = writing.version.max(route.version);
                    Ok(())
                };
                let size = octets.len() + HEADER;
                connection.begin(ticket, size, sending.awaits, waker, write)
            }
        };
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
            Ok(Began::Left) => {
                self.stage = Stage::Connect(None);
                self.settle(engine, Ok(Outcome::Done), Message::none())
            }
            Err(lost) => {
                self.stage = Stage::Connect(None);
                self.lost(engine, &connection, reused, lost)
            }
        }
    }

    /// Goes on after a request was lost.
    fn lost(
        &mut self,
        engine: &Arc<Engine>,
        connection: &AsyncConnection,
        reused: bool,
        lost: Lost,
    ) -> Step {
        let (fault, not_executed) = match lost {
            Lost::NotWritten(error) => {
                let exception = unwritable(&error, CompletionStatus::No);
                return self.settle(engine, Err(exception), Message::none());
            }
            Lost::Connection {
                fault,
                not_executed,
            } => (fault, not_executed),
        };
        let peer = connection.peer();
        if !not_executed {
            let completed = CompletionStatus::Maybe;
            let exception = failure::connection_lost(peer, &fault, completed);
            return self.fail(engine, exception);
        }
        self.progress.repeated += 1;
        if reused && self.progress.repeated <= MAX_REPEATED {
            counters::client::sent_again();
            self.stage = Stage::Connect(None);
            return Step::Next;
        }
        let exception = failure::connection_lost(peer, &fault, CompletionStatus::No);
        self.try_next_route(engine, exception)
    }

    /// Goes on with the next route, if there is one.
    fn try_next_route(&mut self, engine: &Arc<Engine>, exception: SystemException) -> Step {
        let progress = &mut self.progress;
        let failed = match &progress.failed {
            Some(earlier) => failure::after(earlier, exception),
            None => exception,
        };
        if progress.place + 1 >= progress.routes.len() {
            return self.settle(engine, Err(failed), Message::none());
        }
        progress.failed = Some(failed);
        progress.place += 1;
        self.stage = Stage::Connect(None);
        Step::Next
    }

    /// Ends an attempt that may not be made by another route.
    fn fail(&mut self, engine: &Arc<Engine>, exception: SystemException) -> Step {
        let exception = match &self.progress.failed {
            Some(earlier) if failure::is_late(&exception) => failure::after(earlier, exception),
            _ => exception,
        };
        self.settle(engine, Err(exception), Message::none())
    }

    /// Ends an attempt whose time is over.
    #[cold]
    fn give_up(&mut self, engine: &Arc<Engine>) -> Step {
        let (connection, fault) = match &self.stage {
            Stage::Sent(connection, ..) => (connection, ConnectionFault::TimedOut),
            Stage::Leaving(connection, ..) => (connection, ConnectionFault::NotTaken),
            _ => {
                self.leave_stage();
                return self.fail(engine, failure::too_late());
            }
        };
        let peer = connection.peer();
        let exception = failure::connection_lost(peer, &fault, CompletionStatus::Maybe);
        self.leave_stage();
        self.settle(engine, Err(exception), Message::none())
    }

    /// Gives up what there is to give up.
    pub(super) fn leave_stage(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Sent(connection, _, sent) => connection.abandon(sent),
            Stage::Send(connection, _, Some(ticket)) | Stage::Leaving(connection, _, ticket) => {
                connection.forget(ticket);
            }
            Stage::Binding(task, mut place) => task.forget(&mut place),
            Stage::Send(..) | Stage::Early(_) | Stage::Bind => {}
            Stage::Connect(_) | Stage::Deliver(..) | Stage::Over => {}
        }
    }

    fn end(&mut self) {
        self.leave_stage();
        if let Some((_, timer)) = self.timer.take()
            && let Ok(engine) = self.object.core().connections.engine()
        {
            engine.remove_deadline(&timer);
        }
    }
}

/// A call that is given up ends for interceptors, too.
impl Drop for Pursuit {
    fn drop(&mut self) {
        self.end();
        self.abandon_points();
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

/// When a time of day comes; none if it has.
pub(super) fn left_until(time: SystemTime) -> Option<Instant> {
    let left = time.duration_since(SystemTime::now()).ok()?;
    if left.is_zero() {
        return None;
    }
    Instant::now().checked_add(left)
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
