//! The imports of a generated module from the run-time module.

use std::ops::BitOr;

use crate::code::{Code, quote};

/// Something of the run-time module that code in a module uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// The run-time module itself, by its name.
    Module,
    Decode,
    DecodeAs,
    Encode,
    EncodeAs,
    Typed,
    UserException,
}

/// A set of imports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Imports(u8);

impl Imports {
    /// With one more.
    pub(crate) fn with(self, import: Import) -> Self {
        Self(self.0 | 1 << import as u8)
    }

    fn has(self, import: Import) -> bool {
        self.0 & 1 << import as u8 != 0
    }

    /// The items that import them, in the order that rustfmt gives them.
    pub(crate) fn items(self) -> Code {
        let traits = |traits: &[(Import, &'static str)]| -> Vec<Code> {
            let wanted = traits.iter().filter(|(import, _)| self.has(*import));
            let wanted = wanted.map(|(_, name)| {
                let name = crate::names::ident(name);
                quote!(#name as _)
            });
            wanted.collect()
        };
        let has_module = self.has(Import::Module);
        let mut items = Vec::new();
        items.extend(has_module.then(|| quote!(self)));
        items.extend(traits(&[
            (Import::Decode, "Decode"),
            (Import::Encode, "Encode"),
            (Import::Typed, "Typed"),
            (Import::UserException, "UserException"),
        ]));
        let forms = traits(&[
            (Import::DecodeAs, "DecodeAs"),
            (Import::EncodeAs, "EncodeAs"),
        ]);
        let forms = match forms.as_slice() {
            [] => None,
            [form] => Some(quote!(use ::taut::codegen::codec::#form;)),
            forms => Some(quote!(use ::taut::codegen::codec::{#(#forms),*};)),
        };
        match items.as_slice() {
            [] => quote!(#forms),
            [_] if has_module => quote!(use ::taut::codegen; #forms),
            [item] => quote!(use ::taut::codegen::#item; #forms),
            items => quote!(#forms use ::taut::codegen::{#(#items),*};),
        }
    }
}

impl BitOr for Imports {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
