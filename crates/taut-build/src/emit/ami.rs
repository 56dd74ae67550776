//! Asynchronous Method Invocation: the methods of references that bring replies to handlers
//! or return pollers, and the pollers.

use std::collections::HashSet;

use taut_idl::implied::HandlerOperations;
use taut_idl::model::DefinitionId;

use super::{futures, lints, operation_error, stub};
use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::keywords::{escape, unraw};
use crate::method::Method;
use crate::names::{Case, ident, poller_type, reference_type};
use crate::scope::Scope;

/// An operation that can be called asynchronously, and the names that this has.
struct Callable<'m> {
    /// The interface that declares it.
    interface: DefinitionId,
    method: &'m Method,
    handler: &'m HandlerOperations,
    /// The poller's method.
    polled: String,
    sendc: String,
    sendp: String,
}

/// Those of an interface, and those that it inherits.
fn callables<'m>(scope: &'m Scope<'_>, id: DefinitionId) -> Vec<Callable<'m>> {
    let interfaces: Vec<_> = std::iter::once(id)
        .chain(scope.model.all_bases(id))
        .collect();
    let of_all = interfaces.iter().flat_map(|id| scope.names.methods(*id));
    let mut taken: HashSet<String> = of_all
        .flat_map(|method| {
            let name = unraw(&method.name).to_owned();
            [format!("{name}_async"), name]
        })
        .collect();
    let mut free = |first: &str, last: &str| {
        let mut name = format!("{first}{last}");
        while !taken.insert(name.clone()) {
            name.insert_str(first.len(), "ami_");
        }
        name
    };
    let handlers = scope.names.reply_handlers();
    let mut found: Vec<_> = interfaces
        .iter()
        .flat_map(|id| scope.names.methods(*id).iter().map(|method| (*id, method)))
        .filter_map(|(id, method)| Some((id, method, handlers.operations(id, &method.wire_name)?)))
        .collect();
    // The name of an attribute gives way to that of an operation, as in the reply handler.
    found.sort_by_key(|(_, method, _)| is_attribute(method));
    let mut polled_by = HashSet::new();
    let callable = |(interface, method, handler): (_, &'m Method, _)| {
        let name = unraw(&method.name).trim_end_matches('_');
        let called = match method.wire_name.starts_with("_get_") {
            true => format!("get_{name}"),
            false => name.to_owned(),
        };
        let mut polled = called.clone();
        while !polled_by.insert((interface, polled.clone())) {
            polled.insert_str("get_".len(), "ami_");
        }
        Callable {
            interface,
            method,
            handler,
            polled,
            sendc: free("sendc_", &called),
            sendp: free("sendp_", &called),
        }
    };
    found.into_iter().map(callable).collect()
}

/// Whether a method stands for an attribute, or writes one.
fn is_attribute(method: &Method) -> bool {
    method.wire_name.starts_with('_')
}

/// The methods of references to an interface, and its poller; nothing if none of its
/// operations, own or inherited, can be called asynchronously.
pub(super) fn asynchronous_calls(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let callables = callables(scope, id);
    if callables.is_empty() {
        return Code::new();
    }
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    let methods = callables
        .iter()
        .map(|callable| match callable.interface == id {
            true => own(scope, callable),
            false => inherited(scope, callable),
        });
    let poller = poller(scope, id, &callables);
    quote! {
        /// Methods whose replies go to reply handlers, or are polled for.
        impl #reference {
            #(#methods)*
        }
        #poller
    }
}

