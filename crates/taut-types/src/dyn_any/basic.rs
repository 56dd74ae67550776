//! Values of basic types: `insert_…` and `get_…` (CORBA 3.3 part 1, 13.2.3.6).
//!
//! They are about the value itself if its type has no components, and else about the component
//! at the current position.

use std::borrow::Cow;

use taut_cdr::LongDouble;
use taut_giop::Ior;

use super::slot::Slot;
use super::{DynAny, DynAnyError, Result, has_components};
use crate::dynamic::Value;
use crate::{Any, TCKind, TypeCode};

/// The operations for a basic type.
macro_rules! basic {
    ($($insert:ident, $get:ident, $ty:ty, $kind:ident, $what:literal;)*) => {
        impl DynAny<'_> {$(
            #[doc = concat!("Puts in ", $what, ".")]
            ///
            /// # Errors
            ///
            /// [`DynAnyError::TypeMismatch`] when the value, or the current component, is of
            /// another type; [`DynAnyError::InvalidValue`] when the current position is −1.
            pub fn $insert(&mut self, value: $ty) -> Result<()> {
                self.leaf(&[TCKind::$kind])?.put(Value::$kind(value))
            }

            #[doc = concat!("Returns ", $what, ".")]
            ///
            /// # Errors
            ///
            #[doc = concat!("Those of [`", stringify!($insert), "`](Self::", stringify!($insert), ").")]
            pub fn $get(&self) -> Result<$ty> {
                self.read_leaf(&[TCKind::$kind], |value| match value {
                    Value::$kind(value) => Some(value.clone()),
                    _ => None,
                })
            }
        )*}
    };
}

basic! {
    insert_boolean, get_boolean, bool, Boolean, "a `boolean`";
    insert_octet, get_octet, u8, Octet, "an `octet`";
    insert_char, get_char, u8, Char, "a `char`, as one octet of Latin-1";
    insert_wchar, get_wchar, u16, WChar, "a `wchar`, as one unit of UTF-16";
    insert_short, get_short, i16, Short, "a `short`";
    insert_ushort, get_ushort, u16, UShort, "an `unsigned short`";
    insert_long, get_long, i32, Long, "a `long`";
    insert_ulong, get_ulong, u32, ULong, "an `unsigned long`";
    insert_longlong, get_longlong, i64, LongLong, "a `long long`";
    insert_ulonglong, get_ulonglong, u64, ULongLong, "an `unsigned long long`";
    insert_float, get_float, f32, Float, "a `float`";
    insert_double, get_double, f64, Double, "a `double`";
    insert_longdouble, get_longdouble, LongDouble, LongDouble, "a `long double`";
    insert_typecode, get_typecode, TypeCode, TypeCode, "a TypeCode";
}

/// The kinds of the types whose values are references.
const REFERENCES: [TCKind; 3] = [TCKind::ObjectReference, TCKind::Component, TCKind::Home];

/// The kinds of value types.
const VALUES: [TCKind; 3] = [TCKind::Value, TCKind::Event, TCKind::ValueBox];

