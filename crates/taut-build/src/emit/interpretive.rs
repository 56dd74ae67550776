//! Operations that are marshaled by table: the tables, and what stubs and
//! skeletons do with them.

use taut_idl::model::{DefinitionId, ParameterMode, Primitive, Type};

use super::operation_error;
use super::reply::answered;
use crate::code::{Code, Ident, quote};
use crate::keywords::unraw;
use crate::method::{Method, MethodParameter, ReplyItem};
use crate::names::{Case, ident, is_reference, reference_type};
use crate::scope::Scope;
use crate::types;

/// The most parameters of an operation that has a table: its type is a list,
/// which the compiler follows only so deep.
const PARAMETERS_MAX: usize = 64;

/// Whether an operation is marshaled by table: it shall be, and it can be.
pub(super) fn has_operation(scope: &Scope<'_>, interface: DefinitionId, method: &Method) -> bool {
    scope.names.strategies().wants_table(interface, method)
        && method.parameters.len() <= PARAMETERS_MAX
}

/// The interface whose references have the tables of a `base` of `id`, or of
/// `id` itself: `id` where the base is generated in another crate, which need not
/// have tables.
pub(super) fn home(scope: &Scope<'_>, id: DefinitionId, base: DefinitionId) -> DefinitionId {
    match scope.names.of(base).module.external {
        Some(_) => id,
        None => base,
    }
}

/// The operations whose tables, if they have some, are at home in an interface.
fn at_home<'s>(
    scope: &'s Scope<'_>,
    id: DefinitionId,
) -> impl Iterator<Item = (DefinitionId, &'s Method)> {
    let bases = scope.model.all_bases(id).into_iter();
    let bases = bases.filter(move |&base| home(scope, id, base) == id);
    std::iter::once(id).chain(bases).flat_map(|interface| {
        let methods = scope.names.methods(interface).iter();
        methods.map(move |method| (interface, method))
    })
}

/// The tables that are at home in an interface.
pub(super) fn operations(scope: &Scope<'_>, id: DefinitionId) -> Code {
    let tables: Vec<_> = at_home(scope, id)
        .filter(|(interface, method)| has_operation(scope, *interface, method))
        .map(|(_, method)| operation(scope, id, method))
        .collect();
    if tables.is_empty() {
        return Code::new();
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

fn operation(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
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
        let repository_id = scope.model.get(exception).repository_id.to_string();
        let form = types::table_form(scope, &Type::Named(exception));
        let form = form.unwrap_or_else(|| {
            let codec = scope.runtime("codec");
            quote!(#codec::Plain)
        });
        let exception = scope.definition(exception);
        quote!(#table::Raised::new::<#exception, #form>(#repository_id))
    });
    let raises = (!method.raises.is_empty()).then(|| quote!(.raises(&[#(#raises),*])));
    let patterns = &method.context;
    let context = (!patterns.is_empty()).then(|| quote!(.context(&[#(#patterns),*])));
    quote! {
        #[doc(hidden)]
        pub const #name: &'static #table::Operation<#signature> =
            &#table::Operation::new(#wire_name) #oneway #returning #raises #context;
    }
}

/// The type that stands for a parameter.
fn parameter(scope: &Scope<'_>, table: &Code, parameter: &MethodParameter) -> Code {
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
        Type::Map { key, value, .. } if !types::is_ordered(scope.model, key) => {
            let (key, value) = (types::owned(scope, key), types::owned(scope, value));
            let form = types::map_slice_form(scope, ty);
            quote!(#table::Slice<(#key, #value), #form>)
        }
        _ => mode(scope, table, "Value", owned(), ty),
    }
}

fn mode(scope: &Scope<'_>, table: &Code, mode: &str, passed: Code, ty: &Type) -> Code {
    let mode = ident(mode);
    match types::table_form(scope, ty) {
        Some(form) => quote!(#table::#mode<#passed, #form>),
        None => quote!(#table::#mode<#passed>),
    }
}

/// Types, patterns or expressions as a list: `(a, (b, ()))`.
fn list(items: Vec<Code>) -> Code {
    items
        .into_iter()
        .rev()
        .fold(quote!(()), |rest, item| quote!((#item, #rest)))
}

/// The name of an operation's table among those that are at home in `id`.
fn table_name(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Ident {
    let wish = |method: &Method| Case::Screaming.apply(unraw(&method.name));
    let name = wish(method);
    let alike = at_home(scope, id)
        .take_while(|(_, other)| !std::ptr::eq(*other, method))
        .filter(|(_, other)| wish(other) == name);
    ident(&format!("{name}{}", "_".repeat(alike.count())))
}

/// The path of an operation's table, which is at home in `id`.
fn table_path(scope: &Scope<'_>, id: DefinitionId, method: &Method) -> Code {
    let reference = scope.reference(id);
    let name = table_name(scope, id, method);
    quote!(#reference::#name)
}

/// The body of a stub: for references to `id`, of an operation that it has from
/// `interface`.
pub(super) fn stub(
    scope: &Scope<'_>,
    id: DefinitionId,
    interface: DefinitionId,
    method: &Method,
) -> Code {
    let table = table_path(scope, home(scope, id, interface), method);
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
    let context = method.context_parameter().map(|name| {
        let name = ident(&name);
        quote!(, #name)
    });
    let passed = quote!(&self.0, #table, #arguments #context);
    let function = |name: &str| match &context {
        Some(_) => scope.runtime(&format!("{name}_in_context")),
        None => scope.runtime(name),
    };
    if method.oneway {
        let send = function("send");
        return quote!(#send(#passed));
    }
    let call = if method.raises.is_empty() {
        let call = function("call");
        quote!(#call(#passed))
    } else {
        let call = function("call_raising");
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
            #call(#passed).map_err(|#failure| match #failure.index() {
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
) -> Code {
    let names = method.arguments().map(|argument| ident(&argument.name));
    let patterns: Vec<_> = names.map(|name| quote!(#name)).collect();
    let context = method.context_parameter().map(|name| {
        let (name, decode) = (ident(&name), scope.runtime("decode_context"));
        quote!(let #name = #request.arguments(#decode)?;)
    });
    if patterns.is_empty() {
        return quote!(#context);
    }
    let pattern = list(patterns);
    let frame = ident(&method.local("frame"));
    let (receive, runtime) = (scope.runtime("receive"), scope.runtime("table"));
    let table = table_path(scope, interface, method);
    quote! {
        let mut #frame = #runtime::ArgumentFrame::new(#table);
        let #pattern = #receive(#request, &mut #frame)?;
        #context
    }
}

/// A local variable of a skeleton as an argument for the servant.
pub(super) fn passed(scope: &Scope<'_>, argument: &MethodParameter) -> Code {
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
) -> Code {
    let items = method.reply_items();
    let values = answered(method).into_iter().zip(items);
    let values = values.map(|((_, value), item)| match item {
        ReplyItem::Value(_) => value,
        ReplyItem::InOut(_) => quote!(&*#value),
    });
    let values = list(values.collect());
    let answer = scope.runtime("answer");
    let table = table_path(scope, interface, method);
    quote!(#answer(#request, #table, #values))
}
