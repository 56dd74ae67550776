//! A sequence that stays in the message that brought it.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use taut_cdr::Primitive;
use taut_giop::SystemException;

use super::Reply;
use crate::message::Message;

/// A sequence of primitives that came back from a call, read where it lies in the reply:
/// what a stub's method `..._view` returns. To read it costs no copy, however large it
/// is; it dereferences to a slice.
///
/// It owns the message, whose buffer serves for another one when the view is dropped.
/// Where the elements cannot be read in place, because the peer has the other byte
/// order, say, or because no message was sent, the view has a copy of them.
pub struct SequenceView<T> {
    elements: Elements<T>,
}

enum Elements<T> {
    /// Aligned, in this machine's byte order.
    InMessage {
        message: Message,
        octets: Range<usize>,
    },
    Apart(Vec<T>),
}

impl<T: Primitive> SequenceView<T> {
    /// The elements as a vector of their own.
    pub fn into_vec(self) -> Vec<T> {
        match self.elements {
            Elements::InMessage { .. } => self.to_vec(),
            Elements::Apart(items) => items,
        }
    }

    /// Whether the elements are read in the message, and were not copied.
    pub fn is_in_message(&self) -> bool {
        matches!(self.elements, Elements::InMessage { .. })
    }
}

impl<T: Primitive> Deref for SequenceView<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.elements {
            Elements::InMessage { message, octets } => {
                T::from_octets(&message.octets[octets.clone()])
            }
            Elements::Apart(items) => items,
        }
    }
}

impl<T: Primitive> AsRef<[T]> for SequenceView<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Primitive + fmt::Debug> fmt::Debug for SequenceView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Makes a view of elements that came without a message.
impl<T> From<Vec<T>> for SequenceView<T> {
    fn from(items: Vec<T>) -> Self {
        let elements = Elements::Apart(items);
        Self { elements }
    }
}

impl Reply<'_> {
    /// The result, which is a sequence of primitives and all that comes back, without
    /// that it is copied.
    ///
    /// # Errors
    ///
    /// Those of [`results`](Self::results).
    pub fn into_sequence<T: Primitive>(self) -> Result<SequenceView<T>, SystemException> {
        let read = self.results(|input| input.read_sequence::<T>())?;
        let octets = match read {
            Cow::Owned(items) => return Ok(items.into()),
            Cow::Borrowed(items) => T::octets(items),
        };
        let start = octets.as_ptr().addr() - self.message.octets.as_ptr().addr();
        let octets = start..start + octets.len();
        let message = self.message;
        Ok(SequenceView {
            elements: Elements::InMessage { message, octets },
        })
    }
}
