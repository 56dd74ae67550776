//! `taut name watch`.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use clap::ValueHint;
use serde_json::{Value, json};
use taut_naming::{NameComponent, NamingContextRef};

use super::path;
use super::record::{Bound, Record, Records, to_json};
use super::service::Service;
use crate::failure::Failure;
use crate::output;

/// Write a line for each name below a context that is bound, unbound or bound to something else
///
/// Looks at the names again and again, for naming services do not tell. A name that is bound and
/// unbound between two looks is not seen.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of the context; by default the context of --ns
    #[arg(value_hint = ValueHint::Other)]
    name: Option<String>,
    /// Look again after this many milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u64).range(1..))]
    interval_ms: u64,
    /// First write the names that there are
    #[arg(long)]
    initial: bool,
    /// End after this many lines
    #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other)]
    count: Option<u64>,
    /// Give up when there are more names than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_hint = ValueHint::Other)]
    max_names: usize,
}

/// The names of one look, by their ids and kinds.
type Seen = BTreeMap<Vec<(String, String)>, Record>;

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let context = match &arguments.name {
        Some(name) => service.context(&path::parse(name)?)?,
        None => service.root.clone(),
    };
    let mut lines = Lines {
        is_json,
        left: arguments.count,
    };
    let mut before = look(&context, arguments.max_names)?;
    if arguments.initial {
        lines.differences(&Seen::new(), &before)?;
    }
    let mut is_lost = false;
    while lines.left != Some(0) {
        thread::sleep(Duration::from_millis(arguments.interval_ms));
        match look(&context, arguments.max_names) {
            Ok(now) => {
                is_lost = false;
                lines.differences(&before, &now)?;
                before = now;
            }
            Err(failure) => match failure.message() {
                // Once for each time that the service is away.
                Some(message) if !std::mem::replace(&mut is_lost, true) => {
                    let warning = match is_json {
                        true => json!({ "warning": message }).to_string(),
                        false => format!("warning: {message}"),
                    };
                    output::complain(&format!("{warning}\n"));
                }
                Some(_) => {}
                None => return Err(failure),
            },
        }
    }
    Ok(())
}

fn look(context: &NamingContextRef, max_names: usize) -> Result<Seen, Failure> {
    let mut seen = Seen::new();
    let mut keep = |record: Record| {
        seen.insert(key(&record.name), record);
        Ok(())
    };
    Records::new(max_names, &|_| false, &mut keep).run(context)?;
    Ok(seen)
}

fn key(name: &[NameComponent]) -> Vec<(String, String)> {
    let components = name.iter();
    components
        .map(|one| (one.id.clone(), one.kind.clone()))
        .collect()
}

/// The lines that are written, up to a number.
struct Lines {
    is_json: bool,
    left: Option<u64>,
}

impl Lines {
    fn differences(&mut self, before: &Seen, now: &Seen) -> Result<(), Failure> {
        for (name, record) in before {
            if !now.contains_key(name) {
                self.line("unbound", record)?;
            }
        }
        for (name, record) in now {
            match before.get(name) {
                None => self.line("bound", record)?,
                Some(other) if other.bound != record.bound => self.line("rebound", record)?,
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn line(&mut self, event: &str, record: &Record) -> Result<(), Failure> {
        match &mut self.left {
            Some(0) => return Ok(()),
            Some(left) => *left -= 1,
            None => {}
        }
        if self.is_json {
            let Value::Object(mut fields) = to_json(record) else {
                return Ok(());
            };
            fields.insert("event".to_owned(), event.into());
            return Ok(output::write(&format!("{}\n", Value::Object(fields)))?);
        }
        let kind = match record.bound {
            Bound::Object(_) => "object ",
            _ => "context",
        };
        let name = path::format(&record.name);
        Ok(output::write(&format!("{event:<7}  {kind}  {name}\n"))?)
    }
}
