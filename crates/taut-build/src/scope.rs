//! The place that code is generated for: how it names things there, and what
//! it has to import.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use taut_idl::model::{DefinitionId, Model};

use crate::code::{Code, quote};
use crate::imports::{Import, Imports};
use crate::names::{
    ModulePath, Names, abstract_type, alias_type_code, async_skeleton_type, async_trait, ident,
    operations_trait, poller_type, reference_type, skeleton_type,
};
use crate::print::{self, Printed};

/// For the file: what is included in a private module need not all be used, and
/// is not all reachable. Neither is for the author of the IDL to change. An
/// included file cannot have attributes of its own, so its outermost items do.
const ALLOW_UNUSED: &str = "#[allow(dead_code, unreachable_pub)]";

/// A module of the generated file.
pub(crate) struct Scope<'a> {
    pub(crate) model: &'a Model,
    pub(crate) names: &'a Names,
    module: &'a ModulePath,
    stubs: &'a Stubs,
    imports: Cell<Imports>,
}

/// The printed stubs of interfaces' operations, by the module that they are in and the
/// interface: the same for all that inherit it.
#[derive(Debug, Default)]
pub(crate) struct Stubs(Mutex<HashMap<(ModulePath, DefinitionId), Arc<Printed>>>);

impl<'a> Scope<'a> {
    /// The scope for code in `module`.
    pub(crate) fn new(
        model: &'a Model,
        names: &'a Names,
        module: &'a ModulePath,
        stubs: &'a Stubs,
    ) -> Self {
        Self {
            model,
            names,
            module,
            stubs,
            imports: Cell::default(),
        }
    }

    /// The scope for what is defined inside a definition.
    pub(crate) fn inside(&self, id: DefinitionId) -> Self {
        Self::new(self.model, self.names, &self.names.of(id).scope, self.stubs)
    }

    /// An item of the run-time module.
    pub(crate) fn runtime(&self, item: &str) -> Code {
        let item = ident(item);
        if self.is_file() || self.names.is_taken("codegen") {
            return quote!(::taut::codegen::#item);
        }
        self.import(Import::Module);
        quote!(codegen::#item)
    }

    /// An item of the standard library that every module has, written so that
    /// definitions of the same name do not matter.
    pub(crate) fn prelude(&self, item: &str) -> Code {
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
    pub(crate) fn definition(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module.path_to(&name.module, &name.ident)
    }

    /// The function that returns a typedef's TypeCode.
    pub(crate) fn alias_type_code(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &alias_type_code(&name.ident))
    }

    /// The references to an interface.
    pub(crate) fn reference(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &reference_type(&name.ident))
    }

    /// Emits the type of arguments for an abstract interface.
    pub(crate) fn abstract_type(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &abstract_type(&name.ident))
    }

    /// The trait with the operations of a value type.
    pub(crate) fn operations(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &operations_trait(&name.ident))
    }

    /// The skeleton of an interface.
    pub(crate) fn skeleton(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &skeleton_type(&name.ident))
    }

    /// The trait of an interface's servants that answer later.
    pub(crate) fn async_trait(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module.path_to(&name.module, &async_trait(&name.ident))
    }

    /// The skeleton of an interface's servants that answer later.
    pub(crate) fn async_skeleton(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module
            .path_to(&name.module, &async_skeleton_type(&name.ident))
    }

    /// The poller of calls to an interface.
    pub(crate) fn poller(&self, id: DefinitionId) -> Code {
        let name = self.names.of(id);
        self.module.path_to(&name.module, &poller_type(&name.ident))
    }

    /// A type that belongs to an interface's operation.
    pub(crate) fn belonging(&self, interface: DefinitionId, ty: &str) -> Code {
        self.module.path_to(&self.names.of(interface).scope, ty)
    }

    /// The stubs of an interface's operations as they stand in an implementation
    /// here, made by `make` unless that was done before, for whatever definition.
    pub(crate) fn stubs(
        &self,
        interface: DefinitionId,
        make: impl FnOnce() -> Code,
    ) -> Arc<Printed> {
        let key = (self.module.clone(), interface);
        let known = |stubs: &Stubs| stubs.lock().get(&key).map(Arc::clone);
        if let Some(stubs) = known(self.stubs) {
            return stubs;
        }
        // Made while others may look: if two threads make the same, no matter.
        let stubs = Arc::new(self.print_inside(make()));
        self.stubs.lock().insert(key, Arc::clone(&stubs));
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
    pub(crate) fn imports(&self) -> Imports {
        self.imports.get()
    }

    /// Lays out items that stand in the scope.
    pub(crate) fn print(&self, items: Code) -> Printed {
        let attribute = if self.is_file() { ALLOW_UNUSED } else { "" };
        print::items(&items, self.depth(), attribute)
    }

    /// Lays out items that stand in a block in the scope.
    pub(crate) fn print_inside(&self, items: Code) -> Printed {
        print::items(&items, self.depth() + 1, "")
    }

    /// How many modules of the file are around the code.
    fn depth(&self) -> usize {
        self.module.segments.len()
    }

    /// Nothing is imported where the file is included: those names would be
    /// the user's.
    fn is_file(&self) -> bool {
        *self.module == ModulePath::file()
    }

    fn has(&self, import: Import) -> bool {
        if !self.is_file() {
            self.import(import);
        }
        !self.is_file()
    }

    fn import(&self, import: Import) {
        self.imports.set(self.imports.get().with(import));
    }
}

impl Stubs {
    fn lock(
        &self,
    ) -> impl std::ops::DerefMut<Target = HashMap<(ModulePath, DefinitionId), Arc<Printed>>> {
        // The map is whole even when a thread panicked while it held the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
