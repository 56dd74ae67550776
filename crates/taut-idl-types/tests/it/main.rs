//! The tests of TypeCodes that are made of IDL.

mod type_codes;
