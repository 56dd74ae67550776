//! `taut name bind`.

use std::time::Duration;

use clap::ValueHint;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use taut::ObjectRef;
use taut_naming::{LeaseKeeper, NameComponent, NamingContext};

use super::failure::{Refusal, attempt};
use super::path;
use super::record::tell_event;
use super::service::{self, Service};
use crate::failure::Failure;
use crate::output;

/// Bind a name to an object
///
/// Fails if the name is bound already, unless --rebind is given, and if a context on the way is
/// missing, unless --parents is given. The object itself is not called, except by --context.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut name bind bank/main @branch.ior
  taut name bind --lease 10s --rebind bank/main @branch.ior")]
pub(super) struct Arguments {
    /// The name
    #[arg(value_hint = ValueHint::Other)]
    name: String,
    /// The object: IOR:…, corbaloc:…, corbaname:…, @FILE, or - for standard input
    reference: String,
    /// Replace the binding if there is one
    #[arg(long)]
    rebind: bool,
    /// Create the contexts on the way that are missing
    #[arg(long)]
    parents: bool,
    /// Bind the object as a naming context, so that names lead through it
    #[arg(long)]
    context: bool,
    /// Bind the name for this time, such as 10s, and renew it until the command ends; when the
    /// command is killed, the name vanishes within that time. Taut's naming service has leases
    #[arg(long, value_name = "TIME", conflicts_with = "context",
          value_parser = humantime::parse_duration, value_hint = ValueHint::Other)]
    lease: Option<Duration>,
}

impl Arguments {
    /// Whether the command goes on until it is told to end.
    pub(super) fn has_lease(&self) -> bool {
        self.lease.is_some()
    }
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let name = path::parse(&arguments.name)?;
    let object = service.object(&arguments.reference)?;
    let context = match arguments.context {
        true => Some(service::context(&object, "the reference")?),
        false => None,
    };
    if arguments.parents {
        make_parents(service, &name)?;
    }
    if let Some(time) = arguments.lease {
        let lease = Lease {
            time,
            replaces: arguments.rebind,
        };
        return hold(service, &name, &object, lease, is_json);
    }
    let root = &service.root;
    let result = match (context, arguments.rebind) {
        (None, false) => root.bind(&name, Some(&object)).map_err(Refusal::from),
        (None, true) => root.rebind(&name, Some(&object)).map_err(Refusal::from),
        (Some(it), false) => root.bind_context(&name, Some(&it)).map_err(Refusal::from),
        (Some(it), true) => root.rebind_context(&name, Some(&it)).map_err(Refusal::from),
    };
    attempt(&name, result)?;
    match is_json {
        true => tell_event("bound", &name),
        false => Ok(()),
    }
}

/// The lease upon which a name is bound.
struct Lease {
    time: Duration,
    replaces: bool,
}

/// Keeps a name bound until a signal ends the command.
fn hold(
    service: &Service,
    name: &[NameComponent],
    object: &ObjectRef,
    Lease { time, replaces }: Lease,
    is_json: bool,
) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(Failure::new)?;
    let lease = LeaseKeeper::start(&service.root, time).map_err(Failure::new)?;
    let bound = match replaces {
        false => lease.bind(name, object).map_err(Refusal::from),
        true => lease.rebind(name, object).map_err(Refusal::from),
    };
    attempt(name, bound)?;
    match is_json {
        true => tell_event("bound", name)?,
        false => output::write(&format!(
            "\"{}\" is bound until this command ends, and {} s at most if it is killed\n",
            path::format(name),
            lease.time().as_secs()
        ))?,
    }
    signals.forever().next();
    lease.end().map_err(Failure::new)
}

/// Makes the contexts that lead to a name. Whatever is bound on the way is
/// left alone; if it is no context, binding the name will tell.
fn make_parents(service: &Service, name: &[NameComponent]) -> Result<(), Failure> {
    for length in 1..name.len() {
        let parent = name.get(..length).unwrap_or_default();
        let made = service.root.bind_new_context(parent);
        match made.map_err(Refusal::from) {
            Ok(_) | Err(Refusal::AlreadyBound) => {}
            Err(refusal) => attempt(parent, Err(refusal))?,
        }
    }
    Ok(())
}
