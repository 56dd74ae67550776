//! The faults of stores.

use std::fmt;

/// The reason for which a store cannot be opened, read or written, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    message: String,
    may_be_done: bool,
    is_unreachable: bool,
}

impl StoreError {
    /// A fault that has left the store as it was.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            may_be_done: false,
            is_unreachable: false,
        }
    }

    /// A fault of the way to a store that is elsewhere, which may be there again in a moment.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self {
            is_unreachable: true,
            ..Self::new(message)
        }
    }

    /// A fault after which a change may be in the store or not.
    #[must_use]
    pub fn after_commit(mut self) -> Self {
        self.may_be_done = true;
        self
    }

    /// Whether the change that failed may be in the store all the same.
    pub fn may_be_done(&self) -> bool {
        self.may_be_done
    }

    /// Whether the store is elsewhere and does not answer.
    pub fn is_unreachable(&self) -> bool {
        self.is_unreachable
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}
