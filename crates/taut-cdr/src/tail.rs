//! The end of a message that is not copied into its buffer: the elements of a large
//! sequence, which are sent from where they lie.

use alloc::vec::Vec;

use crate::elements::Elements;
use crate::uniform::{PlainData, PlainForm};
use crate::{Encode, Encoder, Error, ErrorKind, Primitive, Result};

/// The fewest octets for which it pays to send a message in two parts. To copy 24 KiB is
/// still cheaper, as measured.
pub const MIN_TAIL: usize = 32 * 1024;

/// The end of what an [`Encoder`] has written.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    state: State,
    /// How much is in the buffer when it follows.
    at: usize,
    /// How many octets it has.
    octets: usize,
    /// The elements that were given; a function of its own forgets them, for most messages
    /// have no tail.
    elements: Elements,
    /// The octets of what was given that come first and do not belong to the tail.
    apart: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// All is in the buffer.
    #[default]
    None,
    /// The end may be apart.
    Wanted,
    /// It is, and belongs to the caller.
    Lent,
    /// It is, and belongs to the encoder.
    Given,
}

/// The elements of a sequence that was [lent](Encoder::lend) to a message, for as long as
/// their owner lends them.
#[derive(Debug)]
#[must_use = "the message lacks the elements unless they are sent behind it"]
pub struct Lent<'a> {
    /// The elements that are not in the encoder's buffer.
    octets: &'a [u8],
}

impl Tail {
    /// Forgets it.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.state == State::Given {
            self.free();
        }
        self.state = State::None;
    }

    /// Notes that so much is in the buffer now when it follows.
    pub(crate) fn moved_to(&mut self, at: usize) {
        self.at = at;
    }

    #[cold]
    #[inline(never)]
    fn free(&mut self) {
        self.elements = Elements::None;
    }
}

/// Messages whose last elements are sent from where they lie.
impl Encoder {
    /// Has the elements of the next sequence that is lent or given kept out of the
    /// buffer, as the message's tail: if it is large, and in this machine's byte order.
    /// Nothing may be written behind it.
    #[inline]
    pub fn want_tail(&mut self) {
        if !self.order().is_foreign() {
            self.tail.state = State::Wanted;
        }
    }

    /// Whether the next sequence that is lent or given may become the tail.
    #[inline]
    pub fn wants_tail(&self) -> bool {
        self.tail.state == State::Wanted
    }

