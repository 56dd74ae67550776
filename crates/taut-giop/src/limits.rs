//! How many entries the lists in messages, references and names may have, and how long
//! some of these may be.

/// Limits for the lists whose length a peer chooses. A list beyond its limit is
/// refused with [`taut_cdr::ErrorKind::BoundExceeded`], which carries both
/// numbers; text with an error of its own kind, which names the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Service contexts of one message; 64 unless set.
    pub max_service_contexts: usize,
    /// Octets of the data of one service context; 65,536 unless set.
    pub max_service_context_octets: usize,
    /// Profiles of one reference; 32 unless set.
    pub max_profiles: usize,
    /// Components of one profile; 128 unless set.
    pub max_components: usize,
    /// Components of one name in its string form; 128 unless set.
    pub max_name_components: usize,
}

impl Limits {
    /// The limits that hold unless others are set.
    pub const DEFAULT: Self = Self {
        max_service_contexts: 64,
        max_service_context_octets: 64 * 1024,
        max_profiles: 32,
        max_components: 128,
        max_name_components: 128,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
