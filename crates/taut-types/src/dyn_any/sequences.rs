//! Sequences and arrays of basic types as a whole: `insert_…_seq` and `get_…_seq`.

use taut_cdr::LongDouble;

use super::list::check_length;
use super::{DynAny, Result};
use crate::dynamic::{Elements, Value};
use crate::{TCKind, TypeCode};

/// The operations for a basic type whose elements are in one piece.
macro_rules! in_one_piece {
    ($($insert:ident, $get:ident, $ty:ty, $variant:ident, $kind:ident, $what:literal;)*) => {
        impl DynAny<'_> {$(
            #[doc = concat!("Puts all elements into a sequence or an array of ", $what, ": this one, or the component at the current position.")]
            ///
            /// # Errors
            ///
            /// [`DynAnyError::TypeMismatch`](super::DynAnyError::TypeMismatch) when neither is
            /// one; [`DynAnyError::InvalidValue`](super::DynAnyError::InvalidValue) when they
            /// are more than the bound, or not as many as an array has, or the current position
            /// is −1.
            pub fn $insert(&mut self, values: &[$ty]) -> Result<()> {
                self.insert_list(TCKind::$kind, values.len(), || {
                    Value::Elements(Elements::$variant(values.to_vec()))
                })
            }

            #[doc = concat!("Returns all elements of a sequence or an array of ", $what, ".")]
            ///
            /// # Errors
            ///
            #[doc = concat!("Those of [`", stringify!($insert), "`](Self::", stringify!($insert), "), but for lengths.")]
            pub fn $get(&self) -> Result<Vec<$ty>> {
                self.get_list(TCKind::$kind, |value| match value {
                    Value::Elements(Elements::$variant(items)) => items.clone(),
                    Value::List(items) => items.iter().filter_map(|item| match item {
                        Value::$kind(item) => Some(*item),
                        _ => None,
                    }).collect(),
                    _ => Vec::new(),
                })
            }
        )*}
    };
}

/// The operations for a basic type whose elements are values one by one.
macro_rules! one_by_one {
    ($($insert:ident, $get:ident, $ty:ty, $kind:ident, $what:literal;)*) => {
        impl DynAny<'_> {$(
            #[doc = concat!("Puts all elements into a sequence or an array of ", $what, ": this one, or the component at the current position.")]
            ///
            /// # Errors
            ///
            /// Those of [`insert_long_seq`](Self::insert_long_seq).
            pub fn $insert(&mut self, values: &[$ty]) -> Result<()> {
                self.insert_list(TCKind::$kind, values.len(), || {
                    Value::List(values.iter().copied().map(Value::$kind).collect())
                })
            }

            #[doc = concat!("Returns all elements of a sequence or an array of ", $what, ".")]
            ///
            /// # Errors
            ///
            /// Those of [`get_long_seq`](Self::get_long_seq).
            pub fn $get(&self) -> Result<Vec<$ty>> {
                self.get_list(TCKind::$kind, |value| match value {
                    Value::List(items) => items.iter().filter_map(|item| match item {
                        Value::$kind(item) => Some(*item),
                        _ => None,
                    }).collect(),
                    _ => Vec::new(),
                })
            }
        )*}
    };
}

in_one_piece! {
    insert_char_seq, get_char_seq, u8, Chars, Char, "`char`";
    insert_octet_seq, get_octet_seq, u8, Octets, Octet, "`octet`";
    insert_short_seq, get_short_seq, i16, Shorts, Short, "`short`";
    insert_ushort_seq, get_ushort_seq, u16, UShorts, UShort, "`unsigned short`";
    insert_long_seq, get_long_seq, i32, Longs, Long, "`long`";
    insert_ulong_seq, get_ulong_seq, u32, ULongs, ULong, "`unsigned long`";
    insert_longlong_seq, get_longlong_seq, i64, LongLongs, LongLong, "`long long`";
    insert_ulonglong_seq, get_ulonglong_seq, u64, ULongLongs, ULongLong, "`unsigned long long`";
    insert_float_seq, get_float_seq, f32, Floats, Float, "`float`";
    insert_double_seq, get_double_seq, f64, Doubles, Double, "`double`";
}

one_by_one! {
    insert_boolean_seq, get_boolean_seq, bool, Boolean, "`boolean`";
    insert_wchar_seq, get_wchar_seq, u16, WChar, "`wchar`";
    insert_longdouble_seq, get_longdouble_seq, LongDouble, LongDouble, "`long double`";
}

impl DynAny<'_> {
    fn insert_list(
        &mut self,
        kind: TCKind,
        count: usize,
        list: impl FnOnce() -> Value,
    ) -> Result<()> {
        if is_list_of(&self.plain, kind) {
            check_length(&self.plain, count)?;
            return self.put_whole(list());
        }
        if !super::has_components(&self.plain) {
            return Err(self.mismatch(&format!("is no list of {kind}")));
        }
        let mut component = self.any_component()?;
        match is_list_of(&component.plain, kind) {
            true => {
                check_length(&component.plain, count)?;
                component.put(list())
            }
            false => Err(component.mismatch(&format!("is no list of {kind}"))),
        }
    }

    fn get_list<T>(&self, kind: TCKind, get: impl FnOnce(&Value) -> T) -> Result<T> {
        if is_list_of(&self.plain, kind) {
            return Ok(get(&self.value()));
        }
        if !super::has_components(&self.plain) {
            return Err(self.mismatch(&format!("is no list of {kind}")));
        }
        let (of, value) = self.current_value()?;
        match is_list_of(&of.without_aliases(), kind) {
            true => Ok(get(&value)),
            false => {
                let text = format!("{} is no list of {kind}", of.declared());
                Err(super::DynAnyError::TypeMismatch(text))
            }
        }
    }
}

fn is_list_of(plain: &TypeCode, kind: TCKind) -> bool {
    matches!(plain.kind(), TCKind::Sequence | TCKind::Array)
        && plain
            .content_type()
            .is_ok_and(|element| element.without_aliases().kind() == kind)
}
