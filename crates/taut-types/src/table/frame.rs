//! The values in the frame of a stub or a skeleton, by an operation's table.

use std::borrow::Cow;
use std::marker::PhantomData;

use taut_cdr::{Decoder, Encoder, Lent, Result};

use super::decode::{decode, decode_primitives, decode_text};
use super::description::{OperationDescription, Parameter, ParameterMode};
use super::encode::{encode, encode_argument, encode_slice, encode_text, give};
use super::shape::Kind;

/// A lifetime that stands for one frame and no other.
type Brand<'f> = PhantomData<fn(&'f ()) -> &'f ()>;

/// The arguments of a call, and the room for its results.
#[derive(Debug)]
pub struct CallFrame<'f> {
    operation: &'static OperationDescription,
    pointers: Pointers,
    brand: Brand<'f>,
}

/// The room for the arguments of a request that lives for `'m`.
#[derive(Debug)]
pub struct ReceiveFrame<'f, 'm> {
    operation: &'static OperationDescription,
    pointers: Pointers,
    brand: Brand<'f>,
    message: Brand<'m>,
}

/// The values of a reply; it drops those of `out` parameters and the result.
#[derive(Debug)]
pub struct AnswerFrame<'f> {
    operation: &'static OperationDescription,
    pointers: Pointers,
    brand: Brand<'f>,
}

/// The proof that the frame `'f` was filled.
#[derive(Debug)]
pub struct Filled<'f>(Brand<'f>);

/// An array of pointers, one behind the other.
#[derive(Debug, Clone, Copy)]
struct Pointers(*const *mut u8);

impl Pointers {
    /// Takes the next pointer.
    ///
    /// # Safety
    ///
    /// There must be one left.
    #[inline]
    unsafe fn next(&mut self) -> *mut u8 {
        // SAFETY: the caller vouches for it.
        let pointer = unsafe { self.0.read() };
        // SAFETY: at most the end of the array is reached.
        self.0 = unsafe { self.0.add(1) };
        pointer
    }
}

impl<'f> CallFrame<'f> {
    /// # Safety
    ///
    /// There must be a pointer for each parameter, two for an `inout`, to what a
    /// stub has for it.
    pub(super) unsafe fn new(
        operation: &'static OperationDescription,
        pointers: *const *mut u8,
    ) -> Self {
        Self {
            operation,
            pointers: Pointers(pointers),
            brand: PhantomData,
        }
    }

