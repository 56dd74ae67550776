//! All that the requests on one connection have in common.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use taut_cdr::{CharCodeSet, CharacterForms, Decoder, NoWideCodeSet, WideForm};
use taut_giop::code_set::CodeSetContext;
use taut_giop::message::read_priority_context;
use taut_giop::minor;
use taut_giop::service_context::{self, ServiceContexts};
use taut_giop::{CompletionStatus, Limits, SystemException, SystemExceptionKind, Version};

use super::Arrival;
use super::bidirectional;
use super::duty::Shift;
use super::intercepted;
use super::load::Load;
use super::peer::Peer;
use super::pool::LaneRules;
use super::{Disposition, ObjectAdapter, Presence, SentPriority, ServerRequest};
use crate::core::OrbCore;
use crate::messaging::Messaging;
use crate::priority::Priority;
use crate::probes::{self, Step};
use crate::settings::{BidirectionalPolicy, HAS_REACTOR};
use crate::upcall::contexts::{self, OF_USERS};
use crate::upcall::{self, Panic};

/// The service of one connection by the thread on duty: the way to the object adapter, and
/// what was agreed on with the client.
pub(super) struct Service<A> {
    core: Arc<OrbCore>,
    adapter: Arc<A>,
    /// The connection that the requests come from.
    peer: Arc<Peer>,
    /// Tells the thread on duty from those that it has relieved.
    shift: Shift,
    messaging: Messaging,
    /// As the peer's code-sets service context said (CORBA 3.3 part 2, 7.10.2.5), in
    /// GIOP 1.2.
    characters: CharacterForms,
    /// Whether a thread serves requests that is there for it.
    load: Load,
    /// Whether requests are not served at once, or are admitted by a policy, or interceptors take
    /// part in them.
    is_apart: bool,
    /// The lane of a thread pool that serves the connection, if one does.
    lane: Option<Arc<LaneRules>>,
    /// Whether those that tell a priority go the short way.
    takes_priorities: bool,
}

impl<A: ObjectAdapter> Service<A> {
    /// The service by the thread that is on duty now.
    pub(super) fn new(core: Arc<OrbCore>, adapter: Arc<A>, peer: Arc<Peer>) -> Self {
        Self {
            characters: CharacterForms {
                narrow: CharCodeSet::default(),
                wide: wide_form(0, &core),
            },
            is_apart: is_apart(&core),
            takes_priorities: takes_priorities(&core, peer.messaging(), Load::Ordinary),
            core,
            adapter,
            shift: peer.duty().shift(),
            messaging: peer.messaging(),
            peer,
            load: Load::Ordinary,
            lane: None,
        }
    }

    /// The same in a lane of a thread pool.
    pub(super) fn in_lane(self, lane: Option<Arc<LaneRules>>) -> Self {
        Self { lane, ..self }
    }

    /// The connection.
    #[inline(always)]
    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Whether the ORB has priorities.
    pub(super) fn is_real_time(&self) -> bool {
        self.core.priorities.is_real_time()
    }

    /// The shift of the thread that serves.
    #[inline(always)]
    pub(super) fn shift(&self) -> Shift {
        self.shift
    }

    /// The protocol of the messages.
    #[inline(always)]
    pub(super) fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// The decoder with all that arguments may need.
    #[inline]
    pub(super) fn in_context<'m>(&'m self, version: Version, input: Decoder<'m>) -> Decoder<'m> {
        let context: &(dyn Any + Send + Sync) = &self.core;
        input
            .with_characters(self.characters(version))
            .with_nesting_limit(self.core.settings.limits.nesting_limit)
            .with_graph_limits(self.core.settings.limits.type_codes)
            .with_memory_limit(self.core.settings.limits.memory)
            .with_cyclic_values(self.core.settings.limits.cyclic_values)
            .with_context(Some(context))
    }

    /// Has the adapter dispatch a request. A panic in a servant costs its caller UNKNOWN,
    /// and nobody else anything. The contexts that the servant adds to the header of its
    /// reply are to be [taken](upcall::contexts::take).
    #[inline]
    pub(super) fn dispatch(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        probes::done(Step::RequestFramed);
        if self.is_apart() {
            return self.dispatch_apart(object_key, request, SentPriority::None);
        }
        upcall::run_request(|| self.adapter.dispatch(object_key, request))
            .unwrap_or_else(|panic| Err(self.panicked(request, object_key, panic)))
    }

