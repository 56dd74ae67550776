//! The methods of references that return futures.

use std::collections::HashSet;

use taut_idl::model::{DefinitionId, Type};

use super::{lints, operation_error, stub};
use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::keywords::unraw;
use crate::method::Method;
use crate::names::{ident, reference_type};
use crate::scope::Scope;
use crate::types::{self, Operand, Site};

/// The methods of references to an interface that return futures, those of inherited
/// operations among them, unless there are to be none.
pub(super) fn futures(scope: &Scope<'_>, id: DefinitionId) -> Code {
    if !scope.names.has_futures() {
        return Code::new();
    }
    let mut taken: HashSet<String> = std::iter::once(id)
        .chain(scope.model.all_bases(id))
        .flat_map(|interface| scope.names.methods(interface))
        .map(|method| unraw(&method.name).to_owned())
        .collect();
    if scope.names.has_views() {
        let views: Vec<_> = taken.iter().map(|name| format!("{name}_view")).collect();
        taken.extend(views);
    }
    let interfaces: Vec<_> = std::iter::once(id)
        .chain(scope.model.all_bases(id))
        .collect();
    let mut futures = Vec::new();
    for interface in interfaces {
        for method in scope.names.methods(interface) {
            let mut name = format!("{}_async", unraw(&method.name));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            futures.push(future(scope, (id, interface), method, &name));
        }
    }
    if futures.is_empty() {
        return Code::new();
    }
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    quote! {
        /// Methods that return futures.
        impl #reference {
            #(#futures)*
        }
    }
}

fn future(
    scope: &Scope<'_>,
    (id, interface): (DefinitionId, DefinitionId),
    method: &Method,
    name: &str,
) -> Code {
    let (of, own) = (unraw(&scope.names.of(interface).ident), unraw(&method.name));
    let doc = match interface == id {
        true => doc(&format!("[`{own}`]({of}::{own}) as a future.")),
        false => doc(&format!(
            "`{own}`, which is inherited from `{of}`, as a future."
        )),
    };
    let error_size = operation_error::error_size(scope, method);
    let allow = lints::future(scope.model, method, error_size, &method.reply_types());
    let signature = signature(scope, interface, method, name);
    let wire_name = &method.wire_name;
    let operation = scope.runtime("operation");
    let arguments = stub::arguments(scope, method, true);
    let rewrite = rewrite(scope, method);
    if method.oneway {
        return quote! {
            #doc
            #allow
            #[inline]
            pub #signature {
                self.0.send_async(#operation!(#wire_name), #arguments, #rewrite)
            }
        };
    }
    let read = read(scope, interface, method);
    quote! {
        #doc
        #allow
        #[inline]
        pub #signature {
            self.0.call_async(#operation!(#wire_name), #arguments, #rewrite, #read)
        }
    }
}

/// The head of the method.
fn signature(scope: &Scope<'_>, interface: DefinitionId, method: &Method, name: &str) -> Code {
    let (name, arguments) = (ident(name), parameters(scope, method));
    let future = scope.runtime("ReplyFuture");
    let returned = returned(scope, interface, method);
    let error = method.error_type.as_ref().map(|error| {
        let error = scope.belonging(interface, error);
        quote!(, #error)
    });
    quote!(fn #name(&self #(, #arguments)*) -> #future<#returned #error>)
}

/// The parameters of a method that does not wait for the reply: new values of `inout` ones
/// come with the results.
pub(super) fn parameters(scope: &Scope<'_>, method: &Method) -> Vec<Code> {
    let arguments = method.arguments().map(|parameter| {
        let name = ident(&parameter.name);
        let ty = types::in_argument(scope, &parameter.ty);
        quote!(#name: #ty)
    });
    let context = method.context_parameter().map(|name| {
        let (name, ty) = (ident(&name), scope.runtime("Context"));
        quote!(#name: &#ty)
    });
    arguments.chain(context).collect()
}

/// The type of what comes back. There is no place for new values of `inout` parameters but
/// beside the others: all are a tuple then, in the order of the reply.
pub(super) fn returned(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> Code {
    if !method.has_inout() {
        return super::reply::returned(scope, interface, method);
    }
    let types = method.reply_types();
    let owned: Vec<_> = types.iter().map(|ty| types::owned(scope, ty)).collect();
    match owned.as_slice() {
        [only] => quote!(#only),
        several => quote!((#(#several),*)),
    }
}

/// The closure that reads the reply.
fn read(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> Code {
    let reply = ident(&method.local("reply"));
    let results = match method.reply_items().as_slice() {
        [] => quote!(#reply.no_results()),
        _ => {
            let decoding = stub::decoding(scope, interface, method);
            quote!(#reply.results(#decoding))
        }
    };
    if method.raises.is_empty() {
        return quote!(|#reply| #results);
    }
    let exception = ident(&method.local("exception"));
    let arms = stub::raised(scope, method, &exception);
    let (ok, err, some) = (
        scope.prelude("Ok"),
        scope.prelude("Err"),
        scope.prelude("Some"),
    );
    quote! {
        |#reply| {
            if let #some(#exception) = #reply.user_exception()? {
                return #err(match #exception.repository_id() {
                    #arms
                    _ => #exception.unlisted().into(),
                });
            }
            #ok(#results?)
        }
    }
}

/// The function that reads the arguments and writes them again, if they may have
/// characters, which servers have in several forms.
pub(super) fn rewrite(scope: &Scope<'_>, method: &Method) -> Code {
    let (none, some) = (scope.prelude("None"), scope.prelude("Some"));
    let has_characters = method
        .arguments()
        .any(|argument| types::may_hold_characters(scope.model, &argument.ty));
    if !has_characters && method.context.is_empty() {
        return none;
    }
    let (input, out) = (ident(&method.local("input")), ident(&method.local("out")));
    let steps = method.arguments().map(|argument| {
        read_and_write(scope, &argument.ty, &ident(&argument.name), (&input, &out))
    });
    let context = method.context_parameter().map(|name| {
        let name = ident(&name);
        let (decode, encode) = (
            scope.runtime("decode_context"),
            scope.runtime("encode_context"),
        );
        let patterns = &method.context;
        quote! {
            let #name = #decode(#input)?;
            #encode(&#name, &[#(#patterns),*], #out)?;
        }
    });
    let ok = scope.prelude("Ok");
    quote!(#some(|#input, #out| { #(#steps)* #context #ok(()) }))
}

/// The statements that read a value and write it again.
pub(super) fn read_and_write(
    scope: &Scope<'_>,
    ty: &Type,
    name: &Ident,
    (input, out): (&Ident, &Ident),
) -> Code {
    let function = types::decode_fn(scope, Site::Elsewhere, ty);
    let owned = types::owned(scope, ty);
    let value = Operand::place(quote!(#name));
    let encode = types::encode(scope, Site::Elsewhere, ty, &value, &quote!(#out));
    quote! {
        let #name: #owned = #function(#input)?;
        #encode?;
    }
}
