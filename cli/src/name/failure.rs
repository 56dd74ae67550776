//! The exceptions of naming services, in words.

use serde_json::{Map, Value};
use taut::SystemException;
use taut_naming::NameComponent;
use taut_naming::leasing_context::{BindWithLeaseError, RebindWithLeaseError};
use taut_naming::naming_context::{
    BindContextError, BindError, BindNewContextError, CannotProceed, DestroyError, NotFound,
    NotFoundReason, RebindContextError, RebindError, ResolveError, UnbindError,
};

use super::path;
use crate::failure::Failure;

/// Anything that an operation of a naming context ends with.
#[derive(Debug)]
pub(super) enum Refusal {
    NotFound(NotFound),
    CannotProceed(CannotProceed),
    InvalidName,
    AlreadyBound,
    NotEmpty,
    NoSuchLease,
    System(SystemException),
}

/// The exceptions that carry nothing have no use for what they carry.
macro_rules! refusals {
    ($($error:ident: $($carrying:ident)* / $($plain:ident)*;)*) => {$(
        impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                match error {
                    $($error::$carrying(exception) => Self::$carrying(exception),)*
                    $($error::$plain(_) => Self::$plain,)*
                }
            }
        }
    )*};
}

refusals! {
    ResolveError: NotFound CannotProceed System / InvalidName;
    BindError: NotFound CannotProceed System / InvalidName AlreadyBound;
    RebindError: NotFound CannotProceed System / InvalidName;
    BindContextError: NotFound CannotProceed System / InvalidName AlreadyBound;
    RebindContextError: NotFound CannotProceed System / InvalidName;
    BindNewContextError: NotFound CannotProceed System / InvalidName AlreadyBound;
    BindWithLeaseError: NotFound CannotProceed System / InvalidName AlreadyBound NoSuchLease;
    RebindWithLeaseError: NotFound CannotProceed System / InvalidName NoSuchLease;
    UnbindError: NotFound CannotProceed System / InvalidName;
    DestroyError: System / NotEmpty;
}

/// The result of an operation upon a name; its exception in words.
///
/// # Errors
///
/// Those of the operation.
pub(super) fn attempt<T>(name: &[NameComponent], result: Result<T, Refusal>) -> Result<T, Failure> {
    result.map_err(|refusal| {
        let facts = facts(name, &refusal);
        Failure::Exception(words(&path::format(name), &refusal), facts)
    })
}

fn words(name: &str, refusal: &Refusal) -> String {
    match refusal {
        Refusal::NotFound(exception) => {
            format!("NotFound: \"{name}\": {}", not_found(exception))
        }
        Refusal::CannotProceed(exception) => format!(
            "CannotProceed: \"{name}\": the service gave up before \"{}\"",
            path::format(&exception.rest_of_name)
        ),
        Refusal::InvalidName => {
            format!("InvalidName: \"{name}\": the service does not allow such a name")
        }
        Refusal::AlreadyBound => {
            format!("AlreadyBound: \"{name}\": the name is bound already")
        }
        Refusal::NotEmpty => {
            format!("NotEmpty: \"{name}\": the context still has names in it")
        }
        Refusal::NoSuchLease => {
            format!("NoSuchLease: \"{name}\": the lease has ended meanwhile; try again")
        }
        Refusal::System(exception) => format!("\"{name}\": {exception}"),
    }
}

/// The exception for programs.
fn facts(name: &[NameComponent], refusal: &Refusal) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut insert = |key: &str, value: Value| facts.insert(key.to_owned(), value);
    let (exception, rest) = match refusal {
        Refusal::NotFound(exception) => {
            let why = match exception.why {
                NotFoundReason::MissingNode => "missing_node",
                NotFoundReason::NotContext => "not_context",
                NotFoundReason::NotObject => "not_object",
            };
            insert("why", why.into());
            ("NotFound", Some(&exception.rest_of_name))
        }
        Refusal::CannotProceed(exception) => ("CannotProceed", Some(&exception.rest_of_name)),
        Refusal::InvalidName => ("InvalidName", None),
        Refusal::AlreadyBound => ("AlreadyBound", None),
        Refusal::NotEmpty => ("NotEmpty", None),
        Refusal::NoSuchLease => ("NoSuchLease", None),
        Refusal::System(exception) => {
            insert("minor", exception.minor.into());
            insert("exception", exception.kind.repository_id().into());
            insert("name", path::format(name).into());
            return facts;
        }
    };
    let id = match refusal {
        Refusal::NoSuchLease => "IDL:taut.dev/TautNaming/NoSuchLease:1.0".to_owned(),
        _ => format!("IDL:omg.org/CosNaming/NamingContext/{exception}:1.0"),
    };
    insert("exception", id.into());
    insert("name", path::format(name).into());
    if let Some(rest) = rest {
        insert("rest_of_name", path::format(rest).into());
    }
    facts
}

fn not_found(exception: &NotFound) -> String {
    let first = exception.rest_of_name.get(..1).unwrap_or_default();
    let component = match path::format(first) {
        component if component.is_empty() => "a component".to_owned(),
        component => format!("\"{component}\""),
    };
    match exception.why {
        NotFoundReason::MissingNode if first.is_empty() => "no such name".to_owned(),
        NotFoundReason::MissingNode => format!("no such component {component}"),
        NotFoundReason::NotContext => {
            format!("{component} is an object, not a context that a name could lead through")
        }
        NotFoundReason::NotObject => format!("{component} is a context, not an object"),
    }
}
