//! Which of several ways the generated code goes, where there are several.

use std::fmt;
use std::str::FromStr;

use taut_idl::model::{AnnotationValue, ConstantValue};

/// How values become octets, and octets values. Both ways write the same octets
/// and accept the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Marshaling {
    /// By code for each type and operation: fast.
    #[default]
    Compiled,
    /// By a table for each type and operation, which one engine reads: small.
    Interpretive,
}

/// How a skeleton finds the operation that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dispatch {
    /// By a perfect hash, computed when the code is generated.
    #[default]
    PerfectHash,
    /// By binary search.
    BinarySearch,
    /// By a hash table that the first request builds.
    DynamicHash,
    /// By comparing with one name after the other.
    Linear,
}

/// How a servant answers the requests of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Answering {
    /// When its method returns.
    #[default]
    AtOnce,
    /// When the future is ready that its method returns.
    Future,
    /// When the responder is used that its method gets.
    Responder,
}

/// The refusal of a name that is no strategy's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownStrategy {
    name: String,
    pub(crate) known: &'static [&'static str],
}

/// A choice that options and annotations make for definitions.
pub(crate) trait Strategy: Copy {
    /// The annotation that makes it.
    const ANNOTATION: &'static str;

    /// The choice of an annotation with this value.
    fn of(value: Option<&AnnotationValue>) -> Result<Self, UnknownStrategy>;
}

impl Strategy for Marshaling {
    const ANNOTATION: &'static str = "marshaling";

    fn of(value: Option<&AnnotationValue>) -> Result<Self, UnknownStrategy> {
        named(value)
    }
}

impl Strategy for Dispatch {
    const ANNOTATION: &'static str = "dispatch";

    fn of(value: Option<&AnnotationValue>) -> Result<Self, UnknownStrategy> {
        named(value)
    }
}

impl Strategy for Answering {
    const ANNOTATION: &'static str = "answering";

    fn of(value: Option<&AnnotationValue>) -> Result<Self, UnknownStrategy> {
        named(value)
    }
}

/// Whether operations can be called by Asynchronous Method Invocation: IDL 4.2, 8.3.6.
impl Strategy for bool {
    const ANNOTATION: &'static str = "ami";

    fn of(value: Option<&AnnotationValue>) -> Result<Self, UnknownStrategy> {
        match value {
            None => Ok(true),
            Some(AnnotationValue::Constant(ConstantValue::Boolean(choice))) => Ok(*choice),
            Some(_) => Err(UnknownStrategy {
                name: String::new(),
                known: &["TRUE", "FALSE"],
            }),
        }
    }
}

/// The strategy of which a value is the name.
fn named<S: FromStr<Err = UnknownStrategy>>(
    value: Option<&AnnotationValue>,
) -> Result<S, UnknownStrategy> {
    match value {
        Some(AnnotationValue::Name(name)) => name.to_string().parse(),
        Some(AnnotationValue::Constant(ConstantValue::String(text))) => text.to_string().parse(),
        _ => "".parse(),
    }
}

impl FromStr for Answering {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        match name {
            "at_once" => Ok(Self::AtOnce),
            "future" => Ok(Self::Future),
            "responder" => Ok(Self::Responder),
            _ => Err(UnknownStrategy {
                name: name.to_owned(),
                known: &["at_once", "future", "responder"],
            }),
        }
    }
}

impl FromStr for Marshaling {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        match name {
            "compiled" => Ok(Self::Compiled),
            "interpretive" => Ok(Self::Interpretive),
            _ => Err(UnknownStrategy {
                name: name.to_owned(),
                known: &["compiled", "interpretive"],
            }),
        }
    }
}

impl FromStr for Dispatch {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        match name {
            "perfect_hash" => Ok(Self::PerfectHash),
            "binary_search" => Ok(Self::BinarySearch),
            "dynamic_hash" => Ok(Self::DynamicHash),
            "linear" => Ok(Self::Linear),
            _ => Err(UnknownStrategy {
                name: name.to_owned(),
                known: &["perfect_hash", "binary_search", "dynamic_hash", "linear"],
            }),
        }
    }
}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, known } = self;
        write!(f, "`{name}` is none of {}", known.join(", "))
    }
}

impl std::error::Error for UnknownStrategy {}
