//! Servants that answer later: their trait, and the skeleton that goes with it.

use taut_idl::model::{DefinitionId, Interface, ParameterMode};

use super::operation_list::OperationList;
use super::skeleton::{
    answer_by, dispatch, dispatcher_for, dispatcher_name, owned_arguments, pattern,
};
use super::{lints, operation_error, reply, signature, skeleton};
use crate::code::{Code, Ident, quote};
use crate::docs::{doc, doc_or};
use crate::keywords::unraw;
use crate::method::Method;
use crate::names::{async_skeleton_type, async_trait, ident, reference_type};
use crate::scope::Scope;
use crate::strategy::Answering;
use crate::types;

/// The trait and the skeleton of an interface some of whose operations are not answered at once.
pub(super) fn servant(
    scope: &Scope<'_>,
    id: DefinitionId,
    interface: &Interface,
    operations: &OperationList<'_>,
) -> Code {
    let servant = servant_trait(scope, id, interface);
    let skeleton = async_skeleton(scope, id, operations);
    quote!(#servant #skeleton)
}

fn servant_trait(scope: &Scope<'_>, id: DefinitionId, interface: &Interface) -> Code {
    let name = &scope.names.of(id).ident;
    let doc = doc(&format!(
        "Servants of [`{}`] that answer some requests later than their methods return.",
        unraw(name)
    ));
    let name = ident(&async_trait(name));
    let (send, sync) = (scope.prelude("Send"), scope.prelude("Sync"));
    let bases = interface.bases.iter().map(|&base| {
        let base = match scope.names.strategies().answers_later(base) {
            true => scope.async_trait(base),
            false => scope.definition(base),
        };
        quote!(#base +)
    });
    let methods = scope.names.methods(id).iter();
    let methods: Code = methods
        .map(|method| declaration(scope, id, method))
        .collect();
    quote! {
        #doc
        pub trait #name: #(#bases)* #send + #sync + 'static {
            #methods
        }
    }
}

/// The declaration of an operation's method.
fn declaration(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
    let answering = scope.names.strategies().answering(method);
    if answering == Answering::AtOnce {
        return signature::declaration(scope, method, &signature::signature(scope, id, method));
    }
    let doc = doc_or(&method.docs, &method.fallback_doc);
    let error_size = operation_error::error_size(scope, method);
    let allow = lints::later_method(scope.model, method, error_size);
    let name = ident(&method.name);
    let arguments = method.arguments().map(|argument| {
        let (name, ty) = (ident(&argument.name), types::owned(scope, &argument.ty));
        quote!(, #name: #ty)
    });
    let context = method.context_parameter().map(|name| {
        let (name, ty) = (ident(&name), scope.runtime("Context"));
        quote!(, #name: #ty)
    });
    let arguments = arguments.chain(context);
    let receiver = quote!(self: ::std::sync::Arc<Self>);
    let returned = returned(scope, id, method);
    let error = error(scope, id, method);
    if answering == Answering::Responder {
        let responder = ident(&method.local("responder"));
        let responder_type = scope.runtime("Responder");
        return quote! {
            #doc #allow
            fn #name(#receiver #(#arguments)*, #responder: #responder_type<#returned, #error>);
        };
    }
    let (result, send) = (scope.prelude("Result"), scope.prelude("Send"));
    quote! {
        #doc #allow
        fn #name(#receiver #(#arguments)*)
            -> impl ::std::future::Future<Output = #result<#returned, #error>> + #send + 'static;
    }
}

/// The type of what an operation returns: what its method returns otherwise, and behind it the
/// new values of `inout` parameters.
fn returned(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
    let values = (!method.values().is_empty()).then(|| reply::returned(scope, id, method));
    let inouts = inouts(method).map(|argument| types::owned(scope, &argument.ty));
    let all: Vec<_> = values.into_iter().chain(inouts).collect();
    match all.as_slice() {
        [only] => quote!(#only),
        several => quote!((#(#several),*)),
    }
}

/// The pattern of that; none if it is nothing.
fn returned_pattern(method: &Method) -> Option<Code> {
    let inouts = inouts(method).map(|argument| {
        let name = ident(&argument.name);
        quote!(#name)
    });
    let all: Vec<_> = pattern(method).into_iter().chain(inouts).collect();
    match all.as_slice() {
        [] => None,
        [only] => Some(quote!(#only)),
        several => Some(quote!((#(#several),*))),
    }
}

fn inouts(method: &Method) -> impl Iterator<Item = &crate::method::MethodParameter> {
    let arguments = method.arguments();
    arguments.filter(|argument| argument.mode == ParameterMode::InOut)
}

/// The type of an operation's exceptions.
fn error(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
    match &method.error_type {
        Some(error) => scope.belonging(id, error),
        None => scope.runtime("SystemException"),
    }
}

fn async_skeleton(scope: &Scope<'_>, id: DefinitionId, operations: &OperationList<'_>) -> Code {
    let name = scope.names.of(id);
    let interface = ident(&async_trait(&name.ident));
    let reference = ident(&reference_type(&name.ident));
    let skeleton = ident(&async_skeleton_type(&name.ident));
    let parameter = ident(&scope.names.servant_parameter());
    let clone = scope.prelude("Clone");
    let (servant_trait, skeleton_trait) = (scope.runtime("Servant"), scope.runtime("Skeleton"));
    let (reference_trait, interface_type) =
        (scope.runtime("Reference"), scope.runtime("Interface"));
    let identity = scope.runtime("ServantIdentity");
    let struct_doc = doc(&format!(
        "Turns an [`{}`] into a servant, which an object adapter can activate.",
        async_trait(&name.ident)
    ));
    let methods = scope.names.methods(id).iter();
    let dispatchers = methods.map(|method| dispatcher(scope, id, method, &parameter));
    let skeleton_of = |base: DefinitionId| {
        if base == id {
            return quote!(Self);
        }
        let skeleton = match scope.names.strategies().answers_later(base) {
            true => scope.async_skeleton(base),
            false => scope.skeleton(base),
        };
        quote!(#skeleton::<#parameter>)
    };
    let dispatch = dispatch(scope, id, operations, skeleton_of);
    quote! {
        #struct_doc
        pub struct #skeleton<#parameter>(::std::sync::Arc<#parameter>);
        impl<#parameter: #interface> #skeleton<#parameter> {
            /// A skeleton for this servant.
            pub fn new(servant: #parameter) -> Self {
                Self(::std::sync::Arc::new(servant))
            }
            /// A skeleton for a servant that is shared with others.
            pub fn from_arc(servant: ::std::sync::Arc<#parameter>) -> Self {
                Self(servant)
            }
            #(#dispatchers)*
        }
        impl<#parameter> #clone for #skeleton<#parameter> {
            fn clone(&self) -> Self {
                Self(::std::clone::Clone::clone(&self.0))
            }
        }
        impl<#parameter: #interface> #servant_trait for #skeleton<#parameter> {
            fn interface(&self) -> &'static #interface_type {
                <#reference as #reference_trait>::INTERFACE
            }
            fn identity(&self) -> #identity {
                #identity::of(&self.0)
            }
            #dispatch
        }
        impl<#parameter: #interface> #skeleton_trait for #skeleton<#parameter> {
            type Reference = #reference;
        }
    }
}

/// The function that serves one operation.
fn dispatcher(scope: &Scope<'_>, id: DefinitionId, method: &Method, parameter: &Ident) -> Code {
    let answering = scope.names.strategies().answering(method);
    let shared = quote!(::std::sync::Arc<#parameter>);
    if answering == Answering::AtOnce {
        return dispatcher_for(scope, id, method, &shared);
    }
    let name = dispatcher_name(method);
    let servant = ident(&method.local("servant"));
    let request = ident(&method.local("request"));
    let outcome = ident(&method.local("outcome"));
    let request_type = scope.runtime("ServerRequest");
    let (result, ok) = (scope.runtime("Result"), scope.prelude("Ok"));
    let arguments = owned_arguments(scope, method, &request);
    let passed = method.arguments().map(|argument| ident(&argument.name));
    let passed = passed.chain(method.context_parameter().map(|name| ident(&name)));
    let write = skeleton::reply(scope, method, &request);
    let pattern = returned_pattern(method);
    let by = (pattern.as_ref(), &write);
    let answer = answer_by(scope, id, method, &request, &quote!(#outcome), by);
    let servant_trait = ident(&async_trait(&scope.names.of(id).ident));
    let method_name = ident(&method.name);
    let shared_servant = quote!(::std::sync::Arc::clone(#servant));
    let body = match answering {
        Answering::Responder => {
            let responder = scope.runtime("responder");
            let made = ident(&method.local("responder"));
            let (returned, error) = (returned(scope, id, method), error(scope, id, method));
            quote! {
                let #made = #responder::<#returned, #error>(#request, |#request, #outcome| { #answer })?;
                #servant_trait::#method_name(#shared_servant #(, #passed)*, #made);
                #ok(())
            }
        }
        _ => {
            let function = scope.runtime("answer_with_future");
            let future = ident(&method.local("future"));
            quote! {
                let #future = #servant_trait::#method_name(#shared_servant #(, #passed)*);
                #function(#request, #future, |#request, #outcome| { #answer })
            }
        }
    };
    quote! {
        #[doc(hidden)]
        pub fn #name(#servant: &#shared, #request: &mut #request_type<'_>) -> #result<()> {
            #arguments
            #body
        }
    }
}
