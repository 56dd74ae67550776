//! The factory of DynAnys (CORBA 3.3 part 1, 13.2.2).

use taut_cdr::MemoryLimit;

use super::slot::Slot;
use super::{DynAny, FactoryError};
use crate::dynamic::{DEFAULT_MEMORY, Fault, Mismatch, Value, read_noting_truncation};
use crate::{Any, TCKind, TypeCode};

/// A maker of DynAnys (the standard's `DynAnyFactory`).
#[derive(Debug, Clone, Copy)]
pub struct DynAnyFactory {
    memory: usize,
}

impl Default for DynAnyFactory {
    fn default() -> Self {
        Self::new()
    }
}

type Created<T> = Result<T, FactoryError>;

impl DynAnyFactory {
    /// A factory whose DynAnys may take 16 MiB of memory each.
    pub const fn new() -> Self {
        Self {
            memory: DEFAULT_MEMORY,
        }
    }

    /// Sets the most octets of memory that the parts of a value may take which is made of a
    /// TypeCode or grows, and of a value that is read of an Any beyond 64 times its octets.
    #[must_use]
    pub const fn with_memory(mut self, octets: usize) -> Self {
        self.memory = octets;
        self
    }

    /// Makes a DynAny with the value of an Any.
    ///
    /// # Errors
    ///
    /// [`FactoryError::InconsistentTypeCode`], [`FactoryError::Malformed`],
    /// [`FactoryError::Limit`].
    pub fn create_dyn_any(&self, value: &Any) -> Created<DynAny<'static>> {
        self.create(value, true)
    }

    /// Makes a DynAny with the value of an Any, if no members of a value of a value type are
    /// lost.
    ///
    /// # Errors
    ///
    /// Those of [`create_dyn_any`](Self::create_dyn_any), and [`FactoryError::MustTruncate`].
    pub fn create_dyn_any_without_truncation(&self, value: &Any) -> Created<DynAny<'static>> {
        self.create(value, false)
    }

    /// Makes a DynAny with the default value of a type: zero, empty, nil, null, the first
    /// enumerator, the first member of a union.
    ///
    /// # Errors
    ///
    /// [`FactoryError::InconsistentTypeCode`], [`FactoryError::Limit`].
    pub fn create_dyn_any_from_type_code(&self, of: &TypeCode) -> Created<DynAny<'static>> {
        let value =
            Value::default_of(of, self.memory).map_err(|mismatch| match mismatch.fault() {
                Fault::Text(text) => FactoryError::InconsistentTypeCode(text.clone()),
                _ => mismatch.into(),
            })?;
        Ok(DynAny::new(of.clone(), Slot::Owned(value), self.memory))
    }

    /// Makes DynAnys with the values of Anys.
    ///
    /// # Errors
    ///
    /// Those of [`create_dyn_any`](Self::create_dyn_any), and [`FactoryError::MustTruncate`]
    /// unless members may be lost.
    pub fn create_multiple_dyn_anys(
        &self,
        values: &[Any],
        allow_truncate: bool,
    ) -> Created<Vec<DynAny<'static>>> {
        let each = values
            .iter()
            .map(|value| self.create(value, allow_truncate));
        each.collect()
    }

    /// Makes Anys with the values of DynAnys.
    ///
    /// # Errors
    ///
    /// Those of [`DynAny::to_any`].
    pub fn create_multiple_anys(&self, values: &[DynAny<'_>]) -> super::Result<Vec<Any>> {
        values.iter().map(DynAny::to_any).collect()
    }

    fn create(&self, any: &Any, allow_truncate: bool) -> Created<DynAny<'static>> {
        let type_code = any.type_code();
        let kind = type_code.without_aliases().kind();
        if matches!(kind, TCKind::LocalInterface | TCKind::Native) || !type_code.is_complete() {
            let text = format!("no value has the type {}", type_code.declared());
            return Err(FactoryError::InconsistentTypeCode(text));
        }
        let (value, is_truncated) = read(any, self.memory)?;
        if is_truncated && !allow_truncate {
            return Err(FactoryError::MustTruncate);
        }
        Ok(DynAny::new(
            type_code.clone(),
            Slot::Owned(value),
            self.memory,
        ))
    }
}

/// Reads the value of an Any, and tells whether it was truncated.
pub(super) fn read(any: &Any, memory: usize) -> Result<(Value, bool), Mismatch> {
    let limit = MemoryLimit {
        per_octet: 64,
        extra: memory,
    };
    let mut input = any.decoder(None).with_memory_limit(limit);
    Ok(read_noting_truncation(any.type_code(), &mut input)?)
}
