//! The cases: operations that are called, and transports.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The operation that is called, as its client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// No arguments, no result.
    Void,
}

impl Case {
    /// Its name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
        }
    }
}

/// The transport of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Transport {
    /// TCP over the loopback interface, with `TCP_NODELAY`.
    Tcp,
    /// Unix-domain sockets.
    Unix,
    /// None: caller and object are in one process.
    #[value(skip)]
    Local,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "tcp",
            Self::Unix => "unix",
            Self::Local => "local",
        })
    }
}
