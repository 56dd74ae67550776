//! From memory to bytes.

use std::slice;

use taut_cdr::codec::check_bound;
use taut_cdr::{Encoder, Error, ErrorKind, LongDouble, Result};

use super::bulk::Bulk;
use super::shape::{Bound, Kind, Shape, WholeAccess, Width};
use super::{flat, plain};

/// Writes the value at `value`.
///
/// # Safety
///
/// There must be a value of the shape's type.
pub(super) unsafe fn encode(shape: &Shape, value: *const u8, out: &mut Encoder) -> Result<()> {
    match shape.kind {
        Kind::Primitive(width) => {
            // SAFETY: the value is a primitive of this width.
            unsafe { primitives(width, value, 1, out) }
            Ok(())
        }
        Kind::Boolean => {
            // SAFETY: the value is a `bool`.
            let value = unsafe { value.cast::<bool>().read() };
            out.write(u8::from(value));
            Ok(())
        }
        Kind::Enum { .. } => {
            // SAFETY: the value is an ordinal of 32 bits.
            out.write(unsafe { value.cast::<u32>().read() });
            Ok(())
        }
        Kind::String(bound) => {
            // SAFETY: the value is a `String`.
            text(unsafe { &*value.cast::<String>() }, bound, out)
        }
        Kind::Structure(structure) => {
            // SAFETY: the value is a struct of these members.
            if structure.is_flat && unsafe { flat::write(structure.fields, value, out) } {
                return Ok(());
            }
            for field in structure.fields {
                // SAFETY: the member lies within the struct.
                let member = unsafe { value.add(field.offset as usize) };
                if let Kind::Primitive(width) = field.shape.kind {
                    // SAFETY: there are so many primitives, one behind the other.
                    unsafe { primitives(width, member, field.count as usize, out) }
                } else {
                    // SAFETY: it is a value of the member's type.
                    unsafe { encode(field.shape, member, out) }?;
                }
            }
            Ok(())
        }
        Kind::Array { element, length } => {
            // SAFETY: the array has so many elements.
            unsafe { elements(element, value, length as usize, out) }
        }
        Kind::Sequence(access, bound) => {
            // SAFETY: the value is the `Vec` that the access is for.
            let (first, count) = unsafe { (access.of_vec)(value) };
            // SAFETY: these are its elements.
            unsafe { sequence((access.element)(), bound, first, count, out) }
        }
        Kind::Whole(access, bound) => {
            // SAFETY: the value is the `Vec` that the access is for.
            unsafe { (access.encode_vec)(value, bound.get(), out) }
        }
        Kind::Leaf(leaf) => {
            // SAFETY: the value is of the type that the code is for.
            unsafe { (leaf.encode)(value, out) }
        }
    }
}

/// Writes the value at `value`, or gives away its elements, if it is a sequence of which that
/// is possible.
///
/// # Safety
///
/// There must be a value of the shape's type, which nobody else uses.
pub(super) unsafe fn give(shape: &Shape, value: *mut u8, out: &mut Encoder) -> Result<()> {
    match shape.kind {
        Kind::Whole(
            WholeAccess {
                borrowing: Some(borrowing),
                ..
            },
            bound,
        ) => {
            // SAFETY: the value is the `Vec` that the access is for.
            unsafe { (borrowing.give)(value, bound.get(), out) }
        }
        Kind::Sequence(access, bound) => {
            let element = (access.element)();
            // SAFETY: it is given the place of an element.
            let write_first = |first, out: &mut Encoder| unsafe { encode(element, first, out) };
            // SAFETY: the value is the `Vec` that the access is for.
            match unsafe { plain::give(access, bound, value, out, write_first) }? {
                true => Ok(()),
                // SAFETY: the caller vouches for the value.
                false => unsafe { encode(shape, value, out) },
            }
        }
        // SAFETY: the caller vouches for the value.
        _ => unsafe { encode(shape, value, out) },
    }
}

/// Writes the `&str` at `value`, which stands for a string.
///
/// # Safety
///
/// There must be a `&str`.
pub(super) unsafe fn encode_text(shape: &Shape, value: *const u8, out: &mut Encoder) -> Result<()> {
    match shape.kind {
        Kind::String(bound) => {
            // SAFETY: the caller vouches for the `&str`.
            text(unsafe { *value.cast::<&str>() }, bound, out)
        }
        // SAFETY: the code of a string takes a `&str`, for which the caller vouches.
        _ => unsafe { encode_argument(shape, value, out) },
    }
}

