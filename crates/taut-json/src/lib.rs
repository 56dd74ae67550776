//! Values of IDL types as JSON and back.
//!
//! [`to_json`] shows a [`Value`](taut_types::dynamic::Value) by its TypeCode, [`from_json`] makes
//! one of the text of a person or a program. `from_json` reads the text of `to_json` as the same
//! value.
//!
//! | IDL | JSON | also read |
//! |---|---|---|
//! | `boolean` | `true`, `false` | |
//! | integers, `octet` | a number, exact for 64 bits | the digits as a string |
//! | `float`, `double` | a number; `"NaN"`, `"Infinity"`, `"-Infinity"` | |
//! | `long double` | a number if that is exact, else `"0x"` and its 32 hexadecimal digits | |
//! | `fixed` | its decimal digits as a string: `"12.50"` | a number |
//! | `char`, `wchar` | a string of one character; the number of a unit that is none | |
//! | `string`, `wstring` | a string | |
//! | `enum` | the name of the enumerator | |
//! | `struct`, `exception` | an object: `{"x": 3, "y": 4}` | |
//! | `union` | an object of one member: `{"radius": 3}`, with `"$discriminator"` where the member does not tell it, and alone where there is no member | |
//! | `sequence`, array | an array | |
//! | `sequence<octet>`, array of `octet` | a string in Base64 | an array of numbers |
//! | reference | a URL, `"IOR:…"`; `null` | what a [`Resolver`] knows |
//! | `any` | `{"$type": …, "$value": …}` | |
//! | `TypeCode`, `$type` | `"long"`, `"string"` and the like; `{"$name": "Point", "$cdr": …}`, where `$cdr` is an encapsulation in Base64 | without `$name` |
//! | value type | `null`, or an object of the members, those of its bases first: `{"x": 3, "next": null}`; with `"$type"` where its type is not the declared one | `{"$cdr": …}` as below |
//! | value box | `null`, or `{"$value": …}` | |
//! | a value that others lead to | the same with `"$id": 1` | |
//! | a value that has stood before | `{"$ref": 1}` | |
//! | abstract interface | a reference's URL, or a value with its `"$type"`, or `null` | |
//! | values of `custom` types | `{"$name": …, "$cdr": …}`, an encapsulation of an `any` | |
//!
//! Types that another ORB sends may lack the names of their members and enumerators: a struct is
//! then an array, a value has its members in order in `"$members"`, an enumerator is its number.
//!
//! `null` and `void` are JSON's `null`. JSON nests as deeply as its own parser allows, values as
//! deeply as [`MAX_FRAMES`](taut_types::engine::MAX_FRAMES).

mod any;
mod below;
mod encapsulation;
mod names;
mod number;
mod read;
mod union;
mod write;

pub use any::{any_from_json, any_to_json, deserialize, serialize};
pub use read::{Resolver, from_json, from_json_with};
pub use write::to_json;

/// The member of an object that tells a union's discriminator.
const DISCRIMINATOR: &str = "$discriminator";

/// The member that tells the type of an Any.
const TYPE: &str = "$type";

/// The member that has the value of an Any.
const VALUE: &str = "$value";

/// The member that numbers a value to which others lead.
const ID: &str = "$id";

/// The member that leads to the value of this number.
const REF: &str = "$ref";

/// The member that has the members of a value in order, where their names do not tell them apart.
const MEMBERS: &str = "$members";

/// The member that has octets in CDR.
const CDR: &str = "$cdr";

/// The member that names a type for people.
const NAME: &str = "$name";

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
