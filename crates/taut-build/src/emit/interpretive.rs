//! Operations that are marshaled by table: the tables, and what stubs and
//! skeletons do with them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use taut_idl::model::{DefinitionId, DefinitionKind, Model, ParameterMode, Primitive, Type};

use super::{operation_error, skeleton};
use crate::method::{Method, MethodParameter, ReplyItem};
use crate::names::{Case, ident, is_reference, reference_type, unraw};
use crate::scope::Scope;
use crate::types;

/// The most parameters of an operation that has a table: its type is a list,
/// which the compiler follows only so deep.
const PARAMETERS_MAX: usize = 64;

/// Whether an operation is marshaled by table: it shall be, it can be, and its
/// table is generated here.
pub(super) fn has_operation(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> bool {
    let parameters = method.parameters.iter().map(|parameter| &parameter.ty);
    let mut types = method.result.iter().chain(parameters);
    scope.names.strategies().wants_table(interface, method)
        && scope.names.of(interface).module.external.is_none()
        && method.parameters.len() <= PARAMETERS_MAX
        && method.context.is_empty()
        && types.all(|ty| can_be_listed(scope.model, ty))
}

/// Whether the run-time has a mode in which a parameter of this type is passed.
fn can_be_listed(model: &Model, ty: &Type) -> bool {
    match model.resolve_alias(ty) {
        Type::Sequence { element, .. } | Type::Array { element, .. } => {
            can_be_listed(model, element)
        }
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DefinitionKind::Struct(_)
                | DefinitionKind::Union(_)
                | DefinitionKind::Enum(_)
                | DefinitionKind::Interface(_)
                | DefinitionKind::InterfaceDeclaration
        ),
        Type::Primitive(_)
        | Type::String { .. }
        | Type::WString { .. }
        | Type::Fixed { .. }
        | Type::Object
        | Type::Any
        | Type::TypeCode => true,
        _ => false,
    }
}

/// The tables of an interface's own operations.
pub(super) fn operations(scope: &Scope<'_>, id: DefinitionId) -> TokenStream {
    let methods = scope.names.methods(id);
    let tables: Vec<_> = methods
        .iter()
        .filter(|method| has_operation(scope, id, method))
        .map(|method| operation(scope, id, method))
        .collect();
    if tables.is_empty() {
        return TokenStream::new();
    }
    let reference = ident(&reference_type(&scope.names.of(id).ident));
    quote! {
        /// The tables by which the operations are marshaled.
        #[allow(clippy::type_complexity)]
        impl #reference {
            #(#tables)*
        }
    }
}

