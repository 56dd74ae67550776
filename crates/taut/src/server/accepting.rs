//! Accepting connections: at which pace, who serves them, and what becomes of those for
//! which there is no room.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taut_sys::descriptors::{self, Reserve};

use super::lane::Lane;
use super::listener::Listener;
use super::peer::Peer;
use super::rate::Rate;
use super::service::Service;
use super::session::Session;
use super::{ObjectAdapter, own_thread};
use crate::counters;
use crate::settings::HAS_REACTOR;
use crate::threads;
use crate::transport::Stream;

/// How long to wait when the system has no resources for another connection.
const BACK_OFF: Duration = Duration::from_millis(100);

/// How often, and how many times, it is looked for the file descriptor of a connection
/// that has gone.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);
const LOOKS: usize = 100;

/// The pace of accepting is kept in short spans, so that the connections that
/// are there already get on between them.
const PACE_SPAN: Duration = Duration::from_millis(50);
const PACES_PER_SECOND: u32 = 20;

impl<A: ObjectAdapter> Lane<A> {
    /// Accepts connections until the ORB stops.
    pub(super) fn accept(self: &Arc<Self>, listener: &Listener, adapter: &Arc<A>) {
        let mut reserve = Reserve::new();
        let most = self.core.settings.server.max_accepts_per_second;
        let mut pace = Rate::per(PACE_SPAN, most.div_ceil(PACES_PER_SECOND));
        let mut warnings = Rate::per_second(1);
        loop {
            while !pace.admits(Instant::now()) {
                if warnings.admits(Instant::now()) {
                    tracing::warn!(
                        address = %listener.address(),
                        setting = "server.max_accepts_per_second",
                        limit = most,
                        "too many clients connect: some have to wait"
                    );
                }
                if self.core.lifecycle.stops_within(PACE_SPAN / 4) {
                    return;
                }
            }
            match listener.accept() {
                Ok(stream) => self.serve(listener, stream, adapter),
                Err(_) if self.is_stopping() => return,
                Err(error) if descriptors::is_exhausted(&error) => {
                    self.accept_without_descriptors(listener, adapter, &mut reserve);
                }
                Err(error) => {
                    if self.may_warn_of_shortage() {
                        tracing::warn!(%error, "accepting a connection failed");
                    }
                    thread::sleep(BACK_OFF);
                }
            }
        }
    }

    /// Deals with the next client while no file descriptor is left: an idle connection
    /// gives way to it, or else it is refused.
    fn accept_without_descriptors(
        self: &Arc<Self>,
        listener: &Listener,
        adapter: &Arc<A>,
        reserve: &mut Reserve,
    ) {
        // The system asks for a descriptor before it waits. So it is waited here.
        match listener.wait_for_client(BACK_OFF) {
            Ok(true) => {}
            Ok(false) => return,
            Err(_) => return thread::sleep(BACK_OFF),
        }
        if self.registry.make_room() && is_descriptor_left() {
            return;
        }
        reserve.release();
        let accepted = listener.accept();
        let stream = match accepted {
            Ok(stream) => stream,
            // Somebody else has taken what was given, or the server stops.
            Err(_) => return thread::sleep(LOOK_INTERVAL),
        };
        // A client that comes when there is a descriptor again is served.
        match reserve.fill() {
            Ok(()) => self.serve(listener, stream, adapter),
            Err(error) => {
                self.refuse_for_shortage(stream, &error);
                // By the descriptor of the one that has been refused.
                let _ = reserve.fill();
            }
        }
    }

    /// Refuses a client because no file descriptor is left.
    fn refuse_for_shortage(&self, stream: Stream, error: &io::Error) {
        let peer = Peer::waiting(stream, &self.output, &self.core.settings);
        counters::server::refused("resources");
        if self.may_warn_of_shortage() {
            tracing::warn!(
                peer = peer.name(),
                %error,
                setting = "server.max_connections",
                limit = descriptors::limit(),
                "refused a connection: no file descriptor is left, raise `ulimit -n`"
            );
        }
        peer.close();
    }

    /// Whether it may be told now that there are too few resources: once in a second.
    fn may_warn_of_shortage(&self) -> bool {
        self.shortage_warnings.lock().admits(Instant::now())
    }

