//! Exception holders by themselves.

use taut::ami::ExceptionHolder;
use taut::codegen::{Decode, Decoder, Encode, Encoder};
use taut::{ByteOrder, SystemException, SystemExceptionKind, Value, minor};

use super::FAILURE;
use super::generated::desks::clerk::{FileError, ShiftError};
use super::generated::desks::{Closed, Refused};

fn refused() -> Refused {
    Refused {
        why: "asked for".to_owned(),
        how_much: 0.5,
    }
}

#[test]
fn a_holder_raises_what_it_holds_as_the_error_of_an_operation() {
    let holder = ExceptionHolder::of_user(&refused()).unwrap();
    assert!(!holder.is_system_exception());
    assert_eq!(holder.exception_id().unwrap(), "IDL:desks/Refused:1.0");
    let raised = holder.raise_exception::<(), FileError>();
    assert_eq!(raised, Err(FileError::Refused(refused())));
    let raised = holder.raise_exception::<(), ShiftError>();
    assert_eq!(raised, Err(ShiftError::Refused(refused())));
    // One that the operation does not list.
    let closed = ExceptionHolder::of_user(&Closed {}).unwrap();
    let Err(ShiftError::System(unknown)) = closed.raise_exception::<(), ShiftError>() else {
        panic!("not listed");
    };
    let kind = (SystemExceptionKind::Unknown, minor::omg(1));
    assert_eq!((unknown.kind, unknown.minor), kind);

    let holder = ExceptionHolder::of_system(&FAILURE);
    assert!(holder.is_system_exception());
    let raised = holder.raise_exception::<(), SystemException>();
    assert_eq!(raised, Err(FAILURE));
    let raised = holder.raise_exception::<(), FileError>();
    assert_eq!(raised, Err(FileError::System(FAILURE)));
}

/// The value `Messaging::ExceptionHolder` (CORBA 3.3 part 1, chapter 17), octet for octet.
#[test]
fn a_holder_travels_as_the_value_of_the_standard() {
    let mut out = Encoder::new(ByteOrder::Big);
    // As the other side may have written it: big-endian, and told so in the value.
    out.write(0x7fff_ff02_u32);
    "IDL:omg.org/Messaging/ExceptionHolder:1.0"
        .encode(&mut out)
        .unwrap();
    false.encode(&mut out).unwrap();
    false.encode(&mut out).unwrap();
    let mut exception = Encoder::new(ByteOrder::Big);
    "IDL:desks/Refused:1.0".encode(&mut exception).unwrap();
    refused().encode(&mut exception).unwrap();
    exception.as_bytes().encode(&mut out).unwrap();
    let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
    let holder = Option::<Value<ExceptionHolder>>::decode(&mut input)
        .unwrap()
        .unwrap();
    let raised = holder.raise_exception::<(), FileError>();
    assert_eq!(raised, Err(FileError::Refused(refused())));
}

#[test]
fn a_holder_with_anything_in_it_is_marshal() {
    for octets in [&[][..], &[0xff; 4], &[0, 0, 0, 9, b'I']] {
        let mut out = Encoder::new(ByteOrder::Big);
        out.write(0x7fff_ff00_u32);
        false.encode(&mut out).unwrap();
        false.encode(&mut out).unwrap();
        octets.encode(&mut out).unwrap();
        let mut input = Decoder::new(out.as_bytes(), ByteOrder::Big);
        let holder = Option::<Value<ExceptionHolder>>::decode(&mut input)
            .unwrap()
            .unwrap();
        let raised = holder.raise_exception::<(), SystemException>().unwrap_err();
        assert_eq!(raised.kind, SystemExceptionKind::Marshal);
        assert!(holder.exception_id().is_err());
    }
}
