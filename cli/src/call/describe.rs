//! `taut describe`: the operations of an object.

use clap::ValueHint;
use serde_json::{Value as Json, json};
use taut_dynamic::{InterfaceDescription, Mode, Signature};

use super::interface::Knowledge;
use super::time_out;
use crate::failure::Failure;
use crate::objects::{object_at, orb};
use crate::output::{self, FAINT, HEADING, visible};
use crate::reference_text::ReadOptions;

/// List the operations of an object
///
/// Shows the object's most derived interface that is known, the interfaces that it inherits
/// from, and the signatures of all operations and attributes, as taut call takes them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut describe @/var/run/bank.ior
  taut describe --idl bank.idl @/var/run/bank.ior
  taut describe --ifr=corbaloc::example.com:2810/InterfaceRepository @/var/run/bank.ior
  taut describe --idl CosNaming.idl corbaloc::example.com/NameService --json")]
pub(crate) struct Arguments {
    /// The object: IOR:…, corbaloc:…, corbaname:…, @FILE, or - for standard input
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    #[command(flatten)]
    knowledge: Knowledge,
    /// Give up after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_hint = ValueHint::Other)]
    timeout: u32,
    /// Write JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When the object does not answer, or the IDL does not know its interface.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    let orb = orb(orb_arguments, |_| {})?;
    let object = object_at(&orb, &arguments.reference, arguments.read)?;
    let interface = time_out(arguments.timeout).within(|| arguments.knowledge.of(&orb, &object))?;
    Ok(output::write(&match arguments.json {
        true => format!("{:#}\n", as_json(&interface)),
        false => as_text(&interface),
    })?)
}

pub(super) fn as_text(interface: &InterfaceDescription) -> String {
    let (name, id) = (visible(&interface.name), visible(&interface.repository_id));
    let mut text = format!("{HEADING}interface {name}{HEADING:#}  {FAINT}{id}{FAINT:#}\n");
    for base in interface.bases.iter().map(|base| visible(base)) {
        text += &format!("  {FAINT}inherits {base}{FAINT:#}\n");
    }
    for (operation, signature) in &interface.operations {
        text += &match signature {
            Ok(signature) => match line(signature, &interface.operations) {
                Some(line) => format!("{}\n", visible(&line)),
                None => continue,
            },
            Err(fault) => {
                let (operation, fault) = (visible(operation), visible(fault));
                format!("  {operation}  {FAINT}{fault}{FAINT:#}\n")
            }
        };
    }
    text
}

type Operations = [(String, Result<std::sync::Arc<Signature>, String>)];

/// The line of an operation or attribute; none for an attribute's setter, which is told by its
/// getter.
fn line(signature: &Signature, all: &Operations) -> Option<String> {
    let operation = &signature.operation;
    if let Some(attribute) = operation.strip_prefix("_get_") {
        let setter = format!("_set_{attribute}");
        let readonly = match all.iter().any(|(name, _)| *name == setter) {
            true => "",
            false => "readonly ",
        };
        let ty = signature.result.declared();
        return Some(format!("  {readonly}attribute {ty} {attribute}"));
    }
    if operation.starts_with("_set_") {
        return None;
    }
    let parameters = signature.parameters.iter().map(|one| {
        let ty = one.type_code.declared();
        format!("{} {ty} {}", mode(one.mode), one.name)
    });
    let parameters: Vec<_> = parameters.collect();
    let oneway = if signature.is_oneway { "oneway " } else { "" };
    let result = signature.result.declared();
    let raises: Vec<_> = signature
        .exceptions
        .iter()
        .map(|one| one.declared().to_string())
        .collect();
    let raises = match raises.is_empty() {
        true => String::new(),
        false => format!(" raises ({})", raises.join(", ")),
    };
    Some(format!(
        "  {oneway}{result} {operation}({}){raises}",
        parameters.join(", ")
    ))
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::In => "in",
        Mode::Out => "out",
        Mode::InOut => "inout",
    }
}

fn as_json(interface: &InterfaceDescription) -> Json {
    let operations = interface
        .operations
        .iter()
        .map(|(name, signature)| match signature {
            Ok(signature) => {
                let parameters = signature.parameters.iter().map(|one| {
                    let ty = one.type_code.declared();
                    json!({"name": one.name, "mode": mode(one.mode), "type": ty.to_string()})
                });
                let exceptions = signature.exceptions.iter();
                let exceptions = exceptions.map(|one| one.id().unwrap_or_default());
                json!({
                    "name": name,
                    "oneway": signature.is_oneway,
                    "parameters": parameters.collect::<Vec<_>>(),
                    "result": signature.result.declared().to_string(),
                    "raises": exceptions.collect::<Vec<_>>(),
                })
            }
            Err(fault) => json!({"name": name, "fault": fault}),
        });
    json!({
        "name": interface.name,
        "id": interface.repository_id,
        "bases": interface.bases,
        "operations": operations.collect::<Vec<_>>(),
    })
}
