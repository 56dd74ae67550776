//! The values of a variable in a repetition of [`quote!`](super::quote!): a value that can be
//! iterated goes on with each round, any other stays.
//!
//! Which of the three traits it is that a variable's `in_repetition` comes from,
//! the compiler finds in the order in which it looks for methods.

use super::{Code, ToCode};

/// Iterators are used up.
pub(crate) trait RepeatIterator: Iterator + Sized {
    /// Returns the values of the rounds, and whether they come to an end.
    fn in_repetition(self) -> (Self, bool) {
        (self, true)
    }
}

impl<I: Iterator> RepeatIterator for I {}

/// Values that can be iterated by reference are.
pub(crate) trait RepeatSlice {
    type Item;

    /// Returns the values of the rounds, and whether they come to an end.
    fn in_repetition(&self) -> (std::slice::Iter<'_, Self::Item>, bool);
}

impl<T> RepeatSlice for [T] {
    type Item = T;

    fn in_repetition(&self) -> (std::slice::Iter<'_, T>, bool) {
        (self.iter(), true)
    }
}

impl<T> RepeatSlice for Vec<T> {
    type Item = T;

    fn in_repetition(&self) -> (std::slice::Iter<'_, T>, bool) {
        (self.iter(), true)
    }
}

impl<T, const N: usize> RepeatSlice for [T; N] {
    type Item = T;

    fn in_repetition(&self) -> (std::slice::Iter<'_, T>, bool) {
        (self.iter(), true)
    }
}

impl<S: RepeatSlice + ?Sized> RepeatSlice for &S {
    type Item = S::Item;

    fn in_repetition(&self) -> (std::slice::Iter<'_, S::Item>, bool) {
        (**self).in_repetition()
    }
}

/// A value that becomes code is the same in all rounds.
pub(crate) trait RepeatAlways: ToCode {
    /// The value of the next round.
    fn next(&self) -> Option<&Self> {
        Some(self)
    }

    /// Returns the values of the rounds, and whether they come to an end.
    fn in_repetition(&self) -> (&Self, bool) {
        (self, false)
    }
}

impl<T: ToCode + ?Sized> RepeatAlways for T {}

/// The value that a variable has in a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<T>(pub(crate) T);

impl<T> Bound<T> {
    /// Itself, where a variable occurs more than once in the round.
    pub(crate) fn next(self) -> Option<T> {
        Some(self.0)
    }
}

impl<S: RepeatSlice> RepeatSlice for Bound<S> {
    type Item = S::Item;

    fn in_repetition(&self) -> (std::slice::Iter<'_, S::Item>, bool) {
        self.0.in_repetition()
    }
}

impl<T: ToCode> ToCode for Bound<T> {
    fn to_code(&self, code: &mut Code) {
        self.0.to_code(code);
    }
}
