//! Interfaces: the trait, the reference, and the module for what belongs to
//! the interface.

use taut_idl::model::{Definition, DefinitionId, Interface, InterfaceKind};

use super::inner::inner_module;
use super::operation_list::OperationList;
use super::signature::trait_methods;
use super::{
    abstract_interface, ami, asynchronous, collocation, futures, interpretive, lints,
    operation_signatures, skeleton, stub, type_code,
};
use crate::code::{Code, quote};
use crate::docs::{doc, doc_or};
use crate::fault::GenerateError;
use crate::keywords::unraw;
use crate::names::{ident, reference_type};
use crate::print::Printed;
use crate::scope::Scope;
use crate::values::is_abstract_interface;

/// Everything of an interface; `members` are the items for the definitions
/// inside it, made in the scope `inner`.
pub(super) fn interface(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    interface: &Interface,
    inner: &Scope<'_>,
    members: Printed,
) -> Result<Printed, Vec<GenerateError>> {
    let bases = scope.model.all_bases(id);
    let interface_trait = interface_trait(scope, id, definition, interface);
    let shared_servant = collocation::shared_servant(scope, id);
    if interface.kind == InterfaceKind::Local {
        let reference = local_reference(scope, id);
        let mut printed = scope.print(quote!(#interface_trait #shared_servant #reference));
        printed.push(&inner_module(scope, id, definition, inner, members));
        return Ok(printed);
    }
    let list = OperationList::new(scope, id, &bases)?;
    let reference = reference(scope, id, definition, &bases, Some(&list));
    let operations = interpretive::operations(scope, id);
    let passed = (interface.kind == InterfaceKind::Abstract)
        .then(|| abstract_interface::abstract_interface(scope, id, definition));
    let signatures = (interface.kind != InterfaceKind::Abstract)
        .then(|| operation_signatures::signatures(scope, id, &list))
        .flatten();
    let mut printed = scope.print(quote!(
        #interface_trait #shared_servant #reference #passed #signatures #operations
    ));
    for &base in std::iter::once(&id).chain(&bases) {
        printed.push(&stub::stub(scope, id, base));
    }
    printed.push(&scope.print(stub::views(scope, id)));
    printed.push(&scope.print(futures::futures(scope, id)));
    printed.push(&scope.print(ami::asynchronous_calls(scope, id)));
    printed.push(&scope.print(skeleton::skeleton(scope, id, &bases, &list)));
    if scope.names.strategies().answers_later(id) {
        printed.push(&scope.print(asynchronous::servant(scope, id, interface, &list)));
    }
    printed.push(&inner_module(scope, id, definition, inner, members));
    Ok(printed)
}

/// A reference to an interface that is declared and nowhere defined: it can be
/// passed on, but not called.
pub(super) fn declaration(scope: &Scope<'_>, id: DefinitionId, definition: &Definition) -> Code {
    reference(scope, id, definition, &[], None)
}

fn interface_trait(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    interface: &Interface,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let local = match interface.kind {
        InterfaceKind::Local => "local ",
        InterfaceKind::Abstract => "abstract ",
        InterfaceKind::Unconstrained => "",
    };
    let fallback = format!(
        "The IDL {local}interface `{scoped_name}` (`{}`).",
        definition.repository_id
    );
    let doc = doc_or(&definition.docs, &fallback);
    let methods = scope.names.methods(id);
    let allow = lints::interface(methods);
    let name = ident(&scope.names.of(id).ident);
    let supertraits = if interface.bases.is_empty() {
        let (send, sync) = (scope.prelude("Send"), scope.prelude("Sync"));
        quote!(#send + #sync)
    } else {
        let bases = interface.bases.iter().map(|&base| scope.definition(base));
        quote!(#(#bases)+*)
    };
    let methods = trait_methods(scope, id);
    quote! {
        #doc
        #allow
        pub trait #name: #supertraits {
            #methods
        }
    }
}

fn reference(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    bases: &[DefinitionId],
    operations: Option<&OperationList<'_>>,
) -> Code {
    let scoped_name = definition.scoped_name.join("::");
    let doc = if scope.model.interface(id).is_some() {
        let name = unraw(&scope.names.of(id).ident).to_owned();
        doc(&format!("A reference to a [`{name}`], wherever it is."))
    } else {
        doc(&format!(
            "A reference to an object of the interface `{scoped_name}`, which the IDL declares \
             and does not define."
        ))
    };
    let name = ident(&reference_type(&scope.names.of(id).ident));
    let object = scope.runtime("ObjectRef");
    let reference_macro = scope.runtime("reference");
    let repository_id = definition.repository_id.to_string();
    let base_ids = bases
        .iter()
        .map(|&base| scope.model.get(base).repository_id.to_string());
    let operations: Vec<&str> = operations.iter().flat_map(|list| list.names()).collect();
    let operations = (!operations.is_empty()).then(|| quote!(, operations: [#(#operations),*]));
    let (from, reference_trait) = (scope.prelude("From"), scope.runtime("Reference"));
    let base_references = bases.iter().map(|&base| scope.reference(base));
    // An abstract interface has its TypeCode from the type of its arguments, not from the
    // reference.
    let typed =
        (!is_abstract_interface(scope.model, id)).then(|| type_code::typed_reference(scope, id));
    quote! {
        #doc
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct #name(#object);
        #reference_macro! { #name: #repository_id, bases: [#(#base_ids),*] #operations }
        #typed
        #(
            impl #from<#name> for #base_references {
                fn from(reference: #name) -> Self {
                    #reference_trait::from_object(#reference_trait::into_object(reference))
                }
            }
        )*
    }
}

/// Emits the type by which local objects are passed: shared, for they never leave the
/// process.
fn local_reference(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let interface = &scope.names.of(id).ident;
    let doc = doc(&format!(
        "A local object that is a [`{}`].",
        unraw(interface)
    ));
    let (name, interface) = (ident(&reference_type(interface)), ident(interface));
    quote! {
        #doc
        pub type #name = ::std::sync::Arc<dyn #interface>;
    }
}
