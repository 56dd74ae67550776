//! How unions are marshaled: by their discriminator.

use super::codec::{decode_impl, encode_impl};
use super::data;
use super::discriminator::patterns;
use super::union_parts::{UnionParts, Variant};
use crate::code::{Code, quote};
use crate::selection::Selection;
use crate::types::{self, Operand, Site};

impl UnionParts<'_> {
    pub(super) fn encode(&self) -> Code {
        let scope = self.scope;
        let (ok, err) = (scope.prelude("Ok"), scope.prelude("Err"));
        let discriminator = types::encode(
            scope,
            Site::Implementation,
            self.discriminator_type,
            &Operand::place(quote!(self.discriminator())),
            &quote!(out),
        );
        let write = |variant: &Variant<'_>| match variant.member {
            Some(member) => {
                let value = Operand::reference(quote!(value));
                types::encode(
                    scope,
                    Site::Implementation,
                    &member.ty,
                    &value,
                    &quote!(out),
                )
            }
            None => quote!(#ok(())),
        };
        let mut arms = Vec::new();
        let mut wrong = Vec::new();
        let mut last = None;
        for variant in &self.variants {
            let name = &variant.ident;
            let written = write(variant);
            match (&variant.selection, variant.member) {
                (Selection::One(_), Some(_)) => arms.push(quote!(Self::#name(value) => #written,)),
                (Selection::One(_), None) => arms.push(quote!(Self::#name => #written,)),
                (Selection::Several(labels), _) => {
                    let patterns = patterns(scope, self.discriminator, labels);
                    arms.push(quote!(Self::#name { discriminator: #patterns, value } => #written,));
                    wrong.push(quote!(Self::#name { .. }));
                }
                (Selection::Others { taken, .. }, member) => {
                    if !taken.is_empty() {
                        let patterns = patterns(scope, self.discriminator, taken);
                        wrong.push(quote!(Self::#name { discriminator: #patterns, .. }));
                    }
                    let value = member.map(|_| quote!(value,));
                    last = Some(quote!(Self::#name { #value .. } => #written,));
                }
            }
        }
        let wrong = (!wrong.is_empty()).then(|| {
            let error = scope.runtime("wrong_discriminator");
            quote!(#(#wrong)|* => #err(#error(out)),)
        });
        let body = quote! {
            #discriminator?;
            match self {
                #(#arms)*
                #wrong
                #last
            }
        };
        encode_impl(scope, &self.name, &body)
    }

    pub(super) fn decode(&self) -> Code {
        let scope = self.scope;
        let ok = scope.prelude("Ok");
        let read = types::decode_fn(scope, Site::Implementation, self.discriminator_type);
        let mut arms = Vec::new();
        let mut last = None;
        for variant in &self.variants {
            let name = &variant.ident;
            let member = variant.member.map(|member| {
                let read = types::decode_fn(scope, Site::Implementation, &member.ty);
                quote!(#read(input)?)
            });
            let field = member.as_ref().map(|member| quote!(, value: #member));
            let made = quote!(Self::#name { discriminator #field });
            match &variant.selection {
                Selection::One(label) => {
                    let pattern = patterns(scope, self.discriminator, &[*label]);
                    let member = member.map(|member| quote!((#member)));
                    arms.push(quote!(#pattern => Self::#name #member,));
                }
                Selection::Several(labels) => {
                    let patterns = patterns(scope, self.discriminator, labels);
                    arms.push(quote!(discriminator @ (#patterns) => #made,));
                }
                Selection::Others { .. } => last = Some(made),
            }
        }
        let body = match (arms.as_slice(), last) {
            ([], Some(made)) => quote! {
                let discriminator = #read(input)?;
                #ok(#made)
            },
            (arms, last) => {
                let last = last.map(|made| quote!(discriminator => #made,));
                quote! {
                    #ok(match #read(input)? {
                        #(#arms)*
                        #last
                    })
                }
            }
        };
        let min_size = data::min_size(scope, std::iter::once(&self.ty));
        decode_impl(scope, &self.name, &min_size, &body)
    }
}
