//! The implementations of `Encode` and `Decode` that marshal by code.

use crate::code::{Code, ToCode, quote};
use crate::scope::Scope;

/// `Encode`, of a type with this name; `body` writes `self` to `out`.
pub(super) fn encode_impl(scope: &Scope<'_>, name: &impl ToCode, body: &Code) -> Code {
    let (encode, encoder) = (scope.runtime("Encode"), scope.runtime("Encoder"));
    let result = scope.runtime("CdrResult");
    quote! {
        impl #encode for #name {
            fn encode(&self, out: &mut #encoder) -> #result<()> {
                #body
            }
        }
    }
}

/// `Decode`, of a type with this name; `body` reads from `input`.
pub(super) fn decode_impl(
    scope: &Scope<'_>,
    name: &impl ToCode,
    min_size: &impl ToCode,
    body: &Code,
) -> Code {
    let (decode, decoder) = (scope.runtime("Decode"), scope.runtime("Decoder"));
    let result = scope.runtime("CdrResult");
    quote! {
        impl<'m> #decode<'m> for #name {
            const MIN_SIZE: usize = #min_size;
            fn decode(input: &mut #decoder<'m>) -> #result<Self> {
                #body
            }
        }
    }
}