/// Writes the `&[T]` at `value`, which stands for a `Vec<T>`.
///
/// # Safety
///
/// There must be a `&[T]`, and the shape must be that of `Vec<T>`.
pub(super) unsafe fn encode_slice(
    shape: &Shape,
    value: *const u8,
    out: &mut Encoder,
) -> Result<()> {
    match shape.kind {
        Kind::Sequence(access, bound) => {
            // SAFETY: the caller vouches for the `&[T]`.
            let (first, count) = unsafe { (access.of_slice)(value) };
            // SAFETY: these are its elements.
            unsafe { sequence((access.element)(), bound, first, count, out) }
        }
        Kind::Whole(access, bound) => {
            // SAFETY: the caller vouches for the `&[T]`.
            unsafe { (access.encode_slice)(value, bound.get(), out) }
        }
        // SAFETY: the code of a `Vec<T>` takes a `&[T]`, for which the caller
        // vouches.
        _ => unsafe { encode_argument(shape, value, out) },
    }
}

/// Writes what stands for a value of a type that is marshaled by code.
///
/// # Safety
///
/// There must be what the code of the shape takes.
pub(super) unsafe fn encode_argument(
    shape: &Shape,
    value: *const u8,
    out: &mut Encoder,
) -> Result<()> {
    match shape.kind {
        Kind::Leaf(leaf) => match leaf.encode_argument {
            // SAFETY: the caller vouches for the value.
            Some(encode) => unsafe { encode(value, out) },
            None => Err(no_argument(out)),
        },
        _ => Err(no_argument(out)),
    }
}

fn text(text: &str, bound: Bound, out: &mut Encoder) -> Result<()> {
    // IDL bounds characters; every character takes at least one octet.
    if text.len() > bound.get() {
        check_bound(text.chars().count(), bound.get(), out.position())?;
    }
    out.write_string(text)
}

/// Writes a count and so many elements.
///
/// # Safety
///
/// There must be `count` values of the shape's type from `first` on.
pub(super) unsafe fn sequence(
    element: &Shape,
    bound: Bound,
    first: *const u8,
    count: usize,
    out: &mut Encoder,
) -> Result<()> {
    check_bound(count, bound.get(), out.position())?;
    out.write_length(count)?;
    // SAFETY: the caller vouches for the elements.
    unsafe { elements(element, first, count, out) }
}

/// Writes elements, in bulk if they are nothing but primitives.
///
/// # Safety
///
/// There must be `count` values of the shape's type from `first` on.
unsafe fn elements(
    element: &Shape,
    first: *const u8,
    count: usize,
    out: &mut Encoder,
) -> Result<()> {
    if let Some((width, each)) = element.as_run() {
        // SAFETY: each element is `each` primitives and nothing between.
        unsafe { primitives(width, first, count * each, out) }
        return Ok(());
    }
    let mut start = 0;
    if let Some(bulk) = Bulk::of(element, count, out.order()) {
        // SAFETY: there are more elements than one.
        unsafe { encode(element, first, out) }?;
        // SAFETY: as above.
        let rest = unsafe { first.add(element.size()) };
        // SAFETY: so many are left, of this shape.
        start = 1 + unsafe { bulk.write(rest, count - 1, out) };
    }
    for index in start..count {
        // SAFETY: there are `count` elements.
        let value = unsafe { first.add(index * element.size()) };
        // SAFETY: it is a value of the element's type.
        unsafe { encode(element, value, out) }?;
    }
    Ok(())
}

/// Writes primitives of one width.
///
/// # Safety
///
/// There must be `count` primitives of that width from `first` on, one behind
/// the other and aligned.
unsafe fn primitives(width: Width, first: *const u8, count: usize, out: &mut Encoder) {
    match width {
        Width::One => {
            // SAFETY: so many octets are there; every pattern is a number.
            out.write_elements(unsafe { slice::from_raw_parts(first, count) });
        }
        Width::Two => {
            // SAFETY: as above, with the alignment of this width.
            out.write_elements(unsafe { slice::from_raw_parts(first.cast::<u16>(), count) });
        }
        Width::Four => {
            // SAFETY: as above.
            out.write_elements(unsafe { slice::from_raw_parts(first.cast::<u32>(), count) });
        }
        Width::Eight => {
            // SAFETY: as above.
            out.write_elements(unsafe { slice::from_raw_parts(first.cast::<u64>(), count) });
        }
        Width::Sixteen => {
            // SAFETY: as above; a `LongDouble` is transparent over a `u128`.
            out.write_elements(unsafe { slice::from_raw_parts(first.cast::<LongDouble>(), count) });
        }
    }
}

/// A parameter of a mode that its type cannot be passed in.
#[cold]
fn no_argument(out: &Encoder) -> Error {
    let rule = "an operation's table passes a parameter as its type cannot be passed";
    Error::new(ErrorKind::Invalid(rule), out.position())
}
