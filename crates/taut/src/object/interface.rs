//! What a stub or a skeleton knows of its interface.

/// The repository id that every object answers to.
pub(crate) const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// An interface, as generated code describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface {
    /// Its repository id, such as `IDL:omg.org/CosNaming/NamingContext:1.0`.
    pub repository_id: &'static str,
    /// The repository ids of all interfaces that it inherits from.
    pub bases: &'static [&'static str],
}

impl Interface {
    /// Whether an object of this interface is one of the interface with that
    /// repository id: the same, an inherited one, or `CORBA::Object`.
    pub fn is_a(&self, repository_id: &str) -> bool {
        self.repository_id == repository_id
            || self.bases.contains(&repository_id)
            || repository_id == OBJECT_ID
    }
}
