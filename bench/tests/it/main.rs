//! The tests of `taut-bench`: each command from its arguments to its results. Nothing is asserted
//! about the times.

#[cfg(feature = "probes")]
mod allocation;
mod asynchronous;
mod attacks;
mod collocation;
#[cfg(feature = "probes")]
mod demux;
mod dii;
mod jitter;
mod naming;
mod param_test;
mod ping;
mod probes;
mod real_time;
mod scalability;
mod scheduled;
mod sharing;
mod soak;
mod startup;
mod strategies;
mod table;
mod waiting;
