//! The Rust code for each kind of definition, and the file that it makes.

mod abstract_interface;
mod ami;
mod asynchronous;
mod bits;
mod codec;
mod collocation;
mod constant;
mod data;
mod definition;
mod discriminator;
mod enumeration;
mod exception;
mod file;
mod futures;
mod inner;
mod interface;
mod interpretive;
mod lints;
mod operation_error;
mod operation_list;
mod operation_signatures;
mod reply;
mod signature;
mod skeleton;
mod stub;
mod table;
mod type_code;
mod typedef;
mod uniform;
mod union;
mod union_marshaling;
mod union_parts;
mod value;
mod value_box;
mod value_state;

pub(crate) use file::file;