/// The method whose reply goes to a handler, and the one that returns a poller.
fn own(scope: &Scope<'_>, callable: &Callable<'_>) -> Code {
    let method = callable.method;
    let (constant, value) = (constant(callable), operation(scope, callable));
    let operation_type = scope.runtime("AmiOperation");
    let arguments = stub::arguments(scope, method, true);
    let handler = ident(&method.local("ami_handler"));
    let poller = ident(&poller_type(&scope.names.of(callable.interface).ident));
    let (sendc, sendp) = (sendc(scope, callable, &handler), sendp(scope, callable));
    quote! {
        const #constant: #operation_type = #value;
        #sendc {
            self.0.call_with_handler(&Self::#constant, #handler, #arguments)
        }
        #sendp {
            let poller = self.0.call_with_poller(&Self::#constant, #arguments);
            poller.map(#poller)
        }
    }
}

/// The same of an operation that is inherited: they are the base's.
fn inherited(scope: &Scope<'_>, callable: &Callable<'_>) -> Code {
    let base = callable.interface;
    let of_base = callables(scope, base);
    let same = |one: &&Callable<'_>| one.method.wire_name == callable.method.wire_name;
    let Some(of_base) = of_base.iter().find(same) else {
        return Code::new();
    };
    let (base_sendc, base_sendp) = (ident(&of_base.sendc), ident(&of_base.sendp));
    let base_reference = scope.reference(base);
    let reference_trait = scope.runtime("Reference");
    let handler = ident(&callable.method.local("ami_handler"));
    let passed: Vec<_> = passed(callable.method).collect();
    let (sendc, sendp) = (sendc(scope, callable, &handler), sendp(scope, callable));
    let object = ident(&callable.method.local("object"));
    quote! {
        #sendc {
            let #object: #base_reference = #reference_trait::from_object(self.0.clone());
            #object.#base_sendc(#handler #(, #passed)*)
        }
        #sendp {
            let #object: #base_reference = #reference_trait::from_object(self.0.clone());
            #object.#base_sendp(#(#passed),*)
        }
    }
}

fn passed(method: &Method) -> impl Iterator<Item = Ident> + '_ {
    let arguments = method.arguments().map(|argument| ident(&argument.name));
    arguments.chain(method.context_parameter().map(|name| ident(&name)))
}

/// The head of the method whose reply goes to a handler, with its docs.
fn sendc(scope: &Scope<'_>, callable: &Callable<'_>, handler: &Ident) -> Code {
    let Some(handler_id) = scope.names.reply_handlers().of(callable.interface) else {
        return Code::new();
    };
    let name = ident(&callable.sendc);
    let handler_type = scope.reference(handler_id);
    let (of, own) = called(scope, callable);
    let operations = callable.handler;
    let docs = [
        doc(&format!(
            "Calls `{own}` of `{of}`. The reply goes to `{}` of the",
            operations.reply
        )),
        doc(&format!(
            "handler, or to `{}`; without a handler, nowhere.",
            operations.exception
        )),
    ];
    let allow = lints::asynchronous(callable.method, 2);
    let arguments = futures::parameters(scope, callable.method);
    let (option, result) = (scope.prelude("Option"), scope.runtime("Result"));
    quote! {
        #(#docs)*
        #allow
        pub fn #name(&self, #handler: #option<&#handler_type> #(, #arguments)*) -> #result<()>
    }
}

/// The head of the method that returns a poller, with its docs.
fn sendp(scope: &Scope<'_>, callable: &Callable<'_>) -> Code {
    let name = ident(&callable.sendp);
    let poller = scope.poller(callable.interface);
    let (of, own) = called(scope, callable);
    let docs = doc(&format!(
        "Calls `{own}` of `{of}`, whose reply is polled for."
    ));
    let allow = lints::asynchronous(callable.method, 1);
    let arguments = futures::parameters(scope, callable.method);
    let result = scope.runtime("Result");
    quote! {
        #docs
        #allow
        pub fn #name(&self #(, #arguments)*) -> #result<#poller>
    }
}

/// The names of the interface and of its method.
fn called<'s>(scope: &'s Scope<'_>, callable: &'s Callable<'_>) -> (&'s str, &'s str) {
    let interface = &scope.names.of(callable.interface).ident;
    (unraw(interface), unraw(&callable.method.name))
}

/// The constant with what is to be known of an operation.
fn constant(callable: &Callable<'_>) -> Ident {
    ident(&format!("AMI_{}", Case::Screaming.apply(&callable.polled)))
}

