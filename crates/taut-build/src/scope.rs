//! The place that code is generated for: how it names things there, and what
//! it has to import.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use proc_macro2::TokenStream;
use quote::quote;
use taut_idl::model::{DefinitionId, Model};

use crate::names::{
    ModulePath, Names, abstract_type, alias_type_code, ident, operations_trait, reference_type,
    skeleton_type,
};

/// A module of the generated file.
pub(crate) struct Scope<'a> {
    pub(crate) model: &'a Model,
    pub(crate) names: &'a Names,
    module: ModulePath,
    imports: RefCell<BTreeSet<Import>>,
    /// What stubs of an interface's operations look like here, in braces: the
    /// same for all that inherit it.
    stubs: RefCell<HashMap<DefinitionId, TokenStream>>,
}

/// Something of the run-time module that code in a module uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Import {
    Module,
    Decode,
    DecodeAs,
    Encode,
    EncodeAs,
    Typed,
    UserException,
}

impl<'a> Scope<'a> {
    /// The scope for code in `module`.
    pub(crate) fn new(model: &'a Model, names: &'a Names, module: ModulePath) -> Self {
        Self {
            model,
            names,
            module,
            imports: RefCell::default(),
            stubs: RefCell::default(),
        }
    }

    /// An item of the run-time module.
    pub(crate) fn runtime(&self, item: &str) -> TokenStream {
        let item = ident(item);
        if self.is_file() || self.names.is_taken("codegen") {
            return quote!(::taut::codegen::#item);
        }
        self.import(Import::Module);
        quote!(codegen::#item)
    }

    /// An item of the standard library that every module has, written so that
    /// definitions of the same name do not matter.
    pub(crate) fn prelude(&self, item: &str) -> TokenStream {
        let name = ident(item);
        if !self.names.is_taken(item) {
            return quote!(#name);
        }
        match item {
            "Option" | "Some" | "None" => {
                if item == "Option" {
                    quote!(::std::option::Option)
                } else {
                    quote!(::std::option::Option::#name)
                }
            }
            "Result" => quote!(::std::result::Result),
            "Ok" | "Err" => quote!(::std::result::Result::#name),
            "String" => quote!(::std::string::String),
            "Vec" => quote!(::std::vec::Vec),
            "From" => quote!(::std::convert::From),
            "Clone" => quote!(::std::clone::Clone),
            "Default" => quote!(::std::default::Default),
            // `Send`, `Sync`, `Sized`.
            _ => quote!(::std::marker::#name),
        }
    }

    /// A definition that is a type, a constant or a trait.
    pub(crate) fn definition(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module.path_to(&name.module, &name.ident)
    }

    /// The function that returns a typedef's TypeCode.
    pub(crate) fn alias_type_code(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &alias_type_code(&name.ident))
    }

    /// The references to an interface.
    pub(crate) fn reference(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &reference_type(&name.ident))
    }

    /// What is passed for an abstract interface.
    pub(crate) fn abstract_type(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &abstract_type(&name.ident))
    }

    /// The trait with the operations of a value type.
    pub(crate) fn operations(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &operations_trait(&name.ident))
    }

    /// The skeleton of an interface.
    pub(crate) fn skeleton(&self, id: DefinitionId) -> TokenStream {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &skeleton_type(&name.ident))
    }

    /// A type that belongs to an interface's operation.
    pub(crate) fn belonging(&self, interface: DefinitionId, ty: &str) -> TokenStream {
        self.module.path_to(&self.names.of(interface).scope, ty)
    }

    /// The stubs of an interface's operations, made by `make` when they are
    /// first asked for.
    pub(crate) fn stubs(
        &self,
        interface: DefinitionId,
        make: impl FnOnce() -> TokenStream,
    ) -> TokenStream {
        if let Some(stubs) = self.stubs.borrow().get(&interface) {
            return stubs.clone();
        }
        let stubs = make();
        let mut known = self.stubs.borrow_mut();
        known.insert(interface, stubs.clone());
        stubs
    }

    /// Makes `.encode(out)` work, or says that it does not.
    pub(crate) fn has_encode(&self) -> bool {
        self.has(Import::Encode)
    }

    /// Makes `Type::decode` work, or says that it does not.
    pub(crate) fn has_decode(&self) -> bool {
        self.has(Import::Decode)
    }

    /// Makes `Form::encode` work, or says that it does not.
    pub(crate) fn has_encode_as(&self) -> bool {
        self.has(Import::EncodeAs)
    }

    /// Makes `Form::decode` work, or says that it does not.
    pub(crate) fn has_decode_as(&self) -> bool {
        self.has(Import::DecodeAs)
    }

    /// Makes `Type::type_code` work, or says that it does not.
    pub(crate) fn has_typed(&self) -> bool {
        self.has(Import::Typed)
    }

    /// Makes `Exception::REPOSITORY_ID` work, or says that it does not.
    pub(crate) fn has_user_exception(&self) -> bool {
        self.has(Import::UserException)
    }

    /// The imports that the code so far needs.
    pub(crate) fn imports(&self) -> TokenStream {
        let imports = self.imports.borrow();
        let mut items = Vec::new();
        let mut forms = Vec::new();
        for import in imports.iter() {
            match import {
                Import::Module => items.push(quote!(self)),
                Import::Decode => items.push(quote!(Decode as _)),
                Import::Encode => items.push(quote!(Encode as _)),
                Import::Typed => items.push(quote!(Typed as _)),
                Import::UserException => items.push(quote!(UserException as _)),
                Import::DecodeAs => forms.push(quote!(DecodeAs as _)),
                Import::EncodeAs => forms.push(quote!(EncodeAs as _)),
            }
        }
        let only_module = imports.len() == 1 && imports.contains(&Import::Module);
        let items_len = items.len();
        let items = match items.as_slice() {
            [] => None,
            _ if only_module => Some(quote!(
                use ::taut::codegen;
            )),
            [item] if forms.is_empty() || !imports.contains(&Import::Module) => {
                Some(quote!(use ::taut::codegen::#item;))
            }
            [_] => Some(quote!(
                use ::taut::codegen;
            )),
            items => Some(quote!(use ::taut::codegen::{#(#items),*};)),
        };
        let forms = match forms.as_slice() {
            [] => None,
            [form] => Some(quote!(use ::taut::codegen::codec::#form;)),
            forms => Some(quote!(use ::taut::codegen::codec::{#(#forms),*};)),
        };
        // In the order that rustfmt gives them.
        if only_module || matches!(items_len, 0 | 1) {
            quote!(#items #forms)
        } else {
            quote!(#forms #items)
        }
    }

    /// Nothing is imported where the file is included: those names would be
    /// the user's.
    fn is_file(&self) -> bool {
        self.module == ModulePath::file()
    }

    fn has(&self, import: Import) -> bool {
        if !self.is_file() {
            self.import(import);
        }
        !self.is_file()
    }

    fn import(&self, import: Import) {
        self.imports.borrow_mut().insert(import);
    }
}
