//! The tests of the bank, as its page tells of it.

mod names;
mod walkthrough;