    /// The operation.
    pub fn operation(&self) -> &'static OperationDescription {
        self.operation
    }

    /// Writes the arguments. The last is [lent](Encoder::lend), and returned, if it is a
    /// sequence of primitives and the encoder wants a tail.
    ///
    /// # Errors
    ///
    /// Those of [`Encode::encode`](taut_cdr::Encode::encode).
    pub fn encode(&self, out: &mut Encoder) -> Result<Option<Lent<'_>>> {
        let mut pointers = self.pointers;
        let mut lent = None;
        for parameter in self.operation.parameters() {
            let Parameter { mode, shape, .. } = parameter;
            // SAFETY: there is a pointer for each parameter.
            let value = unsafe { pointers.next() };
            match mode {
                // SAFETY: it points to a value of the parameter's type.
                ParameterMode::Value => unsafe { encode(shape, value, out) }?,
                // SAFETY: it points to a `&str`.
                ParameterMode::Text => unsafe { encode_text(shape, value, out) }?,
                ParameterMode::Primitives
                    if out.wants_tail()
                        && self.operation.sends_last(parameter)
                        && let Some((borrowing, bound)) = shape.borrowing() =>
                {
                    // SAFETY: it points to a slice of the elements' type, which is there
                    // as long as the frame.
                    lent = Some(unsafe { (borrowing.lend)(value, PhantomData, bound.get(), out) }?);
                }
                ParameterMode::Slice | ParameterMode::Primitives => {
                    // SAFETY: it points to a slice of the elements' type.
                    unsafe { encode_slice(shape, value, out) }?;
                }
                // SAFETY: it points to an `Option` of a reference to the type.
                ParameterMode::Handle => unsafe { encode_argument(shape, value, out) }?,
                ParameterMode::InOut => {
                    // SAFETY: it points to a value of the parameter's type.
                    unsafe { encode(shape, value, out) }?;
                    // SAFETY: an `inout` has two.
                    unsafe { pointers.next() };
                }
                ParameterMode::Out => {}
            }
        }
        Ok(lent)
    }

    /// Reads the results and the new values of `inout` parameters; these get
    /// theirs when all has been read.
    ///
    /// # Errors
    ///
    /// Those of [`Decode::decode`](taut_cdr::Decode::decode). Nothing has
    /// changed then.
    pub fn decode(self, input: &mut Decoder<'_>) -> Result<Filled<'f>> {
        let mut pointers = self.pointers;
        for (index, parameter) in self.operation.parameters().enumerate() {
            // SAFETY: there is a pointer for each parameter.
            let mut place = unsafe { pointers.next() };
            match parameter.mode {
                ParameterMode::InOut => {
                    // SAFETY: an `inout` has two.
                    place = unsafe { pointers.next() };
                }
                ParameterMode::Out => {}
                _ => continue,
            }
            // SAFETY: it points to room for the parameter's type.
            if let Err(error) = unsafe { decode(parameter.shape, place, input) } {
                self.drop_results(index);
                return Err(error);
            }
        }
        self.exchange_inouts();
        Ok(Filled(PhantomData))
    }

    /// Drops the results among the first `count` parameters.
    #[cold]
    fn drop_results(&self, count: usize) {
        let mut pointers = self.pointers;
        for parameter in self.operation.parameters().take(count) {
            // SAFETY: there is a pointer for each parameter.
            let mut place = unsafe { pointers.next() };
            match parameter.mode {
                ParameterMode::InOut => {
                    // SAFETY: an `inout` has two.
                    place = unsafe { pointers.next() };
                }
                ParameterMode::Out => {}
                _ => continue,
            }
            // SAFETY: a value was read there, which nobody will use.
            unsafe { parameter.shape.drop_in_place(place) }
        }
    }

    /// Gives each `inout` its new value, and drops the old ones.
    fn exchange_inouts(&self) {
        let mut pointers = self.pointers;
        for parameter in self.operation.parameters() {
            // SAFETY: there is a pointer for each parameter.
            let current = unsafe { pointers.next() };
            if parameter.mode != ParameterMode::InOut {
                continue;
            }
            // SAFETY: an `inout` has two.
            let fresh = unsafe { pointers.next() };
            // SAFETY: both hold a value of the parameter's type, in places that
            // do not overlap.
            unsafe { std::ptr::swap_nonoverlapping(current, fresh, parameter.shape.size()) };
            // SAFETY: the old value is there now, which nobody will use.
            unsafe { parameter.shape.drop_in_place(fresh) }
        }
    }
}

impl<'f, 'm> ReceiveFrame<'f, 'm> {
    /// # Safety
    ///
    /// There must be a pointer for each parameter that a skeleton gets, to the
    /// room for it.
    pub(super) unsafe fn new(
        operation: &'static OperationDescription,
        pointers: *const *mut u8,
    ) -> Self {
        Self {
            operation,
            pointers: Pointers(pointers),
            brand: PhantomData,
            message: PhantomData,
        }
    }

