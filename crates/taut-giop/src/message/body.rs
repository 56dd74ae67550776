//! Where the body of a Request or Reply begins.

use taut_cdr::Encoder;

use crate::Version;

/// Begins the body of a Request or Reply. From GIOP 1.2 on a body begins at a
/// multiple of 8, but a message without a body has no padding either
/// (CORBA 3.3 part 2, 9.4.2.2). Whether there will be a body is often known
/// only once the arguments are written; so this pads at once, and
/// [`BodyStart::finish`] takes the padding back if nothing followed.
#[inline(always)]
pub fn begin_body(version: Version, out: &mut Encoder) -> BodyStart {
    let unpadded = out.len();
    if version.has_layout_1_2() {
        out.align(8);
    }
    BodyStart {
        unpadded,
        padded: out.len(),
    }
}

/// Where a body begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "the body must be finished, else an empty one leaves its padding behind"]
pub struct BodyStart {
    /// The end of the header.
    unpadded: usize,
    /// The first octet of the body; at most 7 behind `unpadded`.
    padded: usize,
}

impl BodyStart {
    /// A body behind a header that ends at `unpadded`, whose padding has been written, too.
    #[inline(always)]
    pub(super) const fn at(unpadded: usize, padded: usize) -> Self {
        Self { unpadded, padded }
    }

    /// The offset of the body's first octet.
    #[inline]
    pub fn offset(&self) -> usize {
        self.padded
    }

    /// Forgets what has been written of the body, so that another can be
    /// written: an exception instead of results.
    #[inline]
    pub fn rewind(&self, out: &mut Encoder) {
        if out.len() != self.padded {
            out.truncate(self.padded);
        }
    }

    /// Ends the body: without one, the padding goes.
    #[inline]
    pub fn finish(self, out: &mut Encoder) {
        if out.len() == self.padded && self.padded != self.unpadded {
            out.truncate(self.unpadded);
        }
    }
}
