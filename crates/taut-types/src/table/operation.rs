//! The tables of operations.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use super::frame::{AnswerFrame, CallFrame, Filled};
use super::shape::Shape;
use super::signature::Signature;
use super::{Table, TabledAs};

/// The table of an operation whose parameters are `S`: a list of types such as
/// `(Out<i16>, (Value<i16>, (InOut<i16>, ())))`, the result first.
#[derive(Debug)]
#[repr(transparent)]
pub struct Operation<S> {
    /// Its parameters are those of `S`.
    description: OperationDescription,
    signature: PhantomData<fn(S)>,
}

/// What is to be known of an operation, as data.
#[derive(Debug)]
pub struct OperationDescription {
    name: &'static str,
    oneway: bool,
    has_result: bool,
    parameters: Option<&'static Parameter>,
    raises: &'static [Raised],
    context: &'static [&'static str],
}

/// A parameter, or the result, and those that follow.
#[derive(Debug)]
pub struct Parameter {
    pub(super) mode: ParameterMode,
    pub(super) shape: &'static Shape,
    pub(super) next: Option<&'static Parameter>,
}

/// How a parameter is passed. The modes from [`Value`](Self::Value) to
/// [`Handle`](Self::Handle) are IDL's `in`; they differ in what the stub is
/// given and the servant gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterMode {
    /// A `T` in both places.
    Value,
    /// A `&str`; the servant's is borrowed from the message where possible.
    Text,
    /// A `&[T]`.
    Slice,
    /// A `&[T]` of primitives; the servant's is borrowed where possible.
    Primitives,
    /// An `Option<&R>`.
    Handle,
    /// `inout`: a `&mut T`.
    InOut,
    /// `out`, and the result: a `T` that comes back.
    Out,
}

/// An exception that an operation may raise.
#[derive(Debug)]
pub struct Raised {
    repository_id: &'static str,
    shape: &'static Shape,
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

    /// What is to be known of the operation, as data.
    pub const fn description(&self) -> &OperationDescription {
        &self.description
    }

    /// Calls the operation: `exchange` gets what is to be marshaled and to be
    /// filled. What `inout` parameters refer to changes when all has been read.
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
        let values = ManuallyDrop::new(values);
        let pointers = S::answer_pointers(&values);
        // SAFETY: the pointers are those of the parameters, and what they point
        // to outlives the writing; the frame may drop the values, as nobody else
        // will.
        let frame =
            unsafe { AnswerFrame::new(&self.description, std::ptr::from_ref(&pointers).cast()) };
        write(frame)
    }
}

impl OperationDescription {
    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether nothing comes back.
    pub const fn is_oneway(&self) -> bool {
        self.oneway
    }

    /// Whether the first parameter is the result.
    pub const fn has_result(&self) -> bool {
        self.has_result
    }

    /// The parameters, the result first.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        std::iter::successors(self.parameters, |parameter| parameter.next)
    }

    /// The exceptions that it may raise.
    pub const fn raises(&self) -> &'static [Raised] {
        self.raises
    }

    /// The patterns of its `context` clause; none without one.
    pub const fn context(&self) -> &'static [&'static str] {
        self.context
    }

    /// The octets that the table takes, its name included, those of the types
    /// not.
    pub fn footprint(&self) -> usize {
        size_of_val(self)
            + self.name.len()
            + size_of::<Parameter>() * self.parameters().count()
            + size_of_val(self.raises)
            + size_of_val(self.context)
            + self
                .context
                .iter()
                .map(|pattern| pattern.len())
                .sum::<usize>()
    }
}

impl Parameter {
    /// How it is passed.
    pub const fn mode(&self) -> ParameterMode {
        self.mode
    }

    /// The table of its type.
    pub const fn shape(&self) -> &'static Shape {
        self.shape
    }
}

impl Raised {
    /// An exception of this type and repository id.
    pub const fn new<T: 'static, C: TabledAs<T>>(repository_id: &'static str) -> Self {
        let table: &'static Table<T> = C::TABLE;
        Self {
            repository_id,
            shape: table.shape(),
        }
    }

    /// The repository id.
    pub const fn repository_id(&self) -> &'static str {
        self.repository_id
    }

    /// The table of its members.
    pub const fn shape(&self) -> &'static Shape {
        self.shape
    }
}
