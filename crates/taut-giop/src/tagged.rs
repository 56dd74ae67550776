//! The list that GIOP is fond of: `sequence<struct { unsigned long; sequence<octet>; }>`.
//! Service contexts, profiles and components all have this form.

use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Realignment, Result};

/// The fewest octets of an entry: its number and an empty sequence's length.
const ENTRY_MIN_SIZE: usize = 8;

/// A list that was checked when it was decoded, and stays where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedList<'m> {
    /// The octets up to the list's end, from the first that matters to alignment.
    bytes: &'m [u8],
    /// Where in them the entries begin.
    start: usize,
    /// Where alignment starts anew; mostly nowhere.
    realignments: &'m [Realignment],
    order: ByteOrder,
    count: usize,
}

impl<'m> EncodedList<'m> {
    pub(crate) const EMPTY: Self = Self {
        bytes: &[],
        start: 0,
        realignments: &[],
        order: ByteOrder::NATIVE,
        count: 0,
    };

    /// Checks a list and steps over it: it has at most `limit` entries, and none of them
    /// more than `max_octets`.
    #[inline]
    pub(crate) fn decode(input: &mut Decoder<'m>, limit: usize, max_octets: usize) -> Result<Self> {
        let count = read_count(input, limit)?;
        if count == 0 {
            return Ok(Self::EMPTY);
        }
        let entries = input.rest();
        let start = input.position();
        for _ in 0..count {
            let start = input.position();
            let (_, data) = read_entry(input)?;
            check_bound(data.len(), max_octets, start)?;
        }
        let (order, realignments) = (input.order(), input.realignments());
        // The entries begin at a multiple of 4 of the message or encapsulation,
        // hence they are aligned from there as well, unless that starts anew.
        let (bytes, start) = match realignments {
            [] => (&entries[..input.position() - start], 0),
            _ => (&input.bytes()[..input.position()], start),
        };
        Ok(Self {
            bytes,
            start,
            realignments,
            order,
            count,
        })
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn iter(&self) -> EncodedEntries<'m> {
        let mut input = Decoder::new(self.bytes, self.order).with_realignments(self.realignments);
        // Within the octets, as `decode` found it.
        let _ = input.skip(self.start);
        EncodedEntries { input }
    }
}

/// The entries of an [`EncodedList`].
#[derive(Debug, Clone)]
pub(crate) struct EncodedEntries<'m> {
    input: Decoder<'m>,
}

impl<'m> Iterator for EncodedEntries<'m> {
    type Item = (u32, &'m [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        read_entry(&mut self.input).ok()
    }
}

/// Reads a list whose entries shall be owned. They may lie in several chunks of
/// a value.
pub(crate) fn read_list<T>(
    input: &mut Decoder<'_>,
    limit: usize,
    mut own: impl FnMut(u32, Vec<u8>) -> T,
) -> Result<Vec<T>> {
    let count = read_count(input, limit)?;
    (0..count)
        .map(|_| read_entry(input).map(|(tag, data)| own(tag, data.to_vec())))
        .collect()
}

/// Reads how many entries follow.
#[inline]
fn read_count(input: &mut Decoder<'_>, limit: usize) -> Result<usize> {
    let start = input.position();
    let count = input.read_count(ENTRY_MIN_SIZE)?;
    check_bound(count, limit, start)?;
    Ok(count)
}

/// Checks a length that was read at `position`.
#[inline]
fn check_bound(length: usize, bound: usize, position: usize) -> Result<()> {
    match length > bound {
        true => Err(Error::new(
            ErrorKind::BoundExceeded { length, bound },
            position,
        )),
        false => Ok(()),
    }
}

/// Reads one entry.
#[inline]
fn read_entry<'m>(input: &mut Decoder<'m>) -> Result<(u32, &'m [u8])> {
    Ok((input.read()?, input.read_octets()?))
}

/// Appends one entry.
#[inline]
pub(crate) fn encode_entry(tag: u32, data: &[u8], out: &mut Encoder) -> Result<()> {
    out.write(tag);
    out.write_length(data.len())?;
    out.write_bytes(data);
    Ok(())
}

/// Appends a list.
#[inline]
pub(crate) fn encode_list<'a>(
    entries: impl ExactSizeIterator<Item = (u32, &'a [u8])>,
    out: &mut Encoder,
) -> Result<()> {
    out.write_length(entries.len())?;
    for (tag, data) in entries {
        encode_entry(tag, data, out)?;
    }
    Ok(())
}

/// Makes the octets of an encapsulation from what `body` writes: the byte order
/// first, then the body, aligned from the byte order's octet.
pub(crate) fn encapsulate(
    order: ByteOrder,
    body: impl FnOnce(&mut Encoder) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut body = Some(body);
    encapsulate_by(order, &mut |out| match body.take() {
        Some(body) => body(out),
        None => Ok(()),
    })
}

/// The part of [`encapsulate`] that does not depend on the body.
fn encapsulate_by(
    order: ByteOrder,
    body: &mut dyn FnMut(&mut Encoder) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut out = Encoder::new(order);
    out.write(order.flag());
    body(&mut out)?;
    Ok(out.into_buffer())
}