    /// The operation.
    pub fn operation(&self) -> &'static OperationDescription {
        self.operation
    }

    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// Those of [`Decode::decode`](taut_cdr::Decode::decode).
    pub fn decode(self, input: &mut Decoder<'m>) -> Result<Filled<'f>> {
        let mut pointers = self.pointers;
        for (index, Parameter { mode, shape, .. }) in self.operation.parameters().enumerate() {
            if *mode == ParameterMode::Out {
                continue;
            }
            // SAFETY: there is a pointer for each parameter that is received.
            let place = unsafe { pointers.next() };
            let outcome = match mode {
                // SAFETY: it points to room for a `Cow<'m, str>`.
                ParameterMode::Text => unsafe { decode_text(shape, place, input) },
                // SAFETY: it points to room for a `Cow<'m, [T]>`.
                ParameterMode::Primitives => unsafe { decode_primitives(shape, place, input) },
                // SAFETY: it points to room for the parameter's type.
                _ => unsafe { decode(shape, place, input) },
            };
            if let Err(error) = outcome {
                // SAFETY: the parameters before this one were read, and nobody
                // will use them.
                unsafe { self.drop_arguments(index) };
                return Err(error);
            }
        }
        Ok(Filled(PhantomData))
    }

    /// Drops the arguments among the first `count` parameters.
    ///
    /// # Safety
    ///
    /// They must be there, and not be used again.
    #[inline(never)]
    pub(super) unsafe fn drop_arguments(&self, count: usize) {
        let mut pointers = self.pointers;
        for Parameter { mode, shape, .. } in self.operation.parameters().take(count) {
            if *mode == ParameterMode::Out {
                continue;
            }
            // SAFETY: there is a pointer for each parameter that is received.
            let place = unsafe { pointers.next() };
            match (mode, shape.kind) {
                (ParameterMode::Text, _) => {
                    // SAFETY: a text was read there, which nobody will use.
                    unsafe { place.cast::<Cow<'m, str>>().drop_in_place() }
                }
                (ParameterMode::Primitives, Kind::Whole(..)) => {
                    if let Some((borrowing, _)) = shape.borrowing() {
                        // SAFETY: a `Cow` was read there, which nobody will use.
                        unsafe { (borrowing.drop)(place) }
                    }
                }
                // SAFETY: a value was read there, which nobody will use.
                _ => unsafe { shape.drop_in_place(place) },
            }
        }
    }
}

impl AnswerFrame<'_> {
    /// # Safety
    ///
    /// There must be a pointer for each value of the answer; those of `out`
    /// parameters and of the result are nobody else's.
    pub(super) unsafe fn new(
        operation: &'static OperationDescription,
        pointers: *const *mut u8,
    ) -> Self {
        Self {
            operation,
            pointers: Pointers(pointers),
            brand: PhantomData,
        }
    }

    /// Writes the result, and the values of `out` and `inout` parameters; the last may
    /// be [given](Encoder::give) away.
    ///
    /// # Errors
    ///
    /// Those of [`Encode::encode`](taut_cdr::Encode::encode).
    pub fn encode(self, out: &mut Encoder) -> Result<()> {
        let mut pointers = self.pointers;
        for parameter in self.operation.parameters() {
            if let ParameterMode::InOut | ParameterMode::Out = parameter.mode {
                // SAFETY: there is a pointer for each value of the answer.
                let value = unsafe { pointers.next() };
                let may_give = parameter.mode == ParameterMode::Out
                    && out.wants_tail()
                    && parameter.returns_last();
                if may_give {
                    // SAFETY: it points to a value of the parameter's type, which is this
                    // frame's; one without elements stays there to be dropped.
                    unsafe { give(parameter.shape, value, out) }?;
                } else {
                    // SAFETY: it points to a value of the parameter's type.
                    unsafe { encode(parameter.shape, value, out) }?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for AnswerFrame<'_> {
    fn drop(&mut self) {
        let mut pointers = self.pointers;
        for parameter in self.operation.parameters() {
            if let ParameterMode::InOut | ParameterMode::Out = parameter.mode {
                // SAFETY: there is a pointer for each value of the answer.
                let value = unsafe { pointers.next() };
                if parameter.mode == ParameterMode::Out {
                    // SAFETY: it points to a value of the parameter's type, which
                    // is this frame's.
                    unsafe { parameter.shape.drop_in_place(value) }
                }
            }
        }
    }
}
