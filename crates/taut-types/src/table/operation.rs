//! The tables of operations.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use super::description::{OperationDescription, Raised};
use super::frame::{AnswerFrame, CallFrame, Filled};
use super::signature::Signature;

/// The table of an operation whose parameters are `S`: a list of types such as
/// `(Out<i16>, (Value<i16>, (InOut<i16>, ())))`, the result first.
#[derive(Debug)]
#[repr(transparent)]
pub struct Operation<S> {
    /// Its parameters are those of `S`.
    description: OperationDescription,
    signature: PhantomData<fn(S)>,
}

impl<S: Signature> Operation<S> {
    /// The table of an operation with this name on the wire, such as `outline`
    /// or `_get_radius`.
    pub const fn new(name: &'static str) -> Self {
        Self {
            description: OperationDescription {
                name,
                oneway: false,
                has_result: false,
                parameters: S::PARAMETERS,
                raises: &[],
                context: &[],
            },
            signature: PhantomData,
        }
    }

    /// Says that nothing comes back.
    #[must_use]
    pub const fn oneway(mut self) -> Self {
        self.description.oneway = true;
        self
    }

    /// Says that the first parameter is the result.
    #[must_use]
    pub const fn returning(mut self) -> Self {
        self.description.has_result = true;
        self
    }

    /// Says which exceptions may be raised.
    #[must_use]
    pub const fn raises(mut self, raises: &'static [Raised]) -> Self {
        self.description.raises = raises;
        self
    }

    /// Says which properties of the caller travel behind the arguments: those
    /// that match one of these patterns.
    #[must_use]
    pub const fn context(mut self, patterns: &'static [&'static str]) -> Self {
        self.description.context = patterns;
        self
    }

    /// Returns the description of the operation, as data.
    pub const fn description(&self) -> &OperationDescription {
        &self.description
    }

    /// Calls the operation: `exchange` gets what is to be marshaled and to be
    /// filled. The values of `inout` parameters change only when all has been read.
    ///
    /// # Errors
    ///
    /// Those of `exchange`.
    #[inline]
    pub fn call<E>(
        &'static self,
        mut arguments: S::Arguments<'_>,
        exchange: impl for<'f> FnOnce(CallFrame<'f>) -> Result<Filled<'f>, E>,
    ) -> Result<S::Results, E> {
        let mut slots = S::result_slots();
        let pointers = S::call_pointers(&mut arguments, &mut slots);
        // SAFETY: the pointers are those of the parameters, and what they point
        // to outlives the exchange.
        let frame =
            unsafe { CallFrame::new(&self.description, std::ptr::from_ref(&pointers).cast()) };
        exchange(frame)?;
        // SAFETY: the exchange has shown that it has filled the frame.
        Ok(unsafe { S::results(slots) })
    }

    /// Sends the operation's arguments; nothing comes back.
    ///
    /// # Errors
    ///
    /// Those of `exchange`.
    #[inline]
    pub fn send<E>(
        &'static self,
        mut arguments: S::Arguments<'_>,
        exchange: impl FnOnce(CallFrame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut slots = S::result_slots();
        let pointers = S::call_pointers(&mut arguments, &mut slots);
        // SAFETY: as in `call`.
        let frame =
            unsafe { CallFrame::new(&self.description, std::ptr::from_ref(&pointers).cast()) };
        exchange(frame)
    }

    /// Answers the call: `write` gets what is to be marshaled, which is dropped
    /// afterwards.
    #[inline]
    pub fn answer<R>(
        &'static self,
        values: S::Answer<'_>,
        write: impl FnOnce(AnswerFrame<'_>) -> R,
    ) -> R {
        let mut values = ManuallyDrop::new(values);
        let pointers = S::answer_pointers(&mut values);
        // SAFETY: the pointers are those of the parameters, and what they point
        // to outlives the writing; the frame may drop the values, as nobody else
        // will.
        let frame =
            unsafe { AnswerFrame::new(&self.description, std::ptr::from_ref(&pointers).cast()) };
        write(frame)
    }
}
