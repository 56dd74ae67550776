//! `taut name import`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};

use clap::ValueHint;

use super::path;
use super::record::{Binder, from_json};
use super::service::Service;
use crate::failure::Failure;
use crate::input::{STANDARD_INPUT, cannot_read};
use crate::output::visible;

/// Bind the names that taut name export has written
///
/// Names that are bound to the same already are left alone, so that an import that was interrupted
/// can be repeated. A name that is bound to another object ends it, unless --replace is given.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file; - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    file: String,
    /// The name of the context to bind them in; by default the context of --ns
    #[arg(value_hint = ValueHint::Other)]
    name: Option<String>,
    /// Replace what is bound to another object
    #[arg(long)]
    replace: bool,
    /// Give up at a line with more octets than this
    #[arg(long, value_name = "OCTETS", default_value_t = 1 << 20, value_hint = ValueHint::Other)]
    max_line: u64,
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let context = match &arguments.name {
        Some(name) => service.context(&path::parse(name)?)?,
        None => service.root.clone(),
    };
    let place = match arguments.file.as_str() {
        STANDARD_INPUT => "standard input".into(),
        path => visible(path),
    };
    let mut reader: Box<dyn BufRead> = match arguments.file.as_str() {
        STANDARD_INPUT => Box::new(stdin().lock()),
        path => {
            let file = File::open(path).map_err(|error| cannot_read(&place, &error))?;
            Box::new(BufReader::new(file))
        }
    };
    let place_of = |number, message: &str| format!("{place}, line {number}: {message}");
    let mut binder = Binder::new(&context, arguments.replace);
    let mut line = String::new();
    for number in 1_u64.. {
        line.clear();
        let read = (&mut reader).take(arguments.max_line).read_line(&mut line);
        let read = read.map_err(|error| cannot_read(&place, &error))?;
        if read == 0 {
            break;
        }
        let at = |message: &str| Failure::Message(place_of(number, message));
        if read as u64 == arguments.max_line && !line.ends_with('\n') {
            let most = arguments.max_line;
            return Err(at(&format!(
                "it has more than {most} octets; --max-line allows more"
            )));
        }
        if line.trim().is_empty() {
            continue;
        }
        let record = from_json(&line, service).map_err(|message| at(&message))?;
        let bound = binder.bind(&record);
        bound.map_err(|failure| failure.reworded(|message| place_of(number, message)))?;
    }
    binder.tell(is_json)
}
