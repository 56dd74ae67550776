//! `taut name list`.

use std::collections::HashSet;

use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::listing::{Entry, ListingError, entries};
use super::path;
use super::service::{self, Service};
use crate::failure::Failure;
use crate::output::{self, ERROR, FAINT, HEADING};

/// List the names in a context, and say of each whether it is an object or a context
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The context; the one to begin at unless given
    name: Option<String>,
    /// Show the contexts within the context as well, as a tree; contexts end in /
    #[arg(short, long)]
    recursive: bool,
    /// Give up when there are more names
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    max_names: usize,
    /// Show no deeper contexts in a tree
    #[arg(long, value_name = "NUMBER", default_value_t = 32,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    max_depth: u16,
}

pub(super) fn run(service: &Service, arguments: &Arguments) -> Result<(), Failure> {
    let name = match &arguments.name {
        Some(name) => path::parse(name)?,
        None => Vec::new(),
    };
    let context = match name.is_empty() {
        true => service.root.clone(),
        false => service.context(&name)?,
    };
    let mut walk = Walk {
        arguments,
        names_left: arguments.max_names,
        shown: HashSet::from([context.clone()]),
        faults: 0,
    };
    let entries = walk.entries(&context).map_err(|error| match error {
        ListingError::TooMany => too_many(arguments),
        ListingError::System(exception) => {
            Failure::Message(format!("the context cannot be listed: {exception}"))
        }
    })?;
    if !arguments.recursive {
        return flat(&entries);
    }
    let title = match name.is_empty() {
        true => "/".to_owned(),
        false => format!("{}/", path::format(&name)),
    };
    output::write(&format!("{HEADING}{title}{HEADING:#}\n"))?;
    walk.tree(&context, &entries, "", 1)?;
    match walk.faults {
        0 => Ok(()),
        1 => Err(Failure::new("a context could not be listed")),
        count => Err(Failure::Message(format!(
            "{count} contexts could not be listed"
        ))),
    }
}

/// One name a line, behind what it is bound to.
fn flat(entries: &[Entry]) -> Result<(), Failure> {
    let mut text = String::new();
    for entry in entries {
        let name = path::format(&entry.name);
        text.push_str(&match entry.is_context {
            true => format!("context  {HEADING}{name}{HEADING:#}\n"),
            false => format!("object   {name}\n"),
        });
    }
    Ok(output::write(&text)?)
}

fn too_many(arguments: &Arguments) -> Failure {
    Failure::Message(format!(
        "there are more than {} names; --max-names allows more",
        arguments.max_names
    ))
}

/// A walk through contexts.
struct Walk<'a> {
    arguments: &'a Arguments,
    names_left: usize,
    /// Contexts can be bound to several names, also to names within themselves.
    shown: HashSet<NamingContextRef>,
    /// Contexts that could not be listed.
    faults: usize,
}

impl Walk<'_> {
    fn entries(&mut self, context: &NamingContextRef) -> Result<Vec<Entry>, ListingError> {
        entries(context, &mut self.names_left)
    }

    fn tree(
        &mut self,
        context: &NamingContextRef,
        entries: &[Entry],
        margin: &str,
        depth: u16,
    ) -> Result<(), Failure> {
        for (index, entry) in entries.iter().enumerate() {
            let is_last = index + 1 == entries.len();
            let branch = if is_last { "└── " } else { "├── " };
            let name = path::format(&entry.name);
            let line = format!("{FAINT}{margin}{branch}{FAINT:#}");
            if !entry.is_context {
                output::write(&format!("{line}{name}\n"))?;
                continue;
            }
            let line = format!("{line}{HEADING}{name}/{HEADING:#}");
            let margin = format!("{margin}{}", if is_last { "    " } else { "│   " });
            self.subtree(context, &entry.name, &line, &margin, depth)?;
        }
        Ok(())
    }

    /// A context within another. `line` is what is shown of it.
    fn subtree(
        &mut self,
        parent: &NamingContextRef,
        name: &[NameComponent],
        line: &str,
        margin: &str,
        depth: u16,
    ) -> Result<(), Failure> {
        let remark = |remark: &str| format!("{line}  {FAINT}({remark}){FAINT:#}\n");
        if depth >= self.arguments.max_depth {
            return Ok(output::write(&remark(
                "not shown: --max-depth allows more",
            ))?);
        }
        let found = match child(parent, name) {
            Ok(context) if !self.shown.insert(context.clone()) => {
                return Ok(output::write(&remark("shown above"))?);
            }
            Ok(context) => match self.entries(&context) {
                Ok(entries) => Ok((context, entries)),
                Err(ListingError::TooMany) => return Err(too_many(self.arguments)),
                Err(ListingError::System(exception)) => Err(exception.to_string()),
            },
            Err(Failure::Message(message)) => Err(message),
            Err(other) => return Err(other),
        };
        match found {
            Ok((context, entries)) => {
                output::write(&format!("{line}\n"))?;
                self.tree(&context, &entries, margin, depth + 1)
            }
            Err(message) => {
                self.faults += 1;
                Ok(output::write(&format!(
                    "{line}  {ERROR}{message}{ERROR:#}\n"
                ))?)
            }
        }
    }
}

fn child(parent: &NamingContextRef, name: &[NameComponent]) -> Result<NamingContextRef, Failure> {
    let object = attempt(name, parent.resolve(name).map_err(Refusal::from))?;
    match object {
        Some(object) => service::context(&object, "it"),
        None => Err(Failure::new("it is bound to the nil reference")),
    }
}
