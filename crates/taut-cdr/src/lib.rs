//! CORBA's Common Data Representation: IDL values to and from bytes
//! (CORBA 3.3 part 2, 9.3).
//!
//! An [`Encoder`] appends values to a buffer, aligned from the buffer's origin
//! and in the byte order it was given; a [`Decoder`] reads them back from
//! borrowed bytes, in the byte order of the sender. The wire form of a type is defined by
//! its [`Encode`] and [`Decode`] implementations, or, where one Rust type has several wire
//! forms (bounded sequences, for instance), by a [`codec`].
//!
//! Primitive elements of sequences and arrays move in bulk, and so do structs of such,
//! whose layout is known when the program is compiled ([`uniform`]). A sequence of
//! primitives can be *borrowed* from the message when its place in memory is
//! aligned and the sender's byte order is ours ([`Decoder::read_sequence`]);
//! so can a string ([`Decoder::read_string`]).
//!
//! A value that may be met twice, such as one that two others share, is written once and
//! then led back to; and data that a receiver may want to skip come in chunks. Encoder and
//! decoder know the form of both, and not what they are for.
//!
//! Decoding trusts nothing: a length is compared with the octets that remain
//! before anything is allocated for it, and nesting has a limit.
//!
//! Not here: messages, references, TypeCodes, and every question of who talks
//! to whom. The crate is `no_std` and needs `alloc`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;

mod array;
mod ascii;
pub mod bits;
mod boolean;
mod byte_order;
mod char;
mod chunk;
pub mod codec;
#[cfg(feature = "code-sets")]
mod converted;
mod decoder;
mod element_form;
mod elements;
mod encoder;
mod error;
pub mod fixed;
mod indirection;
mod landing;
mod long_double;
mod memory;
mod nil;
mod primitive;
mod realignment;
mod sequence;
mod string;
mod tail;
mod traits;
mod transcode;
pub mod uniform;
mod wide;

pub use ascii::is_ascii_without_nul;
pub use byte_order::ByteOrder;
pub use char::{Char, CharCodeSet, NotSingleOctet};
pub use chunk::{Between, Mark};
#[cfg(feature = "code-sets")]
pub use converted::ConvertedCodeSet;
pub use decoder::{Context, DEFAULT_NESTING_LIMIT, Decoder, GraphLimits};
pub use element_form::ElementForm;
pub use elements::{Elements, VecMemory};
pub use encoder::{Encoder, MAX_WRITTEN_LEVELS};
pub use error::{Error, ErrorKind, Result};
pub use fixed::Fixed;
pub use indirection::{INDIRECTION, Isolation, Shareable, Shared};
pub use landing::{Landed, Landing};
pub use long_double::LongDouble;
pub use memory::MemoryLimit;
pub use nil::{DecodeNil, EncodeNil};
pub use primitive::Primitive;
pub use realignment::Realignment;
pub use tail::{Lent, MIN_TAIL};
pub use traits::{Decode, Encode};
pub use wide::{CharacterForms, LoneSurrogate, NoWideCodeSet, NotSingleUnit, WChar, WideForm};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
