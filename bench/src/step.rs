//! The description of a step of a call, for programs that measure it and for those that
//! show it.

use serde::{Deserialize, Serialize};

/// Which side of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    Client,
    Server,
}

/// Whose time a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Whose {
    Orb,
    System,
    Servant,
    /// All steps together.
    Whole,
}
