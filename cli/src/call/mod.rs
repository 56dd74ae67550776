//! `taut call`: any operation of any object.

pub(crate) mod describe;
mod interface;
mod latency;
mod outcome;
pub(crate) mod shell;
mod values;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ValueHint;
use taut::{CallContext, ObjectRef, Orb};
use taut_dynamic::{InterfaceDescription, Request};

use crate::failure::Failure;
use crate::objects::{builder, object_at, orb};
use crate::output;
use crate::reference_text::ReadOptions;
use crate::trace::Trace;
use interface::Knowledge;
use latency::Latency;
pub(crate) use outcome::{RESULT, one_or_all, results};

/// Call an operation of an object, without generated code
///
/// Arguments are NAME=VALUE, or one object in JSON with all of them. A VALUE is JSON; a text that
/// is none is taken as it is where a string, an enumerator or a reference is expected. The result
/// is written as JSON, together with the out parameters if there are some, and references in it
/// can be used in the next call. An attribute is read by get and written by set.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 when the operation returned, 1 when it raised an exception or could not be called,
2 when the command line is wrong.

The forms of values in JSON are described in docs/cli.md of Taut's sources.

Examples:
  taut call @/var/run/bank.ior deposit amount=100
  taut call --idl bank.idl @/var/run/bank.ior deposit amount=100
  taut call --idl bank.idl corbaname::example.com#accounts/7 get balance
  taut call --idl CosNaming.idl corbaloc::example.com/NameService resolve \\
    'n=[{\"id\": \"bank\", \"kind\": \"\"}]'
  taut call --idl bank.idl --repeat 10000 @/var/run/bank.ior get balance
  taut call --idl bank.idl --trace @/var/run/bank.ior deposit amount=100")]
pub(crate) struct Arguments {
    /// The object: IOR:…, corbaloc:…, corbaname:…, @FILE, or - for standard input
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    /// The operation, or get or set for an attribute
    #[arg(value_hint = ValueHint::Other)]
    operation: String,
    /// The arguments: NAME=VALUE, or an object in JSON; behind get and set an attribute's name
    #[arg(value_name = "ARGUMENT", value_hint = ValueHint::Other)]
    arguments: Vec<String>,
    #[command(flatten)]
    knowledge: Knowledge,
    /// Give up after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_hint = ValueHint::Other)]
    timeout: u32,
    /// Call this many times, and write how long the calls took instead of the result
    #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u64).range(1..))]
    repeat: Option<u64>,
    /// Write the messages of the call to standard error: what they say, and their octets
    #[arg(long, conflicts_with = "repeat")]
    trace: bool,
    /// Write JSON in one line, for programs; exceptions too, to standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When the operation cannot be called, or raises an exception.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    if !arguments.trace {
        return call(&orb(orb_arguments, |_| {})?, arguments, &mut None);
    }
    let trace = Trace::default();
    let mut interface = None;
    let called = call(
        &trace.orb(builder(orb_arguments)?)?,
        arguments,
        &mut interface,
    );
    let shown = trace.show(interface.as_ref(), arguments.json);
    called.and(shown)
}

/// Calls, and leaves what the object's interface is.
fn call(
    orb: &Orb,
    arguments: &Arguments,
    interface: &mut Option<InterfaceDescription>,
) -> Result<(), Failure> {
    let object = object_at(orb, &arguments.reference, arguments.read)?;
    let made = || -> Result<Request, Failure> {
        let interface = &*interface.insert(arguments.knowledge.of(orb, &object)?);
        let (operation, given) =
            interface::chosen(interface, &arguments.operation, &arguments.arguments)?;
        request(orb, &object, interface, &operation, given, arguments.read)
    };
    let mut request = time_out(arguments.timeout).within(made)?;
    request.set_context(Arc::new(time_out(arguments.timeout)));
    match arguments.repeat {
        Some(count) => repeat(&mut request, count, arguments),
        None => {
            let outcome = request.invoke();
            outcome::show(&request, outcome, arguments.json)
        }
    }
}

/// A request with its values.
///
/// # Errors
///
/// When there is no such operation, or the values are not those that it takes.
pub(crate) fn request(
    orb: &Orb,
    object: &ObjectRef,
    interface: &InterfaceDescription,
    operation: &str,
    given: &[String],
    read: ReadOptions,
) -> Result<Request, Failure> {
    let signature = interface.signature(operation).map_err(Failure::new)?;
    let mut request = Request::new(object, Arc::clone(signature));
    values::fill(&mut request, given, &|text| {
        let other = object_at(orb, text, read);
        other
            .map(|other| other.ior().clone())
            .map_err(|failure| failure.to_string())
    })?;
    Ok(request)
}

/// The context of calls that end in time.
pub(crate) fn time_out(seconds: u32) -> CallContext {
    let time = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    CallContext::new().with_timeout(time)
}

/// Calls often, and writes how long the calls took.
fn repeat(request: &mut Request, count: u64, arguments: &Arguments) -> Result<(), Failure> {
    let mut latency = Latency::new()?;
    for _ in 0..count {
        let begin = Instant::now();
        let outcome = request.invoke();
        latency.note(begin.elapsed());
        if outcome.is_err() {
            return outcome::show(request, outcome, arguments.json);
        }
    }
    Ok(output::write(&match arguments.json {
        true => latency.to_json(),
        false => latency.to_text(),
    })?)
}
