//! System exceptions: on the wire and for people.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::common::ORDERS;
use taut_cdr::{Decode, Decoder, Encode, Encoder, Error, ErrorKind};
use taut_giop::{
    CompletionStatus, ConnectAttempt, ConnectFailure, SystemException, SystemExceptionKind, minor,
};

use CompletionStatus::{Maybe, No, Yes};
use SystemExceptionKind as Kind;

#[test]
fn every_exception_survives() {
    assert_eq!(Kind::ALL.len(), 40);
    for order in ORDERS {
        for &kind in Kind::ALL {
            for completed in [Yes, No, Maybe] {
                let exception = SystemException::new(kind, 0x1234_5678, completed);
                let mut out = Encoder::new(order);
                exception.encode(&mut out).unwrap();
                let mut input = Decoder::new(out.as_bytes(), order);
                assert_eq!(SystemException::decode(&mut input), Ok(exception));
                assert_eq!(input.remaining(), 0);
            }
        }
    }
}

#[test]
fn exceptions_not_known_here_are_unknown_with_minor_2() {
    for id in [
        "IDL:omg.org/CORBA/NEW_ONE:1.0",
        "IDL:omg.org/CORBA/TRANSIENT:1.1",
        "IDL:demo/TRANSIENT:1.0",
        "",
    ] {
        let mut out = Encoder::new(ORDERS[0]);
        out.write_string(id).unwrap();
        out.write(7_u32);
        out.write(2_u32);
        let decoded = SystemException::decode(&mut Decoder::new(out.as_bytes(), ORDERS[0]));
        let expected = SystemException::new(Kind::Unknown, minor::omg(2), Maybe);
        assert_eq!(decoded, Ok(expected));
    }
}

#[test]
fn a_completion_that_does_not_exist_is_refused() {
    let mut out = Encoder::new(ORDERS[0]);
    out.write_string(Kind::Internal.repository_id()).unwrap();
    out.write(0_u32);
    out.write(3_u32);
    assert!(SystemException::decode(&mut Decoder::new(out.as_bytes(), ORDERS[0])).is_err());
}

#[test]
fn people_read_what_happened() {
    for (kind, minor, completed, text) in [
        (
            Kind::Transient,
            minor::omg(2),
            No,
            "TRANSIENT: no usable profile in the reference (OMG minor 2), COMPLETED_NO",
        ),
        (
            Kind::Marshal,
            minor::INVALID_BOOLEAN,
            Maybe,
            "MARSHAL: a boolean is neither 0 nor 1 (Taut minor 6), COMPLETED_MAYBE",
        ),
        (Kind::Unknown, 0, Yes, "UNKNOWN, COMPLETED_YES"),
        (
            Kind::CommFailure,
            0x5441_0085,
            No,
            "COMM_FAILURE: while following a forwarded reference (TAO minor 0x085, ECONNREFUSED), \
             COMPLETED_NO",
        ),
        (
            Kind::Transient,
            0x4154_0002,
            No,
            "TRANSIENT: no connection could be made (omniORB minor 2), COMPLETED_NO",
        ),
        (
            Kind::NoPermission,
            0x4a43_0003,
            No,
            "NO_PERMISSION: security (CSIv2): the server side failed (JacORB minor 3), \
             COMPLETED_NO",
        ),
        (
            Kind::CommFailure,
            0x5441_0e7f,
            No,
            "COMM_FAILURE (TAO minor 0xe7f), COMPLETED_NO",
        ),
        (
            Kind::Transient,
            0x4154_0fff,
            No,
            "TRANSIENT (omniORB minor 4095), COMPLETED_NO",
        ),
        (
            Kind::Transient,
            minor::omg(99),
            No,
            "TRANSIENT (OMG minor 99), COMPLETED_NO",
        ),
        (
            Kind::Internal,
            0xdead_beef,
            No,
            "INTERNAL (minor 0xdeadbeef of an unknown vendor), COMPLETED_NO",
        ),
    ] {
        let exception = SystemException::new(kind, minor, completed);
        assert_eq!(exception.to_string(), text);
    }
}

