//! The project's chores: `cargo xtask <chore>`.
//!
//! - `peers` installs the ORBs that Taut is tested against, and builds the
//!   programs that run on them.
//! - `tonic` builds and tests the program that makes calls by tonic.
//! - `ci` checks everything that must hold before a change is accepted; with `--quick`, what
//!   fails most often.
//! - `codegen` makes what is committed and generated anew, or checks it.
//! - `code-size` weighs generated stubs and skeletons in both marshaling strategies.
//! - `shapes` checks the ORB without what small ones leave out.
//! - `footprint` weighs a client and a server in each of these shapes.
//! - `asan` runs what is unsafe under AddressSanitizer.
//! - `tsan` runs tests in which threads meet under ThreadSanitizer.
//! - `steady` runs the tests that count again and again on a busy machine.
//! - `deadlines` measures how late calls end that stall.
//! - `language` finds sentences without a subject and retired names.
//! - `loom` runs lock-free code in every order of events.
//! - `corpus` examines IDL that others wrote and writes `docs/corpus.md`.
//! - `interop` tests against other ORBs and writes `docs/interop.md`.
//! - `capture` captures the traffic of these tests and has Wireshark judge it.
//! - `package` makes the packages of the crates that are published, and compiles them.
//! - `bench` runs the benchmarks, with the peers built first when it can.
//!
//! Chores run on the build machine and are no part of what is shipped.

mod bench;
mod capture;
mod ci;
mod code_size;
mod codegen;
mod command;
mod corpus;
mod debian_packages;
mod footprint;
mod freshness;
mod interop;
mod jacorb;
mod language;
mod loom;
mod package;
#[cfg(test)]
mod pages;
mod peers;
mod sanitize;
mod second_run;
mod shapes;
mod steady;
mod tonic;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::ci::Lane;
use crate::workspace::Workspace;

/// The project's chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install omniORB where it is missing, fetch JacORB, and build the programs
    /// that use them; fetch the corpus of IDL.
    Peers,
    /// Check, test and build the program that makes calls by tonic, for `bench async`; it is a
    /// workspace of its own.
    Tonic,
    /// Check everything that must hold before a change is accepted, and tell how long
    /// each step takes.
    Ci {
        /// Leave out what takes long and rarely fails: optimized builds, the corpus, the
        /// shapes, the orders of events, Wireshark, and the size of generated code.
        #[arg(long)]
        quick: bool,
    },
    /// Make expected models, diagnostics, generated Rust and the pages' examples
    /// anew. Read the difference before it is committed.
    Codegen {
        /// Change nothing; fail if something would change.
        #[arg(long)]
        check: bool,
    },
    /// Weigh the stub and the skeleton of each operation of the papers' `Param_Test`,
    /// marshaled by code and by table, optimized.
    CodeSize {
        /// Fail if tables do not save what they shall.
        #[arg(long)]
        check: bool,
    },
    /// Check the ORB in each of its shapes: full and minimal.
    Shapes,
    /// Weigh a client and a server in each shape of the ORB, and the same with
    /// omniORB; write docs/footprint.md and target/footprint.json.
    Footprint {
        /// Write no page.
        #[arg(long)]
        print: bool,
    },
    /// Run the tests of what is unsafe under AddressSanitizer, with the nightly
    /// toolchain.
    Asan,
    /// Run the tests in which threads meet under ThreadSanitizer, with the nightly
    /// toolchain.
    Tsan,
    /// Run each test that counts something again and again, beside a busy loop for each
    /// CPU.
    Steady {
        /// The runs of each test.
        #[arg(long, default_value_t = 50)]
        times: u32,
        /// The package or the test that is run, instead of all.
        only: Option<String>,
    },
    /// Show how late calls end that have 200 ms and stall: at a name service, at full
    /// backlogs, at a peer that takes or says nothing, or too little.
    Deadlines {
        /// The calls of each kind.
        #[arg(long, default_value_t = 20)]
        times: u32,
    },
    /// Find sentences that begin with What, Who or Whoever, and names that the glossary
    /// has retired; fail unless there are as many as xtask/language-baseline.toml says.
    Language,
    /// Run the tests of lock-free code in every order of events.
    Loom,
    /// Check IDL that others wrote, compile the Rust that comes of it, compare
    /// with omniidl, and write docs/corpus.md.
    Corpus {
        /// Change nothing; fail if the page would say something else, times aside.
        #[arg(long)]
        check: bool,
    },
    /// Run the tests against other ORBs and write docs/interop.md.
    Interop {
        /// Change nothing; fail if the page would say something else.
        #[arg(long)]
        check: bool,
    },
    /// Capture the traffic of the tests against other ORBs, in a network of their
    /// own, and have Wireshark judge what Taut sent.
    Capture {
        /// Those against JacORB as well, which take most of a minute.
        #[arg(long)]
        all: bool,
        /// This is the part inside the network.
        #[arg(long, hide = true)]
        inside: bool,
    },
    /// Make the package of each crate that is published, unpack it and compile it. Nothing is
    /// published.
    Package {
        /// Also package files that are not committed.
        #[arg(long)]
        allow_dirty: bool,
    },
    /// Run the benchmarks, optimized; arguments go to `taut-bench`. `page` runs what one
    /// page shows, and writes it; `render` makes the tables of `docs/performance.md`.
    Bench {
        /// Arguments of `taut-bench`; or `page` and those of its `table`, such as `--quick`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let workspace = Workspace::locate();
    let done = match Arguments::parse().chore {
        Chore::Peers => peers::run(&workspace),
        Chore::Tonic => tonic::run(&workspace),
        Chore::Ci { quick } => ci::run(&workspace, if quick { Lane::Quick } else { Lane::Full }),
        Chore::Codegen { check } => codegen::run(&workspace, check),
        Chore::CodeSize { check } => code_size::run(&workspace, check),
        Chore::Shapes => shapes::run(&workspace, shapes::Tests::All),
        Chore::Footprint { print } => footprint::run(&workspace, !print),
        Chore::Steady { times, only } => steady::run(&workspace, times, only.as_deref()),
        Chore::Deadlines { times } => bench::deadlines(&workspace, times),
        Chore::Language => language::run(&workspace),
        Chore::Loom => loom::run(&workspace),
        Chore::Asan => sanitize::addresses(&workspace),
        Chore::Tsan => sanitize::threads(&workspace),
        Chore::Corpus { check } => corpus::run(&workspace, check),
        Chore::Interop { check } => interop::run(&workspace, check),
        Chore::Capture { all, inside: true } => capture::run_inside(&workspace, all),
        Chore::Capture { all, inside: false } => capture::run(&workspace, all),
        Chore::Package { allow_dirty } => package::run(&workspace, allow_dirty),
        Chore::Bench { arguments } => bench::run(&workspace, &arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
