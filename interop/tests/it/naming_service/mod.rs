//! Taut's naming service beside those of omniORB and JacORB.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod cases;
mod differences;
mod federation;
mod jacorb;
mod services;
mod table;
