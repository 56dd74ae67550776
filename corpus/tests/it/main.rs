//! The tests of the examination of IDL that others wrote.

mod corpus;
mod layout;
