//! Stubs: the trait, implemented by references.

use std::collections::HashSet;

use taut_idl::model::{DefinitionId, ParameterMode, Type};

use super::data::in_sequence;
use super::signature::{signature, signature_as};
use super::{collocation, interpretive, lints, operation_error};
use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::keywords::unraw;
use crate::method::{Method, MethodParameter, ReplyItem};
use crate::names::{ident, reference_type};
use crate::print::Printed;
use crate::scope::Scope;
use crate::types::{self, Operand, Site};

/// The implementation of `base` (the interface itself, or one that it
/// inherits) for references to `interface`.
pub(super) fn stub(scope: &Scope<'_>, id: DefinitionId, base: DefinitionId) -> Printed {
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    let base_trait = scope.definition(base);
    let mut printed = scope.print(quote!(impl #base_trait for #reference {}));
    // They are the same for all who inherit them, but where a table stands with
    // the heir.
    match interpretive::home(scope, id, base) == base {
        true => printed.fill(&scope.stubs(base, || methods(scope, base, base))),
        false => printed.fill(&scope.print_inside(methods(scope, id, base))),
    }
    printed
}

/// The methods of a trait as references to `id` have them.
fn methods(scope: &Scope<'_>, id: DefinitionId, base: DefinitionId) -> Code {
    let methods = scope.names.methods(base).iter().map(|method| {
        let signature = signature(scope, base, method);
        let body = match interpretive::has_operation(scope, base, method) {
            true => {
                let by_message = interpretive::stub(scope, id, base, method);
                collocation::compact_stub(scope, base, method, &by_message)
            }
            false => {
                let by_message = body(scope, base, method, Reading::Owned);
                collocation::stub(scope, base, method, &by_message)
            }
        };
        // The closure in it returns what the method does.
        let allow = lints::method(
            scope.model,
            method,
            operation_error::error_size(scope, method),
        );
        quote!(#allow #signature { #body })
    });
    quote!(#(#methods)*)
}

/// The methods of references to an interface whose results stay in the messages that
/// brought them, if there are to be any.
pub(super) fn views(scope: &Scope<'_>, id: DefinitionId) -> Code {
    if !scope.names.has_views() {
        return Code::new();
    }
    let of_all = std::iter::once(id).chain(scope.model.all_bases(id));
    let taken: HashSet<&str> = of_all
        .flat_map(|interface| scope.names.methods(interface))
        .map(|method| method.name.as_str())
        .collect();
    let methods = scope.names.methods(id).iter();
    let views: Vec<_> = methods
        .filter_map(|method| view(scope, id, method, &taken))
        .collect();
    if views.is_empty() {
        return Code::new();
    }
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    quote! {
        /// Methods whose results stay in the messages that bring them.
        impl #reference {
            #(#views)*
        }
    }
}

/// The method whose result stays in the message, if it is nothing but a sequence that
/// can. Its name is none of those `taken`.
fn view(
    scope: &Scope<'_>,
    id: DefinitionId,
    method: &Method,
    taken: &HashSet<&str>,
) -> Option<Code> {
    let [ReplyItem::Value(_)] = method.reply_items().as_slice() else {
        return None;
    };
    let element = types::primitive_elements(scope, only_result(method)?)?;
    let mut name = format!("{}_view", unraw(&method.name));
    while taken.contains(name.as_str()) {
        name.push('_');
    }
    let view = scope.runtime("SequenceView");
    let signature = signature_as(scope, id, method, &name, &quote!(#view<#element>));
    let into = quote!(::std::convert::Into::into);
    let by_message = body(scope, id, method, Reading::View);
    let body = collocation::stub_for(
        scope,
        id,
        method,
        &by_message,
        |call| quote!(#call.map(#into)),
    );
    let interface = unraw(&scope.names.of(id).ident);
    let own = unraw(&method.name);
    let doc = doc(&format!(
        "[`{own}`]({interface}::{own}), whose result stays in the message that brings it."
    ));
    let error_size = operation_error::error_size(scope, method);
    let allow = lints::method(scope.model, method, error_size);
    Some(quote!(#doc #allow pub #signature { #body }))
}

/// The way in which the result is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It is the caller's.
    Owned,
    /// It stays in the message.
    View,
}

fn body(scope: &Scope<'_>, interface: DefinitionId, method: &Method, reading: Reading) -> Code {
    let (name, operation) = (&method.wire_name, scope.runtime("operation"));
    let landing = only_result(method).and_then(|ty| types::plain_elements(scope, ty));
    let operation = match landing {
        Some(element) if reading == Reading::Owned => quote!(#operation!(#name, [#element])),
        _ => quote!(#operation!(#name)),
    };
    let arguments = arguments(scope, method, false);
    if method.oneway {
        return quote!(self.0.send(#operation, #arguments));
    }
    let invoke = quote!(self.0.call(#operation, #arguments)?);
    if method.raises.is_empty() {
        let results = results(scope, interface, method, reading, &invoke);
        return match results {
            Results::Returned(expression) => expression,
            Results::Bound { statements, value } => {
                let ok = scope.prelude("Ok");
                quote!(#statements #ok(#value))
            }
        };
    }
    let reply = ident(&method.local("reply"));
    let exception = ident(&method.local("exception"));
    let (ok, err, some) = (
        scope.prelude("Ok"),
        scope.prelude("Err"),
        scope.prelude("Some"),
    );
    let arms = raised(scope, method, &exception);
    let results = match results(scope, interface, method, reading, &quote!(#reply)) {
        Results::Returned(expression) => quote!(#ok(#expression?)),
        Results::Bound { statements, value } => quote!(#statements #ok(#value)),
    };
    quote! {
        let #reply = #invoke;
        if let #some(#exception) = #reply.user_exception()? {
            return #err(match #exception.repository_id() {
                #arms
                _ => #exception.unlisted().into(),
            });
        }
        #results
    }
}

/// Returns the type of the result, if the operation has only that one.
fn only_result(method: &Method) -> Option<&Type> {
    match method.reply_types().as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The last argument, if it is a sequence that may be sent from where it lies.
fn lent<'m>(scope: &Scope<'_>, method: &'m Method) -> Option<&'m MethodParameter> {
    let last = method.arguments().last()?;
    let is_last = method.context_parameter().is_none();
    let is_lent = is_last && last.mode == ParameterMode::In;
    (is_lent && types::primitive_elements(scope, &last.ty).is_some()).then_some(last)
}

/// The closure that encodes the arguments. It returns the last if it lends that. Methods
/// that return futures are given `inout` arguments as `in` ones.
pub(super) fn arguments(scope: &Scope<'_>, method: &Method, is_async: bool) -> Code {
    let out = ident(&method.local("out"));
    let lent = lent(scope, method);
    let steps: Vec<_> = method
        .arguments()
        .map(|parameter| {
            let name = ident(&parameter.name);
            if lent.is_some_and(|lent| std::ptr::eq(lent, parameter)) {
                return quote!(#out.lend(#name));
            }
            let value = match parameter.mode {
                ParameterMode::InOut if !is_async => Operand::reference(quote!(#name)),
                _ if types::is_borrowed(scope.model, &parameter.ty) => {
                    Operand::reference(quote!(#name))
                }
                _ => Operand::place(quote!(#name)),
            };
            types::encode(scope, Site::Elsewhere, &parameter.ty, &value, &quote!(#out))
        })
        .chain(context(scope, method, &out))
        .collect();
    if steps.is_empty() {
        let ok = scope.prelude("Ok");
        return quote!(|_| #ok(()));
    }
    let single = steps.len() == 1;
    let steps = in_sequence(steps);
    if single {
        quote!(|#out| #steps)
    } else {
        quote!(|#out| { #steps })
    }
}

/// The expression that encodes the properties which the operation asks for.
fn context(scope: &Scope<'_>, method: &Method, out: &Ident) -> Option<Code> {
    let name = ident(&method.context_parameter()?);
    let (encode, patterns) = (scope.runtime("encode_context"), &method.context);
    Some(quote!(#encode(#name, &[#(#patterns),*], #out)))
}

pub(super) fn raised(scope: &Scope<'_>, method: &Method, exception: &Ident) -> Code {
    let arms = operation_error::variants(scope, method)
        .into_iter()
        .map(|(_, id)| {
            let ty = scope.definition(id);
            let repository_id = repository_id(scope, &ty);
            quote!(#repository_id => #exception.decode::<#ty>()?.into(),)
        });
    arms.collect()
}

/// The repository id of an exception.
pub(super) fn repository_id(scope: &Scope<'_>, exception: &Code) -> Code {
    if scope.has_user_exception() {
        return quote!(#exception::REPOSITORY_ID);
    }
    let user_exception = scope.runtime("UserException");
    quote!(<#exception as #user_exception>::REPOSITORY_ID)
}

/// The function that reads what the reply carries: as the method returns it, or as a tuple in
/// the order of the reply if there are new values of `inout` parameters among it.
pub(super) fn decoding(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> Code {
    let ok = scope.prelude("Ok");
    let types = method.reply_types();
    let decode = types
        .iter()
        .map(|ty| types::decode_fn(scope, Site::Elsewhere, ty));
    let decode: Vec<_> = decode.collect();
    let input = ident(&method.local("input"));
    match (&method.reply_type, decode.as_slice()) {
        (_, []) => quote!(|_| #ok(())),
        (_, [only]) => quote!(#only),
        (Some(reply_type), decode) if !method.has_inout() => {
            let reply_type = scope.belonging(interface, reply_type);
            let fields = method.values();
            let fields = fields.iter().map(|value| ident(&value.name));
            quote!(|#input| #ok(#reply_type { #(#fields: #decode(#input)?),* }))
        }
        (_, decode) => quote!(|#input| #ok((#(#decode(#input)?),*))),
    }
}

/// How a stub gets at what the reply carries.
enum Results {
    /// An expression of the run-time's `Result` with what the method returns.
    Returned(Code),
    /// Statements after which `value` is what the method returns.
    Bound { statements: Code, value: Code },
}

fn results(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    reading: Reading,
    reply: &Code,
) -> Results {
    if reading == Reading::View {
        return Results::Returned(quote!(#reply.into_sequence()));
    }
    let items = method.reply_items();
    if items.is_empty() {
        return Results::Returned(quote!(#reply.no_results()));
    }
    let decoding = decoding(scope, interface, method);
    let results = quote!(#reply.results(#decoding));
    if !method.has_inout() {
        return Results::Returned(results);
    }
    if let [ReplyItem::InOut(parameter)] = items.as_slice() {
        let name = ident(&parameter.name);
        return Results::Bound {
            statements: quote!(*#name = #results?;),
            value: quote!(()),
        };
    }
    let values = method.values();
    let fields: Vec<_> = values.iter().map(|value| ident(&value.name)).collect();
    let locals: Vec<_> = items
        .iter()
        .map(|item| match item {
            ReplyItem::Value(index) => fields[*index].clone(),
            ReplyItem::InOut(parameter) => ident(&method.received_name(&parameter.name)),
        })
        .collect();
    let assignments = items
        .iter()
        .zip(&locals)
        .filter_map(|(item, local)| match item {
            ReplyItem::InOut(parameter) => {
                let name = ident(&parameter.name);
                Some(quote!(*#name = #local;))
            }
            ReplyItem::Value(_) => None,
        });
    // A wire form may be read as several types; what the values are assigned
    // to and returned as tells the compiler which.
    let statements = quote! {
        let (#(#locals),*) = #results?;
        #(#assignments)*
    };
    let value = match (&method.reply_type, fields.as_slice()) {
        (Some(reply_type), fields) => {
            let reply_type = scope.belonging(interface, reply_type);
            quote!(#reply_type { #(#fields),* })
        }
        (None, [field]) => quote!(#field),
        (None, fields) => quote!((#(#fields),*)),
    };
    Results::Bound { statements, value }
}
