//! Which types have tables, and which tables the wire forms have.

use std::marker::PhantomData;

use taut_cdr::codec::{
    Array, BoundedString, DecodeAs, EncodeAs, Plain, Sequence, UNBOUNDED, WideString,
};
use taut_cdr::{Char, Decode, DecodeNil, Encode, EncodeNil, Fixed, LongDouble, Primitive, WChar};

use super::access::{self, ElementAccess, Elements};
use super::leaf;
use super::shape::{Access, Bound, Field, Kind, Shape, Table, Width};
use crate::{Any, TypeCode};

/// A type that has a table.
pub trait Tabled: Sized + 'static {
    /// The table.
    const TABLE: &'static Table<Self>;

    /// The access to sequences of this type.
    const ELEMENTS: Elements<Self> = each::<Plain, Self>();
}

/// A wire form that has a table for values of type `T`. [`Plain`] is the form of
/// every type that is [`Tabled`].
pub trait TabledAs<T: 'static>: Sized + 'static {
    /// The table.
    const TABLE: &'static Table<T>;

    /// The access to sequences of this type.
    const ELEMENTS: Elements<T> = each::<Self, T>();
}

/// The form of what is marshaled by code: its table is an entry that calls the
/// code of the form `C`.
#[derive(Debug)]
pub struct Opaque<C = Plain>(PhantomData<C>);

/// [`Opaque`] for a `Vec` whose stub is given a slice of it: a map whose keys
/// have no order.
#[derive(Debug)]
pub struct OpaqueSlice<C>(PhantomData<C>);

/// Sequences whose elements the engine reads and writes one by one.
const fn each<C: TabledAs<T>, T: 'static>() -> Elements<T> {
    let access = ElementAccess::Each(&Each::<C, T>::ACCESS);
    // SAFETY: the access is that of `Vec<T>`.
    unsafe { Elements::new(access) }
}

struct Each<C, T>(PhantomData<(C, T)>);

impl<C: TabledAs<T>, T: 'static> Each<C, T> {
    const ACCESS: Access = access::each::<T>(|| C::TABLE.shape());
}

impl<T: Tabled> TabledAs<T> for Plain {
    const TABLE: &'static Table<T> = T::TABLE;
    const ELEMENTS: Elements<T> = T::ELEMENTS;
}

impl<C, T> TabledAs<T> for Opaque<C>
where
    C: EncodeAs<T> + for<'m> DecodeAs<'m, T> + 'static,
    T: 'static,
{
    const TABLE: &'static Table<T> = &leaf_table::<C, T>(&leaf::Of::<C, T>::LEAF);
}

impl<C, T> TabledAs<Vec<T>> for OpaqueSlice<C>
where
    C: EncodeAs<Vec<T>> + EncodeAs<[T]> + for<'m> DecodeAs<'m, Vec<T>> + 'static,
    T: 'static,
{
    const TABLE: &'static Table<Vec<T>> = &leaf_table::<C, _>(&leaf::Of::<C, Vec<T>>::SLICE);
}

/// The table of a type that is marshaled by its own code.
const fn leaf_table<C: for<'m> DecodeAs<'m, T>, T>(leaf: &'static leaf::Leaf) -> Table<T> {
    let min_size = <C as DecodeAs<'static, T>>::MIN_SIZE;
    let shape = Shape::of::<T>(Kind::Leaf(leaf), min_size);
    // SAFETY: every leaf that is given here has the functions of `T`.
    unsafe { Table::new(shape) }
}

/// The table of a primitive.
const fn primitive_table<T: Primitive>() -> Table<T> {
    let width = Width::of::<T>();
    // SAFETY: the octets of a primitive are those on the wire, and every pattern
    // is a value.
    unsafe { Table::new(Shape::of::<T>(Kind::Primitive(width), width.octets())) }
}

macro_rules! primitives {
    ($($ty:ty: $number:ty),* $(,)?) => {$(
        impl Tabled for $ty {
            const TABLE: &'static Table<Self> = {
                // The engine moves it as a number of the same size.
                assert!(align_of::<$ty>() == align_of::<$number>());
                &primitive_table::<$ty>()
            };
            const ELEMENTS: Elements<Self> = {
                let access = ElementAccess::Whole(&access::Of::<$ty>::PRIMITIVES);
                // SAFETY: the access is that of `Vec` of this type.
                unsafe { Elements::new(access) }
            };
        }
    )*};
}

