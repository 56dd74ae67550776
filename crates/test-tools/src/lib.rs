//! Tools of tests and benchmarks: programs that a machine may not have, processes, relays.
//!
//! - [`tool`] finds a program that is installed, or says aloud that a test leaves out
//!   what needs it; [`found_or_left_out`] says so of anything else. Where all must be
//!   there, `TAUT_REQUIRE_PEERS=1` in the environment makes the absence of one a failure.
//! - [`InstructionCounter`] counts the instructions of programs and of functions in them,
//!   with valgrind, and lists those that they execute ([`Listing`]).
//! - [`in_own_process`] runs a test that needs a process to itself.
//! - [`code_blocks`] finds the code that a page prints, [`commands`] and
//!   [`named_commands`] the commands that it shows,
//!   [`pages`] the pages of a repository.
//! - [`Process`] is a started program, whose lines are read with a time-out; [`omniorb`] and
//!   [`jacorb`] find the programs that `cargo xtask peers` builds with other ORBs, [`tonic`] the
//!   one of `cargo xtask tonic`.
//! - [`Relay`] passes on what a client and a server send each other, and shows it.
//! - [`without_right_to_priorities`] runs a test as a user without privileges would.
//! - [`connections`] finds both ends of this process's connections to a port.
//! - [`EtcdCluster`] is members of etcd, which can be killed one by one.
//! - [`free_port`] finds a port for a server that is to have the same one in its next life.
//!
//! Not here: Taut, GIOP, and what is done with these tools.

mod code_blocks;
mod code_lines;
mod commands;
mod etcd;
mod instructions;
mod own_process;
mod pages;
mod peers;
mod port;
mod presence;
mod process;
mod relay;
mod rights;
mod sockets;

pub use code_blocks::{CodeBlock, code_blocks};
pub use code_lines::Listing;
pub use commands::{commands, named_commands};
pub use etcd::EtcdCluster;
pub use instructions::{CountError, Counted, InstructionCounter, beyond_linear, ignored_test};
pub use own_process::in_own_process;
pub use pages::{is_in_documentation, pages};
pub use peers::{jacorb, omniorb, tonic, workspace_root};
pub use port::free_port;
pub use presence::{found_or_left_out, on_path, tool};
pub use process::{Process, ProcessError};
pub use relay::{Direction, Relay};
pub use rights::without_right_to_priorities;
pub use sockets::{Connections, connections};
