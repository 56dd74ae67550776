//! `taut`, the command for operators of CORBA systems.
//!
//! - `taut ior` explains object references and URLs;
//! - `taut giop` explains captured traffic;
//! - `taut idl` checks IDL, makes Rust of it, shows its model, lays it out;
//! - `taut name` lists and changes what a naming service knows.
//!
//! The command only presents: what references say is found out by `taut_giop`,
//! captures and IDL are read by `taut_traffic` and `taut_idl`, and calls are made by `taut`. It ends with status
//! 0 on success, 1 when what it was asked for failed, and 2 when it was asked
//! in a wrong way.

mod arguments;
mod explanation;
mod failure;
mod giop;
mod hex;
mod idl;
mod input;
mod ior;
mod log;
mod name;
mod output;
#[cfg(test)]
mod pages;
mod reference_text;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command};

fn main() -> ExitCode {
    let (orb_arguments, arguments) = arguments::divide(std::env::args_os());
    let cli = Cli::parse_from(arguments);
    cli.color.apply();
    log::start(cli.verbose);
    let result = match cli.command {
        Command::Ior(arguments) => ior::run(&arguments),
        Command::Giop(arguments) => giop::run(&arguments),
        Command::Idl(arguments) => idl::run(&arguments),
        Command::Name(arguments) => name::run(arguments, orb_arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
