//! System exceptions: on the wire and for people.

mod common;

use common::ORDERS;
use taut_cdr::{Decode, Decoder, Encode, Encoder, Error, ErrorKind};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

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
            "COMM_FAILURE (TAO minor 0x085), COMPLETED_NO",
        ),
        (
            Kind::Transient,
            0x4154_0002,
            No,
            "TRANSIENT (omniORB minor 0x002), COMPLETED_NO",
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
            "INTERNAL (minor 0xdeadbeef), COMPLETED_NO",
        ),
    ] {
        let exception = SystemException::new(kind, minor, completed);
        assert_eq!(exception.to_string(), text);
    }
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

#[test]
fn an_exception_is_small() {
    assert!(size_of::<SystemException>() <= 12);
    assert!(size_of::<Result<(), SystemException>>() <= 12);
}