fn operation(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> TokenStream {
    let table = scope.runtime("table");
    let name = table_name(scope, id, method);
    let result = method
        .result
        .iter()
        .map(|ty| mode(scope, &table, "Out", types::owned(scope, ty), ty));
    let parameters = method
        .parameters
        .iter()
        .map(|parameter| self::parameter(scope, &table, parameter));
    let signature = list(result.chain(parameters).collect());
    let wire_name = &method.wire_name;
    let oneway = method.oneway.then(|| quote!(.oneway()));
    let returning = method.result.is_some().then(|| quote!(.returning()));
    let raises = method.raises.iter().map(|&exception| {
        let repository_id = &scope.model.get(exception).repository_id;
        let form = types::table_form(scope, &Type::Named(exception));
        let form = form.unwrap_or_else(|| {
            let codec = scope.runtime("codec");
            quote!(#codec::Plain)
        });
        let exception = scope.definition(exception);
        quote!(#table::Raised::new::<#exception, #form>(#repository_id))
    });
    let raises = (!method.raises.is_empty()).then(|| quote!(.raises(&[#(#raises),*])));
    quote! {
        #[doc(hidden)]
        pub const #name: &'static #table::Operation<#signature> =
            &#table::Operation::new(#wire_name) #oneway #returning #raises;
    }
}

/// The type that stands for a parameter.
fn parameter(scope: &Scope<'_>, table: &TokenStream, parameter: &MethodParameter) -> TokenStream {
    let ty = &parameter.ty;
    let owned = || types::owned(scope, ty);
    match parameter.mode {
        ParameterMode::Out => return mode(scope, table, "Out", owned(), ty),
        ParameterMode::InOut => return mode(scope, table, "InOut", owned(), ty),
        ParameterMode::In => {}
    }
    if is_reference(scope.model, ty) {
        return mode(scope, table, "Handle", types::reference(scope, ty), ty);
    }
    match scope.model.resolve_alias(ty) {
        Type::String { .. } | Type::WString { .. } => match types::table_form(scope, ty) {
            Some(form) => quote!(#table::Text<#form>),
            None => quote!(#table::Text),
        },
        Type::Sequence { element, .. } => {
            let can_be_borrowed = matches!(
                scope.model.resolve_alias(element),
                Type::Primitive(primitive)
                    if !matches!(primitive, Primitive::Boolean | Primitive::WChar)
            );
            let passed = if can_be_borrowed {
                "Primitives"
            } else {
                "Slice"
            };
            mode(scope, table, passed, types::owned(scope, element), ty)
        }
        _ => mode(scope, table, "Value", owned(), ty),
    }
}

fn mode(
    scope: &Scope<'_>,
    table: &TokenStream,
    mode: &str,
    passed: TokenStream,
    ty: &Type,
) -> TokenStream {
    let mode = ident(mode);
    match types::table_form(scope, ty) {
        Some(form) => quote!(#table::#mode<#passed, #form>),
        None => quote!(#table::#mode<#passed>),
    }
}

/// Types, patterns or expressions as a list: `(a, (b, ()))`.
fn list(items: Vec<TokenStream>) -> TokenStream {
    items
        .into_iter()
        .rev()
        .fold(quote!(()), |rest, item| quote!((#item, #rest)))
}

/// The name of an operation's table among those of its interface.
fn table_name(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Ident {
    let wish = |method: &Method| Case::Screaming.apply(unraw(&method.name));
    let name = wish(method);
    let methods = scope.names.methods(id).iter();
    let alike = methods
        .take_while(|other| other.name != method.name)
        .filter(|other| wish(other) == name);
    ident(&format!("{name}{}", "_".repeat(alike.count())))
}

/// The path of an operation's table.
fn table_path(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> TokenStream {
    let reference = scope.reference(id);
    let name = table_name(scope, id, method);
    quote!(#reference::#name)
}

/// The body of a stub.
pub(super) fn stub(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> TokenStream {
    let table = table_path(scope, interface, method);
    let arguments = method.arguments().map(|argument| {
        let name = ident(&argument.name);
        let is_value = argument.mode == ParameterMode::In
            && types::is_scalar(scope.model, scope.model.resolve_alias(&argument.ty));
        if is_value {
            quote!(&#name)
        } else {
            quote!(#name)
        }
    });
    let arguments = list(arguments.collect());
    if method.oneway {
        let send = scope.runtime("send");
        return quote!(#send(&self.0, #table, #arguments));
    }
    let call = if method.raises.is_empty() {
        let call = scope.runtime("call");
        quote!(#call(&self.0, #table, #arguments))
    } else {
        let call = scope.runtime("call_raising");
        let failure = ident(&method.local("failure"));
        let some = scope.prelude("Some");
        let error = method
            .error_type
            .as_ref()
            .map(|error| scope.belonging(interface, error));
        let variants = operation_error::variants(scope, method);
        let arms = variants.into_iter().enumerate().map(|(index, (_, id))| {
            let index = proc_macro2::Literal::usize_unsuffixed(index);
            let exception = scope.definition(id);
            quote!(#some(#index) => #failure.exception::<#exception, #error>(),)
        });
        quote! {
            #call(&self.0, #table, #arguments).map_err(|#failure| match #failure.index() {
                #(#arms)*
                _ => #failure.system().into(),
            })
        }
    };
    let values = method.values();
    if values.is_empty() {
        return call;
    }
    let ok = scope.prelude("Ok");
    let fields: Vec<_> = values.iter().map(|value| ident(&value.name)).collect();
    let returned = match (&method.reply_type, fields.as_slice()) {
        (Some(reply), fields) => {
            let reply = scope.belonging(interface, reply);
            quote!(#reply { #(#fields),* })
        }
        (None, [field]) => quote!(#field),
        (None, fields) => quote!((#(#fields),*)),
    };
    let in_order = method
        .reply_items()
        .into_iter()
        .filter_map(|item| match item {
            ReplyItem::Value(index) => Some(fields[index].clone()),
            ReplyItem::InOut(_) => None,
        });
    let pattern = list(in_order.map(|field| quote!(#field)).collect());
    quote! {
        let #pattern = #call?;
        #ok(#returned)
    }
}

/// The statement of a skeleton that decodes the arguments into local variables.
pub(super) fn arguments(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    request: &Ident,
) -> TokenStream {
    let names = method.arguments().map(|argument| ident(&argument.name));
    let patterns: Vec<_> = names.map(|name| quote!(#name)).collect();
    if patterns.is_empty() {
        return TokenStream::new();
    }
    let pattern = list(patterns);
    let frame = ident(&method.local("frame"));
    let (receive, runtime) = (scope.runtime("receive"), scope.runtime("table"));
    let table = table_path(scope, interface, method);
    quote! {
        let mut #frame = #runtime::ArgumentFrame::new(#table);
        let #pattern = #receive(#request, &mut #frame)?;
    }
}

/// A local variable of a skeleton as an argument for the servant.
pub(super) fn passed(scope: &Scope<'_>, argument: &MethodParameter) -> TokenStream {
    let name = ident(&argument.name);
    let is_value = argument.mode == ParameterMode::In
        && types::is_scalar(scope.model, scope.model.resolve_alias(&argument.ty));
    if is_value {
        quote!(*#name)
    } else {
        quote!(#name)
    }
}

/// The expression of a skeleton that replies with what the servant returned.
pub(super) fn answer(
    scope: &Scope<'_>,
    interface: DefinitionId,
    method: &Method,
    request: &Ident,
) -> TokenStream {
    let items = method.reply_items();
    let values = skeleton::answered(method).into_iter().zip(items);
    let values = values.map(|((_, value), item)| match item {
        ReplyItem::Value(_) => value,
        ReplyItem::InOut(_) => quote!(&*#value),
    });
    let values = list(values.collect());
    let answer = scope.runtime("answer");
    let table = table_path(scope, interface, method);
    quote!(#answer(#request, #table, #values))
}
