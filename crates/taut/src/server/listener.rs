//! A place where connections come in.

#[cfg_attr(not(feature = "full"), path = "listener/options_absent.rs")]
mod options;

use std::ops::Deref;

use crate::transport::{Acceptor, ConnectionOptions};

/// A place where connections come in, with the options that they have.
pub(super) struct Listener {
    acceptor: Box<dyn Acceptor>,
    /// Those that the endpoint says.
    options: ConnectionOptions,
}

impl Listener {
    pub(super) fn new(acceptor: Box<dyn Acceptor>, options: ConnectionOptions) -> Self {
        Self { acceptor, options }
    }
}

impl Deref for Listener {
    type Target = dyn Acceptor;

    fn deref(&self) -> &Self::Target {
        &*self.acceptor
    }
}
