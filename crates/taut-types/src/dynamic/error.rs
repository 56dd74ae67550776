//! Why a value does not fit its type, and where.

use std::error::Error;
use std::fmt;

use crate::TypeCode;
use crate::display::Named;

/// A part of a value that does not fit its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch(Box<Misfit>);

/// The parts of a [`Mismatch`], which is small: it passes through each level of a value.
#[derive(Debug, Clone, PartialEq)]
struct Misfit {
    path: Path,
    fault: Fault,
}

/// The way from a value to a part of it, written as `points[3].x`. Empty for the value itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(Vec<Step>);

/// A step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// To a member, by its name.
    Member(String),
    /// To an element, by its index.
    Element(usize),
}

/// The fault of a part of a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// It is a value of another type.
    Type {
        /// The type.
        expected: TypeCode,
        /// The value, for people.
        found: String,
    },
    /// It is beyond the range of its type.
    Range {
        /// The type.
        expected: TypeCode,
        /// The value, for people.
        found: String,
    },
    /// There is no member, enumerator or case of this name.
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A member is missing.
    Missing {
        /// Its name.
        name: String,
    },
    /// There are more or fewer elements than the type has.
    Length {
        /// Those of the type; the most where it has a bound.
        expected: usize,
        /// Those that there are.
        found: usize,
    },
    /// The discriminator of a union does not go with the member.
    Discriminator {
        /// The discriminator as a number.
        label: i64,
    },
    /// An indirection leads to no value that is before it in the same any.
    Label {
        /// The label that it names.
        label: u32,
    },
    /// It nests more deeply than the limit allows.
    TooDeep {
        /// The limit.
        limit: u16,
    },
    /// Its parts take more memory than the limit allows.
    Memory {
        /// The limit, in octets.
        limit: usize,
    },
    /// It has no form in octets, or its octets are malformed.
    Cdr(taut_cdr::Error),
    /// It cannot be read for another reason.
    Text(String),
}

impl Mismatch {
    /// A fault of the value itself.
    pub fn new(fault: Fault) -> Self {
        let path = Path::default();
        Self(Box::new(Misfit { path, fault }))
    }

    /// Returns the way from the value to the part.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns what is wrong with the part.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// The same fault, seen from the value that has this one as its part.
    #[must_use]
    pub fn within(mut self, step: Step) -> Self {
        self.0.path.0.push(step);
        self
    }

    /// A value that is of another type.
    pub fn of_type(expected: &TypeCode, found: impl Into<String>) -> Self {
        let (expected, found) = (expected.clone(), found.into());
        Self::new(Fault::Type { expected, found })
    }
}

impl Path {
    /// Returns the steps, from the value to the part.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        // They are noted from the part to the value.
        self.0.iter().rev()
    }

    /// Whether it leads to the value itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<taut_cdr::Error> for Mismatch {
    fn from(error: taut_cdr::Error) -> Self {
        Self::new(Fault::Cdr(error))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps().enumerate() {
            match step {
                Step::Member(name) if index == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Element(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path().is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        self.fault().fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { expected, found } => {
                write!(f, "expected {}, found {found}", Named(expected))
            }
            Self::Range { expected, found } => {
                write!(f, "{found} is beyond the range of {}", Named(expected))
            }
            Self::Unknown { name, known } if known.is_empty() => {
                write!(f, "there is no `{name}`: the type has no members")
            }
            Self::Unknown { name, known } => {
                write!(f, "there is no `{name}`: write one of {}", known.join(", "))
            }
            Self::Missing { name } => write!(f, "the member `{name}` is missing"),
            Self::Length { expected, found } => {
                write!(f, "{found} elements, where the type has {expected}")
            }
            Self::Discriminator { label } => {
                write!(f, "the discriminator {label} does not go with the member")
            }
            Self::Label { label } => {
                write!(f, "no value before this one has the label {label}")
            }
            Self::TooDeep { limit } => write!(f, "nested more deeply than {limit} levels"),
            Self::Memory { limit } => {
                write!(
                    f,
                    "it takes more than {limit} octets of memory: raise the limit"
                )
            }
            Self::Cdr(error) => error.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Error for Mismatch {}
