//! The arguments of a request, from its reception to the end of the call.

use super::frame::{Filled, ReceiveFrame};
use super::operation::Operation;
use super::signature::Signature;

/// The arguments of a request in the frame of a skeleton, once they are there.
pub struct ArgumentFrame<'m, S: Signature> {
    operation: &'static Operation<S>,
    slots: S::ReceiveSlots<'m>,
    /// Whether there are values in the slots.
    filled: bool,
}

impl<'m, S: Signature> ArgumentFrame<'m, S> {
    /// Room for the arguments of this operation.
    #[inline]
    pub fn new(operation: &'static Operation<S>) -> Self {
        Self {
            operation,
            slots: S::receive_slots(),
            filled: false,
        }
    }

    /// Receives the arguments: `fill` gets the room for them.
    ///
    /// # Errors
    ///
    /// Those of `fill`.
    #[inline]
    pub fn receive<E>(
        &mut self,
        fill: impl for<'f> FnOnce(ReceiveFrame<'f, 'm>) -> std::result::Result<Filled<'f>, E>,
    ) -> std::result::Result<S::Received<'_>, E> {
        self.clear();
        let pointers = S::receive_pointers(&mut self.slots);
        let operation = self.operation.description();
        // SAFETY: the pointers are those of the parameters, and what they point
        // to outlives the filling.
        fill(unsafe { ReceiveFrame::new(operation, std::ptr::from_ref(&pointers).cast()) })?;
        self.filled = true;
        // SAFETY: it has been shown that the room was filled.
        Ok(unsafe { S::received(&mut self.slots) })
    }

    /// Drops the arguments, if they are there.
    #[inline]
    fn clear(&mut self) {
        if std::mem::replace(&mut self.filled, false) {
            let pointers = S::receive_pointers(&mut self.slots);
            let operation = self.operation.description();
            // SAFETY: as in `receive`.
            let frame: ReceiveFrame<'_, 'm> =
                unsafe { ReceiveFrame::new(operation, std::ptr::from_ref(&pointers).cast()) };
            // SAFETY: all arguments are there, and from now on none.
            unsafe { frame.drop_arguments(usize::MAX) };
        }
    }
}

impl<S: Signature> Drop for ArgumentFrame<'_, S> {
    #[inline]
    fn drop(&mut self) {
        self.clear();
    }
}

impl<S: Signature> std::fmt::Debug for ArgumentFrame<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArgumentFrame")
            .field("operation", self.operation.description())
            .field("filled", &self.filled)
            .finish_non_exhaustive()
    }
}
