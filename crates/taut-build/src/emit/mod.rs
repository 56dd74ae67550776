//! The Rust code for each kind of definition, and the file that it makes.

mod bits;
mod collocation;
mod constant;
mod data;
mod definition;
mod discriminator;
mod enumeration;
mod exception;
mod file;
mod inner;
mod interface;
mod interpretive;
mod lints;
mod operation_error;
mod operation_list;
mod reply;
mod signature;
mod skeleton;
mod stub;
mod table;
mod type_code;
mod typedef;
mod union;
mod value;

pub(crate) use file::file;
