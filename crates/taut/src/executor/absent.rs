//! The executor of the shape `minimal`, whose servants answer at once.

use crate::threads::InternalThreads;

/// An executor of the application: there is none.
pub(crate) trait Spawn {}

/// The place where futures would run.
#[derive(Debug)]
pub(crate) struct Executor(());

impl Executor {
    pub(crate) fn new(
        _: (&'static str, &InternalThreads),
        _: Option<Box<dyn Spawn>>,
        _: usize,
    ) -> Self {
        Self(())
    }

    pub(crate) fn close(&self) {}
}
