//! The tests of scheduling: by an oracle, by examples of the literature, by data.

mod build_time;
mod chains;
mod dispatcher;
mod examples;
mod file;
mod measured;
mod oracle;
mod schedule;
mod timeline;
