//! What an active object has for callers in its own process.

use std::sync::Arc;

use super::DirectTarget;
use super::views::Views;

/// What is kept beside an active object once it has been called from its own
/// process.
pub(crate) struct LocalServant {
    pub(crate) views: Arc<Views>,
    direct: Arc<DirectTarget>,
}

impl LocalServant {
    /// What references may keep.
    pub(crate) fn direct(&self) -> &Arc<DirectTarget> {
        &self.direct
    }
}

impl Default for LocalServant {
    fn default() -> Self {
        let views = Arc::default();
        Self {
            direct: Arc::new(DirectTarget::new(&views)),
            views,
        }
    }
}

impl Drop for LocalServant {
    fn drop(&mut self) {
        self.direct.release();
    }
}
