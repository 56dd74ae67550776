//! Everything that generated code refers to. Write against [`crate`]'s root
//! instead: what stands here changes with the generator.

pub use taut_cdr::{
    Char, Decode, DecodeNil, Decoder, ElementForm, Encode, EncodeNil, Encoder, Fixed, LongDouble,
    Primitive, Result as CdrResult, WChar, bits, codec, uniform_enumeration, uniform_structure,
};
pub use taut_giop::operation_table::{LinearOperationTable, OperationTable, SortedOperationTable};
pub use taut_types::table;
pub use taut_types::value::{
    Abstract, AbstractInterface, ConcreteValue, CustomMarshal, DataInputStream, DataOutputStream,
    DerivesFrom, NoBase, Value, ValueBase, ValueDescriptor, ValueObject, ValueType,
};
pub use taut_types::{
    Any, CreateError, MemberVisibility, TCKind, TypeCode, Typed, UnionMember, ValueMember,
    ValueModifier,
};
pub use taut_types::{table_enumeration, table_structure};

pub use crate::__bitmask as bitmask;
pub use crate::__operation as operation;
pub use crate::__reference as reference;
pub use crate::bitmask::undefined_bit;
pub use crate::context::{Context, decode_context, encode_context, passed_context};
pub use crate::exception::UserException;
#[cfg(feature = "full")]
pub use crate::interceptors::{OperationSignature, Signatures, signatures};
pub use crate::invoke::{AmiOperation, ReplyFuture};
pub use crate::invoke::{
    CallFailure, SequenceView, call, call_in_context, call_raising, call_raising_in_context,
    collocated, collocated_compact, collocated_oneway, inout_copy, send, send_in_context,
};
pub use crate::invoke::{OperationError, OwnedReply, Pollable, Poller, RaisedException};
pub use crate::object::{
    CalledOperation, Interface, ObjectRef, Passes, Reference, View, decode_nil, view,
};
#[cfg(feature = "full")]
pub use crate::poa::{Responder, answer_with_future, responder};
pub use crate::poa::{Servant, ServantIdentity, Skeleton};
pub use crate::server::{HashedOperationTable, ServerRequest, answer, receive};
pub use crate::type_codes::{StaticTypeCode, type_code_within};
pub use crate::{Result, SystemException};

/// `wstring` without a bound, as a `String`.
pub type WideString = codec::WideString<{ codec::UNBOUNDED }>;

/// The value of a `fixed` constant, from its digits without the point.
///
/// # Panics
///
/// When the type has fewer digits. The compiler of IDL has checked it, and
/// constants are computed while the program is compiled.
#[must_use]
pub const fn fixed<const DIGITS: u8, const SCALE: u8>(unscaled: i128) -> Fixed<DIGITS, SCALE> {
    match Fixed::from_unscaled(unscaled) {
        Ok(value) => value,
        Err(_) => panic!("the constant has more digits than its type"),
    }
}

/// The error for a union that is to be sent with a discriminator which selects
/// another of its branches.
#[cold]
pub fn wrong_discriminator(out: &Encoder) -> taut_cdr::Error {
    let rule = "a union's discriminator selects another branch than the one it has";
    taut_cdr::Error::new(taut_cdr::ErrorKind::Invalid(rule), out.position())
}
