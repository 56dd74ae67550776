//! The TypeCodes of generated types, and of references to any object.

use std::collections::HashSet;
use std::sync::OnceLock;

use taut_types::{CreateError, TypeCode, Typed};

use crate::object::ObjectRef;

/// The TypeCode of a generated type, made when it is first asked for.
#[derive(Debug)]
pub struct StaticTypeCode {
    made: OnceLock<TypeCode>,
    make: fn() -> Result<TypeCode, CreateError>,
}

impl StaticTypeCode {
    /// A TypeCode that this function makes.
    pub const fn new(make: fn() -> Result<TypeCode, CreateError>) -> Self {
        Self {
            made: OnceLock::new(),
            make,
        }
    }

    /// The TypeCode; [`TypeCode::null`], as which no value can be exchanged, if
    /// the type is larger or nests more deeply than TypeCodes may.
    pub fn get(&self) -> TypeCode {
        let make = || (self.make)().unwrap_or_else(|_| TypeCode::null());
        self.made.get_or_init(make).clone()
    }
}

/// The TypeCode with this id, of a type that another is made of.
///
/// # Errors
///
/// When it is not there, since the other type was too large to have a TypeCode.
pub fn type_code_within(outer: &TypeCode, id: &str) -> Result<TypeCode, CreateError> {
    let mut seen = HashSet::new();
    let mut waiting = vec![outer.clone()];
    while let Some(type_code) = waiting.pop() {
        // The entries of maps have an empty one.
        if let Ok(found) = type_code.id()
            && !found.is_empty()
        {
            if found == id {
                return Ok(type_code);
            }
            // Only types with an id lead back to themselves.
            if !seen.insert(found.to_owned()) {
                continue;
            }
        }
        waiting.extend(type_code.content_type());
        waiting.extend(type_code.concrete_base_type().ok().flatten());
        let members = 0..type_code.member_count().unwrap_or_default();
        waiting.extend(members.filter_map(|index| type_code.member_type(index).ok()));
    }
    Err(CreateError::TooLarge)
}

impl Typed for ObjectRef {
    fn type_code() -> TypeCode {
        static TYPE_CODE: StaticTypeCode = StaticTypeCode::new(|| {
            TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object")
        });
        TYPE_CODE.get()
    }
}