/// The standard's codes that the annex lists, by exception.
const STANDARD: &[(Kind, &[u32])] = &[
    (Kind::Unknown, &[1, 2, 3]),
    (
        Kind::BadParam,
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
            25, 26, 27, 28, 29, 30, 31, 32, 34, 35, 36, 37, 38, 39, 40, 41, 43, 44,
        ],
    ),
    (
        Kind::BadInvOrder,
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22,
        ],
    ),
    (Kind::ObjAdapter, &[1, 2, 3, 4, 5, 6, 7]),
    (Kind::ObjectNotExist, &[1, 2, 4, 5]),
    (Kind::Transient, &[1, 2, 3, 4]),
    (Kind::Marshal, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (Kind::NoImplement, &[1, 2, 3, 4, 8]),
    (Kind::BadOperation, &[1, 2]),
    (Kind::BadTypecode, &[1, 2, 3]),
    (Kind::DataConversion, &[1, 2]),
    (Kind::Initialize, &[1]),
    (Kind::ImpLimit, &[1]),
    (Kind::InvObjref, &[1, 2]),
    (Kind::InvPolicy, &[1, 2, 3]),
    (Kind::NoResources, &[1, 2]),
    (Kind::IntfRepos, &[1, 2]),
    (Kind::NoResponse, &[1]),
    (Kind::Timeout, &[1]),
    (Kind::CodesetIncompatible, &[1, 2]),
    (Kind::BadContext, &[1, 2]),
];

#[test]
fn every_code_of_the_standard_has_its_meaning_and_no_other_has_one() {
    for &kind in Kind::ALL {
        let listed = STANDARD.iter().find(|(known, _)| *known == kind);
        let listed = listed.map_or(&[][..], |(_, codes)| codes);
        for code in 0..0x1000 {
            let exception = SystemException::omg(kind, code, No);
            assert_eq!(
                exception.meaning().is_some(),
                listed.contains(&code),
                "{exception}"
            );
        }
    }
}

#[test]
fn the_codes_of_taos_locations_and_errors_are_told_apart() {
    let meaning = |code: u32| minor::minor_meaning(Kind::Transient, 0x5441_0000 | code);
    for location in 1..=0x15 {
        assert!(meaning(location << 7).is_some(), "{location:#x}");
        assert_eq!(meaning(location << 7), meaning(location << 7 | 0x7f));
    }
    assert_eq!((meaning(0), meaning(0x16 << 7)), (None, None));
    for error in 1..=0x14 {
        let named = minor::system_error(0x5441_0100 | error);
        assert!(
            named.is_some_and(|name| name.starts_with('E')),
            "{error:#x}"
        );
    }
    assert_eq!(minor::system_error(0x5441_0100), None);
    assert_eq!(minor::system_error(minor::omg(1)), None);
}

#[test]
fn faults_of_cdr_have_their_minor_codes() {
    let marshal = [
        (
            ErrorKind::Truncated {
                needed: 1,
                remaining: 0,
            },
            minor::TRUNCATED,
        ),
        (
            ErrorKind::LengthBeyondMessage { length: 9 },
            minor::LENGTH_BEYOND_MESSAGE,
        ),
        (
            ErrorKind::BoundExceeded {
                length: 2,
                bound: 1,
            },
            minor::BOUND_EXCEEDED,
        ),
        (ErrorKind::TooLong, minor::TOO_LONG),
        (ErrorKind::InvalidBoolean(2), minor::INVALID_BOOLEAN),
        (
            ErrorKind::InvalidEnum {
                ordinal: 2,
                count: 1,
            },
            minor::INVALID_ENUM,
        ),
        (ErrorKind::UnterminatedString, minor::UNTERMINATED_STRING),
        (ErrorKind::NulInString, minor::NUL_IN_STRING),
        (
            ErrorKind::NestedTooDeeply { limit: 1 },
            minor::NESTED_TOO_DEEPLY,
        ),
        (
            ErrorKind::TooMuchMemory { octets: 1 },
            minor::TOO_MUCH_MEMORY,
        ),
        (ErrorKind::NoContext, minor::NO_CONTEXT),
        (ErrorKind::UnknownValueType, minor::omg(1)),
        (ErrorKind::CyclicValue, minor::CYCLIC_VALUE),
        (ErrorKind::Invalid("x"), minor::MALFORMED),
    ];
    for (kind, code) in marshal {
        let exception = SystemException::from_cdr(&Error::new(kind, 3), No);
        assert_eq!(exception, SystemException::new(Kind::Marshal, code, No));
        assert!(exception.meaning().is_some(), "{exception}");
    }
    for (completed, code) in [(No, 5), (Maybe, 5), (CompletionStatus::Yes, 6)] {
        let exception =
            SystemException::from_cdr(&Error::new(ErrorKind::WideForbidden, 3), completed);
        assert_eq!(
            exception,
            SystemException::omg(Kind::Marshal, code, completed)
        );
        assert!(exception.meaning().is_some(), "{exception}");
    }
    for kind in [
        ErrorKind::Unrepresentable {
            character: '€',
            index: 3,
        },
        ErrorKind::MalformedString,
    ] {
        let exception = SystemException::from_cdr(&Error::new(kind, 3), Maybe);
        let expected = SystemException::new(Kind::DataConversion, minor::omg(1), Maybe);
        assert_eq!(exception, expected);
    }
}

