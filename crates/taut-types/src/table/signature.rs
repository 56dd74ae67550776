//! The parameters of an operation as a type, which ties what a stub or a
//! skeleton passes to what the operation's table says.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use taut_cdr::Primitive;
use taut_cdr::codec::Plain;

use super::description::{Parameter, ParameterMode};
use super::form::TabledAs;

/// `in`: a `T` in the wire form `C`.
#[derive(Debug)]
pub struct Value<T, C = Plain>(PhantomData<(T, C)>);

/// `in`: a string or wide string in the wire form `C`.
#[derive(Debug)]
pub struct Text<C = Plain>(PhantomData<C>);

/// `in`: a sequence of `T`.
#[derive(Debug)]
pub struct Slice<T, C = Plain>(PhantomData<(T, C)>);

/// `in`: a sequence of primitives.
#[derive(Debug)]
pub struct Primitives<T, C = Plain>(PhantomData<(T, C)>);

/// `in`: something that may be nil.
#[derive(Debug)]
pub struct Handle<T, C = Plain>(PhantomData<(T, C)>);

/// `inout`: a `T`.
#[derive(Debug)]
pub struct InOut<T, C = Plain>(PhantomData<(T, C)>);

/// `out`, or the result: a `T`.
#[derive(Debug)]
pub struct Out<T, C = Plain>(PhantomData<(T, C)>);

/// A list of parameters: `()`, or `(P, S)` with a parameter in front of others.
///
/// It is implemented for lists of the types of this module, and cannot be for
/// others.
pub trait Signature: sealed::List {
    /// The arguments that a stub passes: a list of what its `in` and `inout` parameters
    /// are.
    type Arguments<'a>;
    /// The values that a stub gets: the result and the `out` parameters.
    type Results;
    /// The arguments that a skeleton gets: the `in` and `inout` parameters, borrowed from
    /// its [`ArgumentFrame`](super::ArgumentFrame).
    type Received<'a>;
    /// The values with which a skeleton answers: the result, the `out` and, borrowed, the
    /// `inout` parameters.
    type Answer<'a>;

    #[doc(hidden)]
    const PARAMETERS: Option<&'static Parameter>;
    #[doc(hidden)]
    type ResultSlots;
    #[doc(hidden)]
    type ReceiveSlots<'m>;
    #[doc(hidden)]
    type CallPointers;
    #[doc(hidden)]
    type ReceivePointers;
    #[doc(hidden)]
    type AnswerPointers;

    /// Room for results, and for the new values of `inout` parameters.
    #[doc(hidden)]
    fn result_slots() -> Self::ResultSlots;
    /// A pointer for each parameter; two for an `inout`, the second to the room
    /// for its new value.
    #[doc(hidden)]
    fn call_pointers(
        arguments: &mut Self::Arguments<'_>,
        slots: &mut Self::ResultSlots,
    ) -> Self::CallPointers;
    /// # Safety
    ///
    /// The slots of results must be filled, those of `inout` parameters be left.
    #[doc(hidden)]
    unsafe fn results(slots: Self::ResultSlots) -> Self::Results;

