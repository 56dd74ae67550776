//! The definitions of the standard's own IDL to which everybody's refers: the modules
//! `CORBA` (CORBA 3.3 part 1, 8 and 14) and `TimeBase` (Time Service 1.1).
//!
//! The code is made by `cargo xtask codegen`, of the IDL that taut-idl brings
//! along. It is not in this directory as it is not for people to lay out.

include!("../generated/standard.rs");
