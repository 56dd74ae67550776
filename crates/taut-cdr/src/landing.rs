//! The end of a message that is not received into its buffer: the elements of a large
//! sequence, which are received where they stay.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::elements::{Elements, each, size_of_items};
use crate::uniform::PlainData;
use crate::{Decode, Decoder, ElementForm, MemoryLimit, Result};

/// Room for the elements of a sequence, which becomes theirs.
#[derive(Debug)]
pub struct Landing {
    /// With capacity alone: that of the room.
    elements: Elements,
    /// How many octets of the room are not filled by what lands, but with zeroes: the
    /// first element is read.
    apart: usize,
    /// How many octets behind these have been filled.
    filled: usize,
}

/// The elements of a message's last sequence, which are not among its octets.
pub trait Landed: Send + Sync {
    /// How many octets they are; none where they have been taken.
    fn octets(&self) -> usize;

    /// Takes them: [`Elements::None`] the second time.
    fn take(&self) -> Elements;
}

impl Landing {
    /// Room for so many octets of elements of this form, as far as they land.
    #[must_use]
    pub fn new(form: ElementForm, octets: usize) -> Self {
        let apart = form.apart();
        let octets = apart + octets.checked_div(form.size()).unwrap_or(0) * form.size();
        let mut elements = match form.alignment() {
            _ if form.is_none() => Elements::None,
            1 => Elements::One(Vec::with_capacity(octets)),
            2 => Elements::Two(Vec::with_capacity(octets / 2)),
            4 => Elements::Four(Vec::with_capacity(octets / 4)),
            8 => Elements::Eight(Vec::with_capacity(octets / 8)),
            _ => Elements::Sixteen(Vec::with_capacity(octets / 16)),
        };
        let room = each!(&mut elements, items => uninit(items), &mut []);
        room[..apart].fill(MaybeUninit::new(0));
        Self {
            elements,
            apart,
            filled: 0,
        }
    }

    /// How many octets it takes in all.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let room = each!(&self.elements, items => items.capacity() * size_of_items(items), 0);
        room - self.apart
    }

    /// Has the room behind what is filled, up to `end` octets in all, filled from its
    /// start: `fill` gives back what it has filled. Says how many octets these were.
    ///
    /// # Errors
    ///
    /// Those of `fill`; nothing is filled then.
    ///
    /// # Panics
    ///
    /// When `fill` gives back other octets than the first that it was given.
    pub fn fill<E>(
        &mut self,
        end: usize,
        fill: impl for<'r> FnOnce(&'r mut [MaybeUninit<u8>]) -> core::result::Result<&'r mut [u8], E>,
    ) -> core::result::Result<usize, E> {
        let start = self.filled;
        let room = each!(&mut self.elements, items => uninit(items), &mut []);
        let room = &mut room[self.apart..];
        let end = end.clamp(start, room.len());
        let room = &mut room[start..end];
        let (first, most) = (room.as_ptr().cast::<u8>(), room.len());
        let filled = fill(room)?;
        // So it is known to be this room that holds octets now.
        assert!(
            filled.len() <= most && (filled.is_empty() || core::ptr::eq(filled.as_ptr(), first)),
            "something else was filled than the room that there was"
        );
        let count = filled.len();
        self.filled += count;
        Ok(count)
    }

    /// Returns the elements that have been filled.
    #[must_use]
    pub fn filled(&self) -> &[u8] {
        let room = each!(&self.elements, items => items.as_ptr().cast::<u8>(), return &[]);
        // SAFETY: so much of the vector's capacity has been filled, what is apart too, and
        // nobody changes it as long as this is borrowed.
        let all = unsafe { core::slice::from_raw_parts(room, self.apart + self.filled) };
        &all[self.apart..]
    }

    /// The elements that have been filled whole, behind zeroes for one that is apart.
    #[must_use]
    pub fn into_elements(mut self) -> Elements {
        let filled = self.apart + self.filled;
        each!(&mut self.elements, items => {
            let count = filled / size_of_items(items);
            // SAFETY: so many are filled, of integers, for which all octets are values.
            unsafe { items.set_len(count) }
        }, ());
        self.elements
    }
}

