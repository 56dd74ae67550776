//! Arbitrary messages, references and URLs.

use proptest::char::range;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use taut_cdr::ByteOrder;
use taut_giop::component::TaggedComponent;
use taut_giop::ior::{IiopProfile, TaggedProfile, UiopProfile};
use taut_giop::message::{LocateStatus, ReplyStatus, ResponseFlags};
use taut_giop::naming::NameComponent;
use taut_giop::url::{Corbaloc, CorbalocAddress, ObjectUrl};
use taut_giop::{Ior, Version};

use super::said::{Body, Said, Target, Value};
use super::{ORDERS, PROTOCOLS, STATUSES};

pub fn order() -> impl Strategy<Value = ByteOrder> {
    select(&ORDERS[..])
}

pub fn version() -> impl Strategy<Value = Version> {
    select(&PROTOCOLS[..])
}

fn octets(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=most)
}

/// Text without NUL, of which some is beyond ASCII.
fn text(most: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        3 => range('\u{1}', '\u{7f}'),
        1 => range('\u{80}', '\u{d7ff}'),
        1 => range('\u{10000}', '\u{10ffff}'),
    ];
    vec(character, 0..=most).prop_map(String::from_iter)
}

/// Numbers with octets behind them, as contexts are.
pub fn entries(most: usize) -> impl Strategy<Value = Vec<(u32, Vec<u8>)>> {
    vec((any::<u32>(), octets(20)), 0..=most)
}

pub fn profile() -> impl Strategy<Value = TaggedProfile> {
    let unknown = (1_u32.., octets(40)).prop_map(|(tag, data)| TaggedProfile { tag, data });
    let iiop = iiop_profile().prop_map(|profile| profile.to_profile().unwrap());
    let uiop = uiop_profile().prop_map(|profile| profile.to_profile().unwrap());
    prop_oneof![unknown, iiop, uiop]
}

pub fn component() -> impl Strategy<Value = TaggedComponent> {
    (any::<u32>(), octets(20)).prop_map(|(tag, data)| TaggedComponent { tag, data })
}

/// Makes profiles of IIOP 1.1 and later.
pub fn iiop_profile() -> impl Strategy<Value = IiopProfile> {
    (
        1_u8..5,
        "[a-z0-9.:-]{0,20}",
        any::<u16>(),
        octets(30),
        vec(component(), 0..5),
    )
        .prop_map(|(minor, host, port, object_key, components)| IiopProfile {
            version: Version::new(1, minor),
            host,
            port,
            object_key,
            components,
        })
}

pub fn uiop_profile() -> impl Strategy<Value = UiopProfile> {
    let components = vec(component(), 0..5);
    (1_u8..5, text(30), octets(30), components).prop_map(|(minor, path, object_key, components)| {
        UiopProfile {
            version: Version::new(1, minor),
            path,
            object_key,
            components,
        }
    })
}

pub fn reference() -> impl Strategy<Value = Ior> {
    (text(12), vec(profile(), 0..4)).prop_map(|(type_id, profiles)| Ior { type_id, profiles })
}

fn target(version: Version) -> BoxedStrategy<Target> {
    let key = octets(20).prop_map(Target::Key);
    if version != Version::V1_2 {
        return key.boxed();
    }
    prop_oneof![
        2 => key,
        1 => profile().prop_map(|TaggedProfile { tag, data }| Target::Profile { tag, data }),
        1 => (any::<u32>(), reference()).prop_map(|(index, ior)| Target::Reference { index, ior }),
    ]
    .boxed()
}

fn value(version: Version) -> BoxedStrategy<Value> {
    let values = prop_oneof![
        any::<u8>().prop_map(Value::Octet),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Long),
        any::<f64>().prop_map(Value::Double),
        vec(any::<f64>(), 0..4).prop_map(Value::Doubles),
        octets(20).prop_map(Value::Octets),
        text(8).prop_map(Value::Text),
    ];
    if version == Version::V1_0 {
        return values.boxed();
    }
    prop_oneof![7 => values, 1 => text(8).prop_map(Value::Wide)].boxed()
}

fn body(version: Version) -> impl Strategy<Value = Body> {
    vec(value(version), 0..6).prop_map(Body)
}

