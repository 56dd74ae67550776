//! As much of a naming service's client as a `corbaname` URL needs.

use taut_cdr::{DecodeNil, Encode, Encoder, Result as CdrResult};
use taut_giop::naming::{NameComponent, format_name};

use super::UrlError;
use crate::invoke::RaisedException;
use crate::object::ObjectRef;

const NOT_FOUND: &str = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0";

/// Resolves a name in a naming context. `resolve` is asked rather than
/// `resolve_str`, for plain naming contexts have no other.
pub(super) fn resolve(context: &ObjectRef, name: &[NameComponent]) -> Result<ObjectRef, UrlError> {
    let reply = context.invoke("resolve", |out| write_name(name, out))?;
    match reply.user_exception()? {
        Some(exception) => Err(refusal(&exception, name)),
        None => reply.results(ObjectRef::decode_nil)?.ok_or(UrlError::Nil),
    }
}

/// A `CosNaming::Name`: a sequence of structs of two strings.
fn write_name(name: &[NameComponent], out: &mut Encoder) -> CdrResult<()> {
    out.write_length(name.len())?;
    for component in name {
        component.id.encode(out)?;
        component.kind.encode(out)?;
    }
    Ok(())
}

fn refusal(exception: &RaisedException<'_>, name: &[NameComponent]) -> UrlError {
    let id = exception.repository_id();
    // The name was read from text, so it can be written as text.
    let name = format_name(name).unwrap_or_default();
    match id {
        NOT_FOUND => UrlError::NotFound { name },
        _ => UrlError::Naming(format!("the naming service refused {name:?}: {id}")),
    }
}
