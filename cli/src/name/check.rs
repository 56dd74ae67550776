//! `taut name check`.

use std::time::Duration;

use clap::ValueHint;
use serde_json::{Map, Value};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::list::{object, reason, state};
use super::liveness::{Checker, State};
use super::path;
use super::record::tell_event;
use super::service::Service;
use super::walk::{Extent, Found, Remark, Walk};
use crate::failure::Failure;
use crate::output;

/// Ask every object and context below a context whether it exists, and say how long it took
///
/// Fails unless all exist, or all that do not have been unbound. An object is dead when its server
/// says that it does not exist; one that does not answer is unreachable, and is never unbound.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of the context; by default the context of --ns
    #[arg(value_hint = ValueHint::Other)]
    name: Option<String>,
    /// Remove the names of dead objects and contexts
    #[arg(long)]
    unbind_dead: bool,
    /// Wait this many seconds for the connection to an object, and as many for its reply
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u32).range(1..))]
    check_timeout: u32,
    /// Give up when there are more names than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_hint = ValueHint::Other)]
    max_names: usize,
    /// Go down to this depth
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    max_depth: u16,
}

/// A dead binding: its name, and the reference that was asked.
struct Dead {
    name: Vec<NameComponent>,
    reference: String,
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    let context = match &arguments.name {
        Some(name) => service.context(&path::parse(name)?)?,
        None => service.root.clone(),
    };
    let extent = Extent {
        is_recursive: true,
        max_names: arguments.max_names,
        max_depth: arguments.max_depth,
    };
    let timeout = Duration::from_secs(arguments.check_timeout.into());
    let checker = Checker::new(service, timeout)?;
    let mut dead = Vec::new();
    let mut has_other_faults = false;
    let mut show = |found: &Found<'_>| {
        match found.check.map(|check| (check.state, check)) {
            Some((State::Dead, check)) => dead.push(Dead {
                name: found.path.to_vec(),
                reference: check.reference.clone(),
            }),
            Some((State::Unreachable, _)) => has_other_faults = true,
            // A dead context cannot be listed either.
            _ => has_other_faults |= matches!(found.remark, Some(Remark::Fault(_))),
        }
        line(found, is_json)
    };
    let result = Walk::new(&extent, Some(&checker), &mut show).run(&context);
    if !arguments.unbind_dead {
        return result;
    }
    for one in &dead {
        unbind(&context, one, is_json)?;
    }
    match has_other_faults || result.is_err() && dead.is_empty() {
        true => result,
        false => Ok(()),
    }
}

fn line(found: &Found<'_>, json: bool) -> Result<(), Failure> {
    let Some(check) = found.check else {
        return Ok(());
    };
    let took_ms = check.took.as_millis();
    if json {
        let Value::Object(mut fields) = object(found) else {
            return Ok(());
        };
        insert_time(&mut fields, took_ms);
        return Ok(output::write(&format!("{}\n", Value::Object(fields)))?);
    }
    let name = path::format(found.path);
    let name = match found.is_context {
        true => format!("context  {name}"),
        false => format!("object   {name}"),
    };
    let text = format!(
        "{}  {took_ms:>5} ms  {name}{}\n",
        state(check),
        reason(check)
    );
    Ok(output::write(&text)?)
}

fn insert_time(fields: &mut Map<String, Value>, took_ms: u128) {
    let took_ms = u64::try_from(took_ms).unwrap_or(u64::MAX);
    fields.insert("took_ms".to_owned(), took_ms.into());
}

/// Removes a name, unless it has been bound to something else since.
fn unbind(context: &NamingContextRef, dead: &Dead, is_json: bool) -> Result<(), Failure> {
    let bound = match context.resolve(&dead.name).map_err(Refusal::from) {
        Err(Refusal::NotFound(_)) => return Ok(()),
        other => attempt(&dead.name, other)?,
    };
    let reference = bound.map(|object| object.to_string()).unwrap_or_default();
    if reference != dead.reference {
        return Ok(());
    }
    let unbound = context.unbind(&dead.name).map_err(Refusal::from);
    attempt(&dead.name, unbound)?;
    if is_json {
        return tell_event("unbound", &dead.name);
    }
    Ok(output::write(&format!(
        "unbound                {}\n",
        path::format(&dead.name)
    ))?)
}
