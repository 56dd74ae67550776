//! The cases in which the naming services of others do not do what the standard says.

/// The service, the case and its end there.
pub(super) const DIFFERENCES: &[(&str, &str, &str)] = &[];
