//! `taut ifr`: interface repositories.

mod serve;

use clap::Subcommand;

use crate::failure::Failure;

/// Be an interface repository: what tells clients of IDL at run time
///
/// Any ORB's clients can ask it (CORBA 3.3 part 1, chapter 14).
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  taut ifr serve bank.idl
  taut ifr serve --store /var/lib/taut/interfaces
  taut describe --ifr=corbaloc::example.com:2810/InterfaceRepository @/var/run/bank.ior")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Arguments),
}

/// Runs the command.
///
/// # Errors
///
/// When the repository cannot be started or filled.
pub(crate) fn run(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    match &arguments.command {
        Command::Serve(serve) => serve::run(serve, orb_arguments),
    }
}
