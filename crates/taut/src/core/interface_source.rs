//! Where the descriptions of interfaces come from that `_interface` answers with.

use std::fmt;

use taut_giop::{CompletionStatus, Ior, SystemException, SystemExceptionKind};

/// A source of descriptions of interfaces: an interface repository, as a server asks it when a
/// client wants an object's `InterfaceDef` (CORBA 3.3 part 1, 8.3.1, `get_interface`).
///
/// It is asked in the upcall of the object, and may be asked by several threads at once.
pub trait InterfaceSource: Send + Sync + 'static {
    /// Returns the reference to the `InterfaceDef` of the interface with this repository id;
    /// none if the repository does not have it, which the client learns as INTF_REPOS with OMG
    /// minor 2.
    ///
    /// # Errors
    ///
    /// The system exception that the client gets.
    fn interface(&self, repository_id: &str) -> Result<Option<Ior>, SystemException>;
}

/// The source of an ORB, if it has one.
#[derive(Default)]
pub(crate) struct Interfaces(Option<Box<dyn InterfaceSource>>);

impl Interfaces {
    pub(crate) fn of(source: impl InterfaceSource) -> Self {
        Self(Some(Box::new(source)))
    }

    /// The reference to the `InterfaceDef` of an interface.
    ///
    /// # Errors
    ///
    /// INTF_REPOS with OMG minor 1 without a source, with 2 when it does not know the interface.
    pub(crate) fn find(&self, repository_id: &str) -> Result<Ior, SystemException> {
        let refused = |minor| {
            let kind = SystemExceptionKind::IntfRepos;
            SystemException::omg(kind, minor, CompletionStatus::No)
        };
        let source = self.0.as_ref().ok_or_else(|| refused(1))?;
        source.interface(repository_id)?.ok_or_else(|| refused(2))
    }
}

impl fmt::Debug for Interfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "given" } else { "none" })
    }
}