impl DynAny<'_> {
    /// Puts in a `string`.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long); [`DynAnyError::InvalidValue`] when it is
    /// longer than the bound.
    pub fn insert_string(&mut self, value: &str) -> Result<()> {
        let mut leaf = self.leaf(&[TCKind::String])?;
        leaf.check_bound(value.chars().count())?;
        leaf.put(Value::String(value.to_owned()))
    }

    /// Returns a `string`.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_string(&self) -> Result<String> {
        self.read_leaf(&[TCKind::String], |value| match value {
            Value::String(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// Puts in a `wstring`; a bound counts units of UTF-16.
    ///
    /// # Errors
    ///
    /// Those of [`insert_string`](Self::insert_string).
    pub fn insert_wstring(&mut self, value: &str) -> Result<()> {
        let mut leaf = self.leaf(&[TCKind::WString])?;
        leaf.check_bound(value.encode_utf16().count())?;
        leaf.put(Value::WString(value.to_owned()))
    }

    /// Returns a `wstring`.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_wstring(&self) -> Result<String> {
        self.read_leaf(&[TCKind::WString], |value| match value {
            Value::WString(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// Puts in a reference to an object; the nil one has no profiles. Whether the object has
    /// the interface is known only to its server.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn insert_reference(&mut self, value: Ior) -> Result<()> {
        self.leaf(&REFERENCES)?.put(Value::Reference(value))
    }

    /// Returns a reference to an object.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_reference(&self) -> Result<Ior> {
        self.read_leaf(&REFERENCES, |value| match value {
            Value::Reference(ior) => Some(ior.clone()),
            _ => None,
        })
    }

    /// Puts an Any into an `any`.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long); [`DynAnyError::InvalidValue`] when the Any
    /// holds no legal value.
    pub fn insert_any(&mut self, value: &Any) -> Result<()> {
        let memory = self.memory;
        let mut leaf = self.leaf(&[TCKind::Any])?;
        let held = super::factory::read(value, memory)?.0;
        leaf.put(Value::Any(Box::new((value.type_code().clone(), held))))
    }

    /// Returns what an `any` holds.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long), and of [`to_any`](Self::to_any).
    pub fn get_any(&self) -> Result<Any> {
        self.get_dyn_any()?.to_any()
    }

    /// Puts a copy of a DynAny into an `any`.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn insert_dyn_any(&mut self, value: &DynAny<'_>) -> Result<()> {
        let held = (value.type_code.clone(), value.value().into_owned());
        self.leaf(&[TCKind::Any])?.put(Value::Any(Box::new(held)))
    }

    /// Returns a copy of what an `any` holds.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_dyn_any(&self) -> Result<DynAny<'static>> {
        let (type_code, value) = self.read_leaf(&[TCKind::Any], |value| match value {
            Value::Any(held) => Some((**held).clone()),
            _ => None,
        })?;
        Ok(DynAny::new(type_code, Slot::Owned(value), self.memory))
    }

    /// Puts in a value of a value type, or null: into this one if it is of a value type, else
    /// into the component at the current position.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long); [`DynAnyError::TypeMismatch`] also when the
    /// value is not of the type, nor of one derived from it.
    pub fn insert_val(&mut self, value: Value) -> Result<()> {
        if VALUES.contains(&self.plain.kind()) {
            self.check_val(&value)?;
            return self.put_whole(value);
        }
        let mut place = self.component_of(&VALUES)?;
        place.check_val(&value)?;
        place.put(value)
    }

    /// Returns a value of a value type, or null: this one if it is of a value type, else the
    /// component at the current position.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_val(&self) -> Result<Value> {
        match VALUES.contains(&self.plain.kind()) {
            true => Ok(self.value().into_owned()),
            false => self.read_component(&VALUES, |value| Some(value.clone())),
        }
    }

    /// Puts in what an abstract interface stands for: a reference, a value, or null.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long); [`DynAnyError::TypeMismatch`] also when
    /// the value is neither.
    pub fn insert_abstract(&mut self, value: Value) -> Result<()> {
        let is_fit = matches!(
            value,
            Value::Null | Value::Reference(_) | Value::State(_) | Value::Encoded(_)
        );
        // A value that it stands for has components, which are not meant.
        if self.is_abstract() {
            return match is_fit {
                true => self.put_whole(value),
                false => Err(self.mismatch("stands for a reference or a value")),
            };
        }
        let mut leaf = self.leaf(&[TCKind::AbstractInterface])?;
        match is_fit {
            true => leaf.put(value),
            false => Err(leaf.mismatch("stands for a reference or a value")),
        }
    }

    fn is_abstract(&self) -> bool {
        self.type_code.without_aliases().kind() == TCKind::AbstractInterface
    }

    /// Returns what an abstract interface stands for.
    ///
    /// # Errors
    ///
    /// Those of [`insert_long`](Self::insert_long).
    pub fn get_abstract(&self) -> Result<Value> {
        if self.is_abstract() {
            return Ok(self.value().into_owned());
        }
        self.read_leaf(&[TCKind::AbstractInterface], |value| Some(value.clone()))
    }

    /// Returns the value, or the current component, if it is of one of these kinds.
    fn leaf(&mut self, kinds: &[TCKind]) -> Result<DynAny<'_>> {
        if has_components(&self.plain) {
            return self.component_of(kinds);
        }
        check_kind(&self.type_code, kinds)?;
        let slot = self.slot.again();
        Ok(DynAny::new(self.type_code.clone(), slot, self.memory))
    }

    /// Returns the current component, if it is of one of these kinds.
    fn component_of(&mut self, kinds: &[TCKind]) -> Result<DynAny<'_>> {
        check_kind(&self.own_component_type()?, kinds)?;
        self.any_component()
    }

    /// Reads the value, or the current component, if it is of one of these kinds.
    fn read_leaf<T>(&self, kinds: &[TCKind], get: impl FnOnce(&Value) -> Option<T>) -> Result<T> {
        if has_components(&self.plain) {
            return self.read_component(kinds, get);
        }
        check_kind(&self.type_code, kinds)?;
        get(&self.value()).ok_or_else(|| self.mismatch("has another value"))
    }

    /// Reads the current component, if it is of one of these kinds.
    fn read_component<T>(
        &self,
        kinds: &[TCKind],
        get: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T> {
        check_kind(&self.own_component_type()?, kinds)?;
        let (_, value) = self.current_value()?;
        get(&value).ok_or_else(|| self.mismatch("has another value"))
    }

    fn own_component_type(&self) -> Result<TypeCode> {
        if !has_components(&self.plain) {
            return Err(self.mismatch("has no components"));
        }
        let of = self
            .position
            .and_then(|position| self.component_type(position));
        of.ok_or_else(no_position)
    }

    /// Checks that a value may stand for this value type.
    fn check_val(&self, value: &Value) -> Result<()> {
        match value {
            Value::Null | Value::Indirection(_) => Ok(()),
            Value::State(_) | Value::Encoded(_) => match value.to_any(&self.type_code) {
                Ok(_) => Ok(()),
                Err(mismatch) => Err(DynAnyError::TypeMismatch(mismatch.to_string())),
            },
            _ => Err(self.mismatch("is a value type")),
        }
    }

    fn check_bound(&self, found: usize) -> Result<()> {
        match self.plain.length() {
            Ok(bound) if bound > 0 && found > bound as usize => {
                let text = format!("{found} characters, where the type has at most {bound}");
                Err(DynAnyError::invalid(text))
            }
            _ => Ok(()),
        }
    }

    /// Returns the current component.
    pub(super) fn any_component(&mut self) -> Result<DynAny<'_>> {
        let component = match self.position {
            Some(position) => self.component(position)?,
            None => None,
        };
        component.ok_or_else(no_position)
    }

    /// Returns the type and the value of the current component.
    pub(super) fn current_value(&self) -> Result<(TypeCode, Cow<'_, Value>)> {
        let current = self
            .position
            .and_then(|position| self.component_value(position));
        current.ok_or_else(no_position)
    }

    /// Returns the type and the value of a component.
    pub(super) fn component_value(&self, index: usize) -> Option<(TypeCode, Cow<'_, Value>)> {
        let type_code = self.component_type(index)?;
        let value = self.slot.component(index, &self.plain)?;
        Some((type_code, value))
    }
}

fn check_kind(found: &TypeCode, kinds: &[TCKind]) -> Result<()> {
    match kinds.contains(&found.without_aliases().kind()) {
        true => Ok(()),
        false => {
            let wanted: Vec<_> = kinds.iter().map(ToString::to_string).collect();
            let text = format!("{} is no {}", found.declared(), wanted.join(" or "));
            Err(DynAnyError::TypeMismatch(text))
        }
    }
}

fn no_position() -> DynAnyError {
    DynAnyError::invalid("the current position is −1: seek a component first")
}
