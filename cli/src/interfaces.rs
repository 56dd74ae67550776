//! Interfaces of IDL files, for commands that serve or watch.

use std::path::PathBuf;

use clap::ValueHint;
use taut_dynamic::{InterfaceDescription, Interfaces};
use taut_idl::Options;

use crate::failure::Failure;
use crate::idl;
use crate::output::visible;

/// The IDL, where there may be none.
#[derive(Debug, clap::Args)]
pub(crate) struct Sources {
    /// Take operations and types from this IDL file; repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) idl: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) include: Vec<PathBuf>,
}

/// Reads the interfaces of IDL files.
///
/// # Errors
///
/// When the IDL is wrong.
pub(crate) fn read(files: &[PathBuf], include: &[PathBuf]) -> Result<Interfaces, Failure> {
    if files.is_empty() {
        return Ok(Interfaces::default());
    }
    let options = Options {
        include_paths: include.to_vec(),
        ..Options::default()
    };
    let compilation = idl::compile_without_errors(files, &options)?;
    Ok(Interfaces::new(&compilation.model))
}

/// Returns an interface by its scoped name or its repository id.
///
/// # Errors
///
/// When the IDL has none of this name.
pub(crate) fn find<'i>(
    interfaces: &'i Interfaces,
    name: &str,
) -> Result<&'i InterfaceDescription, Failure> {
    interfaces.find(name).ok_or_else(|| {
        let known: Vec<_> = interfaces.all().iter().map(|one| &*one.name).collect();
        let known = match known.is_empty() {
            true => "no interface".to_owned(),
            false => known.join(", "),
        };
        let name = visible(name);
        Failure::Message(format!("the IDL has no interface {name}: it has {known}"))
    })
}