/// The vector's capacity, of octets. The vector must be empty.
fn uninit<T>(items: &mut Vec<T>) -> &mut [MaybeUninit<u8>] {
    let room = items.spare_capacity_mut();
    let octets = size_of_val(room);
    // SAFETY: it is the same memory; octets have no alignment, and may be without value.
    unsafe { core::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), octets) }
}

/// Messages whose last elements are not among their octets.
impl<'m> Decoder<'m> {
    /// Says that the elements of the last sequence, in this machine's byte order and as
    /// [`ElementForm`] says, are not among the octets, which end where these would begin;
    /// and how much memory the values of both may take.
    #[must_use]
    pub fn with_landed(mut self, landed: &'m dyn Landed, limit: MemoryLimit) -> Self {
        self.landed = Some(landed);
        self.memory_left = limit.budget(self.bytes().len().saturating_add(landed.octets()));
        self
    }

    /// Takes `count` elements of this form that have landed, where they are what comes next:
    /// those that lie as in memory begin at `start`, which is the end of the data. If the
    /// first is not among them, `read_first` reads it, and zeroes are in its place.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooMuchMemory`](crate::ErrorKind::TooMuchMemory), and those of
    /// `read_first`.
    pub fn take_landed(
        &mut self,
        count: usize,
        form: ElementForm,
        start: usize,
        read_first: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Option<Elements>> {
        let Some(landed) = self.landed else {
            return Ok(None);
        };
        let octets = count.saturating_mul(form.size());
        if octets == 0 || landed.octets() != octets || start != self.position() + self.remaining() {
            return Ok(None);
        }
        if form.apart() > 0 {
            read_first(self)?;
        }
        self.charge(octets)?;
        let elements = landed.take();
        if elements.as_bytes().len() != octets {
            return Ok(None); // somebody else has taken them just now
        }
        self.skip(self.remaining())?;
        Ok(Some(elements))
    }

    /// Whether elements that come next may be what has landed.
    #[cold]
    #[inline(never)]
    pub fn awaits_landed(&self) -> bool {
        self.remaining() <= ElementForm::MAX_HEAD
            && self.landed.is_some_and(|landed| landed.octets() > 0)
    }
}

/// Takes `count` values that have landed, where they are what comes next.
///
/// # Errors
///
/// [`ErrorKind::TooMuchMemory`](crate::ErrorKind::TooMuchMemory), and those of the first
/// value, where that is read.
#[cold]
#[inline(never)]
pub fn take_landed<'m, T: PlainData + Decode<'m>>(
    count: usize,
    input: &mut Decoder<'m>,
) -> Result<Option<Vec<T>>> {
    let mut first = None;
    let (form, place) = (ElementForm::of::<T>(), input.position());
    let start = match form.apart() {
        0 => T::LAYOUT.start_at(place),
        _ => place + T::LAYOUT.size_at(place),
    };
    let elements = input.take_landed(count, form, start, |input| {
        first = Some(T::decode(input)?);
        Ok(())
    })?;
    Ok(elements.map(|elements| {
        let mut values = elements.into_values::<T>();
        values
            .iter_mut()
            .zip(first)
            .for_each(|(value, first)| *value = first);
        values
    }))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use alloc::vec;
    use core::cell::RefCell;
    use core::sync::atomic::{AtomicPtr, Ordering};
    use std::sync::Mutex;

    use super::*;
    use crate::{ByteOrder, Char, Encode, Encoder, ErrorKind, LongDouble};

    const OCTETS: ElementForm = ElementForm::of::<u8>();

    struct Once(Mutex<Elements>);

    impl Landed for Once {
        fn octets(&self) -> usize {
            self.0.lock().unwrap().as_bytes().len()
        }

        fn take(&self) -> Elements {
            core::mem::take(&mut self.0.lock().unwrap())
        }
    }

    /// Copies octets to where they are to be.
    fn copy<'r>(octets: &[u8], room: &'r mut [MaybeUninit<u8>]) -> &'r mut [u8] {
        room[..octets.len()].write_copy_of_slice(octets)
    }

    fn landing(form: ElementForm, octets: &[u8], piece: usize) -> Landing {
        let mut landing = Landing::new(form, octets.len() + 3 * form.size());
        assert!(landing.capacity() >= octets.len());
        for piece in octets.chunks(piece) {
            let end = landing.filled().len() + piece.len();
            let filled = landing.fill(end, |room| {
                assert_eq!(room.len(), piece.len());
                Ok::<_, ()>(copy(piece, room))
            });
            assert_eq!(filled, Ok(piece.len()));
        }
        assert_eq!(landing.filled(), octets);
        landing
    }

    /// A message, the elements apart, and where they begin.
    fn message<T: PlainData + Encode>(items: &[T]) -> (Vec<u8>, Vec<u8>) {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.write(7_u64);
        items.encode(&mut out).unwrap();
        let mut head = out.into_buffer();
        let octets = head.split_off(8 + ElementForm::of::<T>().head());
        (head, octets)
    }

    fn check<T>(items: &[T])
    where
        T: PlainData + Encode + for<'m> Decode<'m> + PartialEq + core::fmt::Debug,
    {
        let (head, octets) = message(items);
        let form = ElementForm::of::<T>();
        assert_eq!(form.landing(items.len()), Some(octets.len()));
        for piece in [1, 3, 7, octets.len()] {
            let landed = Once(Mutex::new(landing(form, &octets, piece).into_elements()));
            let memory = landed.0.lock().unwrap().as_bytes().as_ptr();
            let mut input =
                Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, MemoryLimit::DEFAULT);
            assert_eq!(input.read::<u64>(), Ok(7));
            let mut again = input.clone();
            let back = Vec::<T>::decode(&mut input).unwrap();
            assert_eq!((&back[..], input.remaining()), (items, 0));
            assert_eq!(back.as_ptr().cast(), memory, "they were copied");
            // There is nothing left for who reads it again.
            assert!(Vec::<T>::decode(&mut again).is_err());
        }
    }

    #[test]
    fn elements_are_read_where_they_landed() {
        check(&[1_u8, 2, 3, 255]);
        check(&[Char::from(1), Char::from(200)]);
        check(&[-1_i16, 2, 3]);
        check(&[-1_i32, 2, 3]);
        check(&[1.5_f32, -2.5]);
        check(&[-1_i64, 2]);
        check(&[1.5_f64, -2.5, 7.0]);
        check(&[LongDouble::from_f64(3.5), LongDouble::from_f64(-1.0)]);
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Sample {
        id: u16,
        kind: u8,
        value: f64,
    }
    crate::uniform_structure! { plain Sample { id: u16, kind: u8, value: f64 } }

    #[derive(Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Point {
        y: i16,
        x: i32,
    }
    crate::uniform_structure! { plain Point { y: i16, x: i32 } }

    #[test]
    fn structs_are_read_where_they_landed() {
        let sample = |id| Sample {
            id,
            kind: 7,
            value: f64::from(id),
        };
        // The first is not laid out as the rest is.
        assert_eq!(ElementForm::of::<Sample>().apart(), 16);
        check(&[sample(1), sample(2), sample(3)]);
        let point = |x| Point { y: -1, x };
        assert_eq!(ElementForm::of::<Point>().apart(), 0);
        check(&[point(1), point(2)]);
    }

    #[test]
    fn a_count_of_structs_that_lies_takes_nothing() {
        let point = |x| Point { y: 3, x };
        let (mut head, octets) = message(&[point(1), point(2)]);
        for count in [0_u32, 1, 3, u32::MAX] {
            let landing = landing(ElementForm::of::<Point>(), &octets, 5);
            let landed = Once(Mutex::new(landing.into_elements()));
            head[8..12].copy_from_slice(&count.to_ne_bytes());
            let mut input =
                Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, MemoryLimit::DEFAULT);
            input.skip(8).unwrap();
            assert_eq!(Vec::<Point>::decode(&mut input).is_ok(), count == 0);
            assert_eq!(landed.octets(), octets.len());
        }
    }

    #[test]
    fn elements_of_another_size_are_read_too() {
        let items = [1_u32, 0x0203_0405];
        let (head, octets) = message(&items);
        let landed = Once(Mutex::new(landing(OCTETS, &octets, 5).into_elements()));
        let mut input =
            Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, MemoryLimit::DEFAULT);
        input.skip(8).unwrap();
        assert_eq!(Vec::<u32>::decode(&mut input).unwrap(), items);
    }

    #[test]
    fn a_count_that_lies_takes_nothing() {
        let (mut head, octets) = message(&[1_u32, 2, 3]);
        for count in [0_u32, 1, 2, 4, u32::MAX] {
            let landed = Once(Mutex::new(
                landing(ElementForm::of::<u32>(), &octets, 12).into_elements(),
            ));
            head[8..12].copy_from_slice(&count.to_ne_bytes());
            let mut input =
                Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, MemoryLimit::DEFAULT);
            input.skip(8).unwrap();
            let back = Vec::<u32>::decode(&mut input);
            assert_eq!(back.is_ok(), count == 0, "{count}");
            assert_eq!(landed.octets(), 12);
        }
    }

    #[test]
    fn elements_that_another_has_taken_meanwhile_are_an_error() {
        struct Gone;
        impl Landed for Gone {
            fn octets(&self) -> usize {
                12
            }

            fn take(&self) -> Elements {
                Elements::None
            }
        }
        let (head, _) = message(&[1_u32, 2, 3]);
        let mut input =
            Decoder::new(&head, ByteOrder::NATIVE).with_landed(&Gone, MemoryLimit::DEFAULT);
        input.skip(8).unwrap();
        assert!(Vec::<u32>::decode(&mut input).is_err());
    }

    #[test]
    fn memory_is_charged_for_what_has_landed() {
        let (head, octets) = message(&[1_u8; 100]);
        let landed = Once(Mutex::new(landing(OCTETS, &octets, 100).into_elements()));
        for (extra, is_enough) in [(99, false), (100, true)] {
            let limit = MemoryLimit {
                per_octet: 0,
                extra,
            };
            let mut input = Decoder::new(&head, ByteOrder::NATIVE).with_landed(&landed, limit);
            input.skip(8).unwrap();
            let read = Vec::<u8>::decode(&mut input);
            let error = read.err().map(|error| error.kind());
            let too_much = ErrorKind::TooMuchMemory { octets: 100 };
            assert_eq!(error, (!is_enough).then_some(too_much));
        }
    }

    #[test]
    #[should_panic(expected = "something else was filled")]
    fn other_octets_are_not_taken_for_those_of_the_room() {
        // Octets that live for ever, and are not lost: they can be reached from here.
        static KEPT: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
        let others = vec![1_u8; 4].leak();
        KEPT.store(others.as_mut_ptr(), Ordering::Relaxed);
        let others = RefCell::new(others);
        let mut landing = Landing::new(OCTETS, 4);
        let _ = landing.fill::<()>(4, |_| Ok(others.take()));
    }

    #[test]
    fn for_elements_that_are_read_there_is_no_room() {
        let mut landing = Landing::new(ElementForm::NONE, 64);
        assert_eq!(landing.capacity(), 0);
        let filled = landing.fill(64, |room| {
            assert!(room.is_empty());
            Ok::<_, ()>(&mut [])
        });
        assert_eq!((filled, landing.filled()), (Ok(0), &[][..]));
        assert!(matches!(landing.into_elements(), Elements::None));
    }
}