fn operation(scope: &Scope<'_>, callable: &Callable<'_>) -> Code {
    let method = callable.method;
    let operation_type = scope.runtime("AmiOperation");
    let (operation, wire_name) = (scope.runtime("operation"), &method.wire_name);
    let rewrite = futures::rewrite(scope, method);
    let HandlerOperations { reply, exception } = callable.handler;
    let (reply, exception) = (reply.as_str(), exception.as_str());
    let (input, out) = (ident("input"), ident("out"));
    let ok = scope.prelude("Ok");
    let items = method.reply_types();
    let results = match items.is_empty() {
        true => quote!(|_, _| #ok(())),
        false => {
            let steps = items.iter().map(|ty| {
                let value = ident("value");
                futures::read_and_write(scope, ty, &value, (&input, &out))
            });
            quote!(|#input, #out| { #(#steps)* #ok(()) })
        }
    };
    let raised = match method.raises.is_empty() {
        true => quote!(|_, _| #ok(false)),
        false => {
            let arms = operation_error::variants(scope, method)
                .into_iter()
                .map(|(_, id)| {
                    let ty = scope.definition(id);
                    let id = stub::repository_id(scope, &ty);
                    quote!(#id => exception.pass_on::<#ty>(#out),)
                });
            quote!(|exception, #out| match exception.repository_id() {
                #(#arms)*
                _ => #ok(false),
            })
        }
    };
    quote! {
        #operation_type {
            called: #operation!(#wire_name),
            rewrite: #rewrite,
            reply: #reply,
            exception: #exception,
            results: #results,
            raised: #raised,
        }
    }
}

/// The poller of an interface, if operations of its own can be polled for.
fn poller(scope: &Scope<'_>, id: DefinitionId, callables: &[Callable<'_>]) -> Option<Code> {
    scope.names.reply_handlers().of(id)?;
    let interface = &scope.names.of(id).ident;
    let name = ident(&poller_type(interface));
    let docs = doc(&format!(
        "A call of a [`{interface}`], whose reply is polled for.",
        interface = unraw(interface)
    ));
    let own = callables.iter().filter(|callable| callable.interface == id);
    let methods = own.map(|callable| polling(scope, callable));
    let (poller, pollable) = (scope.runtime("Poller"), scope.runtime("Pollable"));
    Some(quote! {
        #docs
        #[derive(Debug, Clone)]
        pub struct #name(#poller);
        impl #name {
            #(#methods)*
        }
        impl #pollable for #name {
            fn poller(&self) -> &#poller {
                &self.0
            }
        }
        impl ::std::ops::Deref for #name {
            type Target = #poller;
            fn deref(&self) -> &#poller {
                &self.0
            }
        }
    })
}

/// The poller's method for an operation.
fn polling(scope: &Scope<'_>, callable: &Callable<'_>) -> Code {
    let method = callable.method;
    let name = ident(&escape(&callable.polled));
    let (of, own) = called(scope, callable);
    let docs = [
        doc(&format!(
            "Takes what [`{own}`]({of}::{own}) has returned, and waits"
        )),
        doc("for it no longer than this."),
    ];
    let error_size = operation_error::error_size(scope, method);
    let yielded = method.reply_types();
    let allow = lints::polling(scope.model, &callable.polled, error_size, &yielded);
    let returned = futures::returned(scope, callable.interface, method);
    let (option, result) = (scope.prelude("Option"), scope.prelude("Result"));
    let returns = match &method.error_type {
        Some(error) => {
            let error = scope.belonging(callable.interface, error);
            quote!(#result<#returned, #error>)
        }
        None => {
            let result = scope.runtime("Result");
            quote!(#result<#returned>)
        }
    };
    let decoding = stub::decoding(scope, callable.interface, method);
    let operation = callable.handler.reply.as_str();
    quote! {
        #(#docs)*
        #allow
        pub fn #name(&self, timeout: #option<::std::time::Duration>) -> #returns {
            self.0.take(#operation, timeout)?.outcome(#decoding)
        }
    }
}

/// Has the errors of an operation told apart by what an exception holder holds.
pub(super) fn operation_error(scope: &Scope<'_>, method: &Method, name: &str) -> Code {
    let (error, exception) = (ident(name), ident("exception"));
    let operation_error = scope.runtime("OperationError");
    let (raised, result) = (scope.runtime("RaisedException"), scope.runtime("Result"));
    let (option, some, none) = (
        scope.prelude("Option"),
        scope.prelude("Some"),
        scope.prelude("None"),
    );
    let ok = scope.prelude("Ok");
    let arms = stub::raised(scope, method, &exception);
    quote! {
        impl #operation_error for #error {
            fn of_raised(#exception: &#raised<'_>) -> #result<#option<Self>> {
                #ok(#some(match #exception.repository_id() {
                    #arms
                    _ => return #ok(#none),
                }))
            }
        }
    }
}
