//! `taut ping`: whether an object can be reached, and by which way.

use std::time::{Duration, Instant};

use clap::ValueHint;
use serde_json::{Map, Value as Json, json};
use taut::transport_api::Protocols;
use taut::{CallContext, Ior, ObjectRef, Orb, SystemException, SystemExceptionKind};
use taut_cdr::Decoder;
use taut_giop::ior::{IiopProfile, TaggedProfile, profile};

use crate::failure::Failure;
use crate::objects::{object_at, orb};
use crate::output::{self, ERROR, FAINT, HEADING, visible};
use crate::reference_text::ReadOptions;

/// Tell whether an object can be reached, by each way of its reference
///
/// Tries the profiles of the reference one by one: whether its address accepts, whether the object
/// is there, whether it has the interface that the reference says, and how long it takes to
/// answer. For each that fails it says what to try.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 when the object answers by all profiles, 1 when it does not, 2 when the command line
is wrong.

Examples:
  taut ping corbaloc::example.com:2809/NameService
  taut ping --count 100 @/var/run/bank.ior")]
pub(crate) struct Arguments {
    /// The object: IOR:…, corbaloc:…, corbaname:…, @FILE, or - for standard input
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::Other)]
    reference: String,
    /// Ask this many times by each profile
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Give up each call after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_hint = ValueHint::Other,
          value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// Write JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// The outcome of trying a profile.
struct Tried {
    /// The tag's name, and the version of GIOP where the profile has one.
    kind: String,
    /// The address, as far as it is known.
    place: String,
    /// How long the first answer took, with the connection, and the shortest of the others.
    answered: Result<(Duration, Option<Duration>), String>,
    /// Whether the object has the interface that the reference says, or why that is not known;
    /// none if the reference says none, or the object does not answer.
    is_a: Option<Result<bool, String>>,
}

/// Runs the command.
///
/// # Errors
///
/// When the object does not answer by a profile.
pub(crate) fn run(arguments: &Arguments, orb_arguments: &[String]) -> Result<(), Failure> {
    let orb = orb(orb_arguments, |_| {})?;
    let object = object_at(&orb, &arguments.reference, arguments.read)?;
    // One with components alone has no address.
    let has_address =
        |index: &usize| object.ior().profiles[*index].tag != profile::tag::MULTIPLE_COMPONENTS;
    let tried: Vec<_> = (0..object.ior().profiles.len())
        .filter(has_address)
        .map(|index| try_profile(&orb, &object, index, arguments))
        .collect();
    if tried.is_empty() {
        return Err(Failure::new(
            "the reference has no profiles with addresses: it leads nowhere",
        ));
    }
    let text = match arguments.json {
        true => format!("{:#}\n", as_json(object.type_id(), &tried)),
        false => as_text(object.type_id(), &tried),
    };
    output::write(&text)?;
    match tried
        .iter()
        .all(|one| one.answered.is_ok() && !matches!(one.is_a, Some(Ok(false) | Err(_))))
    {
        true => Ok(()),
        false => Err(Failure::Reported),
    }
}

fn try_profile(orb: &Orb, object: &ObjectRef, index: usize, arguments: &Arguments) -> Tried {
    let ior = object.ior();
    let alone = Ior {
        // An interface that a reference tells is believed without asking.
        type_id: String::new(),
        profiles: vec![ior.profiles[index].clone()],
    };
    let profile = &ior.profiles[index];
    let tried = |answered, is_a| Tried {
        kind: kind_of(profile),
        place: place_of(profile),
        answered,
        is_a,
    };
    if let Some(fault) = unreachable(profile) {
        return tried(Err(fault), None);
    }
    // A reference to the one profile, of the same ORB.
    let reference = match orb.string_to_object(&alone.to_string()) {
        Ok(reference) => reference,
        Err(error) => return tried(Err(error.to_string()), None),
    };
    let time = Duration::from_secs(arguments.timeout.into());
    let context = CallContext::new().with_timeout(time);
    let answered = context.within(|| ask(&reference, arguments.count));
    let type_id = object.type_id();
    let is_a = match (&answered, type_id.is_empty()) {
        (Ok(_), false) => {
            let is_a = context.within(|| reference.is_a(type_id));
            Some(is_a.map_err(|exception| with_advice(&exception)))
        }
        _ => None,
    };
    tried(answered, is_a)
}

/// The tag of a profile by its name, with the version of GIOP that the profile says.
fn kind_of(profile: &TaggedProfile) -> String {
    let name = profile::tag_name(profile.tag);
    let name = name.map_or_else(|| format!("the tag {}", profile.tag), str::to_owned);
    let version = || -> Option<(u8, u8)> {
        let mut input = Decoder::encapsulated(&profile.data).ok()?;
        Some((input.read().ok()?, input.read().ok()?))
    };
    match version().filter(|_| Protocols::default().by_tag(profile.tag).is_some()) {
        Some((major, minor)) => format!("{name} {major}.{minor}"),
        None => name,
    }
}

