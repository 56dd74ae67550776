//! The threads that serve connections in the shape `minimal`: each has one of its own.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::peer::Peer;
use super::reactor::Reactor;
use crate::core::OrbCore;
use crate::settings::Settings;

/// The threads that serve the connections of a server.
pub(super) struct Engine<A>(PhantomData<fn() -> A>);

impl<A> Default for Engine<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<A> Engine<A> {
    pub(super) fn enter_own_thread(&self, _: u64, _: &Arc<Peer>) {}

    pub(super) fn leave_own_thread(&self, _: u64) {}

    pub(super) fn stop(&self) {}

    pub(super) fn has_thread_left(&self, _: &Settings) -> bool {
        true
    }

    pub(super) fn stand_by(
        &self,
        _: &OrbCore,
        _: impl Fn() -> io::Result<Arc<Reactor<A>>>,
    ) -> Duration {
        Duration::MAX
    }

    /// The reactor.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::Unsupported`]: there is none.
    pub(super) fn reactor(
        &self,
        _: impl FnOnce() -> io::Result<Arc<Reactor<A>>>,
    ) -> io::Result<Arc<Reactor<A>>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