    /// Has the adapter dispatch a request to which there is no reply, among others that
    /// have arrived with it. Nobody waits for what comes of it. Not for services that are
    /// [apart](Self::is_apart).
    #[inline(always)]
    pub(super) fn dispatch_next<'m>(
        &self,
        object_key: &'m [u8],
        request: &mut ServerRequest<'_>,
        memory: &mut A::Memory<'m>,
    ) {
        probes::done(Step::RequestFramed);
        let dispatch = || self.adapter.dispatch_next(object_key, request, memory);
        if let Err(panic) = upcall::run(dispatch) {
            let _ = self.panicked(request, object_key, panic);
        }
    }

    /// Whether requests are not served at once, or interceptors take part in them.
    #[inline(always)]
    pub(super) fn is_apart(&self) -> bool {
        (HAS_REACTOR || OF_USERS) && self.is_apart
    }

    /// [`dispatch`](Self::dispatch) where requests are not served at once, or interceptors take
    /// part.
    #[cold]
    #[inline(never)]
    fn dispatch_apart(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        match self.load {
            Load::Ordinary => {}
            Load::Stalled => return Err(refused()),
            Load::Exhausted => {
                // As an up-call, which has the contexts of the request.
                let called = (object_key, sent);
                let put_off = || LaneRules::put_off(self.lane.as_ref(), self, called, request);
                return upcall::run_request(put_off).unwrap_or_else(|_| Err(refused()));
            }
        }
        let quality = self.core.quality.as_ref();
        let mut arrival = Arrival::of(request);
        arrival.admit_from(&self.peer, quality, &self.core)?;
        let name = || self.adapter.describe(object_key);
        let dispatch = || self.dispatch_intercepted((object_key, sent), request);
        let dispatch = || upcall::run_request(dispatch);
        let outcome = Arrival::run(quality, &self.core, name, dispatch)
            .unwrap_or_else(|panic| Err(self.panicked(request, object_key, panic)));
        arrival.note_reply(request);
        outcome
    }

    fn dispatch_intercepted(
        &self,
        called: (&[u8], SentPriority),
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        let panicked = |request: &ServerRequest<'_>, panic| self.panicked(request, called.0, panic);
        intercepted::dispatch(&self.core, &*self.adapter, called, request, panicked)
    }

    /// [`dispatch`](Self::dispatch) of a request whose service contexts are not all that there
    /// is to know of it.
    pub(super) fn dispatch_with(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        probes::done(Step::RequestFramed);
        if self.is_apart() {
            return self.dispatch_apart(object_key, request, sent);
        }
        upcall::run_request(|| self.adapter.dispatch_with(object_key, request, sent))
            .unwrap_or_else(|panic| Err(self.panicked(request, object_key, panic)))
    }

    /// [`dispatch`](Self::dispatch) of a request that tells nothing but its priority, which the
    /// reply that has been begun tells, too. Not for services that are [apart](Self::is_apart).
    #[inline(always)]
    pub(super) fn dispatch_prioritized(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        priority: Priority,
    ) -> Result<Disposition, SystemException> {
        probes::done(Step::RequestFramed);
        let adapter = &*self.adapter;
        upcall::run_request(|| {
            adapter.dispatch_at_once(object_key, request, priority, |request| {
                request.begin_reply_anew(self.messaging);
                contexts::unfold_told();
                let sent = SentPriority::Context(priority);
                adapter.dispatch_with(object_key, request, sent)
            })
        })
        .unwrap_or_else(|panic| Err(self.panicked(request, object_key, panic)))
    }

    /// Whether requests that tell a priority go the short way.
    #[inline(always)]
    pub(super) fn takes_priorities(&self) -> bool {
        self.takes_priorities
    }

    /// The priority that these contexts tell, if the ORB has priorities.
    ///
    /// # Errors
    ///
    /// Those of [`sent_priority`].
    pub(super) fn sent_priority(
        &self,
        contexts: &ServiceContexts<'_>,
    ) -> Result<SentPriority, SystemException> {
        match self.core.priorities.is_real_time() {
            true => {
                let told = contexts.find(service_context::id::RT_CORBA_PRIORITY);
                told.map_or(Ok(SentPriority::None), sent_priority)
            }
            false => Ok(SentPriority::None),
        }
    }

    /// Whether interceptors take part in requests.
    pub(super) fn is_intercepted(&self) -> bool {
        OF_USERS && self.core.interception.watches_server()
    }

    /// Asks the adapter where an object is, which may ask the application.
    pub(super) fn look_for(&self, object_key: &[u8]) -> Result<Presence, SystemException> {
        if HAS_REACTOR && self.load == Load::Stalled {
            return Err(refused());
        }
        upcall::run(|| self.adapter.locate(object_key))
            .unwrap_or_else(|panic| Err(self.panicked(&"LocateRequest", object_key, panic)))
    }

    /// Reports a panic, and returns the exception that it costs the caller.
    #[cold]
    #[inline(never)]
    fn panicked(
        &self,
        request: &(impl Debug + ?Sized),
        object_key: &[u8],
        panic: Panic,
    ) -> SystemException {
        let object = || self.adapter.describe(object_key);
        upcall::panicked(self.peer.name(), request, object, panic)
    }

    /// The forms of characters in messages of this version.
    #[inline(always)]
    pub(super) fn characters(&self, version: Version) -> CharacterForms {
        match version >= Version::V1_2 {
            true => self.characters,
            false => CharacterForms {
                wide: version.wide_form_as(self.characters.wide),
                ..self.characters
            },
        }
    }

    /// How long the lists in messages may be.
    pub(super) fn lists(&self) -> &Limits {
        &self.core.settings.limits.lists
    }

    /// Has requests served from here on as the load of the threads asks for.
    pub(super) fn set_load(&mut self, load: Load) {
        if load == self.load {
            return;
        }
        self.load = load;
        self.is_apart = load != Load::Ordinary || is_apart(&self.core);
        self.takes_priorities = takes_priorities(&self.core, self.messaging, load);
    }

    /// Uses the forms of characters that were agreed on before.
    pub(super) fn set_agreed_characters(&mut self, characters: CharacterForms) {
        self.characters = characters;
    }

    /// Does what a request's service contexts ask of the connection.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, or MARSHAL when they cannot be read.
    pub(super) fn agree(
        &mut self,
        version: Version,
        contexts: &ServiceContexts<'_>,
    ) -> Result<(), SystemException> {
        if let Some(data) = contexts.find(service_context::id::CODE_SETS) {
            self.agree_on_code_sets(data)?;
        }
        if let Some(data) = contexts.find(service_context::id::BI_DIR_IIOP) {
            self.accept_calls_back(version, data)?;
        }
        Ok(())
    }

    /// Uses the transmission code sets that the peer announces.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, or MARSHAL when they cannot be read.
    fn agree_on_code_sets(&mut self, data: &[u8]) -> Result<(), SystemException> {
        let context = CodeSetContext::from_context_data(data)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
        context.check_wchar_code_set()?;
        let code_set = context.char_code_set()?;
        if !self.core.settings.wire.has_char_code_set(code_set) {
            let kind = SystemExceptionKind::CodesetIncompatible;
            return Err(SystemException::omg(kind, 2, CompletionStatus::No));
        }
        self.characters = CharacterForms {
            narrow: code_set,
            wide: wide_form(context.wchar_tcs, &self.core),
        };
        self.peer.handover().characters = Some(self.characters);
        Ok(())
    }

    /// Uses the connection for calls back, if it may be.
    ///
    /// # Errors
    ///
    /// MARSHAL when what the peer says cannot be read.
    fn accept_calls_back(&self, version: Version, data: &[u8]) -> Result<(), SystemException> {
        let has_leave = self.core.settings.wire.bidirectional != BidirectionalPolicy::Normal
            && version >= Version::V1_2;
        match has_leave {
            true => bidirectional::accept(&self.peer, &self.core, data),
            false => Ok(()),
        }
    }
}