/// Why a profile cannot be tried at all.
fn unreachable(profile: &TaggedProfile) -> Option<String> {
    if Protocols::default().by_tag(profile.tag).is_none() {
        let fault = "it is of a transport that taut does not have, or no address; other profiles \
                     may do";
        return Some(fault.to_owned());
    }
    let iiop = IiopProfile::parse(&profile.data).ok()?;
    let is_tls_alone = profile.tag == profile::tag::INTERNET_IOP && iiop.port == 0;
    is_tls_alone.then(|| {
        "its port is 0: the server takes connections with TLS alone, which taut does not speak; \
         have it listen without TLS as well"
            .to_owned()
    })
}

/// The address of a profile, for people.
fn place_of(profile: &TaggedProfile) -> String {
    let address = || -> Option<String> {
        let mut input = Decoder::encapsulated(&profile.data).ok()?;
        // The version.
        input.skip(2).ok()?;
        Protocols::default()
            .read_address(profile.tag, &mut input)?
            .ok()
    };
    address().unwrap_or_else(|| format!("profile with the tag {}", profile.tag))
}

/// Asks whether the object is there, several times.
fn ask(object: &ObjectRef, count: u32) -> Result<(Duration, Option<Duration>), String> {
    let one = || {
        let begin = Instant::now();
        match object.non_existent() {
            Ok(false) => Ok(begin.elapsed()),
            Ok(true) => Err("its server says that it does not exist".to_owned()),
            Err(exception) => Err(with_advice(&exception)),
        }
    };
    let first = one()?;
    let mut best = None;
    for _ in 1..count {
        let time = one()?;
        best = Some(best.map_or(time, |best: Duration| best.min(time)));
    }
    Ok((first, best))
}

/// An exception with what to try.
fn with_advice(exception: &SystemException) -> String {
    let advice = match exception.kind {
        SystemExceptionKind::Transient => {
            "look whether the server runs, and whether a firewall lets its port through"
        }
        SystemExceptionKind::CommFailure => {
            "the address accepts, and its connections end: look whether it speaks GIOP without TLS"
        }
        SystemExceptionKind::ObjectNotExist => {
            "the server runs, and has no such object: get a new reference"
        }
        SystemExceptionKind::Timeout => "the server is overloaded, or its servant waits",
        SystemExceptionKind::InvObjref => "the reference is malformed: taut ior explains it",
        _ => return exception.to_string(),
    };
    format!("{exception}; {advice}")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn as_text(type_id: &str, tried: &[Tried]) -> String {
    let mut text = String::new();
    for one in tried {
        let place = visible(&one.place);
        let kind = visible(&one.kind);
        text += &match &one.answered {
            Ok((first, best)) => {
                let first = millis(*first);
                let then = best.map(|best| format!(", then {:.3} ms", millis(best)));
                let then = then.unwrap_or_default();
                format!(
                    "{HEADING}{place}{HEADING:#}  {FAINT}{kind}{FAINT:#}  answers after {first:.3} ms{then}\n"
                )
            }
            Err(fault) => {
                let fault = visible(fault);
                format!(
                    "{HEADING}{place}{HEADING:#}  {FAINT}{kind}{FAINT:#}  {ERROR}fails{ERROR:#}: {fault}\n"
                )
            }
        };
        let type_id = visible(type_id);
        text += &match &one.is_a {
            None => String::new(),
            Some(Ok(true)) => format!("  is a {type_id}, as the reference says\n"),
            Some(Ok(false)) => format!(
                "  {ERROR}is no {type_id}{ERROR:#}, as the reference says: the address may be \
                 another server's by now; get a new reference\n"
            ),
            Some(Err(fault)) => {
                let fault = visible(fault);
                format!("  {ERROR}does not say{ERROR:#} whether it is a {type_id}: {fault}\n")
            }
        };
    }
    text
}

fn as_json(type_id: &str, tried: &[Tried]) -> Json {
    let profiles = tried.iter().map(|one| {
        let mut object = Map::new();
        object.insert("profile".to_owned(), one.kind.clone().into());
        object.insert("address".to_owned(), one.place.clone().into());
        object.insert("answers".to_owned(), one.answered.is_ok().into());
        match &one.answered {
            Ok((first, best)) => {
                object.insert("first_ms".to_owned(), millis(*first).into());
                let best = best.map(millis);
                object.insert("best_ms".to_owned(), best.into());
            }
            Err(fault) => {
                object.insert("fault".to_owned(), fault.clone().into());
            }
        }
        match &one.is_a {
            Some(Ok(is_a)) => drop(object.insert("is_a".to_owned(), (*is_a).into())),
            Some(Err(fault)) => drop(object.insert("is_a_fault".to_owned(), fault.clone().into())),
            None => {}
        }
        Json::Object(object)
    });
    json!({"type_id": type_id, "profiles": profiles.collect::<Vec<_>>()})
}
