//! Skeletons: from a request to a call of the servant.

use proc_macro2::Literal;
use taut_idl::model::{DefinitionId, ParameterMode, Type};

use super::data::in_sequence;
use super::operation_list::OperationList;
use super::reply::answered;
use super::{collocation, interpretive, operation_error};
use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::keywords::unraw;
use crate::method::{Method, MethodParameter, ReplyItem};
use crate::names::{ident, is_reference, reference_type, skeleton_type};
use crate::scope::Scope;
use crate::types::{self, Operand, Site};

pub(super) fn skeleton(
    scope: &Scope<'_>,
    id: DefinitionId,
    bases: &[DefinitionId],
    operations: &OperationList<'_>,
) -> Code {
    let name = scope.names.of(id);
    let interface = ident(&name.ident);
    let reference = ident(&reference_type(&name.ident));
    let skeleton = ident(&skeleton_type(&name.ident));
    let parameter = ident(&scope.names.servant_parameter());
    let (sized, clone) = (scope.prelude("Sized"), scope.prelude("Clone"));
    let (servant_trait, skeleton_trait) = (scope.runtime("Servant"), scope.runtime("Skeleton"));
    let (reference_trait, interface_type) =
        (scope.runtime("Reference"), scope.runtime("Interface"));
    let identity = scope.runtime("ServantIdentity");
    let struct_doc = doc(&format!(
        "Turns a [`{}`] into a servant, which an object adapter can activate.",
        unraw(&name.ident)
    ));
    let dispatchers = scope
        .names
        .methods(id)
        .iter()
        .map(|method| dispatcher(scope, id, method, &parameter));
    let skeleton_of = |base: DefinitionId| match base == id {
        true => quote!(Self),
        false => {
            let skeleton = scope.skeleton(base);
            quote!(#skeleton::<#parameter>)
        }
    };
    let dispatch = dispatch(scope, id, operations, skeleton_of);
    let view = collocation::view(scope, id, bases);
    quote! {
        #struct_doc
        pub struct #skeleton<#parameter: ?#sized>(::std::sync::Arc<#parameter>);
        impl<#parameter: #interface> #skeleton<#parameter> {
            /// A skeleton for this servant.
            pub fn new(servant: #parameter) -> Self {
                Self(::std::sync::Arc::new(servant))
            }
        }
        impl<#parameter: #interface + ?#sized> #skeleton<#parameter> {
            /// A skeleton for a servant that is shared with others.
            pub fn from_arc(servant: ::std::sync::Arc<#parameter>) -> Self {
                Self(servant)
            }
            #(#dispatchers)*
        }
        impl<#parameter: ?#sized> #clone for #skeleton<#parameter> {
            fn clone(&self) -> Self {
                Self(::std::clone::Clone::clone(&self.0))
            }
        }
        impl<#parameter: #interface + ?#sized + 'static> #servant_trait for #skeleton<#parameter> {
            fn interface(&self) -> &'static #interface_type {
                <#reference as #reference_trait>::INTERFACE
            }
            fn identity(&self) -> #identity {
                #identity::of(&self.0)
            }
            #dispatch
            #view
        }
        impl<#parameter: #interface + ?#sized + 'static> #skeleton_trait for #skeleton<#parameter> {
            type Reference = #reference;
        }
    }
}

