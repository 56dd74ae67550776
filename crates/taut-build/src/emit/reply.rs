//! The results of an operation: nothing, a value, a pair, or a struct.

use taut_idl::model::{DefinitionId, Type};

use super::data::derives;
use crate::code::{Code, quote};
use crate::docs::doc;
use crate::method::{Method, ReplyItem};
use crate::names::ident;
use crate::scope::Scope;
use crate::support::is_local_type;
use crate::types;

/// The struct of a method that returns three values or more.
pub(super) fn reply_struct(scope: &Scope<'_>, method: &Method, name: &str) -> Code {
    let values = method.values();
    let struct_doc = doc(&format!("The results of the {}.", method.description));
    // The traits of local objects and native types are not known from the IDL.
    let is_local = values
        .iter()
        .any(|value| is_local_type(scope.model, value.ty));
    let traits = || types::traits(scope.model, values.iter().map(|value| value.ty));
    let derives = (!is_local).then(|| derives(traits()));
    let name = ident(name);
    let fields = values.iter().map(|value| {
        let (doc, name, ty) = (
            doc(&value.doc),
            ident(&value.name),
            types::owned(scope, value.ty),
        );
        quote!(#doc pub #name: #ty)
    });
    quote! {
        #struct_doc
        #derives
        pub struct #name {
            #(#fields),*
        }
    }
}

/// The type that a method returns if all goes well.
pub(super) fn returned(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> Code {
    let values = method.values();
    match (&method.reply_type, values.as_slice()) {
        (Some(reply), _) => scope.belonging(interface, reply),
        (None, [value]) => types::owned(scope, value.ty),
        (None, values) => {
            let types = values.iter().map(|value| types::owned(scope, value.ty));
            quote!((#(#types),*))
        }
    }
}

/// Returns the parts of the reply: the types, and the expressions of the values.
pub(super) fn answered(method: &Method) -> Vec<(&Type, Code)> {
    let values = method.values();
    let reply = ident(&method.local("reply"));
    let answered = |item| match item {
        ReplyItem::Value(index) => {
            let value = &values[index];
            let field = ident(&value.name);
            let expression = match method.reply_type {
                Some(_) => quote!(#reply.#field),
                None => quote!(#field),
            };
            (value.ty, expression)
        }
        ReplyItem::InOut(parameter) => {
            let name = ident(&parameter.name);
            (&parameter.ty, quote!(#name))
        }
    };
    method.reply_items().into_iter().map(answered).collect()
}
