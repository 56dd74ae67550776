//! The tests of scheduling: by an oracle, by examples of the literature, by data.

mod oracle;
