//! Values that a peer has marshaled in another way than the standard says, and that were
//! read nevertheless.

use std::fmt;
use std::sync::OnceLock;

use taut_cdr::Context;

/// How a value that was read differs from what the standard says (CORBA 3.3 part 2,
/// 9.3.4.6). TAO writes both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deviation {
    /// There are end tags of levels that nothing has begun.
    ExtraEndTag,
    /// The value lies in the middle of a chunk.
    ValueInChunk,
}

/// A function that is told of deviations, with the context of the decoder that met them.
pub type Observer = fn(Context<'_>, Deviation);

static OBSERVER: OnceLock<Observer> = OnceLock::new();

/// Has deviations told to `observer`, in the whole process, from now on. The first one
/// that is given stays.
pub fn observe_deviations(observer: Observer) {
    OBSERVER.get_or_init(|| observer);
}

/// Tells of a deviation.
#[cold]
pub(crate) fn note(context: Context<'_>, deviation: Deviation) {
    if let Some(observer) = OBSERVER.get() {
        observer(context, deviation);
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExtraEndTag => "a value has end tags of levels that nothing has begun",
            Self::ValueInChunk => "a value lies in the middle of a chunk",
        })
    }
}
