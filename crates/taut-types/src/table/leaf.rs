//! Entries that call the code of their type.

use std::marker::PhantomData;

use taut_cdr::codec::{DecodeAs, EncodeAs};
use taut_cdr::{Decoder, Encode, EncodeNil, Encoder, Result};

/// The code of a type that a table does not describe further.
pub(super) struct Leaf {
    /// Writes the value at this place.
    pub(super) encode: unsafe fn(*const u8, &mut Encoder) -> Result<()>,
    /// Reads a value into this place.
    pub(super) decode: unsafe fn(*mut u8, &mut Decoder<'_>) -> Result<()>,
    /// Writes what stands for a value among `in` arguments, where that is
    /// something else: a `&str`, a `&[T]`, an `Option<&R>`.
    pub(super) encode_argument: Option<unsafe fn(*const u8, &mut Encoder) -> Result<()>>,
}

/// The code of `T` in the form `C`.
pub(super) struct Of<C, T: ?Sized>(PhantomData<C>, PhantomData<T>);

impl<C: EncodeAs<T> + for<'m> DecodeAs<'m, T>, T> Of<C, T> {
    pub(super) const LEAF: Leaf = Leaf {
        encode: encode::<C, T>,
        decode: decode::<C, T>,
        encode_argument: None,
    };
}

impl<C> Of<C, String>
where
    C: EncodeAs<String> + EncodeAs<str> + for<'m> DecodeAs<'m, String>,
{
    /// The code of a text in the form `C`.
    pub(super) const TEXT: Leaf = Leaf {
        encode_argument: Some(encode_text::<C>),
        ..Of::<C, String>::LEAF
    };
}

impl<C, T> Of<C, Vec<T>>
where
    C: EncodeAs<Vec<T>> + EncodeAs<[T]> + for<'m> DecodeAs<'m, Vec<T>>,
{
    /// The code of a `Vec<T>` in the form `C`.
    pub(super) const SLICE: Leaf = Leaf {
        encode_argument: Some(encode_slice::<C, T>),
        ..Of::<C, Vec<T>>::LEAF
    };
}

impl<C, R: EncodeNil> Of<C, Option<R>>
where
    C: EncodeAs<Option<R>> + for<'m> DecodeAs<'m, Option<R>>,
{
    /// The code of something that may be nil.
    pub(super) const HANDLE: Leaf = Leaf {
        encode_argument: Some(encode_handle::<R>),
        ..Of::<C, Option<R>>::LEAF
    };
}

/// # Safety
///
/// There must be a `T` at `place`.
unsafe fn encode<C: EncodeAs<T>, T>(place: *const u8, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the value.
    C::encode(unsafe { &*place.cast::<T>() }, out)
}

/// # Safety
///
/// `place` must have room and alignment for a `T`.
unsafe fn decode<C: for<'m> DecodeAs<'m, T>, T>(
    place: *mut u8,
    input: &mut Decoder<'_>,
) -> Result<()> {
    let value = C::decode(input)?;
    // SAFETY: the caller vouches for the place.
    unsafe { place.cast::<T>().write(value) }
    Ok(())
}

/// # Safety
///
/// There must be a `&str` at `place`.
unsafe fn encode_text<C: EncodeAs<str>>(place: *const u8, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the text.
    C::encode(unsafe { *place.cast::<&str>() }, out)
}

/// # Safety
///
/// There must be a `&[T]` at `place`.
unsafe fn encode_slice<C: EncodeAs<[T]>, T>(place: *const u8, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the slice.
    C::encode(unsafe { *place.cast::<&[T]>() }, out)
}

/// # Safety
///
/// There must be an `Option<&R>` at `place`.
unsafe fn encode_handle<R: EncodeNil>(place: *const u8, out: &mut Encoder) -> Result<()> {
    // SAFETY: the caller vouches for the handle.
    unsafe { *place.cast::<Option<&R>>() }.encode(out)
}

impl std::fmt::Debug for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leaf").finish_non_exhaustive()
    }
}
