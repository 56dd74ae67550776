//! `taut-bench`: measures Taut beside raw sockets and other ORBs.
//!
//! For each mode, which says what runs on which CPU, the [`driver`] starts one
//! server and one client of every system, and lets the clients take turns. All
//! of them speak the driver's [`protocol`], on standard input and output; the
//! [`programs`] of raw sockets and of Taut are hidden commands of this one.
//!
//! - [`case`], [`system`] and [`placement`] say what is measured: the
//!   operation, who runs it, and where;
//! - [`peer`] is a program that was started, [`raw`] the baseline, and
//!   [`mod@taut`] what is compared with it;
//! - [`driver`] has each [`client`] take its turns, and a module for each command, named
//!   like it ([`goals`] is the command `table`, [`asynchronous`] `async`), says which;
//!   [`options`] are those that several commands have;
//! - [`statistics`] and [`distribution`] make few numbers of many, [`record`] keeps them
//!   and [`render`] shows them.
//!
//! Not here: assertions. Timing is measured and read; what a test may assert
//! are counts, and those are asserted where the code is that they are about.

#[cfg(feature = "probes")]
mod allocation;
mod allocations;
mod asynchronous;
mod attacker;
mod attacks;
mod case;
mod client;
mod collocation;
mod connections;
mod deadlines;
#[cfg(feature = "probes")]
mod demux;
mod dii;
mod distribution;
mod drawing;
mod driver;
mod epoll;
mod error;
mod footprint;
mod giop;
mod goals;
mod idle;
mod jitter;
mod machine;
mod many;
mod naming;
mod options;
mod page;
mod param_test;
mod peer;
mod ping;
mod placement;
mod probes;
mod programs;
mod protocol;
mod protocols;
mod raw;
mod raw_flood;
mod real_time;
mod record;
mod relay;
mod render;
mod scalability;
mod scheduled;
mod soak;
mod soak_peers;
mod startup;
mod statistics;
mod step;
mod strategies;
mod system;
mod taut;
mod threads;
mod waiting;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::error::BenchError;

/// Measures Taut beside raw sockets and other ORBs.
#[derive(Parser)]
#[command(name = "taut-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The latency of the smallest two-way call.
    Ping(ping::Arguments),
    /// The latency of the smallest two-way call while many connections are open.
    Connections(connections::Arguments),
    /// The calls of a second when many are under way at once over one connection.
    #[command(name = "async")]
    Asynchronous(asynchronous::Arguments),
    /// How far the latencies of the smallest two-way call lie apart.
    Jitter(jitter::Arguments),
    /// A call of high priority every few milliseconds while others flood its server.
    RealTime(real_time::Arguments),
    #[command(flatten)]
    OfRealTime(real_time::Program),
    /// Names that naming services find and bind, beside how many others.
    Naming(naming::Arguments),
    #[command(flatten)]
    OfNaming(naming::Program),
    /// How soon a server is there, and what an object, a connection and a thread take.
    Startup(startup::Arguments),
    #[command(flatten)]
    OfStartup(startup::Program),
    /// Each kind of parameter marshaled by table beside the same by code.
    ParamTest(param_test::Arguments),
    #[command(flatten)]
    OfParamTest(param_test::Program),
    /// The time of each step of a call, on both sides.
    Probes(probes::Arguments),
    /// The memory of connections that lie idle.
    Idle(idle::Arguments),
    /// Whether memory, threads or descriptors leak in many calls and connections.
    Soak(soak::Arguments),
    /// The throughput that a client keeps while others attack the server.
    Attacks(attacks::Arguments),
    /// The latency of a call to one of many servants.
    Scalability(scalability::Arguments),
    /// The time of a call to a servant in the caller's own process.
    Collocation(collocation::Arguments),
    /// How long calls with a deadline take that stall.
    Deadlines(deadlines::Arguments),
    /// The cost of finding POA, object and operation.
    #[cfg(feature = "probes")]
    Demux(demux::Arguments),
    /// The throughput that threads which call at the same time leave each other.
    Threads(threads::Arguments),
    /// Every kind of call beside raw sockets, omniORB and its goal.
    Table(goals::Arguments),
    /// The latency of the smallest two-way call by how both sides wait.
    Waiting(waiting::Arguments),
    /// Deadlines that the analysis says are kept, beside ever more work without deadlines.
    Scheduled(scheduled::Arguments),
    /// Calls without generated code beside those of stubs and skeletons.
    Dii(dii::Arguments),
    #[command(flatten)]
    OfDii(dii::Program),
    /// Calls by messages of GIOPlite beside those by messages of GIOP.
    Protocols(protocols::Arguments),
    /// Calls marshaled by table beside those marshaled by code.
    Strategies(strategies::Arguments),
    /// The time of getting and returning buffers of messages, from the thread's pool and
    /// the global allocator.
    #[cfg(feature = "probes")]
    Allocation(allocation::Arguments),
    /// The tables of `docs/performance.md`, made of the records in `docs/measurements`.
    Render(page::Arguments),
    #[command(flatten)]
    Hidden(programs::Program),
}

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    if cfg!(feature = "probes") && command.is_some_and(|it| is_slowed_by_probes(&it)) {
        eprintln!(
            "taut-bench: built with probes, for which each call takes longer; \
             `cargo xtask bench` builds it as it is to be measured"
        );
    }
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taut-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether somebody asks for this command, and probes make slower what it measures.
fn is_slowed_by_probes(command: &str) -> bool {
    let arguments = Arguments::command();
    let found = arguments.find_subcommand(command);
    !matches!(command, "probes" | "demux" | "allocation" | "render")
        && found.is_some_and(|found| !found.is_hide_set())
}

