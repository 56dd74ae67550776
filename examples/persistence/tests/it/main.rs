//! The test of the demonstration, as its page shows it.

mod demonstration;
