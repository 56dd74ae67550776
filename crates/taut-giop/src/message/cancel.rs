//! CancelRequest.

use taut_cdr::{Decoder, Encoder, Result};

/// The body of a CancelRequest, the same in every version (CORBA 3.3 part 2, 9.4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CancelRequestHeader {
    /// The request, or locate request, whose answer is no longer wanted.
    pub request_id: u32,
}

impl CancelRequestHeader {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// When the message is too short.
    #[inline]
    pub fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        Ok(Self {
            request_id: input.read()?,
        })
    }

    /// Appends it.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        out.write(self.request_id);
    }
}
