//! The command line.

use std::ffi::OsString;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use tracing::Level;

use crate::{call, completions, giop, idl, ifr, ior, manual, name, ping, schedule};

/// Look into CORBA systems: references, traffic, IDL, schedules, objects, naming services
///
/// Explains object references and captured GIOP traffic, checks IDL and generates Rust from it,
/// analyzes schedules, calls objects, lists and changes naming services. It works with any ORB.
#[derive(Debug, Parser)]
#[command(name = "taut", version, arg_required_else_help = true)]
#[command(after_help = "\
Exit status: 0 on success, 1 when something failed, 2 when the command line is wrong.

Arguments that begin with -ORB configure the ORB, such as -ORBInitRef NameService=URL. More of
them are taken from the environment variable TAUT_ORB_ARGUMENTS.

Examples:
  taut ior @/var/run/bank.ior
  taut giop --idl bank.idl traffic.pcapng
  taut idl check -I idl bank.idl
  taut schedule report avionics.toml
  taut call --idl bank.idl @/var/run/bank.ior deposit amount=100
  taut name list --ns corbaloc::example.com/NameService")]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Log to standard error what the ORB does, such as the addresses that it tries; -vv logs
    /// more. The environment variable RUST_LOG selects events more finely
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ior(ior::Arguments),
    Giop(giop::Arguments),
    Idl(idl::Arguments),
    Ifr(ifr::Arguments),
    Schedule(schedule::Arguments),
    Call(call::Arguments),
    Describe(call::describe::Arguments),
    Ping(ping::Arguments),
    Name(name::Arguments),
    Completions(completions::Arguments),
    Man(manual::Arguments),
}

impl Command {
    /// The events that are shown beside those that `--verbose` and `RUST_LOG` choose.
    pub(crate) fn events(&self) -> &'static [(&'static str, Level)] {
        match self {
            Self::Name(arguments) => arguments.events(),
            _ => &[],
        }
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// When a terminal shows them
    Auto,
    /// Also in files and pipes
    Always,
    /// Not at all
    Never,
}

impl Color {
    /// Sets the choice for everything that is written from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Takes the ORB's arguments, each `-ORB…` and its value, from the others.
/// Behind `--` nothing is the ORB's.
pub(crate) fn divide(arguments: impl Iterator<Item = OsString>) -> (Vec<String>, Vec<OsString>) {
    let mut for_orb = Vec::new();
    let mut others = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--") => {
                others.push(argument);
                others.extend(arguments);
                break;
            }
            Some(text) if text.starts_with("-ORB") => {
                for_orb.push(text.to_owned());
                let value = arguments.next();
                for_orb.extend(value.map(|value| value.to_string_lossy().into_owned()));
            }
            _ => others.push(argument),
        }
    }
    (for_orb, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn the_arguments_of_the_orb_are_taken_out() {
        let line = "taut name -ORBInitRef A=b list -- -ORBInitRef x";
        let (for_orb, others) = divide(line.split(' ').map(OsString::from));
        assert_eq!(for_orb, ["-ORBInitRef", "A=b"]);
        assert_eq!(others, ["taut", "name", "list", "--", "-ORBInitRef", "x"]);
    }
}
