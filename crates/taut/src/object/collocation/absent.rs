//! Objects of this process in the shape `minimal`: they are called by message, as all are.

use std::sync::Arc;

use crate::core::OrbCore;
use crate::transport::Address;

/// An ORB's adapter, to which no reference leads by itself.
pub(crate) struct AdapterHandle;

impl AdapterHandle {
    pub(crate) fn new<A>(_: &Arc<OrbCore>, _: &Arc<A>) -> Arc<Self> {
        Arc::new(Self)
    }

    pub(crate) fn open(&self, _: &[Address]) {}

    pub(crate) fn close(&self) {}

    pub(crate) fn drain(&self) {}
}

/// A binding's knowledge of its object, if that is in this process: there is none.
#[derive(Debug)]
pub(crate) enum Local {}

/// A servant that a reference keeps: there is none.
#[derive(Debug)]
pub(crate) enum DirectTarget {}

/// The part of an active object that is kept for callers in its own process: nothing.
#[derive(Default)]
pub(crate) struct LocalServant;

impl LocalServant {
    pub(crate) fn release(&self) {}
}

/// The first of these addresses and keys that leads to an adapter of this process: none.
pub(crate) fn find<'a>(
    _: &OrbCore,
    _: impl Iterator<Item = (&'a Address, &'a [u8])>,
) -> Option<Local> {
    None
}
