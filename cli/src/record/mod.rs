//! `taut record`: a proxy that writes the calls that go through it.

pub(crate) mod catalog;
mod conversation;
pub(crate) mod line;
mod proxy;

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use serde_json::json;
use taut::{CallContext, Ior, ObjectRef};
use taut_giop::component::tag;
use taut_giop::framing::FramingLimits;
use taut_giop::ior::IiopProfile;

use crate::failure::Failure;
use crate::interfaces::{self, Sources};
use crate::objects::{object_at, orb};
use crate::output::{self, visible};
use crate::reference_text::ReadOptions;
use crate::serving::Ending;
use catalog::Catalog;
use proxy::{Proxy, Target};

/// Pass the calls to an object on, and write each as a line of JSON
///
/// Listens at HOST:PORT and writes a reference that leads there. Whatever a client sends arrives
/// at the object's server as it is, and so do the replies. Each call becomes a line with its time,
/// operation, arguments, outcome and duration: by name and type where the IDL has the operation, as
/// octets in Base64 elsewhere. taut replay makes the same calls again. It ends on SIGTERM and
/// SIGINT.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first line tells the references: `reference` leads to the recording, `target` to the object.
Without --output it is the first line of standard output; with it, standard output has the reference
alone.

Objects that results refer to are called without the proxy, and so are objects at the place that a
server forwards to.

Examples:
  taut record --idl bank.idl --output calls.jsonl 127.0.0.1:4000 @/var/run/bank.ior
  taut record 127.0.0.1:4000 corbaloc::example.com:2809/NameService
  taut record --publish gate.example.com --store gate.ior 0.0.0.0:4000 @/var/run/bank.ior")]
pub(crate) struct Arguments {
    /// The place to listen at, HOST:PORT; port 0 takes one that is free
    #[arg(value_name = "HOST:PORT", value_hint = ValueHint::Other)]
    endpoint: String,
    /// The object: IOR:…, corbaloc:…, corbaname:…, @FILE, or - for standard input
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    #[command(flatten)]
    sources: Sources,
    /// Take the object for one of this interface, by its scoped name or its repository id
    #[arg(long, value_name = "NAME", requires = "idl", value_hint = ValueHint::Other)]
    interface: Option<String>,
    /// Write the calls into this file, which is replaced
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write the reference into this file as well
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: Option<PathBuf>,
    /// The host that the reference names; by default the one to listen at
    #[arg(long, value_name = "HOST", value_hint = ValueHint::Hostname)]
    publish: Option<String>,
    /// Give up connecting to the object's server after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    read: ReadOptions,
}

/// The limits of a recording.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// Record messages up to this size, in octets with all fragments; a connection with a larger
    /// one is passed on without being recorded
    #[arg(long, value_name = "OCTETS", default_value_t = FramingLimits::DEFAULT.max_message_size,
          value_hint = ValueHint::Other)]
    max_message_size: usize,
    /// The most calls of a connection that wait for their replies; further ones are not recorded
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_hint = ValueHint::Other)]
    max_pending: usize,
    /// The most connections; further ones are closed
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_hint = ValueHint::Other)]
    max_connections: usize,
}

