//! `taut name unbind`.

use clap::ValueHint;
use taut_naming::NamingContext;

use super::failure::{Refusal, attempt};
use super::path;
use super::record::tell_event;
use super::service::Service;
use crate::failure::Failure;

/// Remove a name
///
/// The object or context that the name is bound to continues to exist, unless --destroy ends the
/// context.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name
    #[arg(value_hint = ValueHint::Other)]
    name: String,
    /// First destroy the context that the name is bound to, which must be empty
    #[arg(long)]
    destroy: bool,
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let name = path::parse(&arguments.name)?;
    if arguments.destroy {
        // First, for the name must stay if the context has to.
        let context = service.context(&name)?;
        attempt(&name, context.destroy().map_err(Refusal::from))?;
        if is_json {
            tell_event("destroyed", &name)?;
        }
    }
    attempt(&name, service.root.unbind(&name).map_err(Refusal::from))?;
    match is_json {
        true => tell_event("unbound", &name),
        false => Ok(()),
    }
}
