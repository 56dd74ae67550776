//! The values of constants and of unions' labels.

use taut::codegen::{CdrResult, Encode, Encoder};
use taut::{Any, SystemException, TypeCode};
use taut_cdr::ErrorKind;
use taut_types::TCKind;
use taut_types::dynamic::{self, Value};

use super::incoherent;

/// A value that is written by its TypeCode.
struct Written<'v>(&'v TypeCode, &'v Value);

impl Encode for Written<'_> {
    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        dynamic::write(self.0, self.1, out).map_err(|mismatch| match mismatch.fault() {
            dynamic::Fault::Cdr(error) => *error,
            _ => taut_cdr::Error::new(
                ErrorKind::Invalid("a value has not the type that is said of it"),
                out.position(),
            ),
        })
    }
}

/// An Any that holds a value of this type.
///
/// # Errors
///
/// BAD_PARAM when the value is not of the type.
pub(super) fn any(type_code: &TypeCode, value: &Value) -> Result<Any, SystemException> {
    Any::with_type(type_code.clone(), &Written(type_code, value))
        .map_err(|error| incoherent(error.to_string()))
}

/// The value of an integer type, a character, a boolean or an enumerator by its number, in an
/// Any.
///
/// # Errors
///
/// BAD_PARAM when it is beyond the type, or the type is another.
pub(super) fn of_ordinal(type_code: &TypeCode, ordinal: i128) -> Result<Any, SystemException> {
    let beyond = || incoherent(format!("{ordinal} is no value of {}", type_code.declared()));
    let value = match type_code.without_aliases().kind() {
        TCKind::Boolean => Value::Boolean(ordinal != 0),
        TCKind::Char => Value::Char(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::WChar => Value::WChar(ordinal.try_into().map_err(|_| beyond())?),
        // An `int8` is an octet in TypeCodes.
        TCKind::Octet => Value::Octet((ordinal & 0xff) as u8),
        TCKind::Short => Value::Short(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::UShort => Value::UShort(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::Long => Value::Long(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::ULong => Value::ULong(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::LongLong => Value::LongLong(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::ULongLong => Value::ULongLong(ordinal.try_into().map_err(|_| beyond())?),
        TCKind::Enum => Value::Enum(ordinal.try_into().map_err(|_| beyond())?),
        _ => return Err(beyond()),
    };
    any(type_code, &value)
}

/// The label of the default case: the octet 0 (CORBA 3.3 part 1, 14.7.12), or where the
/// discriminator is an octet itself nothing at all.
pub(super) fn default_label(discriminator: &TypeCode) -> Any {
    match discriminator.without_aliases().kind() {
        TCKind::Octet => Any::null(),
        _ => Any::new(&0u8).unwrap_or_default(),
    }
}

/// The number of a label; none for the default case.
///
/// # Errors
///
/// BAD_PARAM with the standard's minor code 19 when it has not the discriminator's type.
pub(super) fn label(
    label: &Any,
    discriminator: &TypeCode,
) -> Result<Option<i128>, SystemException> {
    if *label == default_label(discriminator) {
        return Ok(None);
    }
    let wrong = || super::bad_param(19);
    if !label.type_code().equivalent(discriminator) {
        return Err(wrong());
    }
    let value = dynamic::read(label.type_code(), &mut label.decoder(None)).map_err(|_| wrong())?;
    Ok(Some(match value {
        Value::Boolean(value) => value.into(),
        Value::Char(value) | Value::Octet(value) => value.into(),
        Value::WChar(value) | Value::UShort(value) => value.into(),
        Value::Short(value) => value.into(),
        Value::Long(value) => value.into(),
        Value::ULong(value) | Value::Enum(value) => value.into(),
        Value::LongLong(value) => value.into(),
        Value::ULongLong(value) => value.into(),
        _ => return Err(wrong()),
    }))
}
