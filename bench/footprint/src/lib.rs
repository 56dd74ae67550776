//! The parts that the client and the server of the footprint table share. `cargo xtask
//! footprint` builds them for each shape of the ORB and weighs them; the same in C++ for
//! omniORB lies in `omniorb/`.

#![allow(missing_docs, reason = "the IDL has no comments")]

use std::io;

taut::include_idl!("greeter");

/// Waits until somebody has looked at the process: for a line, or the end of input.
pub fn wait() {
    let _ = io::stdin().read_line(&mut String::new());
}