primitives! {
    u8: u8, i8: u8, Char: u8,
    u16: u16, i16: u16,
    u32: u32, i32: u32, f32: u32,
    u64: u64, i64: u64, f64: u64,
    LongDouble: LongDouble,
}

impl Tabled for bool {
    // SAFETY: the engine reads and writes a `bool`.
    const TABLE: &'static Table<Self> = &unsafe { Table::new(Shape::of::<Self>(Kind::Boolean, 1)) };
}

impl Tabled for String {
    const TABLE: &'static Table<Self> = &text_table(UNBOUNDED);
}

const fn text_table(bound: usize) -> Table<String> {
    let shape = Shape::of::<String>(Kind::String(Bound::new(bound)), 4);
    // SAFETY: the engine reads and writes a `String`.
    unsafe { Table::new(shape) }
}

impl Tabled for WChar {
    const TABLE: &'static Table<Self> = &leaf_table::<Plain, _>(&leaf::Of::<Plain, Self>::LEAF);
    const ELEMENTS: Elements<Self> = {
        let access = ElementAccess::Whole(&access::Of::<Self>::WHOLE);
        // SAFETY: the access is that of `Vec<WChar>`.
        unsafe { Elements::new(access) }
    };
}

impl<const DIGITS: u8, const SCALE: u8> Tabled for Fixed<DIGITS, SCALE>
where
    Self: Encode + for<'m> Decode<'m>,
{
    const TABLE: &'static Table<Self> = &leaf_table::<Plain, _>(&leaf::Of::<Plain, Self>::LEAF);
}

impl Tabled for Any {
    const TABLE: &'static Table<Self> = &leaf_table::<Plain, _>(&leaf::Of::<Plain, Self>::LEAF);
}

impl Tabled for TypeCode {
    const TABLE: &'static Table<Self> = &leaf_table::<Plain, _>(&leaf::Of::<Plain, Self>::LEAF);
}

impl<R: EncodeNil + for<'m> DecodeNil<'m> + 'static> Tabled for Option<R> {
    const TABLE: &'static Table<Self> = &leaf_table::<Plain, _>(&leaf::Of::<Plain, Self>::HANDLE);
}

impl<T: Tabled> Tabled for Vec<T> {
    const TABLE: &'static Table<Self> = &sequence_table(&T::ELEMENTS, UNBOUNDED);
}

impl<T: Tabled, const N: usize> Tabled for [T; N] {
    const TABLE: &'static Table<Self> = &array_table(T::TABLE);
}

impl<const BOUND: usize> TabledAs<String> for BoundedString<BOUND> {
    const TABLE: &'static Table<String> = &text_table(BOUND);
}

impl<const BOUND: usize> TabledAs<String> for WideString<BOUND> {
    const TABLE: &'static Table<String> = &leaf_table::<Self, _>(&leaf::Of::<Self, String>::TEXT);
}

impl<C: TabledAs<T>, T: 'static, const BOUND: usize> TabledAs<Vec<T>> for Sequence<C, BOUND> {
    const TABLE: &'static Table<Vec<T>> = &sequence_table(&C::ELEMENTS, BOUND);
}

impl<C: TabledAs<T>, T: 'static, const N: usize> TabledAs<[T; N]> for Array<C> {
    const TABLE: &'static Table<[T; N]> = &array_table(C::TABLE);
}

const fn sequence_table<T>(elements: &Elements<T>, bound: usize) -> Table<Vec<T>> {
    let shape = Shape::of::<Vec<T>>(elements.sequence(bound), 4);
    // SAFETY: what is known of the elements is true of `T`.
    unsafe { Table::new(shape) }
}

const fn array_table<T, const N: usize>(element: &'static Table<T>) -> Table<[T; N]> {
    assert!(N <= u32::MAX as usize, "the array is too long");
    let kind = Kind::Array {
        element: element.shape(),
        length: N as u32,
    };
    let min_size = element.shape().min_size().saturating_mul(N);
    // SAFETY: an array is its elements, one behind the other.
    unsafe { Table::new(Shape::of::<[T; N]>(kind, min_size)) }
}

impl Field {
    /// The member at `offset` in its struct.
    #[doc(hidden)]
    pub const fn new<T: 'static>(offset: usize, table: &'static Table<T>) -> Self {
        Self::at(offset, table.shape())
    }
}
