//! The Rust code for each kind of definition.

mod bits;
mod constant;
mod data;
mod discriminator;
mod enumeration;
mod exception;
mod interface;
mod interpretive;
mod lints;
mod module;
mod operation_error;
mod reply;
mod signature;
mod skeleton;
mod stub;
mod table;
mod type_code;
mod typedef;
mod union;
mod value;

pub(crate) use lints::ALLOW_UNUSED;
use proc_macro2::TokenStream;
use taut_idl::model::Model;

use crate::fault::GenerateError;
use crate::names::{ModulePath, Names};
use crate::scope::Scope;

/// The items of the whole file.
///
/// # Errors
///
/// Definitions that have no mapping.
pub(crate) fn file(model: &Model, names: &Names) -> Result<TokenStream, Vec<GenerateError>> {
    let scope = Scope::new(model, names, ModulePath::file());
    module::items(&scope, model.roots())
}