    /// Gives a connection to a thread of its own or to the reactor.
    fn serve(self: &Arc<Self>, listener: &Listener, stream: Stream, adapter: &Arc<A>) {
        let settings = &self.core.settings;
        if let Err(error) = settings.wire.set_options_of(&stream) {
            tracing::debug!(peer = stream.peer(), %error, "socket options not set");
        }
        if !self.has_its_options(listener, &stream) {
            return;
        }
        let peer = Peer::waiting(stream, &self.output, settings);
        let id = match self.registry.enter(&peer, settings) {
            Ok(id) => id,
            Err(refusal) => {
                let (setting, limit) = refusal.setting(settings);
                counters::server::refused(setting);
                tracing::warn!(peer = peer.name(), setting, limit, "refused a connection");
                return peer.close();
            }
        };
        peer.set_home(self.home(id));
        if self.is_stopping() {
            peer.close();
        }
        if let Err(error) = self.serve_admitted(&peer, id, adapter) {
            self.registry.leave(id);
            if !self.is_stopping() {
                counters::server::refused("resources");
                if self.may_warn_of_shortage() {
                    tracing::warn!(peer = peer.name(), %error, "no resources for a connection; closing it");
                }
                peer.close();
            }
        }
    }

    /// Gives a new connection its options. False if it cannot have them all and is not to go
    /// without.
    fn has_its_options(&self, listener: &Listener, stream: &Stream) -> bool {
        let Err((report, is_refused)) = listener.set_options(&self.core, stream) else {
            return true;
        };
        if is_refused {
            counters::server::refused("wire.refused_options");
        }
        if self.may_warn_of_shortage() {
            tracing::warn!(
                peer = stream.peer(),
                %report,
                setting = "wire.refused_options",
                is_refused,
                "a connection cannot have all of its options"
            );
        }
        !is_refused
    }

    /// Gives a connection to a thread of its own, if there may be one more and it can be
    /// started, and else to the reactor.
    fn serve_admitted(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        id: u64,
        adapter: &Arc<A>,
    ) -> io::Result<()> {
        let has_to_share = HAS_REACTOR && peer.is_restricted();
        let has_to_share = has_to_share || self.rules().is_some();
        if !has_to_share && self.engine.has_thread_left(&self.core.settings) {
            match self.serve_in_own_thread(Arc::clone(peer), id, adapter) {
                Ok(()) => return Ok(()),
                Err(error) if !HAS_REACTOR => return Err(error),
                Err(error) if self.may_warn_of_shortage() => {
                    tracing::warn!(peer = peer.name(), %error, "a connection shares the reactor's threads");
                }
                Err(_) => {}
            }
        }
        peer.become_reactive();
        self.reactor().and_then(|reactor| reactor.serve(peer, id))
    }

    fn serve_in_own_thread(
        self: &Arc<Self>,
        peer: Arc<Peer>,
        id: u64,
        adapter: &Arc<A>,
    ) -> io::Result<()> {
        let (core, adapter) = (Arc::clone(&self.core), Arc::clone(adapter));
        let service = Service::new(core, adapter, Arc::clone(&peer));
        let session = Session::new(service, &self.core.settings);
        let lane = Arc::clone(self);
        self.engine.enter_own_thread(id, &peer);
        let spawned = threads::spawn("taut connection", move || {
            lane.core.priorities.begin_internal_thread();
            let registry = &lane.registry;
            let settled = || registry.note_end(&peer);
            if own_thread::serve(&peer, session, &lane.core.settings, settled) {
                registry.leave(id);
            }
            lane.engine.leave_own_thread(id);
        });
        if spawned.is_err() {
            self.engine.leave_own_thread(id);
        }
        spawned.map(drop)
    }
}

/// Whether there is a file descriptor again, after a connection has gone: its thread
/// gives it back a little later.
fn is_descriptor_left() -> bool {
    (0..LOOKS).any(|_| {
        let is_left = Reserve::new().fill().is_ok();
        if !is_left {
            thread::sleep(LOOK_INTERVAL);
        }
        is_left
    })
}
