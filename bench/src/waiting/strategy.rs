//! The strategies of waiting of each system.

use std::process::Command;

use clap::ValueEnum;
use serde::Serialize;

/// How both sides wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strategy {
    /// Raw sockets that block.
    Raw,
    /// Taut's `WaitStrategy::Block`.
    Block,
    /// `WaitStrategy::Adaptive`.
    Adaptive,
    /// `WaitStrategy::Spin`.
    Spin,
}

impl Strategy {
    /// Has a program on Taut wait so.
    pub(super) fn choose(self, program: &mut Command, further: &str) {
        let arguments = format!("-ORBWaitStrategy {self} {further}");
        program.env("TAUT_ORB_ARGUMENTS", arguments);
    }
}

crate::options::display_as_option!(Strategy);