/// Whether an ORB has interceptors that take part in requests, or a policy that admits them.
fn is_apart(core: &OrbCore) -> bool {
    core.interception.watches_server() || core.quality.is_some()
}

/// Whether requests that tell a priority go the short way.
fn takes_priorities(core: &OrbCore, messaging: Messaging, load: Load) -> bool {
    let is_apart = load != Load::Ordinary || is_apart(core);
    core.priorities.is_real_time() && messaging == Messaging::Giop && !is_apart
}

/// The priority that the data of the service context RTCorbaPriority tells.
///
/// # Errors
///
/// MARSHAL when it cannot be read, or is negative.
pub(super) fn sent_priority(data: &[u8]) -> Result<SentPriority, SystemException> {
    let told = read_priority_context(data)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    // It is not negative.
    Ok(Priority::new(told).map_or(SentPriority::None, SentPriority::Context))
}

/// The exception that answers a request which no thread can serve.
#[cold]
#[inline(never)]
fn refused() -> SystemException {
    SystemException::new(
        SystemExceptionKind::NoResources,
        minor::REACTOR_EXHAUSTED,
        CompletionStatus::No,
    )
}

/// The form of wide characters of a client that has announced this code set for them;
/// 0: none.
fn wide_form(wchar_tcs: u32, core: &OrbCore) -> WideForm {
    match wchar_tcs == 0 && !core.settings.wire.assume_utf16 {
        true => WideForm::NoCodeSet(NoWideCodeSet::NotAnnounced),
        false => WideForm::Octets,
    }
}
