//! The Rust form of IDL types: the type, how it is passed, how it travels, and what can be
//! said of it.

mod codec;
mod contents;
mod facts;
mod rust_type;
mod type_code;
mod uniform;

pub(crate) use codec::{Operand, Site, decode_fn, encode, is_plain, map_slice_form, table_form};
pub(crate) use contents::{may_hold_characters, may_hold_references};
pub(crate) use facts::{Traits, min_size, rust_size, traits};
pub(crate) use rust_type::{
    idl_name, in_argument, is_borrowed, is_ordered, is_scalar, owned, plain_elements,
    primitive_elements, reference,
};
pub(crate) use type_code::{creation as type_code_creation, of as type_code};
pub(crate) use uniform::{is_plain_data, is_uniform};