/// Runs the command.
///
/// # Errors
///
/// When it cannot listen, the reference has no address for TCP, or a file cannot be written.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    // Before any other thread begins, so that none of them dies of a signal.
    let ending = Ending::new()?;
    let orb = orb(orb_arguments, |_| {})?;
    let object = object_at(&orb, &arguments.reference, arguments.read)?;
    let profile = address_of(&object)?;
    let catalog = catalog_of(arguments, &object)?;
    let listener = TcpListener::bind(&arguments.endpoint).map_err(|error| {
        let place = visible(&arguments.endpoint);
        Failure::Message(format!("cannot listen at {place}: {error}"))
    })?;
    let reference = published(arguments, &listener, &object, &profile)?.to_string();

    let mut output: Box<dyn Write + Send> = match &arguments.output {
        Some(path) => Box::new(File::create(path).map_err(|error| cannot_write(path, &error))?),
        None => Box::new(io::stdout()),
    };
    if let Some(path) = &arguments.store {
        let written = fs::write(path, format!("{reference}\n"));
        written.map_err(|error| cannot_write(path, &error))?;
    }
    let header = json!({
        "recording": line::FORMAT,
        "reference": reference,
        "target": object.to_string(),
        "type_id": object.type_id(),
    });
    writeln!(output, "{header}").and_then(|()| output.flush())?;
    if arguments.output.is_some() {
        output::write(&format!("{reference}\n"))?;
    }
    let target = Target {
        host: profile.host,
        port: profile.port,
        key: profile.object_key,
        timeout: Duration::from_secs(arguments.timeout.into()),
    };
    let limits = proxy::Limits {
        framing: FramingLimits {
            max_message_size: arguments.limits.max_message_size,
            max_reassembled_size: arguments.limits.max_message_size,
            max_partial_bytes: FramingLimits::DEFAULT
                .max_partial_bytes
                .max(arguments.limits.max_message_size),
            ..FramingLimits::DEFAULT
        },
        max_pending: arguments.limits.max_pending,
        max_connections: arguments.limits.max_connections,
    };
    let proxy = Arc::new(Proxy::new(target, catalog, limits, output));
    proxy.start(listener);
    ending.wait(&reference, "a recording");
    proxy.finish()
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Message(format!("{} cannot be written: {error}", path.display()))
}

/// The first address of an object that TCP reaches.
fn address_of(object: &ObjectRef) -> Result<IiopProfile, Failure> {
    let mut profiles = object.ior().iiop_profiles().filter_map(Result::ok);
    profiles.find(|profile| profile.port != 0).ok_or_else(|| {
        Failure::new(
            "the reference has no IIOP profile with a port: calls are passed on over TCP alone",
        )
    })
}

/// The operations that are known, those of the object's interface first.
fn catalog_of(arguments: &Arguments, object: &ObjectRef) -> Result<Catalog, Failure> {
    let all = interfaces::read(&arguments.sources.idl, &arguments.sources.include)?;
    if let Some(name) = &arguments.interface {
        interfaces::find(&all, name)?;
        return Ok(Catalog::new(&all, name));
    }
    let mut name = object.type_id().to_owned();
    if !arguments.sources.idl.is_empty() && all.find(&name).is_none() {
        let time = Duration::from_secs(arguments.timeout.into());
        let asked = CallContext::new().with_timeout(time);
        // An object that does not tell has its operations looked up in all interfaces.
        name = asked.within(|| object.repository_id()).unwrap_or_default();
    }
    Ok(Catalog::new(&all, &name))
}

/// The reference that leads to the proxy: of the target's facts those that hold for it too.
fn published(
    arguments: &Arguments,
    listener: &TcpListener,
    object: &ObjectRef,
    profile: &IiopProfile,
) -> Result<Ior, Failure> {
    let address = listener.local_addr().map_err(Failure::new)?;
    let host = arguments.endpoint.rsplit_once(':');
    let host = host.map_or("", |(host, _)| host.trim_matches(['[', ']']));
    let host = match &arguments.publish {
        Some(host) => host,
        None if address.ip().is_unspecified() => {
            return Err(Failure::Message(format!(
                "no client can connect to {}: give --publish HOST",
                address.ip()
            )));
        }
        None => host,
    };
    let elsewhere = [
        tag::ALTERNATE_IIOP_ADDRESS,
        tag::SSL_SEC_TRANS,
        tag::TLS_SEC_TRANS,
        tag::CSI_SEC_MECH_LIST,
    ];
    let mut profile = profile.clone();
    host.clone_into(&mut profile.host);
    profile.port = address.port();
    let components = &mut profile.components;
    components.retain(|component| !elsewhere.contains(&component.tag));
    Ok(Ior {
        type_id: object.type_id().to_owned(),
        profiles: vec![profile.to_profile().map_err(Failure::new)?],
    })
}
