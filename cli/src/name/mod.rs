//! `taut name`: what a naming service knows.

mod bind;
mod check;
mod copy;
mod export;
mod failure;
mod import;
mod list;
mod listing;
mod liveness;
mod path;
mod record;
mod resolve;
mod serve;
mod service;
mod unbind;
mod walk;
mod watch;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use clap::{Subcommand, ValueHint};
use tracing::Level;

use crate::failure::Failure;
use crate::reference_text::ReadOptions;
use service::Service;

/// List and change the names in a naming service (CosNaming), or be one
///
/// Works with the naming service of any ORB, over GIOP. serve is a naming service itself.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
In a name, / separates components and a dot precedes the kind of a component. A /, . or \\ that
belongs to a component has a \\ before it, as in a/b.kind/c\\.d

The naming service is that of --ns or, without it, the initial reference NameService, which
-ORBInitRef and the environment variable TAUT_ORB_ARGUMENTS set.

Examples:
  taut name serve --store /var/lib/taut/names
  taut name list --ns corbaloc:iiop:1.2@example.com:2809/NameService
  taut name list -ORBInitRef NameService=corbaname::example.com#sub/context
  export TAUT_ORB_ARGUMENTS='-ORBInitRef NameService=corbaloc::example.com/NameService'")]
pub(crate) struct Arguments {
    /// Begin at this naming context: corbaloc:…, corbaname:…, IOR:…, @FILE, or - for standard input
    #[arg(long, value_name = "URL", global = true, value_hint = ValueHint::Other)]
    ns: Option<String>,
    /// Give up after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 30, global = true,
          value_hint = ValueHint::Other)]
    timeout: u32,
    /// Write JSON, for programs: a result, or an object a line; failures on standard error likewise
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    /// The events that are shown beside those that `--verbose` and `RUST_LOG` choose.
    pub(crate) fn events(&self) -> &'static [(&'static str, Level)] {
        match &self.command {
            Command::Serve(serve) => serve.events(),
            _ => &[],
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Resolve(resolve::Arguments),
    Bind(bind::Arguments),
    Unbind(unbind::Arguments),
    Tree(list::TreeArguments),
    Check(check::Arguments),
    Watch(watch::Arguments),
    Copy(copy::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
    Serve(serve::Arguments),
}

/// Runs the command.
///
/// # Errors
///
/// When the naming service cannot be asked, refuses, or does not answer in
/// time.
pub(crate) fn run(arguments: Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    let is_json = arguments.json;
    let result = run_in_time(arguments, orb_arguments);
    result.map_err(|failure| match is_json {
        true => failure.told_as_json(),
        false => failure,
    })
}

fn run_in_time(arguments: Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    if let Command::Serve(serve) = &arguments.command {
        return serve::run(serve, arguments.json, orb_arguments);
    }
    let seconds = arguments.timeout;
    // These end when they are told to.
    let is_endless = match &arguments.command {
        Command::Watch(_) => true,
        Command::Bind(bind) => bind.has_lease(),
        _ => false,
    };
    if seconds == 0 || is_endless {
        return ask(&arguments, orb_arguments);
    }
    // Calls wait as long as the service lets them. A thread that waits too long
    // ends with the process.
    let late = match &arguments.command {
        Command::List(list) if list.checks() => ALL_LATE,
        Command::Tree(tree) if tree.checks() => ALL_LATE,
        Command::Check(_) => ALL_LATE,
        Command::Copy(_) => "the naming services have not answered all calls",
        _ => "the naming service has not answered",
    };
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(ask(&arguments, orb_arguments)));
    match receive.recv_timeout(Duration::from_secs(seconds.into())) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(Failure::Message(format!(
            "{late} for {seconds} s; --timeout allows more"
        ))),
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Reported),
    }
}

/// The words for what is late where objects are asked besides the naming service.
const ALL_LATE: &str = "the naming service and the objects have not all answered";

fn ask(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    let json = arguments.json;
    if let Command::Copy(copy) = &arguments.command {
        return copy::run(copy, json, arguments.read, orb_arguments);
    }
    let service = Service::find(arguments.ns.as_deref(), arguments.read, orb_arguments)?;
    match &arguments.command {
        Command::List(arguments) => list::run(&service, arguments, json),
        Command::Resolve(arguments) => resolve::run(&service, arguments, json),
        Command::Bind(arguments) => bind::run(&service, arguments, json),
        Command::Unbind(arguments) => unbind::run(&service, arguments, json),
        Command::Tree(arguments) => list::run_tree(&service, arguments, json),
        Command::Check(arguments) => check::run(&service, arguments, json),
        Command::Watch(arguments) => watch::run(&service, arguments, json),
        Command::Export(arguments) => export::run(&service, arguments),
        Command::Import(arguments) => import::run(&service, arguments, json),
        // These have been run already, without a service to ask.
        Command::Copy(_) | Command::Serve(_) => Ok(()),
    }
}