/// How a request finds its operation, own or inherited: by name, or by its place in
/// the interface's list, which a handle tells.
/// `skeleton_of` emits the skeleton that has the dispatchers of an interface.
pub(super) fn dispatch(
    scope: &Scope<'_>,
    id: DefinitionId,
    operations: &OperationList<'_>,
    skeleton_of: impl Fn(DefinitionId) -> Code,
) -> Code {
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    let reference_trait = scope.runtime("Reference");
    let request = scope.runtime("ServerRequest");
    let result = scope.runtime("Result");
    let interface = quote!(<#reference as #reference_trait>::INTERFACE);
    let implicit = quote!(request.implicit_operation(#interface));
    let Some((ty, table)) = operations.table(scope, &interface) else {
        return quote! {
            fn dispatch(&self, request: &mut #request<'_>) -> #result<()> {
                #implicit
            }
        };
    };
    let (some, option) = (scope.prelude("Some"), scope.prelude("Option"));
    let arms = operations.methods.iter().enumerate();
    let arms = arms.map(|(place, (base, method))| {
        let place = Literal::usize_unsuffixed(place);
        let function = dispatcher_name(method);
        let skeleton = skeleton_of(*base);
        quote!(#some(#place) => #skeleton::#function(&self.0, request),)
    });
    quote! {
        fn dispatch(&self, request: &mut #request<'_>) -> #result<()> {
            static OPERATIONS: #ty = #table;
            self.dispatch_at(OPERATIONS.find(request.operation()), request)
        }
        #[inline]
        fn dispatch_at(
            &self,
            operation: #option<usize>,
            request: &mut #request<'_>,
        ) -> #result<()> {
            match operation {
                #(#arms)*
                _ => #implicit,
            }
        }
    }
}

pub(super) fn dispatcher_name(method: &Method) -> Ident {
    ident(&format!("dispatch_{}", unraw(&method.name)))
}

/// The function that serves one operation.
fn dispatcher(scope: &Scope<'_>, id: DefinitionId, method: &Method, parameter: &Ident) -> Code {
    dispatcher_for(scope, id, method, &quote!(#parameter))
}

/// The same for a servant that is passed as this type.
pub(super) fn dispatcher_for(
    scope: &Scope<'_>,
    id: DefinitionId,
    method: &Method,
    parameter: &Code,
) -> Code {
    let name = dispatcher_name(method);
    let servant = ident(&method.local("servant"));
    let request = ident(&method.local("request"));
    let request_type = scope.runtime("ServerRequest");
    let result = scope.runtime("Result");
    let by_table = interpretive::has_operation(scope, id, method);
    let arguments = if by_table {
        interpretive::arguments(scope, id, method, &request)
    } else {
        arguments(scope, method, &request)
    };
    let passed = method.arguments().map(|argument| match by_table {
        true => interpretive::passed(scope, argument),
        false => passed(scope, argument),
    });
    let context = method.context_parameter().map(|name| {
        let name = ident(&name);
        quote!(&#name)
    });
    let passed = passed.chain(context);
    let method_name = ident(&method.name);
    let call = quote!(#servant.#method_name(#(#passed),*));
    let write = if by_table {
        interpretive::answer(scope, id, method, &request)
    } else {
        reply(scope, method, &request)
    };
    let answer = answer(scope, id, method, &request, &call, &write);
    quote! {
        #[doc(hidden)]
        pub fn #name(#servant: &#parameter, #request: &mut #request_type<'_>) -> #result<()> {
            #arguments
            #answer
        }
    }
}

/// The statement that decodes the arguments into local variables that own them, for what goes
/// on when the request's message is gone.
pub(super) fn owned_arguments(scope: &Scope<'_>, method: &Method, request: &Ident) -> Code {
    let input = ident(&method.local("input"));
    let owned = method.arguments().map(|argument| {
        let name = ident(&argument.name);
        Incoming {
            pattern: quote!(#name),
            ..owned(scope, argument, &input)
        }
    });
    let context = incoming_context(scope, method, &input);
    read(scope, method, request, owned.chain(context).collect())
}

/// An argument that is read from a request into a local variable.
struct Incoming {
    pattern: Code,
    /// Its type, as far as it has to be told.
    ty: Code,
    /// The function that reads it.
    function: Option<Code>,
    /// The expression that reads it.
    value: Code,
}

/// The statement that decodes the arguments into local variables.
fn arguments(scope: &Scope<'_>, method: &Method, request: &Ident) -> Code {
    let input = ident(&method.local("input"));
    let incoming = method
        .arguments()
        .map(|argument| incoming(scope, argument, &input))
        .chain(incoming_context(scope, method, &input))
        .collect();
    read(scope, method, request, incoming)
}

/// The statement that reads arguments from a request into local variables.
fn read(scope: &Scope<'_>, method: &Method, request: &Ident, incoming: Vec<Incoming>) -> Code {
    let ok = scope.prelude("Ok");
    let input = ident(&method.local("input"));
    // A wire form does not tell the type that it is decoded to.
    let is_told = method
        .arguments()
        .any(|argument| !types::is_plain(scope.model, &argument.ty));
    match incoming.as_slice() {
        [] => quote!(#request.arguments(|_| #ok(()))?;),
        [only] => {
            let (pattern, value) = (&only.pattern, &only.value);
            let ty = is_told.then(|| {
                let ty = &only.ty;
                quote!(: #ty)
            });
            let decode = match &only.function {
                Some(function) => quote!(#function),
                None => quote!(|#input| #value),
            };
            quote!(let #pattern #ty = #request.arguments(#decode)?;)
        }
        several => {
            let patterns = several.iter().map(|one| &one.pattern);
            let values = several.iter().map(|one| &one.value);
            let ty = is_told.then(|| {
                let types = several.iter().map(|one| &one.ty);
                quote!(: (#(#types),*))
            });
            quote! {
                let (#(#patterns),*) #ty = #request.arguments(|#input| #ok((#(#values?),*)))?;
            }
        }
    }
}

fn incoming(scope: &Scope<'_>, argument: &MethodParameter, input: &Ident) -> Incoming {
    let name = ident(&argument.name);
    let pattern = match argument.mode {
        ParameterMode::InOut => quote!(mut #name),
        _ => quote!(#name),
    };
    match borrowed(scope, argument, input) {
        Some(value) => Incoming {
            pattern,
            ty: quote!(_),
            function: None,
            value,
        },
        None => Incoming {
            pattern,
            ..owned(scope, argument, input)
        },
    }
}

/// An argument that is read into a value of its own.
fn owned(scope: &Scope<'_>, argument: &MethodParameter, input: &Ident) -> Incoming {
    let name = ident(&argument.name);
    let function = types::decode_fn(scope, Site::Elsewhere, &argument.ty);
    Incoming {
        pattern: quote!(#name),
        ty: types::owned(scope, &argument.ty),
        value: quote!(#function(#input)),
        function: Some(function),
    }
}

/// The properties of the caller, which follow the arguments.
fn incoming_context(scope: &Scope<'_>, method: &Method, input: &Ident) -> Option<Incoming> {
    let name = ident(&method.context_parameter()?);
    let function = scope.runtime("decode_context");
    Some(Incoming {
        pattern: quote!(#name),
        ty: quote!(_),
        value: quote!(#function(#input)),
        function: Some(function),
    })
}

/// The expression that borrows an argument from the request, if its type
/// allows it.
fn borrowed(scope: &Scope<'_>, argument: &MethodParameter, input: &Ident) -> Option<Code> {
    if argument.mode != ParameterMode::In {
        return None;
    }
    if matches!(
        scope.model.resolve_alias(&argument.ty),
        Type::String { bound: None }
    ) {
        return Some(quote!(#input.read_string()));
    }
    let element = types::primitive_elements(scope, &argument.ty)?;
    Some(quote!(#input.read_sequence::<#element>()))
}

/// A local variable as an argument for the servant.
fn passed(scope: &Scope<'_>, argument: &MethodParameter) -> Code {
    let name = ident(&argument.name);
    if argument.mode == ParameterMode::InOut {
        return quote!(&mut #name);
    }
    if is_reference(scope.model, &argument.ty) {
        return quote!(#name.as_ref());
    }
    if types::is_scalar(scope.model, scope.model.resolve_alias(&argument.ty)) {
        return quote!(#name);
    }
    quote!(&#name)
}

/// Calls the servant and replies with what it returns, which `write` does.
fn answer(
    scope: &Scope<'_>,
    id: DefinitionId,
    method: &Method,
    request: &Ident,
    call: &Code,
    write: &Code,
) -> Code {
    let pattern = pattern(method);
    answer_by(scope, id, method, request, call, (pattern.as_ref(), write))
}

/// The pattern of what the servant returns; none if that is nothing.
pub(super) fn pattern(method: &Method) -> Option<Code> {
    let values = method.values();
    let fields: Vec<_> = values.iter().map(|value| ident(&value.name)).collect();
    let reply = ident(&method.local("reply"));
    match (&method.reply_type, fields.as_slice()) {
        (_, []) => None,
        (Some(_), _) => Some(quote!(#reply)),
        (None, [field]) => Some(quote!(#field)),
        (None, fields) => Some(quote!((#(#fields),*))),
    }
}

/// Calls the servant and replies with what it returns, of which the pattern is given, and the
/// expression that writes it.
pub(super) fn answer_by(
    scope: &Scope<'_>,
    id: DefinitionId,
    method: &Method,
    request: &Ident,
    call: &Code,
    (pattern, write): (Option<&Code>, &Code),
) -> Code {
    let ok = scope.prelude("Ok");
    if method.raises.is_empty() {
        let binding = pattern.map(|pattern| quote!(let #pattern =));
        return quote! {
            #binding #call?;
            #write
        };
    }
    let err = scope.prelude("Err");
    let exception = ident(&method.local("exception"));
    let error = method
        .error_type
        .as_ref()
        .map(|error| scope.belonging(id, error));
    let variants = operation_error::variants(scope, method)
        .into_iter()
        .map(|(name, _)| name);
    let nothing = quote!(());
    let pattern = pattern.unwrap_or(&nothing);
    quote! {
        match #call {
            #ok(#pattern) => #write,
            #(#err(#error::#variants(#exception)) => #request.raise(&#exception),)*
            #err(#error::System(#exception)) => #err(#exception),
        }
    }
}

/// The expression that replies with what the servant returned.
pub(super) fn reply(scope: &Scope<'_>, method: &Method, request: &Ident) -> Code {
    let out = ident(&method.local("out"));
    let items = method.reply_items();
    let last = items.len().saturating_sub(1);
    let steps: Vec<_> = answered(method)
        .into_iter()
        .zip(&items)
        .enumerate()
        .map(|(place, ((ty, expression), item))| {
            // A large sequence at the end is sent from where it lies.
            let is_given = place == last && matches!(item, ReplyItem::Value(_));
            if is_given && types::plain_elements(scope, ty).is_some() {
                return quote!(#out.give(#expression));
            }
            let value = Operand::place(expression);
            types::encode(scope, Site::Elsewhere, ty, &value, &quote!(#out))
        })
        .collect();
    let ok = scope.prelude("Ok");
    let encode = match steps.len() {
        0 => quote!(|_| #ok(())),
        1 => quote!(|#out| #(#steps)*),
        _ => {
            let steps = in_sequence(steps);
            quote!(|#out| { #steps })
        }
    };
    quote!(#request.reply(#encode))
}
