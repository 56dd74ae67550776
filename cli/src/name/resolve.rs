//! `taut name resolve`.

use clap::ValueHint;
use taut::transport_api::Protocols;
use taut_explain::ReadAddress;

use super::path;
use super::service::Service;
use crate::failure::Failure;
use crate::{ior, output};

/// Print the reference that a name is bound to
///
/// Writes the stringified reference or, with --explain or --json, its content.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name
    #[arg(value_hint = ValueHint::Other)]
    name: String,
    /// Explain the reference, as taut ior does
    #[arg(long)]
    explain: bool,
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let object = service.resolve(&path::parse(&arguments.name)?)?;
    if arguments.explain || is_json {
        let protocols = Protocols::default();
        let read_address: ReadAddress<'_> = &|tag, data| protocols.read_address(tag, data);
        let facts = taut_explain::reference_with(object.ior(), read_address);
        return ior::show(&facts, is_json);
    }
    Ok(output::write(&format!("{object}\n"))?)
}
