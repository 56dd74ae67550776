//! Properties of all messages, references and URLs.
//!
//! A few thousand cases unless told otherwise; a million, optimized:
//!
//! ```console
//! $ TAUT_CASES=1000000 cargo test --release -p taut-giop --test it properties
//! ```

#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::arbitrary;
use crate::common::atoms::{atoms, laid_out, pieces_of_1_1};
use crate::common::pair::Endpoint;
use crate::common::said::Said;
use crate::common::{fragment, header};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder};
use taut_giop::code_set::{CodeSetComponent, CodeSetComponentInfo, CodeSetContext};
use taut_giop::component::{self, AlternateAddress, TaggedComponent};
use taut_giop::framing::{Fragments, MIN_FRAGMENT_SIZE};
use taut_giop::ior::{IiopProfile, UiopProfile, iiop_object_key, profile};
use taut_giop::message::{AddressingMode, FrameError, MessageHeader, MessageType, lite};
use taut_giop::naming::{format_name, parse_name};
use taut_giop::service_context::{ServiceContext, ServiceContexts};
use taut_giop::url::ObjectUrl;
use taut_giop::{CompletionStatus, Ior, Limits, SystemException, SystemExceptionKind, Version};

/// How many cases all properties have in common, unless `TAUT_CASES` says more.
const CASES: u32 = 6_000;

/// The properties that have been examined, and their cases.
static EXAMINED: AtomicU32 = AtomicU32::new(0);
static CASES_RUN: AtomicU32 = AtomicU32::new(0);

/// Examines one of `properties` in its share of the cases.
fn examine<S: Strategy<Value: Debug>>(
    name: &str,
    properties: u32,
    strategy: S,
    holds: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let cases = std::env::var("TAUT_CASES").map_or(CASES, |cases| cases.parse().unwrap());
    let cases = cases.div_ceil(properties);
    let run = AtomicU32::new(0);
    let outcome = TestRunner::new(Config::with_cases(cases)).run(&strategy, |input| {
        run.fetch_add(1, Ordering::Relaxed);
        holds(input)
    });
    if let Err(error) = outcome {
        panic!("{name}: {error}");
    }
    let run = run.into_inner();
    let all = CASES_RUN.fetch_add(run, Ordering::Relaxed) + run;
    let examined = EXAMINED.fetch_add(1, Ordering::Relaxed) + 1;
    // Past the test harness, which would keep it to itself.
    let mut errors = std::io::stderr().lock();
    let _ = writeln!(errors, "{run:>8} cases: {name}");
    if examined == properties {
        let _ = writeln!(errors, "{all:>8} cases in all, of {properties} properties");
    }
}

/// One test each, that know how many they are.
macro_rules! properties {
    ($($name:ident($strategy:expr) |$input:pat_param| $body:block)*) => {
        const PROPERTIES: u32 = [$(stringify!($name)),*].len() as u32;

        $(
            #[test]
            fn $name() {
                examine(stringify!($name), PROPERTIES, $strategy, |$input| {
                    $body
                    Ok(())
                });
            }
        )*
    };
}

/// A version, a byte order, and messages with ascending request ids.
fn messages(
    most: usize,
    one: fn(Version, u32) -> BoxedStrategy<Said>,
    versions: impl Strategy<Value = Version>,
) -> impl Strategy<Value = (Version, ByteOrder, Vec<Said>)> {
    (versions, arbitrary::order(), any::<u32>(), 1..=most).prop_flat_map(
        move |(version, order, first, count)| {
            let said: Vec<_> = (0..count as u32)
                .map(|number| one(version, first.wrapping_add(number)))
                .collect();
            (Just(version), Just(order), said)
        },
    )
}

/// The header that is read where this one is written.
fn parsed(header: &MessageHeader) -> Result<MessageHeader, FrameError> {
    let written = header.to_bytes();
    match header.version {
        Version::LITE => lite::parse(written.first_chunk().unwrap()),
        _ => MessageHeader::parse(written.first_chunk().unwrap()),
    }
}

/// The messages that a fresh endpoint of this version hears of octets that come in such portions.
fn heard(version: Version, octets: &[u8], portions: &[usize]) -> Vec<Said> {
    let mut endpoint = Endpoint::client(version, ByteOrder::Big);
    let mut rest = octets;
    for &portion in portions.iter().cycle().take(octets.len()) {
        let (head, tail) = rest.split_at(portion.min(rest.len()));
        endpoint.receive(head).unwrap();
        rest = tail;
    }
    endpoint.receive(rest).unwrap();
    assert!(endpoint.is_idle());
    endpoint.heard
}

