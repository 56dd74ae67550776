//! The TypeCodes of generated types, and of references to any object.

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

impl Typed for ObjectRef {
    fn type_code() -> TypeCode {
        static TYPE_CODE: StaticTypeCode = StaticTypeCode::new(|| {
            TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object")
        });
        TYPE_CODE.get()
    }
}
