//! References in messages.

use std::sync::Arc;

use taut_cdr::{
    Decode, DecodeNil, Decoder, Encode, EncodeNil, Encoder, ErrorKind, Result as CdrResult,
};
use taut_giop::Ior;

use super::{ObjectRef, Reference};
use crate::core::OrbCore;

/// An empty type id and no profiles.
const MIN_SIZE: usize = 8;

impl Encode for ObjectRef {
    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.ior().encode(out)
    }
}

impl EncodeNil for ObjectRef {
    fn encode_nil(out: &mut Encoder) -> CdrResult<()> {
        Ior::nil().encode(out)
    }
}

impl<'m> DecodeNil<'m> for ObjectRef {
    const MIN_SIZE: usize = MIN_SIZE;

    fn decode_nil(input: &mut Decoder<'m>) -> CdrResult<Option<Self>> {
        let core: Option<&Arc<OrbCore>> =
            input.context().and_then(|context| context.downcast_ref());
        let start = input.position();
        let ior = match core {
            Some(core) => Ior::decode_within(input, &core.settings.limits.lists)?,
            None => Ior::decode(input)?,
        };
        match core {
            _ if ior.is_nil() => Ok(None),
            Some(core) => {
                input.charge(Self::memory(&ior) + (input.position() - start))?;
                Ok(Some(Self::new(Arc::clone(core), ior)))
            }
            None => Err(input.error(ErrorKind::NoContext)),
        }
    }
}

/// Reads a typed reference or nil.
///
/// # Errors
///
/// When the bytes are not a reference.
pub fn decode_nil<R: Reference>(input: &mut Decoder<'_>) -> CdrResult<Option<R>> {
    Ok(ObjectRef::decode_nil(input)?.map(R::from_object))
}

/// Implements what every generated reference type has: [`Reference`], the
/// conversion to [`ObjectRef`], and its form in messages.
#[doc(hidden)]
#[macro_export]
macro_rules! __reference {
    (
        $name:ident: $repository_id:literal,
        bases: [$($base:literal),* $(,)?]
        $(, operations: [$($operation:literal),* $(,)?])? $(,)?
    ) => {
        impl $crate::codegen::Reference for $name {
            const INTERFACE: &'static $crate::codegen::Interface =
                &$crate::codegen::Interface::new(
                    $repository_id,
                    &[$($base),*],
                    &[$($($operation),*)?],
                );

            fn from_object(object: $crate::codegen::ObjectRef) -> Self {
                Self(object)
            }

            fn as_object(&self) -> &$crate::codegen::ObjectRef {
                &self.0
            }

            fn into_object(self) -> $crate::codegen::ObjectRef {
                self.0
            }
        }

        impl ::core::convert::From<$name> for $crate::codegen::ObjectRef {
            fn from(reference: $name) -> Self {
                reference.0
            }
        }

        impl $crate::codegen::Encode for $name {
            fn encode(
                &self,
                out: &mut $crate::codegen::Encoder,
            ) -> $crate::codegen::CdrResult<()> {
                $crate::codegen::Encode::encode(&self.0, out)
            }
        }

        impl $crate::codegen::EncodeNil for $name {
            fn encode_nil(
                out: &mut $crate::codegen::Encoder,
            ) -> $crate::codegen::CdrResult<()> {
                <$crate::codegen::ObjectRef as $crate::codegen::EncodeNil>::encode_nil(out)
            }
        }

        impl<'m> $crate::codegen::DecodeNil<'m> for $name {
            const MIN_SIZE: usize =
                <$crate::codegen::ObjectRef as $crate::codegen::DecodeNil<'m>>::MIN_SIZE;

            fn decode_nil(
                input: &mut $crate::codegen::Decoder<'m>,
            ) -> $crate::codegen::CdrResult<::core::option::Option<Self>> {
                $crate::codegen::decode_nil(input)
            }
        }
    };
}
