//! Unions: enums with data.
//!
//! A member that one discriminator selects is a variant around the member. If
//! several select it, the variant also keeps which one it was.

use taut_idl::model::{Definition, DefinitionId, Union};

use super::discriminator::{described, patterns, value};
use super::union_parts::{UnionParts, Variant};
use super::{data, lints, type_code};
use crate::code::{Code, quote};
use crate::docs::{doc, doc_and};
use crate::names::{constructors, ident};
use crate::scope::Scope;
use crate::selection::Selection;
use crate::types::{self, Traits};

/// Everything of a union but the types that its members define.
pub(super) fn union(
    scope: &Scope<'_>,
    id: DefinitionId,
    definition: &Definition,
    union: &Union,
) -> Code {
    let parts = UnionParts::new(scope, id, union);
    let item = parts.item(definition);
    let methods = parts.methods();
    let default = parts.default();
    let encode = parts.encode();
    let decode = parts.decode();
    let typed = type_code::typed(scope, id);
    quote!(#item #methods #default #encode #decode #typed)
}

impl UnionParts<'_> {
    fn item(&self, definition: &Definition) -> Code {
        let scoped_name = definition.scoped_name.join("::");
        let repository_id = &definition.repository_id;
        let fallback = format!("The IDL union `{scoped_name}` (`{repository_id}`).");
        let doc = doc_and(&definition.docs, &fallback, None);
        let derives = data::derives(Traits {
            default: false,
            ..self.traits
        });
        let name = &self.name;
        let names: Vec<_> = self.variants.iter().map(|v| v.name.to_owned()).collect();
        let allow_names = lints::variant_names(&name.to_string(), &names);
        let sizes: Vec<_> = self.variants.iter().map(|v| self.size(v)).collect();
        let allow_sizes = lints::variant_sizes(&sizes);
        let variants = self.variants.iter().map(|variant| self.variant(variant));
        quote! {
            #doc
            #derives
            #allow_names
            #allow_sizes
            pub enum #name {
                #(#variants),*
            }
        }
    }

    fn variant(&self, variant: &Variant<'_>) -> Code {
        let how = self.selected_by(variant);
        let doc = match variant.member {
            Some(member) => {
                let fallback = format!("The member `{}`.", member.name);
                doc_and(&member.docs, &fallback, Some(&how))
            }
            None => doc_and(&[], "No member.", Some(&how)),
        };
        let name = &variant.ident;
        let ty = variant
            .member
            .map(|member| types::owned(self.scope, &member.ty));
        if let Selection::One(_) = variant.selection {
            let ty = ty.map(|ty| quote!((#ty)));
            return quote!(#doc #name #ty);
        }
        let discriminator = &self.discriminator_rust;
        let value = ty.map(|ty| quote!(, #[doc = " The member."] value: #ty));
        quote! {
            #doc
            #name {
                /// The discriminator.
                discriminator: #discriminator
                #value
            }
        }
    }

    fn selected_by(&self, variant: &Variant<'_>) -> String {
        let described = |value: &i128| described(self.scope, self.discriminator, *value);
        match &variant.selection {
            Selection::One(value) => format!("Selected by {}.", described(value)),
            Selection::Several(values) => match values.split_last() {
                Some((last, rest)) => {
                    let rest: Vec<_> = rest.iter().map(described).collect();
                    format!("Selected by {} or {}.", rest.join(", "), described(last))
                }
                None => String::new(),
            },
            Selection::Others { .. } => {
                "Selected by every discriminator that selects no other variant.".to_owned()
            }
        }
    }

    /// About how large a variant is in memory.
    fn size(&self, variant: &Variant<'_>) -> u64 {
        let member = variant
            .member
            .map_or(0, |member| types::rust_size(self.scope.model, &member.ty));
        match variant.selection {
            Selection::One(_) => member,
            _ => member.saturating_add(8),
        }
    }

    /// `discriminator`, and the constructors of variants that keep one.
    fn methods(&self) -> Code {
        let (name, discriminator) = (&self.name, &self.discriminator_rust);
        let arms = self.variants.iter().filter_map(|variant| {
            let Selection::One(label) = variant.selection else {
                return None;
            };
            let pattern = match (&variant.ident, variant.member) {
                (name, Some(_)) => quote!(Self::#name(_)),
                (name, None) => quote!(Self::#name),
            };
            let value = value(self.scope, self.discriminator, label);
            Some(quote!(#pattern => #value,))
        });
        let keeping: Vec<_> = self
            .variants
            .iter()
            .filter(|variant| !matches!(variant.selection, Selection::One(_)))
            .collect();
        let kept = (!keeping.is_empty()).then(|| {
            let names = keeping.iter().map(|variant| &variant.ident);
            quote!(#(Self::#names { discriminator, .. })|* => *discriminator,)
        });
        let constructors = keeping.iter().map(|variant| self.constructors(variant));
        quote! {
            impl #name {
                /// The discriminator: what selects the variant.
                pub fn discriminator(&self) -> #discriminator {
                    match self {
                        #(#arms)*
                        #kept
                    }
                }
                #(#constructors)*
            }
        }
    }

    fn constructors(&self, variant: &Variant<'_>) -> Code {
        let name = &variant.ident;
        let [short, full] = constructors(variant.name);
        let (short, full) = (ident(&short), ident(&full));
        let discriminator = &self.discriminator_rust;
        let (option, some, none) = (
            self.scope.prelude("Option"),
            self.scope.prelude("Some"),
            self.scope.prelude("None"),
        );
        let parameter = variant.member.map(|member| {
            let ty = types::owned(self.scope, &member.ty);
            quote!(value: #ty)
        });
        let field = variant.member.map(|_| quote!(, value));
        let made = quote!(#some(Self::#name { discriminator #field }));
        let (label, checked) = match &variant.selection {
            Selection::One(label) => (*label, made),
            Selection::Several(labels) => {
                let patterns = patterns(self.scope, self.discriminator, labels);
                let checked = quote! {
                    match discriminator {
                        #patterns => #made,
                        _ => #none,
                    }
                };
                (labels.first().copied().unwrap_or_default(), checked)
            }
            Selection::Others { taken, example } if taken.is_empty() => (*example, made),
            Selection::Others { taken, example } => {
                let patterns = patterns(self.scope, self.discriminator, taken);
                let checked = quote! {
                    match discriminator {
                        #patterns => #none,
                        _ => #made,
                    }
                };
                (*example, checked)
            }
        };
        let shown = described(self.scope, self.discriminator, label);
        let short_doc = doc(&format!(
            "[`{name}`](Self::{name}) with the discriminator {shown}."
        ));
        let full_doc = doc(&format!(
            "[`{name}`](Self::{name}) with this discriminator; none if that selects another variant."
        ));
        let label = value(self.scope, self.discriminator, label);
        quote! {
            #short_doc
            pub fn #short(#parameter) -> Self {
                Self::#name { discriminator: #label #field }
            }
            #full_doc
            pub fn #full(discriminator: #discriminator, #parameter) -> #option<Self> {
                #checked
            }
        }
    }

    /// The default is a value of the first branch, where that has a default.
    fn default(&self) -> Option<Code> {
        let first = self.variants.first().filter(|_| self.traits.default)?;
        let (default, union) = (self.scope.prelude("Default"), &self.name);
        let value = quote!(#default::default());
        let made = match first.selection {
            Selection::One(_) => {
                let name = &first.ident;
                quote!(Self::#name(#value))
            }
            _ => {
                let [short, _] = constructors(first.name);
                let short = ident(&short);
                quote!(Self::#short(#value))
            }
        };
        Some(quote! {
            impl #default for #union {
                fn default() -> Self {
                    #made
                }
            }
        })
    }
}
