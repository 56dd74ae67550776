//! `taut`, the command for operators of CORBA systems.
//!
//! - `taut ior` explains object references and URLs;
//! - `taut giop` explains captured traffic;
//! - `taut idl` checks IDL, makes Rust of it, shows its model, lays it out;
//! - `taut ifr` is an interface repository;
//! - `taut schedule` tells whether operations meet their deadlines, and is a scheduling service;
//! - `taut call` calls any operation of any object, `taut shell` many of them, `taut describe`
//!   lists its operations, and `taut ping` tells whether it can be reached;
//! - `taut mock` is an object that answers without an implementation, `taut record` writes the
//!   calls to an object, and `taut replay` makes them again;
//! - `taut name` lists and changes what a naming service knows;
//! - `taut completions` and `taut man` write the scripts with which shells complete the
//!   command line, and the manual.
//!
//! The command only presents: `taut_giop` reads references, `taut_traffic` captures and
//! `taut_idl` IDL, and `taut` makes calls. It ends with status 0 on success, 1 when what it
//! was asked for failed, and 2 when the command line is wrong.

mod arguments;
mod call;
mod completions;
mod explanation;
mod failure;
mod giop;
mod hex;
mod idl;
mod ifr;
mod input;
mod interfaces;
mod ior;
mod listed;
mod log;
mod manual;
mod mock;
mod name;
mod objects;
mod output;
#[cfg(all(test, has_pages))]
mod pages;
mod ping;
mod record;
mod reference_text;
mod replay;
mod schedule;
mod serving;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command};

fn main() -> ExitCode {
    let (orb_arguments, arguments) = arguments::divide(std::env::args_os());
    let cli = Cli::parse_from(arguments);
    cli.color.apply();
    log::start(cli.verbose, cli.command.events());
    let result = match cli.command {
        Command::Ior(arguments) => ior::run(&arguments),
        Command::Giop(arguments) => giop::run(&arguments),
        Command::Idl(arguments) => idl::run(&arguments),
        Command::Ifr(arguments) => ifr::run(&arguments, orb_arguments),
        Command::Schedule(arguments) => schedule::run(&arguments, orb_arguments),
        Command::Call(arguments) => call::run(&arguments, &orb_arguments),
        Command::Describe(arguments) => call::describe::run(&arguments, &orb_arguments),
        Command::Shell(arguments) => call::shell::run(&arguments, &orb_arguments),
        Command::Ping(arguments) => ping::run(&arguments, &orb_arguments),
        Command::Mock(arguments) => mock::run(&arguments, orb_arguments),
        Command::Record(arguments) => record::run(&arguments, &orb_arguments),
        Command::Replay(arguments) => replay::run(&arguments, &orb_arguments),
        Command::Name(arguments) => name::run(arguments, orb_arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => manual::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
