//! Wire forms that a Rust type alone does not tell.
//!
//! A `Vec<i32>` may be a `sequence<long>` or a `sequence<long, 8>`. Where IDL
//! says more than the Rust type, generated code names the wire form with a type
//! from this module: `Sequence<Plain, 8>::encode(&values, out)`. The forms nest
//! as the IDL types do.

mod map;

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Decode, Decoder, Encode, Encoder, Error, ErrorKind, Result};

pub use map::Map;

/// A wire form for values of type `T`.
pub trait EncodeAs<T: ?Sized> {
    /// Appends a value in this form.
    ///
    /// # Errors
    ///
    /// Those of [`Encode::encode`], and [`ErrorKind::BoundExceeded`].
    fn encode(value: &T, out: &mut Encoder) -> Result<()>;

    /// Appends values one after the other, without a count.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    #[inline]
    fn encode_elements(items: &[T], out: &mut Encoder) -> Result<()>
    where
        T: Sized,
    {
        items.iter().try_for_each(|item| Self::encode(item, out))
    }
}

/// A wire form from which values of type `T` are read.
pub trait DecodeAs<'m, T> {
    /// The fewest octets that a value occupies in this form.
    const MIN_SIZE: usize;

    /// Reads a value in this form.
    ///
    /// # Errors
    ///
    /// Those of [`Decode::decode`], and [`ErrorKind::BoundExceeded`].
    fn decode(input: &mut Decoder<'m>) -> Result<T>;

    /// Reads `count` values, one after the other.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[inline]
    fn decode_elements(count: usize, input: &mut Decoder<'m>) -> Result<Vec<T>> {
        input.read_each(count, Self::MIN_SIZE, Self::decode)
    }
}

/// The form that the type itself implements.
#[derive(Debug)]
pub struct Plain;

/// `string<BOUND>`.
#[derive(Debug)]
pub struct BoundedString<const BOUND: usize>;

/// `wstring<BOUND>`, as a `String`. Without a bound: [`UNBOUNDED`]. The bound
/// counts UTF-16 units.
#[derive(Debug)]
pub struct WideString<const BOUND: usize>;

/// `sequence<T, BOUND>` whose elements have the form `C`. Without a bound:
/// [`UNBOUNDED`].
#[derive(Debug)]
pub struct Sequence<C, const BOUND: usize>(core::marker::PhantomData<C>);

/// An array whose elements have the form `C`.
#[derive(Debug)]
pub struct Array<C>(core::marker::PhantomData<C>);

/// The bound of a sequence or wide string that has none.
pub const UNBOUNDED: usize = usize::MAX;

/// Accepts a length within the bound.
///
/// # Errors
///
/// [`ErrorKind::BoundExceeded`] at `offset`.
#[inline]
pub fn check_bound(length: usize, bound: usize, offset: usize) -> Result<()> {
    if length <= bound {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BoundExceeded { length, bound },
        offset,
    ))
}

impl<T: Encode + ?Sized> EncodeAs<T> for Plain {
    #[inline]
    fn encode(value: &T, out: &mut Encoder) -> Result<()> {
        value.encode(out)
    }

    #[inline]
    fn encode_elements(items: &[T], out: &mut Encoder) -> Result<()>
    where
        T: Sized,
    {
        T::encode_elements(items, out)
    }
}

impl<'m, T: Decode<'m>> DecodeAs<'m, T> for Plain {
    const MIN_SIZE: usize = T::MIN_SIZE;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<T> {
        T::decode(input)
    }

    #[inline]
    fn decode_elements(count: usize, input: &mut Decoder<'m>) -> Result<Vec<T>> {
        T::decode_elements(count, input)
    }
}

impl<const BOUND: usize> EncodeAs<str> for BoundedString<BOUND> {
    #[inline]
    fn encode(value: &str, out: &mut Encoder) -> Result<()> {
        // IDL bounds characters; every character takes at least one octet.
        if value.len() > BOUND {
            check_bound(value.chars().count(), BOUND, out.position())?;
        }
        out.write_string(value)
    }
}

impl<const BOUND: usize> EncodeAs<String> for BoundedString<BOUND> {
    #[inline]
    fn encode(value: &String, out: &mut Encoder) -> Result<()> {
        <Self as EncodeAs<str>>::encode(value, out)
    }
}

impl<'m, const BOUND: usize> DecodeAs<'m, String> for BoundedString<BOUND> {
    const MIN_SIZE: usize = 4;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<String> {
        let start = input.position();
        let value = String::decode(input)?;
        if value.len() > BOUND {
            check_bound(value.chars().count(), BOUND, start)?;
        }
        Ok(value)
    }
}

impl<const BOUND: usize> EncodeAs<str> for WideString<BOUND> {
    #[inline]
    fn encode(value: &str, out: &mut Encoder) -> Result<()> {
        // No character takes fewer octets in UTF-8 than it has UTF-16 units.
        if value.len() > BOUND {
            check_bound(value.encode_utf16().count(), BOUND, out.position())?;
        }
        out.write_wstring(value)
    }
}

impl<const BOUND: usize> EncodeAs<String> for WideString<BOUND> {
    #[inline]
    fn encode(value: &String, out: &mut Encoder) -> Result<()> {
        <Self as EncodeAs<str>>::encode(value, out)
    }
}

impl<'m, const BOUND: usize> DecodeAs<'m, String> for WideString<BOUND> {
    const MIN_SIZE: usize = 4;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<String> {
        let start = input.position();
        let value = input.read_wstring()?;
        if value.len() > BOUND {
            check_bound(value.encode_utf16().count(), BOUND, start)?;
        }
        Ok(value)
    }
}

impl<C: EncodeAs<T>, T, const BOUND: usize> EncodeAs<[T]> for Sequence<C, BOUND> {
    #[inline]
    fn encode(value: &[T], out: &mut Encoder) -> Result<()> {
        check_bound(value.len(), BOUND, out.position())?;
        out.write_length(value.len())?;
        C::encode_elements(value, out)
    }
}

impl<C: EncodeAs<T>, T, const BOUND: usize> EncodeAs<Vec<T>> for Sequence<C, BOUND> {
    #[inline]
    fn encode(value: &Vec<T>, out: &mut Encoder) -> Result<()> {
        <Self as EncodeAs<[T]>>::encode(value, out)
    }
}

impl<'m, C: DecodeAs<'m, T>, T, const BOUND: usize> DecodeAs<'m, Vec<T>> for Sequence<C, BOUND> {
    const MIN_SIZE: usize = 4;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Vec<T>> {
        let start = input.position();
        let count = input.read_count(C::MIN_SIZE)?;
        check_bound(count, BOUND, start)?;
        C::decode_elements(count, input)
    }
}

impl<C: EncodeAs<T>, T, const N: usize> EncodeAs<[T; N]> for Array<C> {
    #[inline]
    fn encode(value: &[T; N], out: &mut Encoder) -> Result<()> {
        C::encode_elements(value, out)
    }
}

impl<'m, C: DecodeAs<'m, T>, T, const N: usize> DecodeAs<'m, [T; N]> for Array<C> {
    const MIN_SIZE: usize = C::MIN_SIZE.saturating_mul(N);

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<[T; N]> {
        crate::array::read_array(input, C::decode)
    }
}