    /// Appends a sequence: its count, and its elements too, unless these become the
    /// message's tail. Which of them are to be sent behind what is in the buffer,
    /// [`end_with`](Self::end_with) tells.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`] when the count does not fit in 32 bits.
    #[inline]
    pub fn lend<'a, T: Primitive>(&mut self, items: &'a [T]) -> Result<Lent<'a>> {
        self.write_length(items.len())?;
        let octets = size_of_val(items);
        if self.makes_tail(octets) {
            self.align(T::ALIGNMENT);
            self.begin_tail(State::Lent, octets);
            let octets = T::octets(items);
            return Ok(Lent { octets });
        }
        self.write_elements(items);
        Ok(Lent { octets: &[] })
    }

    /// Ends the message with what was lent to it last. Returns the octets that are to be
    /// sent behind those in the buffer; none if all are there.
    #[inline]
    pub fn end_with<'a>(&mut self, lent: Lent<'a>) -> &'a [u8] {
        match self.tail.state {
            State::Lent => {
                // Even if it was lent to another message, its size is what this one tells.
                self.tail.octets = lent.octets.len();
                lent.octets
            }
            _ => &[],
        }
    }

    /// Appends a sequence: its count, and its elements too, unless these become the
    /// message's [`tail`](Self::tail).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`] when the count does not fit in 32 bits.
    #[inline]
    pub fn give<T: PlainData + Encode>(&mut self, items: Vec<T>) -> Result<()> {
        self.write_length(items.len())?;
        match const { PlainForm::of::<T>() } {
            Some(form) if self.makes_tail(size_of_val(&items[..])) => {
                self.take_as_tail(items, form)
            }
            _ => T::encode_elements(&items, self),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_as_tail<T: PlainData + Encode>(
        &mut self,
        items: Vec<T>,
        form: PlainForm,
    ) -> Result<()> {
        let first = items.first().copied();
        let elements = Elements::of(items, form);
        self.give_elements(elements, form, |out| match first {
            Some(first) => first.encode(out),
            None => Ok(()),
        })
    }

    /// Has elements of this form for its tail, but for the first where its members
    /// lie otherwise than in memory, as they may (CORBA 3.3 part 2, 9.3.1): `write_first`
    /// appends that.
    ///
    /// # Errors
    ///
    /// Those of `write_first`.
    pub fn give_elements(
        &mut self,
        elements: Elements,
        form: PlainForm,
        write_first: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let octets = elements.as_bytes().len();
        let start = form.start_at(self.position());
        let apart = if octets == 0 || form.is_mirrored_at(start) {
            self.align(form.alignment());
            0
        } else {
            write_first(self)?;
            form.size()
        };
        self.tail.apart = apart;
        self.tail.elements = elements;
        self.begin_tail(State::Given, octets - apart);
        Ok(())
    }

    /// Whether elements with so many octets become the tail.
    #[inline]
    pub fn makes_tail(&self, octets: usize) -> bool {
        self.wants_tail() && octets >= MIN_TAIL
    }

    /// Notes that a tail of so many octets follows the octets in the buffer.
    fn begin_tail(&mut self, state: State, octets: usize) {
        self.tail.state = state;
        self.tail.at = self.len();
        self.tail.octets = octets;
    }

    /// The octets behind those in the buffer that were given; none if all are there, or
    /// those that are not were lent.
    #[inline]
    pub fn tail(&self) -> &[u8] {
        match self.tail.state {
            State::Given => &self.tail.elements.as_bytes()[self.tail.apart..],
            _ => &[],
        }
    }

    /// Whether octets follow those in the buffer.
    #[inline]
    pub fn has_tail(&self) -> bool {
        self.tail.state >= State::Lent
    }

    /// How many octets follow those in the buffer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when something was written behind the tail.
    #[inline]
    pub fn tail_len(&self) -> Result<usize> {
        match self.has_tail() {
            false => Ok(0),
            true => self.checked_tail_len(),
        }
    }

    #[cold]
    #[inline(never)]
    fn checked_tail_len(&self) -> Result<usize> {
        if self.tail.at == self.len() {
            return Ok(self.tail.octets);
        }
        let kind = ErrorKind::Invalid("something was written behind a message's tail");
        Err(Error::new(kind, self.position()))
    }

    /// Copies into the buffer what was lent, which is its `tail`.
    pub fn take_back(&mut self, tail: &[u8]) {
        debug_assert_eq!(self.tail_len(), Ok(tail.len()));
        self.tail.clear();
        self.write_bytes(tail);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{ByteOrder, Encode, LongDouble};

    /// Encodes a message with lent elements, and returns all its octets and the number of
    /// those in the tail.
    fn lent<T: Primitive + Encode>(items: &[T], order: ByteOrder) -> (Vec<u8>, usize) {
        let mut out = Encoder::new(order);
        out.write(7_u8);
        out.want_tail();
        let lent = out.lend(items).unwrap();
        let lent = out.end_with(lent);
        let tail = out.tail_len().unwrap();
        assert_eq!(lent.len(), tail);
        if tail != 0 {
            assert_eq!(lent.as_ptr(), items.as_ptr().cast());
            out.take_back(lent);
        }
        (out.into_buffer(), tail)
    }

    fn given<T: Primitive + Encode>(items: &[T], order: ByteOrder) -> (Vec<u8>, usize) {
        let mut out = Encoder::new(order);
        out.write(7_u8);
        out.want_tail();
        out.give(items.to_vec()).unwrap();
        let tail = out.tail_len().unwrap();
        assert_eq!(out.tail().len(), tail);
        let octets = [out.as_bytes(), out.tail()].concat();
        (octets, tail)
    }

    fn check<T: Primitive + Encode>(value: T) {
        let enough = MIN_TAIL / size_of::<T>();
        for (count, is_large) in [(0, false), (enough - 1, false), (enough, true)] {
            let items = vec![value; count];
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let mut whole = Encoder::new(order);
                whole.write(7_u8);
                items.encode(&mut whole).unwrap();
                let is_apart = is_large && order == ByteOrder::NATIVE;
                for (octets, tail) in [lent(&items, order), given(&items, order)] {
                    assert_eq!(octets, whole.as_bytes());
                    assert_eq!(tail, if is_apart { size_of_val(&items[..]) } else { 0 });
                }
            }
        }
    }

    #[test]
    fn a_message_with_a_tail_is_the_message_without() {
        check(200_u8);
        check(crate::Char::from(200));
        check(-2_i16);
        check(-3_i32);
        check(1.5_f32);
        check(-4_i64);
        check(2.5_f64);
        check(LongDouble::from_f64(3.5));
    }

    #[test]
    fn without_being_wanted_there_is_no_tail() {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.give(vec![0_u8; MIN_TAIL]).unwrap();
        let lent = out.lend(&[0_u8; MIN_TAIL]).unwrap();
        assert_eq!(out.end_with(lent), []);
        assert_eq!(out.tail_len(), Ok(0));
        assert_eq!(out.len(), 2 * (4 + MIN_TAIL));
    }

    #[test]
    fn nothing_may_be_written_behind_a_tail() {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.want_tail();
        let lent = out.lend(&[0_u8; MIN_TAIL]).unwrap();
        out.write(1_u8);
        let _ = out.end_with(lent);
        assert!(out.tail_len().is_err());
    }

    #[test]
    fn a_message_is_as_long_as_what_is_sent_of_it() {
        let (items, others) = ([0_u8; MIN_TAIL], [0_u8; 2 * MIN_TAIL]);
        let mut another = Encoder::new(ByteOrder::NATIVE);
        another.want_tail();
        let mut out = Encoder::new(ByteOrder::NATIVE);
        // Nothing was lent to this message.
        let lent = another.lend(&others).unwrap();
        assert_eq!((out.end_with(lent), out.tail_len()), (&[][..], Ok(0)));
        another.clear();
        another.want_tail();
        let lent = another.lend(&others).unwrap();
        out.want_tail();
        let _ = out.lend(&items).unwrap();
        assert_eq!(out.end_with(lent).len(), others.len());
        assert_eq!(out.tail_len(), Ok(others.len()));
    }

    #[test]
    fn what_is_forgotten_has_no_tail() {
        for forget in [Encoder::clear, |out: &mut Encoder| out.truncate(0)] {
            let mut out = Encoder::new(ByteOrder::NATIVE);
            out.want_tail();
            out.give(vec![0_u8; MIN_TAIL]).unwrap();
            forget(&mut out);
            assert_eq!((out.tail(), out.tail_len()), (&[][..], Ok(0)));
            out.give(vec![0_u8; MIN_TAIL]).unwrap();
            assert_eq!(out.tail_len(), Ok(0));
        }
    }
}
