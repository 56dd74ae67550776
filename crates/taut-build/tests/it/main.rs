//! The tests of generated Rust and of the options that change it.

mod by_table;
mod config;
mod limits;
mod options;
mod snapshots;
mod standard;
