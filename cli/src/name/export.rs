//! `taut name export`.

use std::io::{BufWriter, Write, stdout};

use clap::ValueHint;

use super::path;
use super::record::{Records, to_json};
use super::service::Service;
use crate::failure::Failure;

/// Write all names below a context and what they are bound to, as lines of JSON
///
/// taut name import binds them again, in this service or another one. A context that has several
/// names is written once; the other names refer to the first one by same_as.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of the context; by default the context of --ns
    #[arg(value_hint = ValueHint::Other)]
    name: Option<String>,
    /// Give up when there are more names than this
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000, value_hint = ValueHint::Other)]
    max_names: usize,
}

pub(super) fn run(service: &Service, arguments: &Arguments) -> Result<(), Failure> {
    let context = match &arguments.name {
        Some(name) => service.context(&path::parse(name)?)?,
        None => service.root.clone(),
    };
    let mut output = BufWriter::new(stdout().lock());
    let mut write = |record| Ok(writeln!(output, "{}", to_json(&record))?);
    Records::new(arguments.max_names, &|_| false, &mut write).run(&context)?;
    Ok(output.flush()?)
}
