//! `taut name resolve`.

use super::path;
use super::service::Service;
use crate::failure::Failure;
use crate::{ior, output};

/// Print the reference that a name is bound to
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name
    name: String,
    /// Explain the reference, as `taut ior` does
    #[arg(long)]
    explain: bool,
    /// Explain the reference as JSON, as `taut ior --json` does
    #[arg(long)]
    json: bool,
}

pub(super) fn run(service: &Service, arguments: &Arguments) -> Result<(), Failure> {
    let object = service.resolve(&path::parse(&arguments.name)?)?;
    if arguments.explain || arguments.json {
        return ior::show(&taut_explain::reference(object.ior()), arguments.json);
    }
    Ok(output::write(&format!("{object}\n"))?)
}
