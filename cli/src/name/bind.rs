//! `taut name bind`.

use clap::ValueHint;
use taut_naming::{NameComponent, NamingContext};

use super::failure::{Refusal, attempt};
use super::path;
use super::record::tell_event;
use super::service::{self, Service};
use crate::failure::Failure;

/// Bind a name to an object
///
/// Fails if the name is bound already, unless --rebind is given, and if a context on the way is
/// missing, unless --parents is given. The object itself is not called, except by --context.
#[derive(Debug, clap::Args)]
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