    #[doc(hidden)]
    fn receive_slots<'m>() -> Self::ReceiveSlots<'m>;
    /// A pointer for each parameter that a skeleton gets.
    #[doc(hidden)]
    fn receive_pointers(slots: &mut Self::ReceiveSlots<'_>) -> Self::ReceivePointers;
    /// # Safety
    ///
    /// The slots must be filled.
    #[doc(hidden)]
    unsafe fn received<'a>(slots: &'a mut Self::ReceiveSlots<'_>) -> Self::Received<'a>;

    /// A pointer for each value of the answer.
    #[doc(hidden)]
    fn answer_pointers(values: &mut Self::Answer<'_>) -> Self::AnswerPointers;
}

mod sealed {
    /// A list of parameters that may be a [`Signature`](super::Signature).
    pub trait List: Sized + 'static {}
}

/// A pointer in front of others: in memory, an array of pointers.
#[derive(Debug)]
#[repr(C)]
pub struct Link<R>(*mut u8, R);

/// The end of the pointers.
#[derive(Debug)]
#[repr(C)]
pub struct End;

impl sealed::List for () {}

impl Signature for () {
    type Arguments<'a> = ();
    type Results = ();
    type Received<'a> = ();
    type Answer<'a> = ();
    const PARAMETERS: Option<&'static Parameter> = None;
    type ResultSlots = ();
    type ReceiveSlots<'m> = ();
    type CallPointers = End;
    type ReceivePointers = End;
    type AnswerPointers = End;

    #[inline]
    fn result_slots() {}
    #[inline]
    fn call_pointers((): &mut (), (): &mut ()) -> End {
        End
    }
    #[inline]
    unsafe fn results((): ()) {}
    #[inline]
    fn receive_slots<'m>() -> Self::ReceiveSlots<'m> {}
    #[inline]
    fn receive_pointers((): &mut ()) -> End {
        End
    }
    #[inline]
    unsafe fn received<'a>((): &'a mut ()) -> Self::Received<'a> {}
    #[inline]
    fn answer_pointers((): &mut ()) -> End {
        End
    }
}

/// The modes that are IDL's `in`: what stub and servant are given, what is in
/// the skeleton's frame, the type whose table it is, how what the stub is given
/// is pointed to, and how what the skeleton has becomes what the servant gets.
macro_rules! in_modes {
    ($($mode:ident [$($parameter:ident: $limit:path),*]: $argument:ty, $slot:ty, $table:ty,
        |$value:ident| $pointer:expr, |$kept:ident| $lent:expr;)*) => {$(
        impl<$($parameter: $limit + 'static,)* C: TabledAs<$table>, S: Signature> sealed::List
            for ($mode<$($parameter,)* C>, S) {}

        impl<$($parameter: $limit + 'static,)* C: TabledAs<$table>, S: Signature> Signature
            for ($mode<$($parameter,)* C>, S)
        {
            type Arguments<'a> = ($argument, S::Arguments<'a>);
            type Results = S::Results;
            type Received<'a> = ($argument, S::Received<'a>);
            type Answer<'a> = S::Answer<'a>;
            const PARAMETERS: Option<&'static Parameter> = Some(&Parameter {
                mode: ParameterMode::$mode,
                shape: C::TABLE.shape(),
                next: S::PARAMETERS,
            });
            type ResultSlots = S::ResultSlots;
            type ReceiveSlots<'m> = (MaybeUninit<$slot>, S::ReceiveSlots<'m>);
            type CallPointers = Link<S::CallPointers>;
            type ReceivePointers = Link<S::ReceivePointers>;
            type AnswerPointers = S::AnswerPointers;

            #[inline]
            fn result_slots() -> Self::ResultSlots {
                S::result_slots()
            }
            #[inline]
            fn call_pointers(
                arguments: &mut Self::Arguments<'_>,
                slots: &mut Self::ResultSlots,
            ) -> Self::CallPointers {
                let $value = &arguments.0;
                let pointer = $pointer.cast::<u8>().cast_mut();
                Link(pointer, S::call_pointers(&mut arguments.1, slots))
            }
            #[inline]
            unsafe fn results(slots: Self::ResultSlots) -> Self::Results {
                // SAFETY: the caller vouches for the slots.
                unsafe { S::results(slots) }
            }
            #[inline]
            fn receive_slots<'m>() -> Self::ReceiveSlots<'m> {
                (MaybeUninit::uninit(), S::receive_slots())
            }
            #[inline]
            fn receive_pointers(slots: &mut Self::ReceiveSlots<'_>) -> Self::ReceivePointers {
                Link(slots.0.as_mut_ptr().cast(), S::receive_pointers(&mut slots.1))
            }
            #[inline]
            unsafe fn received<'a>(slots: &'a mut Self::ReceiveSlots<'_>) -> Self::Received<'a> {
                // SAFETY: the caller vouches for the slot.
                let $kept = unsafe { slots.0.assume_init_ref() };
                // SAFETY: the caller vouches for the slots.
                ($lent, unsafe { S::received(&mut slots.1) })
            }
            #[inline]
            fn answer_pointers(values: &mut Self::Answer<'_>) -> Self::AnswerPointers {
                S::answer_pointers(values)
            }
        }
    )*};
}

/// Any type.
pub trait Anything {}
impl<T> Anything for T {}

in_modes! {
    Value[T: Anything]: &'a T, T, T, |value| ptr::from_ref::<T>(value), |kept| kept;
    Text[]: &'a str, Cow<'m, str>, String, |value| ptr::from_ref(value), |kept| kept;
    Slice[T: Anything]: &'a [T], Vec<T>, Vec<T>, |value| ptr::from_ref(value), |kept| kept;
    Primitives[T: Primitive]: &'a [T], Cow<'m, [T]>, Vec<T>,
        |value| ptr::from_ref(value), |kept| kept;
    Handle[T: Anything]: Option<&'a T>, Option<T>, Option<T>,
        |value| ptr::from_ref(value), |kept| kept.as_ref();
}

impl<T: 'static, C: TabledAs<T>, S: Signature> sealed::List for (InOut<T, C>, S) {}

