//! Facts: what an explanation consists of.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Error, Result};

/// Something that is known, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The name of the fact: a few English words, such as `object key`, or the name that
    /// IDL gives it.
    pub name: Cow<'static, str>,
    /// The value of the fact.
    pub value: Value,
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Text, as a peer wrote it: it may hold any characters.
    Text(String),
    /// A string or character that is a value, to be told from other text.
    String(String),
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(i64),
    /// True or false.
    Boolean(bool),
    /// Octets that are not understood any further.
    Octets(Vec<u8>),
    /// A number that a registry gives a name to.
    Code {
        /// The number.
        number: u32,
        /// Its name, if it is known here.
        name: Option<&'static str>,
    },
    /// Association options (CORBA 3.3 part 2, 10.2.1.3): bits, with their names.
    Options {
        /// The bits.
        bits: u16,
        /// The names of those bits that are set and known.
        names: Vec<&'static str>,
    },
    /// Several values of one sort.
    List(Vec<Value>),
    /// The facts that it consists of.
    Facts(Vec<Fact>),
    /// A profile or a component.
    Tagged(Tagged),
    /// The fault of a part of something that is sound as a whole, in words.
    Fault(String),
}

/// A profile or a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// Its tag.
    pub tag: u32,
    /// The name that the standard, or a vendor, gives to the tag, if it is known here.
    pub name: Option<&'static str>,
    /// Its data, as it travels.
    pub data: Vec<u8>,
    /// The content of the data.
    pub content: Content,
}

/// The content of the data of a profile or a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// They are understood.
    Known(Vec<Fact>),
    /// Their form is not known here.
    Unknown,
    /// They are not of the form that the tag demands. The error's offset counts
    /// from the first octet of the data.
    Malformed(Error),
}

impl Fact {
    /// A fact.
    pub fn new(name: impl Into<Cow<'static, str>>, value: Value) -> Self {
        let name = name.into();
        Self { name, value }
    }

    /// A fact that is text.
    pub fn text(name: &'static str, text: impl Into<String>) -> Self {
        Self::new(name, Value::Text(text.into()))
    }

    /// A fact that is a number.
    pub fn number(name: &'static str, number: impl Into<u64>) -> Self {
        Self::new(name, Value::Number(number.into()))
    }
}

impl Tagged {
    pub(super) fn new(tag: u32, name: Option<&'static str>, data: &[u8], content: Content) -> Self {
        Self {
            tag,
            name,
            data: data.to_vec(),
            content,
        }
    }
}

impl From<Option<Result<Vec<Fact>>>> for Content {
    fn from(read: Option<Result<Vec<Fact>>>) -> Self {
        match read {
            None => Self::Unknown,
            Some(Ok(facts)) => Self::Known(facts),
            Some(Err(error)) => Self::Malformed(error),
        }
    }
}

/// A host and a port.
pub(super) fn address(host: impl Into<String>, port: u16) -> Vec<Fact> {
    vec![Fact::text("host", host), Fact::number("port", port)]
}
