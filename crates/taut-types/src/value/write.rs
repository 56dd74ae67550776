//! Values to octets.

use std::sync::Arc;

use taut_cdr::{Encoder, Result, Shareable};

use super::{ValueObject, header};

/// Appends a value, or an indirection to where it has been written.
pub(crate) fn write(object: &Arc<dyn ValueObject>, out: &mut Encoder) -> Result<()> {
    let identity = Shareable::Object(Arc::as_ptr(object).addr());
    if let Some(place) = out.place_of(identity) {
        return out.write_indirection(place);
    }
    let descriptor = object.descriptor();
    let ids = descriptor.sent();
    // A value that can be truncated must be possible to skip.
    let chunked = out.chunk_level() > 0 || descriptor.is_custom() || ids.len() > 1;
    let place = begin(ids, chunked, out)?;
    out.remember(identity, place, Some(Arc::clone(object).keep()));
    if chunked {
        out.enter_chunks();
    }
    out.nested(|out| object.encode_state(out))?;
    if chunked {
        out.leave_chunks()?;
        out.resume_chunk();
    }
    Ok(())
}

/// Writes the tag and what follows it; the place of the tag.
fn begin(ids: &'static [&'static str], chunked: bool, out: &mut Encoder) -> Result<usize> {
    out.suspend_chunk()?;
    out.align(4);
    let place = out.len();
    out.write(header::tag(ids.len() > 1, chunked));
    match ids {
        [id] => write_text(id, out)?,
        ids => {
            let list = Shareable::Texts(ids);
            match out.place_of(list) {
                Some(place) => out.write_indirection(place)?,
                None => {
                    out.remember(list, out.len(), None);
                    out.write_length(ids.len())?;
                    ids.iter().try_for_each(|id| write_text(id, out))?;
                }
            }
        }
    }
    Ok(place)
}

fn write_text(text: &'static str, out: &mut Encoder) -> Result<()> {
    let identity = Shareable::Text(text);
    if let Some(place) = out.place_of(identity) {
        return out.write_indirection(place);
    }
    out.align(4);
    out.remember(identity, out.len(), None);
    out.write_string(text)
}