/// Places in `count` of a message, ascending, each of them allowed.
fn sorted(places: &[Index], allowed: &[usize]) -> Vec<usize> {
    if allowed.is_empty() {
        return vec![];
    }
    let mut places: Vec<_> = places.iter().map(|place| *place.get(allowed)).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The places where a message of GIOP 1.2, or of GIOPlite, may be cut.
fn cuts(version: Version, message: &[u8]) -> Vec<usize> {
    match version {
        Version::LITE => (12..message.len()).collect(),
        _ => (16..message.len()).step_by(8).collect(),
    }
}

fn new_version() -> impl Strategy<Value = Version> {
    prop_oneof![Just(Version::V1_2), Just(Version::LITE)]
}

properties! {
    message_headers_survive((
        arbitrary::version(),
        arbitrary::order(),
        any::<bool>(),
        0_u8..8,
        any::<u32>(),
    )) |(version, order, more_fragments, octet, size)| {
        let message_type = MessageType::from_octet(octet).unwrap();
        let written = MessageHeader { version, order, more_fragments, message_type, size };
        // A header that may not exist is not read; any other is read as it was written.
        if let Ok(read) = parsed(&written) {
            prop_assert_eq!(read, written);
        } else {
            let plain = MessageHeader { more_fragments: false, size: 9, ..written };
            let exists = octet != 7 || version > Version::V1_0;
            prop_assert_eq!(parsed(&plain).is_ok(), exists);
        }
    }

    messages_survive(messages(1, arbitrary::said, arbitrary::version()))
    |(version, order, said)| {
        let written = said[0].encode(version, order).unwrap();
        prop_assert_eq!(&written, &laid_out(&said[0], version, order));
        prop_assert_eq!(heard(version, &written, &[usize::MAX]), said);
    }

    any_portions_give_the_messages((
        messages(4, arbitrary::said, arbitrary::version()),
        vec(1_usize..60, 1..6),
    )) |((version, order, said), portions)| {
        let encode = |said: &Said| said.encode(version, order).unwrap();
        let stream: Vec<u8> = said.iter().flat_map(encode).collect();
        prop_assert_eq!(heard(version, &stream, &portions), said);
    }

    any_fragmentation_of_1_1_gives_the_message((
        messages(1, arbitrary::call, Just(Version::V1_1)),
        vec(any::<Index>(), 0..8),
        1_usize..100,
    )) |((version, order, said), places, portion)| {
        let atoms = atoms(&said[0], version, order);
        let begins = sorted(&places, &(1..atoms.len()).collect::<Vec<_>>());
        let message_type = said[0].message_type();
        let pieces = pieces_of_1_1(version, order, message_type, &atoms, &begins);
        prop_assert_eq!(heard(version, &pieces.concat(), &[portion]), said);
    }

    any_fragmentation_by_request_id_gives_the_message((
        messages(1, arbitrary::fragmentable, new_version()),
        vec(any::<Index>(), 0..8),
        1_usize..100,
    )) |((version, order, said), places, portion)| {
        let message = said[0].encode(version, order).unwrap();
        let pieces = fragment(&message, &sorted(&places, &cuts(version, &message)));
        prop_assert_eq!(heard(version, &pieces.concat(), &[portion]), said);
    }

    any_interleaving_gives_the_messages((
        messages(4, arbitrary::fragmentable, new_version()),
        vec(vec(any::<Index>(), 0..4), 4),
        vec(any::<Index>(), 20),
    )) |((version, order, mut said), places, turns)| {
        let mut queues: Vec<_> = said
            .iter()
            .zip(&places)
            .map(|(said, places)| {
                let message = said.encode(version, order).unwrap();
                fragment(&message, &sorted(places, &cuts(version, &message))).into_iter()
            })
            .collect();
        let mut stream = Vec::new();
        for turn in turns {
            stream.extend(turn.get_mut(&mut queues).next().into_iter().flatten());
        }
        stream.extend(queues.into_iter().flatten().flatten());
        let mut heard = heard(version, &stream, &[usize::MAX]);
        heard.sort_by_key(Said::request_id);
        said.sort_by_key(Said::request_id);
        prop_assert_eq!(heard, said);
    }

    what_taut_cuts_gives_the_message((
        messages(1, arbitrary::said, arbitrary::version()),
        0_usize..200,
    )) |((version, order, said), size)| {
        let message = said[0].encode(version, order).unwrap();
        let pieces: Vec<_> = Fragments::new(&message, size)
            .unwrap()
            .map(|piece| [piece.head(), piece.payload].concat())
            .collect();
        let largest = size.max(MIN_FRAGMENT_SIZE);
        if version < Version::V1_2 {
            prop_assert_eq!(&pieces, &[message]);
        } else if matches!(said[0], Said::Request { .. } | Said::Reply { .. }) {
            prop_assert!(pieces.iter().all(|piece| piece.len() <= largest));
        }
        prop_assert!(pieces.iter().all(|piece| header(piece).version == version));
        prop_assert_eq!(heard(version, &pieces.concat(), &[usize::MAX]), said);
    }

    service_contexts_survive((arbitrary::order(), 0_usize..8, arbitrary::entries(64)))
    |(order, skipped, entries)| {
        let contexts: Vec<_> = entries
            .iter()
            .map(|(id, data)| ServiceContext { id: *id, data })
            .collect();
        let mut out = Encoder::new(order);
        out.write_bytes(&vec![0; skipped]);
        ServiceContexts::new(&contexts).encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), order);
        input.skip(skipped).unwrap();
        let read = ServiceContexts::decode(&mut input).unwrap();
        prop_assert_eq!(read, ServiceContexts::new(&contexts));
        prop_assert_eq!(read.len(), contexts.len());
        prop_assert_eq!(input.remaining(), 0);
        for context in &contexts {
            let first = contexts.iter().find(|other| other.id == context.id).unwrap();
            prop_assert_eq!(read.find(context.id), Some(first.data));
        }
    }

    references_survive((arbitrary::order(), arbitrary::reference())) |(order, ior)| {
        let mut out = Encoder::new(order);
        ior.encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), order);
        prop_assert_eq!(&Ior::decode(&mut input).unwrap(), &ior);
        prop_assert_eq!(input.remaining(), 0);
        prop_assert_eq!(ior.to_string().to_uppercase().parse::<Ior>(), Ok(ior));
    }

    iiop_profiles_survive(arbitrary::iiop_profile()) |profile| {
        let tagged = profile.to_profile().unwrap();
        prop_assert_eq!(iiop_object_key(&tagged.data), Ok(&profile.object_key[..]));
        prop_assert_eq!(IiopProfile::parse(&tagged.data), Ok(profile));
    }

    uiop_profiles_survive(arbitrary::uiop_profile()) |profile| {
        let tagged = profile.to_profile().unwrap();
        let key = profile::object_key(tagged.tag, &tagged.data);
        prop_assert_eq!(key, Ok(Some(&profile.object_key[..])));
        let read = UiopProfile::parse_within(&tagged.data, &Limits::DEFAULT);
        prop_assert_eq!(read, Ok(profile));
    }

    components_survive((
        arbitrary::order(),
        vec(arbitrary::component(), 0..10),
        any::<u32>(),
        "[a-z0-9.:-]{0,20}",
        any::<u16>(),
    )) |(order, components, orb_type, host, port)| {
        let mut out = Encoder::new(order);
        component::write_list(&components, &mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), order);
        let read = component::read_list(&mut input, &Limits::DEFAULT);
        prop_assert_eq!(read, Ok(components));
        prop_assert_eq!(input.remaining(), 0);
        prop_assert_eq!(TaggedComponent::from_orb_type(orb_type).orb_type(), Ok(orb_type));
        let address = AlternateAddress { host, port };
        let component = address.to_component().unwrap();
        prop_assert_eq!(AlternateAddress::from_component(&component), Ok(address));
    }

    code_sets_survive((
        any::<[u32; 4]>(),
        vec(any::<u32>(), 0..12),
        vec(any::<u32>(), 0..12),
    )) |([char_native, wchar_native, char_tcs, wchar_tcs], for_char, for_wchar)| {
        let info = CodeSetComponentInfo {
            for_char: CodeSetComponent { native: char_native, conversion: for_char },
            for_wchar: CodeSetComponent { native: wchar_native, conversion: for_wchar },
        };
        let component = info.to_component().unwrap();
        prop_assert_eq!(CodeSetComponentInfo::from_component(&component), Ok(info));
        let context = CodeSetContext { char_tcs, wchar_tcs };
        let data = context.to_context_data();
        prop_assert_eq!(CodeSetContext::from_context_data(&data), Ok(context));
    }

    exceptions_survive((
        arbitrary::order(),
        proptest::sample::select(SystemExceptionKind::ALL),
        any::<u32>(),
        0_usize..3,
        0_usize..3,
    )) |(order, kind, minor, completed, mode)| {
        let completed = [
            CompletionStatus::Yes,
            CompletionStatus::No,
            CompletionStatus::Maybe,
        ][completed];
        let mode = [
            AddressingMode::Key,
            AddressingMode::Profile,
            AddressingMode::Reference,
        ][mode];
        let exception = SystemException::new(kind, minor, completed);
        let mut out = Encoder::new(order);
        exception.encode(&mut out).unwrap();
        mode.encode(&mut out);
        let mut input = Decoder::new(out.as_bytes(), order);
        prop_assert_eq!(SystemException::decode(&mut input), Ok(exception));
        prop_assert_eq!(AddressingMode::decode(&mut input), Ok(mode));
    }

    urls_survive(arbitrary::url()) |url| {
        let written = url.to_string();
        prop_assert_eq!(written.parse::<ObjectUrl>(), Ok(url), "{}", written);
    }

    names_survive(arbitrary::name()) |name| {
        let written = format_name(&name).unwrap();
        prop_assert_eq!(parse_name(&written), Ok(name), "{}", written);
    }
}