/// Any message of a version but a Fragment. Its request id is this one.
pub fn said(version: Version, request_id: u32) -> BoxedStrategy<Said> {
    let others = prop_oneof![
        Just(Said::CancelRequest { request_id }),
        Just(Said::CloseConnection),
        Just(Said::MessageError),
    ];
    prop_oneof![8 => fragmentable(version, request_id), 1 => others].boxed()
}

/// A message that may have fragments in GIOP 1.2.
pub fn fragmentable(version: Version, request_id: u32) -> BoxedStrategy<Said> {
    let locate_request =
        target(version).prop_map(move |target| Said::LocateRequest { request_id, target });
    let locate_reply =
        (locate_status(version), body(version)).prop_map(move |(status, body)| Said::LocateReply {
            request_id,
            status,
            body,
        });
    prop_oneof![3 => call(version, request_id), 1 => locate_request, 1 => locate_reply].boxed()
}

/// A message that may have fragments in GIOP 1.1.
pub fn call(version: Version, request_id: u32) -> BoxedStrategy<Said> {
    let responses: &[_] = match version {
        Version::V1_2 | Version::LITE => &[
            ResponseFlags::Expected,
            ResponseFlags::None,
            ResponseFlags::SyncWithServer,
        ],
        _ => &[ResponseFlags::Expected, ResponseFlags::None],
    };
    let request = (
        select(responses),
        target(version),
        vec(1_u8.., 0..12),
        entries(3),
        body(version),
    )
        .prop_map(
            move |(response, target, operation, contexts, body)| Said::Request {
                request_id,
                response,
                target,
                operation,
                contexts,
                body,
            },
        );
    let reply = (reply_status(version), entries(3), body(version)).prop_map(
        move |(status, contexts, body)| Said::Reply {
            request_id,
            status,
            contexts,
            body,
        },
    );
    prop_oneof![request, reply].boxed()
}

fn reply_status(version: Version) -> impl Strategy<Value = ReplyStatus> {
    select(match version {
        Version::V1_2 | Version::LITE => &STATUSES[..],
        _ => &STATUSES[..4],
    })
}

fn locate_status(version: Version) -> impl Strategy<Value = LocateStatus> {
    let all = &[
        LocateStatus::UnknownObject,
        LocateStatus::ObjectHere,
        LocateStatus::ObjectForward,
        LocateStatus::ObjectForwardPerm,
        LocateStatus::LocSystemException,
        LocateStatus::LocNeedsAddressingMode,
    ];
    select(match version {
        Version::V1_2 | Version::LITE => &all[..],
        _ => &all[..3],
    })
}

fn address() -> impl Strategy<Value = CorbalocAddress> {
    let host = "[a-z0-9][a-z0-9.-]{0,12}|::1|fe80::[0-9a-f]{1,4}";
    let iiop =
        (any::<u8>(), host, any::<u16>()).prop_map(|(minor, host, port)| CorbalocAddress::Iiop {
            version: Version::new(1, minor),
            host,
            port,
        });
    let other = ("x[a-z0-9+.-]{0,6}", "[a-z0-9.:@-]{0,12}")
        .prop_map(|(protocol, address)| CorbalocAddress::Other { protocol, address });
    let uiop = (any::<u8>(), text(12))
        .prop_filter("a path is not empty", |(_, path)| !path.is_empty())
        .prop_map(|(minor, path)| CorbalocAddress::Uiop {
            version: Version::new(1, minor),
            path,
        });
    prop_oneof![3 => iiop, 1 => uiop, 1 => other]
}

fn location(key: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Corbaloc> {
    let addresses = prop_oneof![
        5 => vec(address(), 1..4),
        1 => Just(vec![CorbalocAddress::Rir]),
    ];
    (addresses, key).prop_map(|(addresses, key)| Corbaloc { addresses, key })
}

pub fn url() -> impl Strategy<Value = ObjectUrl> {
    // Without a key a `corbaname:` is one of the naming service.
    let context = location(vec(any::<u8>(), 1..20));
    prop_oneof![
        1 => reference().prop_map(ObjectUrl::Ior),
        3 => location(octets(20)).prop_map(ObjectUrl::Corbaloc),
        3 => (context, text(12)).prop_map(|(location, name)| ObjectUrl::Corbaname { location, name }),
    ]
}

pub fn name() -> impl Strategy<Value = Vec<NameComponent>> {
    let part = || "[a-z./\\\\é東]{0,5}";
    let component = (part(), part()).prop_map(|(id, kind)| NameComponent { id, kind });
    vec(component, 1..5)
}
