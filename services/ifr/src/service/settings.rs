//! The limits of an interface repository.

use crate::contents::ContentLimits;

/// The limits of an interface repository, and whether clients may change definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepositorySettings {
    /// Whether every change by a client is refused with NO_PERMISSION.
    pub is_read_only: bool,
    /// The most definitions, types without names among them; further ones are refused with
    /// IMP_LIMIT.
    pub max_definitions: usize,
    /// How deeply containers may nest; more is refused with IMP_LIMIT.
    pub max_nesting: usize,
    /// The most octets of a name, a repository id, a version or the name of a context, in UTF-8;
    /// more are refused with IMP_LIMIT.
    pub max_name_octets: usize,
}

impl Default for RepositorySettings {
    fn default() -> Self {
        Self {
            is_read_only: false,
            max_definitions: 1_000_000,
            max_nesting: 64,
            max_name_octets: 4096,
        }
    }
}

impl RepositorySettings {
    pub(super) fn limits(&self) -> ContentLimits {
        ContentLimits {
            definitions: self.max_definitions,
            nesting: self.max_nesting,
            name_octets: self.max_name_octets,
        }
    }
}
