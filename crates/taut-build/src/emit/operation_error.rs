//! The errors of an operation with a `raises` clause.

use taut_idl::model::{DefinitionId, DefinitionKind};

use super::lints;
use crate::code::{Code, Ident, quote};
use crate::docs::doc;
use crate::method::Method;
use crate::names::{Case, ident};
use crate::scope::Scope;
use crate::types::{self, rust_size};

/// The memory that a system exception takes, at most.
const SYSTEM_EXCEPTION_SIZE: u64 = 16;

/// The error enum of a method that raises exceptions.
pub(super) fn operation_error(scope: &Scope<'_>, method: &Method, name: &str) -> Code {
    let variants = variants(scope, method);
    let names: Vec<_> = variants.iter().map(|(variant, _)| variant).collect();
    let exceptions: Vec<_> = variants
        .iter()
        .map(|(_, id)| scope.definition(*id))
        .collect();
    let variant_docs = method.raises.iter().map(|id| {
        doc(&format!(
            "The exception `{}`.",
            scope.model.get(*id).scoped_name.join("::")
        ))
    });
    let enum_doc = doc(&format!("Why the {} failed.", method.description));
    let system_doc = doc("Any standard exception.");
    let enum_name = ident(name);
    let system = scope.runtime("SystemException");
    let from = scope.prelude("From");
    let (option, some) = (scope.prelude("Option"), scope.prelude("Some"));
    let eq = raised_types(scope, method)
        .all(|traits| traits.eq)
        .then(|| quote!(, Eq));
    let mut variant_names: Vec<_> = names.iter().map(ToString::to_string).collect();
    variant_names.push("System".to_owned());
    let allow_names = lints::variant_names(name, &variant_names);
    let mut sizes = exception_sizes(scope, method);
    sizes.push(SYSTEM_EXCEPTION_SIZE);
    let allow_sizes = lints::variant_sizes(&sizes);
    quote! {
        #enum_doc
        #[derive(Debug, Clone, PartialEq #eq)]
        #allow_names
        #allow_sizes
        pub enum #enum_name {
            #(#variant_docs #names(#exceptions),)*
            #system_doc
            System(#system),
        }
        #(
            impl #from<#exceptions> for #enum_name {
                fn from(exception: #exceptions) -> Self {
                    Self::#names(exception)
                }
            }
        )*
        impl #from<#system> for #enum_name {
            fn from(exception: #system) -> Self {
                Self::System(exception)
            }
        }
        impl ::std::fmt::Display for #enum_name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    #(Self::#names(exception) => ::std::fmt::Display::fmt(exception, f),)*
                    Self::System(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }
        impl ::std::error::Error for #enum_name {
            fn source(&self) -> #option<&(dyn ::std::error::Error + 'static)> {
                match self {
                    #(Self::#names(exception) => #some(exception),)*
                    Self::System(exception) => #some(exception),
                }
            }
        }
    }
}

/// The variants of a method's error enum besides `System`, in the order of the
/// `raises` clause. Exceptions of one name from several scopes have the scope
/// in front.
pub(super) fn variants(scope: &Scope<'_>, method: &Method) -> Vec<(Ident, DefinitionId)> {
    let simple = |id: DefinitionId| scope.names.of(id).ident.clone();
    let names: Vec<_> = method.raises.iter().map(|&id| simple(id)).collect();
    let mut taken = vec!["System".to_owned()];
    method
        .raises
        .iter()
        .map(|&id| {
            let mut name = simple(id);
            let shared = names.iter().filter(|other| **other == name).count() > 1;
            if shared || name == "System" {
                name = Case::UpperCamel.apply(&scope.model.get(id).scoped_name.join("_"));
            }
            while taken.contains(&name) {
                name.push('_');
            }
            taken.push(name.clone());
            (ident(&name), id)
        })
        .collect()
}

/// About how large the error is; 0 without user exceptions.
pub(super) fn error_size(scope: &Scope<'_>, method: &Method) -> u64 {
    exception_sizes(scope, method)
        .into_iter()
        .max()
        .unwrap_or(0)
}

fn exception_sizes(scope: &Scope<'_>, method: &Method) -> Vec<u64> {
    let members = method
        .raises
        .iter()
        .map(|id| match &scope.model.get(*id).kind {
            DefinitionKind::Exception(members) => &members[..],
            _ => &[],
        });
    members
        .map(|members| {
            let sizes = members
                .iter()
                .map(|member| rust_size(scope.model, &member.ty));
            sizes.fold(0, u64::saturating_add)
        })
        .collect()
}

fn raised_types(scope: &Scope<'_>, method: &Method) -> impl Iterator<Item = types::Traits> {
    method
        .raises
        .iter()
        .map(|id| match &scope.model.get(*id).kind {
            DefinitionKind::Exception(members) => {
                types::traits(scope.model, members.iter().map(|member| &member.ty))
            }
            _ => types::traits(scope.model, std::iter::empty()),
        })
}
