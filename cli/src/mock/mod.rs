//! `taut mock`: an object that answers without an implementation.

mod generate;
mod random;
mod script;
mod servant;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueHint;
use taut::Interface;
use taut_dynamic::DynamicServant;

use crate::failure::Failure;
use crate::interfaces;
use crate::reference_text::ReadOptions;
use crate::serving::{Server, Told};
use generate::Generator;
use script::Script;
use servant::Mock;

/// Be an object of an interface, with answers that are generated or scripted
///
/// Writes the reference of the object once it answers, and ends on SIGTERM and SIGINT. Answers are
/// the default value of each type: 0, the empty string, the first enumerator, no elements, nil.
/// With --seed they are random, and the same each time. An attribute that was set keeps its value,
/// and an inout parameter comes back as it was sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A script is TOML or JSON: a list `answers`, of which the first that matches answers. Each has
  operation   its name; that of an attribute behind `get ` or `set `
  arguments   the values that the call must have; others may be any
  result, out the result and the out parameters; generated where they are left out
  exception   raised instead: a user exception's name or repository id, or a system exception's
              name such as NO_PERMISSION; its values are in `members`, a system exception's minor
              code in `minor`
  delay_ms    the milliseconds before the answer
  times       how often it answers; later ones take over then

Examples:
  taut mock bank.idl Bank::Account
  taut mock --seed 7 --store account.ior bank.idl Bank::Account
  taut mock --script answers.toml --endpoint '*:4000' bank.idl Bank::Account")]
pub(crate) struct Arguments {
    /// The IDL file
    #[arg(value_name = "IDL", value_hint = ValueHint::FilePath)]
    idl: PathBuf,
    /// The interface, by its scoped name or its repository id
    #[arg(value_name = "INTERFACE", value_hint = ValueHint::Other)]
    interface: String,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Take answers from this script, in TOML or JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    script: Option<String>,
    /// Read at most this many octets of the script
    #[arg(long, value_name = "OCTETS", default_value_t = 16 << 20, value_hint = ValueHint::Other)]
    max_script_size: usize,
    /// Generate random values, from this number
    #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other)]
    seed: Option<u64>,
    /// Listen here, as -ORBListenEndpoints; may be given several times
    #[arg(long, value_name = "ENDPOINT", default_value = "127.0.0.1:0", value_hint = ValueHint::Other)]
    endpoint: Vec<String>,
    /// Write the reference into this file as well
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: Option<PathBuf>,
    /// Write the reference as JSON: an object in a line, with `url` and `status`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When the IDL or the script is wrong, or the ORB cannot listen.
pub(crate) fn run(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    let interfaces = interfaces::read(std::slice::from_ref(&arguments.idl), &arguments.include)?;
    let interface = interfaces::find(&interfaces, &arguments.interface)?.clone();
    let server = Server::start(&arguments.endpoint, orb_arguments)?;
    let generator = Generator::new(arguments.seed);
    let script = match &arguments.script {
        Some(path) => Script::read(path, arguments.max_script_size, &interface, &|url| {
            let object = crate::objects::object_at(&server.orb, url, arguments.read);
            let ior = object.map(|object| object.ior().clone());
            ior.map_err(|failure| failure.to_string())
        })?,
        None => Script::default(),
    };
    let bases: Vec<&str> = interface.bases.iter().map(|base| &**base).collect();
    let primary = Interface::dynamic(&interface.repository_id, &bases);
    let name = interface.name.clone();
    let mock = Mock::new(interface, primary, script, generator);

    let poa = server.orb.root_poa().map_err(Failure::new)?;
    let id = poa.activate_object(DynamicServant::from(Arc::new(mock)));
    let object = id.and_then(|id| poa.id_to_reference(&id));
    let reference = object.map_err(Failure::new)?.to_string();
    poa.manager().activate().map_err(Failure::new)?;
    if let Some(path) = &arguments.store {
        fs::write(path, format!("{reference}\n")).map_err(|error| {
            let path = path.display();
            Failure::Message(format!("{path} cannot be written: {error}"))
        })?;
    }
    let told = Told::when(arguments.json);
    server.serve(&reference, &format!("a mock of {name}"), told)
}
