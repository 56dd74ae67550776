//! Exceptions as values of any type.

use taut_cdr::{Decode, Decoder, Encode, Encoder};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_types::{Any, CreateError, TypeCode, TypeCodeLimits, Typed};

use super::OperationSignature;

/// Returns a system exception as a value.
pub(super) fn of_system(exception: &SystemException) -> Result<Any, SystemException> {
    let (id, name) = (exception.kind.repository_id(), exception.kind.name());
    let type_code = || -> Result<TypeCode, CreateError> {
        let completed = TypeCode::create_enum(
            "IDL:omg.org/CORBA/completion_status:1.0",
            "completion_status",
            &["COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"],
        )?;
        let minor = <u32 as Typed>::type_code();
        TypeCode::create_exception(id, name, &[("minor", minor), ("completed", completed)])
    };
    let type_code = type_code().map_err(|error| internal(&error.to_string()))?;
    let value = (exception.minor, exception.completed as u32);
    Any::with_type(type_code, &Members(value.0, value.1)).map_err(unwritable)
}

/// The members of a system exception.
struct Members(u32, u32);

impl Encode for Members {
    fn encode(&self, out: &mut Encoder) -> taut_cdr::Result<()> {
        out.write(self.0);
        out.write(self.1);
        Ok(())
    }
}

/// Returns the user exception in a reply, of which `body` stands at the repository id, as a
/// value. One of which the ORB does not know the type is UNKNOWN with OMG minor 3 here.
pub(super) fn of_user(
    signature: Option<&OperationSignature>,
    body: &Decoder<'_>,
) -> Result<Any, SystemException> {
    let mut input = body.clone();
    let id = String::decode(&mut input).map_err(unreadable)?;
    let Some(type_code) = signature.and_then(|signature| signature.exception(&id)) else {
        let completed = CompletionStatus::Yes;
        let unknown = SystemException::omg(SystemExceptionKind::Unknown, 3, completed);
        return of_system(&unknown);
    };
    // An exception's id stands in front of its members, in a reply as in an Any.
    let mut input = body.clone();
    let limits = TypeCodeLimits::of(&input);
    Any::read_value(type_code.clone(), &mut input, &limits).map_err(unreadable)
}

/// The exception for values that are not what the signature says.
pub(super) fn unreadable(error: taut_cdr::Error) -> SystemException {
    SystemException::from_cdr(&error, CompletionStatus::Maybe)
}

pub(super) fn unwritable(error: taut_cdr::Error) -> SystemException {
    SystemException::from_cdr(&error, CompletionStatus::No)
}

fn internal(cause: &str) -> SystemException {
    SystemException::new(SystemExceptionKind::Internal, 0, CompletionStatus::Maybe).because(cause)
}