impl<T: 'static, C: TabledAs<T>, S: Signature> Signature for (InOut<T, C>, S) {
    type Arguments<'a> = (&'a mut T, S::Arguments<'a>);
    type Results = S::Results;
    type Received<'a> = (&'a mut T, S::Received<'a>);
    type Answer<'a> = (&'a T, S::Answer<'a>);
    const PARAMETERS: Option<&'static Parameter> = Some(&Parameter {
        mode: ParameterMode::InOut,
        shape: C::TABLE.shape(),
        next: S::PARAMETERS,
    });
    type ResultSlots = (MaybeUninit<T>, S::ResultSlots);
    type ReceiveSlots<'m> = (MaybeUninit<T>, S::ReceiveSlots<'m>);
    type CallPointers = Link<Link<S::CallPointers>>;
    type ReceivePointers = Link<S::ReceivePointers>;
    type AnswerPointers = Link<S::AnswerPointers>;

    #[inline]
    fn result_slots() -> Self::ResultSlots {
        (MaybeUninit::uninit(), S::result_slots())
    }
    #[inline]
    fn call_pointers(
        arguments: &mut Self::Arguments<'_>,
        slots: &mut Self::ResultSlots,
    ) -> Self::CallPointers {
        let current = ptr::from_mut::<T>(arguments.0).cast();
        let fresh = slots.0.as_mut_ptr().cast();
        let others = S::call_pointers(&mut arguments.1, &mut slots.1);
        Link(current, Link(fresh, others))
    }
    #[inline]
    unsafe fn results(slots: Self::ResultSlots) -> Self::Results {
        // SAFETY: the caller vouches for the slots.
        unsafe { S::results(slots.1) }
    }
    #[inline]
    fn receive_slots<'m>() -> Self::ReceiveSlots<'m> {
        (MaybeUninit::uninit(), S::receive_slots())
    }
    #[inline]
    fn receive_pointers(slots: &mut Self::ReceiveSlots<'_>) -> Self::ReceivePointers {
        Link(
            slots.0.as_mut_ptr().cast(),
            S::receive_pointers(&mut slots.1),
        )
    }
    #[inline]
    unsafe fn received<'a>(slots: &'a mut Self::ReceiveSlots<'_>) -> Self::Received<'a> {
        // SAFETY: the caller vouches for the slot.
        let value = unsafe { slots.0.assume_init_mut() };
        // SAFETY: the caller vouches for the slots.
        (value, unsafe { S::received(&mut slots.1) })
    }
    #[inline]
    fn answer_pointers(values: &mut Self::Answer<'_>) -> Self::AnswerPointers {
        let value = ptr::from_ref::<T>(values.0).cast::<u8>().cast_mut();
        Link(value, S::answer_pointers(&mut values.1))
    }
}

impl<T: 'static, C: TabledAs<T>, S: Signature> sealed::List for (Out<T, C>, S) {}

impl<T: 'static, C: TabledAs<T>, S: Signature> Signature for (Out<T, C>, S) {
    type Arguments<'a> = S::Arguments<'a>;
    type Results = (T, S::Results);
    type Received<'a> = S::Received<'a>;
    type Answer<'a> = (T, S::Answer<'a>);
    const PARAMETERS: Option<&'static Parameter> = Some(&Parameter {
        mode: ParameterMode::Out,
        shape: C::TABLE.shape(),
        next: S::PARAMETERS,
    });
    type ResultSlots = (MaybeUninit<T>, S::ResultSlots);
    type ReceiveSlots<'m> = S::ReceiveSlots<'m>;
    type CallPointers = Link<S::CallPointers>;
    type ReceivePointers = S::ReceivePointers;
    type AnswerPointers = Link<S::AnswerPointers>;

    #[inline]
    fn result_slots() -> Self::ResultSlots {
        (MaybeUninit::uninit(), S::result_slots())
    }
    #[inline]
    fn call_pointers(
        arguments: &mut Self::Arguments<'_>,
        slots: &mut Self::ResultSlots,
    ) -> Self::CallPointers {
        let slot = slots.0.as_mut_ptr().cast();
        Link(slot, S::call_pointers(arguments, &mut slots.1))
    }
    #[inline]
    unsafe fn results(slots: Self::ResultSlots) -> Self::Results {
        // SAFETY: the caller vouches for the slot.
        let value = unsafe { slots.0.assume_init() };
        // SAFETY: the caller vouches for the slots.
        (value, unsafe { S::results(slots.1) })
    }
    #[inline]
    fn receive_slots<'m>() -> Self::ReceiveSlots<'m> {
        S::receive_slots()
    }
    #[inline]
    fn receive_pointers(slots: &mut Self::ReceiveSlots<'_>) -> Self::ReceivePointers {
        S::receive_pointers(slots)
    }
    #[inline]
    unsafe fn received<'a>(slots: &'a mut Self::ReceiveSlots<'_>) -> Self::Received<'a> {
        // SAFETY: the caller vouches for the slots.
        unsafe { S::received(slots) }
    }
    #[inline]
    fn answer_pointers(values: &mut Self::Answer<'_>) -> Self::AnswerPointers {
        let value = ptr::from_mut::<T>(&mut values.0).cast();
        Link(value, S::answer_pointers(&mut values.1))
    }
}
