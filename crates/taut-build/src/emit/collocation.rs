//! Calls without messages: what a stub does first, and what a skeleton and a
//! shared servant are for that.

use taut_idl::model::{DefinitionId, ParameterMode, Type};

use super::signature::signature;
use crate::code::{Code, Ident, quote};
use crate::method::Method;
use crate::names::ident;
use crate::scope::Scope;
use crate::types;

/// A stub, which calls the servant if it is in the caller's process, and else does what
/// `by_message` says.
pub(super) fn stub(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    by_message: &Code,
) -> Code {
    stub_for(scope, interface, method, by_message, |call| call)
}

/// The same where a stub makes something of what the servant returns.
pub(super) fn stub_for(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    by_message: &Code,
    returned: impl FnOnce(Code) -> Code,
) -> Code {
    if method.oneway {
        let function = scope.runtime("collocated_oneway");
        let interface_trait = scope.definition(interface);
        let function = quote!(#function::<dyn #interface_trait>);
        return servant_first(scope, method, &function, by_message);
    }
    let (some, none) = (scope.prelude("Some"), scope.prelude("None"));
    let function = scope.runtime("collocated");
    let interface_trait = scope.definition(interface);
    let (operation, passes) = (&method.wire_name, passes(scope, method));
    let servant = ident(&method.local("servant"));
    let call = returned(call_servant(scope, method, &servant));
    quote! {
        #function::<dyn #interface_trait, _, _>(
            &self.0,
            || (#operation, #passes),
            |#servant| match #servant {
                #some(#servant) => #call,
                #none => { #by_message }
            },
        )
    }
}

/// A stub that is small rather than fast.
pub(super) fn compact_stub(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    by_message: &Code,
) -> Code {
    if method.oneway {
        return stub(scope, interface, method, by_message);
    }
    let function = scope.runtime("collocated_compact");
    let interface_trait = scope.definition(interface);
    let function = quote!(#function::<dyn #interface_trait, _, _>);
    servant_first(scope, method, &function, by_message)
}

/// Emits a call of the servant by `function`, and of the object by message if there is no
/// servant in this process.
fn servant_first(scope: &Scope<'_>, method: &Method, function: &Code, by_message: &Code) -> Code {
    let some = scope.prelude("Some");
    let (operation, passes) = (&method.wire_name, passes(scope, method));
    let servant = ident(&method.local("servant"));
    let (local, result) = (
        ident(&method.local("local")),
        ident(&method.local("result")),
    );
    let call = call_servant(scope, method, &servant);
    quote! {
        let #local = #function(&self.0, #operation, #passes, |#servant| #call);
        if let #some(#result) = #local {
            return #result;
        }
        #by_message
    }
}

/// Emits whether the operation passes references or only values, there and back.
fn passes(scope: &Scope<'_>, method: &Method) -> Code {
    let exceptions: Vec<_> = method.raises.iter().map(|&id| Type::Named(id)).collect();
    let parameters = method.parameters.iter().map(|parameter| &parameter.ty);
    let types = method.result.iter().chain(parameters).chain(&exceptions);
    let passes = scope.runtime("Passes");
    match types::may_hold_references(scope.model, types) {
        true => quote!(#passes::References),
        false => quote!(#passes::Values),
    }
}

/// The call. An `inout` argument gets its new value only if the call succeeds, as
/// the reply to a message brings it.
fn call_servant(scope: &Scope<'_>, method: &Method, servant: &Ident) -> Code {
    let name = ident(&method.name);
    let changed: Vec<_> = method
        .arguments()
        .filter(|argument| argument.mode == ParameterMode::InOut)
        .map(|argument| {
            let new = ident(&method.received_name(&argument.name));
            (ident(&argument.name), new, &argument.ty)
        })
        .collect();
    let passed = method.arguments().map(|argument| match argument.mode {
        ParameterMode::InOut => {
            let new = ident(&method.received_name(&argument.name));
            quote!(&mut #new)
        }
        _ => {
            let argument = ident(&argument.name);
            quote!(#argument)
        }
    });
    let context = method.context_parameter().map(|name| {
        let (name, function) = (ident(&name), scope.runtime("passed_context"));
        let patterns = &method.context;
        quote!(&#function(#name, &[#(#patterns),*]))
    });
    let passed = passed.chain(context);
    let call = quote!(#servant.#name(#(#passed),*));
    if changed.is_empty() {
        return call;
    }
    let result = ident(&method.local("result"));
    let copy = scope.runtime("inout_copy");
    let copies = changed.iter().map(|(old, new, ty)| {
        match types::is_scalar(scope.model, scope.model.resolve_alias(ty)) {
            true => quote!(let mut #new = *#old;),
            false => quote!(let mut #new = #copy(#old);),
        }
    });
    // Swapping, rather than assigning, leaves one place in which values are dropped.
    let assignments = changed.iter().map(|(old, new, ty)| {
        match types::is_scalar(scope.model, scope.model.resolve_alias(ty)) {
            true => quote!(*#old = #new;),
            false => quote!(::std::mem::swap(#old, &mut #new);),
        }
    });
    quote! {
        {
            #(#copies)*
            let #result = #call;
            if #result.is_ok() {
                #(#assignments)*
            }
            #result
        }
    }
}

/// The skeleton's method that gives the servant as one of its interfaces.
pub(super) fn view(scope: &Scope<'_>, id: DefinitionId, bases: &[DefinitionId]) -> Code {
    let (option, none) = (scope.prelude("Option"), scope.prelude("None"));
    let (view_type, view) = (scope.runtime("View"), scope.runtime("view"));
    let views = std::iter::once(&id).chain(bases).map(|&interface| {
        let interface = scope.definition(interface);
        quote! {
            #view::<dyn #interface>(&mut view, wanted, || {
                ::std::sync::Arc::new(::std::clone::Clone::clone(&self.0))
            });
        }
    });
    quote! {
        fn view(&self, wanted: ::std::any::TypeId) -> #option<#view_type> {
            let mut view = #none;
            #(#views)*
            view
        }
    }
}

/// The trait for what is shared: an `Arc` of a servant is one.
pub(super) fn shared_servant(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let interface = ident(&scope.names.of(id).ident);
    let parameter = ident(&scope.names.servant_parameter());
    let sized = scope.prelude("Sized");
    let methods = scope.names.methods(id).iter().map(|method| {
        let signature = signature(scope, id, method);
        let name = ident(&method.name);
        let arguments = method.arguments().map(|argument| argument.name.clone());
        let arguments = arguments.chain(method.context_parameter());
        let arguments = arguments.map(|name| ident(&name));
        quote!(#signature { (**self).#name(#(#arguments),*) })
    });
    quote! {
        impl<#parameter: #interface + ?#sized> #interface for ::std::sync::Arc<#parameter> {
            #(#methods)*
        }
    }
}
