//! `taut name list`.

use std::time::Duration;

use clap::ValueHint;
use serde_json::{Map, Value, json};
use taut_naming::NameComponent;

use super::liveness::{Check, Checker, State};
use super::path;
use super::service::Service;
use super::walk::{Extent, Found, Remark, Walk};
use crate::failure::Failure;
use crate::output::{self, ERROR, FAINT, HEADING};

/// List the names in a context, with whether each is bound to an object or a context
///
/// Writes a line for each name or, with --recursive, a tree. With --check it asks each object and
/// context whether it exists, 16 at once; --timeout bounds all of it.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    shown: Shown,
    /// Show the contexts below as well, as a tree, in which the names of contexts end in /
    #[arg(short, long)]
    recursive: bool,
}

/// Show the names in a context and in all below it, as a tree
///
/// The same as taut name list --recursive.
#[derive(Debug, clap::Args)]
pub(super) struct TreeArguments {
    #[command(flatten)]
    shown: Shown,
}

/// The context that is shown, and how.
#[derive(Debug, clap::Args)]
struct Shown {
    /// The name of the context; by default the context of --ns
    #[arg(value_hint = ValueHint::Other)]
    name: Option<String>,
    /// Ask each object and context whether it exists; fail unless all do
    #[arg(long)]
    check: bool,
    /// Wait this many seconds for the connection to an object, and as many for its reply
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u32).range(1..), requires = "check")]
    check_timeout: u32,
    /// Give up when there are more names than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_hint = ValueHint::Other)]
    max_names: usize,
    /// Show contexts down to this depth in a tree
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    max_depth: u16,
}

impl Arguments {
    /// Whether objects are asked as well, and not the naming service alone.
    pub(super) fn checks(&self) -> bool {
        self.shown.check
    }
}

impl TreeArguments {
    /// Whether objects are asked as well, and not the naming service alone.
    pub(super) fn checks(&self) -> bool {
        self.shown.check
    }
}

pub(super) fn run(service: &Service, arguments: &Arguments, is_json: bool) -> Result<(), Failure> {
    show(service, &arguments.shown, arguments.recursive, is_json)
}

pub(super) fn run_tree(
    service: &Service,
    arguments: &TreeArguments,
    is_json: bool,
) -> Result<(), Failure> {
    show(service, &arguments.shown, true, is_json)
}

fn show(
    service: &Service,
    arguments: &Shown,
    is_recursive: bool,
    is_json: bool,
) -> Result<(), Failure> {
    let name = match &arguments.name {
        Some(name) => path::parse(name)?,
        None => Vec::new(),
    };
    let context = match name.is_empty() {
        true => service.root.clone(),
        false => service.context(&name)?,
    };
    let extent = Extent {
        is_recursive,
        max_names: arguments.max_names,
        max_depth: arguments.max_depth,
    };
    let timeout = Duration::from_secs(arguments.check_timeout.into());
    let checker = match arguments.check {
        true => Some(Checker::new(service, timeout)?),
        false => None,
    };
    let checker = checker.as_ref();
    if is_json {
        let mut bindings = Vec::new();
        let mut keep = |found: &Found<'_>| {
            bindings.push(object(found));
            Ok(())
        };
        let result = Walk::new(&extent, checker, &mut keep).run(&context);
        let text = serde_json::to_string_pretty(&bindings).map_err(Failure::new)?;
        output::write(&format!("{text}\n"))?;
        return result;
    }
    if !is_recursive {
        return Walk::new(&extent, checker, &mut flat).run(&context);
    }
    let mut tree = Tree::new(&name);
    let result = Walk::new(&extent, checker, &mut |found| tree.line(found)).run(&context);
    if result.is_ok() {
        output::write(&tree.title())?;
    }
    result
}

/// Writes a name in a line, behind what it is bound to.
fn flat(found: &Found<'_>) -> Result<(), Failure> {
    let name = path::format(found.path);
    let name = match found.is_context {
        true => format!("context  {HEADING}{name}{HEADING:#}"),
        false => format!("object   {name}"),
    };
    Ok(output::write(&match found.check {
        Some(check) => format!("{}  {name}{}\n", state(check), reason(check)),
        None => format!("{name}\n"),
    })?)
}

/// The state of an object, as wide as the longest.
pub(super) fn state(check: &Check) -> String {
    let name = check.state.name();
    match check.state {
        State::Alive => format!("{name:<11}"),
        _ => format!("{ERROR}{name:<11}{ERROR:#}"),
    }
}

/// The reason behind a name that is not bound to something alive.
pub(super) fn reason(check: &Check) -> String {
    match check.state {
        State::Alive => String::new(),
        _ => format!("  {FAINT}({}){FAINT:#}", check.reason),
    }
}

/// The lines of a tree.
struct Tree {
    /// The line above all others, until it has been written.
    title: Option<String>,
    /// Of each context on the way to the last binding, whether it is the last of its own.
    are_last: Vec<bool>,
}

impl Tree {
    fn new(name: &[NameComponent]) -> Self {
        Self {
            title: Some(format!("{}/", path::format(name))),
            are_last: Vec::new(),
        }
    }

    /// The line above all others, the first time.
    fn title(&mut self) -> String {
        match self.title.take() {
            Some(title) => format!("{HEADING}{title}{HEADING:#}\n"),
            None => String::new(),
        }
    }

    fn line(&mut self, found: &Found<'_>) -> Result<(), Failure> {
        let mut line = self.title();
        let depth = found.path.len().saturating_sub(1);
        self.are_last.truncate(depth);
        line.push_str(&format!("{FAINT}"));
        for is_last in &self.are_last {
            line.push_str(if *is_last { "    " } else { "│   " });
        }
        line.push_str(if found.is_last {
            "└── "
        } else {
            "├── "
        });
        line.push_str(&format!("{FAINT:#}"));
        self.are_last.push(found.is_last);
        let name = path::format(found.path.get(depth..).unwrap_or_default());
        line.push_str(&match found.is_context {
            true => format!("{HEADING}{name}/{HEADING:#}"),
            false => name,
        });
        match found.remark {
            Some(Remark::Fault(fault)) => line.push_str(&format!("  {ERROR}{fault}{ERROR:#}")),
            Some(remark) => line.push_str(&format!("  {FAINT}({}){FAINT:#}", remark.text())),
            None => {}
        }
        if let Some(check) = found.check.filter(|check| check.state != State::Alive) {
            let state = check.state.name();
            line.push_str(&format!("  {ERROR}{state}{ERROR:#}{}", reason(check)));
        }
        Ok(output::write(&format!("{line}\n"))?)
    }
}

/// A binding for programs.
pub(super) fn object(found: &Found<'_>) -> Value {
    let components = found.path.iter().map(|one| {
        json!({
            "id": one.id,
            "kind": one.kind,
        })
    });
    let mut object = Map::new();
    let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
    insert("name", path::format(found.path).into());
    insert("components", components.collect());
    let kind = match found.is_context {
        true => "context",
        false => "object",
    };
    insert("type", kind.into());
    if let Some(check) = found.check {
        insert("state", check.state.name().into());
        insert("reference", text_or_null(&check.reference));
        insert("reason", text_or_null(&check.reason));
    }
    if let Some(remark) = found.remark {
        let key = match remark {
            Remark::Fault(_) => "error",
            _ => "remark",
        };
        insert(key, remark.text().into());
    }
    Value::Object(object)
}

pub(super) fn text_or_null(text: &str) -> Value {
    match text.is_empty() {
        true => Value::Null,
        false => text.into(),
    }
}