fn run(command: Command) -> Result<(), BenchError> {
    match command {
        Command::Ping(arguments) => ping::run(&arguments),
        Command::Connections(arguments) => connections::run(&arguments),
        Command::Asynchronous(arguments) => asynchronous::run(&arguments),
        Command::Jitter(arguments) => jitter::run(&arguments),
        Command::RealTime(arguments) => real_time::run(&arguments),
        Command::OfRealTime(program) => program.run(),
        Command::Naming(arguments) => naming::run(&arguments),
        Command::OfNaming(program) => program.run(),
        Command::Startup(arguments) => startup::run(&arguments),
        Command::OfStartup(program) => program.run(),
        Command::ParamTest(arguments) => param_test::run(&arguments),
        Command::OfParamTest(program) => program.run(),
        Command::Probes(arguments) => probes::run(&arguments),
        Command::Idle(arguments) => idle::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Attacks(arguments) => attacks::run(&arguments),
        Command::Scalability(arguments) => scalability::run(&arguments),
        Command::Collocation(arguments) => collocation::run(&arguments),
        Command::Deadlines(arguments) => deadlines::run(&arguments),
        #[cfg(feature = "probes")]
        Command::Demux(arguments) => demux::run(&arguments),
        Command::Threads(arguments) => threads::run(&arguments),
        Command::Table(arguments) => goals::run(&arguments),
        Command::Waiting(arguments) => waiting::run(&arguments),
        Command::Scheduled(arguments) => scheduled::run(&arguments),
        Command::Dii(arguments) => dii::run(&arguments),
        Command::OfDii(program) => program.run(),
        Command::Protocols(arguments) => protocols::run(&arguments),
        Command::Strategies(arguments) => strategies::run(&arguments),
        #[cfg(feature = "probes")]
        Command::Allocation(arguments) => allocation::run(&arguments),
        Command::Render(arguments) => page::run(&arguments),
        Command::Hidden(program) => program.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn probes_slow_what_is_measured_without_them() {
        assert!(is_slowed_by_probes("ping") && is_slowed_by_probes("table"));
        for other in ["probes", "table-server", "table-client", "nothing"] {
            assert!(!is_slowed_by_probes(other), "{other}");
        }
    }

    #[test]
    fn commands_have_the_defaults_that_their_results_were_made_with() {
        let mut program = Arguments::command();
        program.build();
        for (command, option, expected) in [
            ("ping", "calls", "20000"),
            ("ping", "rounds", "9"),
            ("probes", "calls", "20000"),
            ("strategies", "calls", "5000"),
            ("dii", "rounds", "9"),
            ("dii", "calls", "2000"),
            ("protocols", "calls", "10000"),
            ("protocols", "rounds", "9"),
            ("attacks", "calls", "30000"),
            ("async", "rounds", "9"),
            ("async", "turn_ms", "300"),
            ("real-time", "rounds", "3"),
            ("real-time", "period_us", "5000"),
            ("naming", "rounds", "7"),
            ("naming", "turn_ms", "300"),
            ("jitter", "rounds", "20"),
            ("jitter", "calls", "1000000"),
            ("threads", "rounds", "7"),
            ("table", "rounds", "15"),
            ("scalability", "rounds", "25"),
            ("scalability", "calls", "4000"),
            ("scalability", "time_out_s", "120"),
            ("scheduled", "seconds", "600"),
            ("scheduled", "load", "8"),
        ] {
            let found = program.find_subcommand(command).unwrap();
            let mut options = found.get_arguments();
            let found = options.find(|it| it.get_id() == option).unwrap();
            assert_eq!(found.get_default_values(), [expected], "{command} {option}");
        }
    }
}
