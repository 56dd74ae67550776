//! The description of an object's interface.

use std::path::PathBuf;

use clap::ValueHint;
use taut::ObjectRef;
use taut_dynamic::{InterfaceDescription, Interfaces};
use taut_idl::Options;

use super::Arguments;
use crate::failure::Failure;
use crate::output::{self, visible};

/// Where the description of an interface comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct Knowledge {
    /// Take the interface from this IDL file; repeatable
    #[arg(long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    idl: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Take the object for one of this interface, by its scoped name or its repository id, instead
    /// of asking it
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    interface: Option<String>,
}

impl Knowledge {
    /// The interface of an object: that which was named, or that of its reference, or that
    /// which it says it has.
    ///
    /// # Errors
    ///
    /// When the IDL is wrong, or does not have the interface.
    pub(super) fn of(&self, object: &ObjectRef) -> Result<InterfaceDescription, Failure> {
        let interfaces = self.interfaces()?;
        let none = |name: &str| {
            let known: Vec<_> = interfaces
                .all()
                .iter()
                .map(|one| one.name.clone())
                .collect();
            let known = match known.is_empty() {
                true => "has no interface".to_owned(),
                false => format!("has {}", known.join(", ")),
            };
            Failure::Message(format!(
                "the IDL has no interface {}: it {known}; --interface chooses one of them",
                visible(name)
            ))
        };
        if let Some(name) = &self.interface {
            return interfaces.find(name).cloned().ok_or_else(|| none(name));
        }
        let told = object.type_id();
        if let Some(interface) = interfaces.find(told) {
            return Ok(interface.clone());
        }
        // The reference may say that of a base, or nothing. The object knows better.
        let found = object.repository_id();
        if let Ok(found) = &found
            && let Some(interface) = interfaces.find(found)
        {
            return Ok(interface.clone());
        }
        let all = interfaces.all();
        let mut derived_last = all.iter().collect::<Vec<_>>();
        derived_last.sort_by_key(|one| std::cmp::Reverse(one.bases.len()));
        for interface in derived_last {
            if object
                .is_a(&interface.repository_id)
                .map_err(Failure::new)?
            {
                return Ok((*interface).clone());
            }
        }
        Err(none(found.as_deref().unwrap_or(told)))
    }

    fn interfaces(&self) -> Result<Interfaces, Failure> {
        let options = Options {
            include_paths: self.include.clone(),
            ..Options::default()
        };
        let compilation = taut_idl::compile(&self.idl, &options);
        if !compilation.has_errors() {
            return Ok(Interfaces::new(&compilation.model));
        }
        let reports = compilation.reports();
        output::complain(&taut_idl::render(&reports, &compilation.sources, true));
        output::complain("\n");
        Err(Failure::new("the IDL has errors"))
    }
}

/// Returns the operation's name on the wire, and its arguments: `get` and `set` are an
/// attribute's unless the interface has operations of these names.
///
/// # Errors
///
/// When an attribute is to be read or written, and not named.
pub(super) fn chosen<'a>(
    interface: &InterfaceDescription,
    arguments: &'a Arguments,
) -> Result<(String, &'a [String]), Failure> {
    let operation = &arguments.operation;
    let has = |name: &str| interface.operations.iter().any(|(known, _)| known == name);
    if has(operation) || !matches!(&**operation, "get" | "set") {
        return Ok((operation.clone(), &arguments.arguments));
    }
    let Some((attribute, rest)) = arguments.arguments.split_first() else {
        return Err(Failure::Message(format!(
            "{operation} needs the name of an attribute"
        )));
    };
    let (name, values) = match attribute.split_once('=') {
        Some((name, _)) if operation == "set" => (name, &arguments.arguments[..1]),
        _ => (&**attribute, rest),
    };
    let wire = format!("_{operation}_{name}");
    if has(&wire) {
        return Ok((wire, values));
    }
    let attributes = interface.operations.iter();
    let attributes =
        attributes.filter_map(|(known, _)| known.strip_prefix(&format!("_{operation}_")));
    let attributes: Vec<_> = attributes.collect();
    let (interface, name) = (&interface.name, visible(name));
    Err(Failure::Message(match attributes.is_empty() {
        true => format!("{interface} has no attribute to {operation}"),
        false => format!(
            "{interface} has no attribute `{name}` to {operation}: there are {}",
            attributes.join(", ")
        ),
    }))
}
