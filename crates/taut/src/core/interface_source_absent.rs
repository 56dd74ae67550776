//! No interface repository: what `_interface` answers in an ORB of the shape `minimal`.

use taut_giop::{CompletionStatus, Ior, SystemException, SystemExceptionKind};

/// The source of an ORB, which has none.
#[derive(Debug, Default)]
pub(crate) struct Interfaces {}

impl Interfaces {
    /// Refuses.
    ///
    /// # Errors
    ///
    /// INTF_REPOS with OMG minor 1.
    pub(crate) fn find(&self, _repository_id: &str) -> Result<Ior, SystemException> {
        let kind = SystemExceptionKind::IntfRepos;
        Err(SystemException::omg(kind, 1, CompletionStatus::No))
    }
}
