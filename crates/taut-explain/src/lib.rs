//! GIOP messages, object references and URLs as trees of named facts, for people who have
//! only the digits.
//!
//! An explanation is a tree of named facts: [`Fact`], [`Value`]. How it is
//! shown, as lines, a table or JSON, is the caller's choice. Profiles and
//! components that are not known here, or are malformed, keep their octets
//! ([`Content`]), so that nothing of a reference is lost.
//!
//! ```
//! use taut_explain::Value;
//!
//! let url = "corbaloc::example.com/Bank".parse()?;
//! let facts = taut_explain::url(&url);
//! assert_eq!(facts[0].name, "scheme");
//! assert_eq!(facts[0].value, Value::Text("corbaloc".to_owned()));
//! # Ok::<(), taut_giop::url::UrlError>(())
//! ```

#![no_std]

extern crate alloc;

mod component;
mod fact;
mod message;
mod object_key;
mod reference;
mod security;
mod service_context;
mod url;

pub use component::component;
pub use fact::{Content, Fact, Tagged, Value};
pub use message::{Body, Explained, Mark, Preamble, Rule, Subject, message};
pub use object_key::object_key;
pub use reference::{ReadAddress, profile, profile_with, reference, reference_with};
pub use service_context::service_context;
pub use url::{url, url_with};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
