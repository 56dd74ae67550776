//! Calls that are awaited in the shape `minimal`: there are none.

use std::io;
use std::sync::Arc;

use crate::settings::Settings;

/// The engine that never starts.
pub(crate) enum Engine {}

/// No engine.
#[derive(Debug)]
pub(crate) struct LazyEngine;

/// No connection.
pub(crate) struct Home;

impl LazyEngine {
    pub(super) fn new(_: &Settings) -> Arc<Self> {
        Arc::new(Self)
    }

    pub(super) fn get(&self) -> io::Result<&Arc<Engine>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn end(&self, _: bool) {}
}

impl Home {
    pub(super) fn new(_: &Arc<LazyEngine>) -> Arc<Self> {
        Arc::new(Self)
    }

    pub(super) fn close_unused(&self) {}

    pub(super) fn close_idle(&self) {}

    pub(super) fn give_way(&self) -> bool {
        false
    }

    pub(super) fn is_empty(&self) -> bool {
        true
    }
}