/// docs/errors.md has each minor code of the standard and of Taut, with its meaning, in the
/// section of its exception, and no other.
#[test]
fn the_page_of_errors_has_every_minor_code_and_no_other() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut expected = Vec::new();
    for &kind in Kind::ALL {
        for (vendor, code) in (0..0x1000).flat_map(|code| [("OMG", code), ("Taut", code)]) {
            let minor = if vendor == "OMG" {
                minor::OMGVMCID
            } else {
                minor::TAUT_VMCID
            } | code;
            if let Some(meaning) = minor::minor_meaning(kind, minor) {
                expected.push(format!("{kind}: {vendor} {code} | {meaning}"));
            }
        }
    }
    let (mut listed, mut section) = (Vec::new(), "");
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        let Some([code, meaning, advice]) = cells(line) else {
            continue;
        };
        if code.starts_with("OMG ") || code.starts_with("Taut ") {
            listed.push(format!("{section}: {code} | {meaning}"));
            // Of its own codes, Taut says what to do.
            assert!(!code.starts_with("Taut ") || !advice.is_empty(), "{line}");
        }
    }
    expected.sort();
    listed.sort();
    let missing: Vec<_> = expected
        .iter()
        .filter(|row| !listed.contains(row))
        .collect();
    let stale: Vec<_> = listed
        .iter()
        .filter(|row| !expected.contains(row))
        .collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "docs/errors.md lacks {missing:#?} and has {stale:#?}"
    );
    assert_eq!(expected.len(), listed.len(), "a row occurs twice");
}

/// The cells of a row of three.
fn cells(line: &str) -> Option<[&str; 3]> {
    let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
    match cells[..] {
        [code, meaning, advice, ""] => Some([code, meaning, advice]),
        _ => None,
    }
}

/// A minor code of Taut's belongs to one exception; in another, it says nothing.
#[test]
fn the_codes_of_taut_mean_something_in_their_exception_alone() {
    for &(minor, of, text) in minor::TAUT_MINORS {
        for &kind in Kind::ALL {
            let meaning = minor::minor_meaning(kind, minor);
            assert_eq!(meaning, (kind == of).then_some(text), "{kind} {minor:#x}");
        }
    }
}

/// Two registers, in which a function returns it.
#[test]
fn an_exception_is_small() {
    assert!(size_of::<SystemException>() <= 16);
    assert!(size_of::<Result<(), SystemException>>() <= 16);
}

#[test]
fn a_report_is_for_people_and_changes_nothing_else() {
    let bare = SystemException::new(Kind::Transient, minor::CONNECT_FAILED, No);
    let mut reported = bare.clone();
    reported.report_mut().operation = Some("withdraw".into());
    reported.report_mut().attempts.push(ConnectAttempt {
        address: "localhost:2809".into(),
        failure: ConnectFailure::Refused,
    });
    assert_eq!(reported, bare);
    assert_eq!(hash_of(&reported), hash_of(&bare));
    let [mut one, mut other] = [Encoder::new(ORDERS[0]), Encoder::new(ORDERS[0])];
    bare.encode(&mut one).unwrap();
    reported.encode(&mut other).unwrap();
    assert_eq!(one.as_bytes(), other.as_bytes());
    assert_eq!(
        reported.to_string(),
        format!("{bare}; calling withdraw; tried localhost:2809: refused")
    );
}

#[test]
fn a_copy_keeps_its_report_while_another_is_added_to() {
    let first = SystemException::new(Kind::Internal, 0, No).because("first");
    let second = first.clone().because("second");
    let cause = |exception: &SystemException| exception.report().unwrap().cause.clone();
    assert_eq!(cause(&first).as_deref(), Some("first"));
    assert_eq!(cause(&second).as_deref(), Some("second"));
}

fn hash_of(exception: &SystemException) -> u64 {
    let mut hasher = DefaultHasher::new();
    exception.hash(&mut hasher);
    hasher.finish()
}
