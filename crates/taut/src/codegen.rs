//! Everything that generated code refers to. Write against [`crate`]'s root
//! instead: what stands here changes with the generator.

pub use taut_cdr::{
    Char, Decode, DecodeNil, Decoder, Encode, EncodeNil, Encoder, Primitive, Result as CdrResult,
    codec,
};
pub use taut_giop::operation_table::OperationTable;

pub use crate::__reference as reference;
pub use crate::exception::UserException;
pub use crate::object::{Interface, ObjectRef, Reference, decode_nil};
pub use crate::poa::{Servant, ServantIdentity, Skeleton};
pub use crate::server::ServerRequest;
pub use crate::{Result, SystemException};
