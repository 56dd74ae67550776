//! The tests of what messages and references are explained as.

mod explain;
