//! Shared connections: what only these do. The rest holds in the mode `shared`.

mod fragments;
mod half_close;
mod multiplexing;
mod sharing;

use crate::common::mode::Mode;

const MODE: Mode = Mode::shared();
