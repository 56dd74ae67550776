//! The list that GIOP is fond of: `sequence<struct { unsigned long; sequence<octet>; }>`.
//! Service contexts, profiles and components all have this form.

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

/// The fewest octets of an entry: its number and an empty sequence's length.
const ENTRY_MIN_SIZE: usize = 8;

/// A list that was checked when it was decoded, and stays where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedList<'m> {
    /// The octets behind the count. They begin at a multiple of 4 of the
    /// message or encapsulation, hence entries are aligned from here as well.
    entries: &'m [u8],
    order: ByteOrder,
    count: usize,
}

impl<'m> EncodedList<'m> {
    pub(crate) const EMPTY: Self = Self {
        entries: &[],
        order: ByteOrder::NATIVE,
        count: 0,
    };

    /// Checks a list and steps over it.
    #[inline]
    pub(crate) fn decode(input: &mut Decoder<'m>, limit: usize) -> Result<Self> {
        let start = input.position();
        let count = input.read_count(ENTRY_MIN_SIZE)?;
        if count == 0 {
            return Ok(Self::EMPTY);
        }
        if count > limit {
            let kind = ErrorKind::BoundExceeded {
                length: count,
                bound: limit,
            };
            return Err(Error::new(kind, start));
        }
        let entries = input.rest();
        for _ in 0..count {
            input.read::<u32>()?;
            input.read_octets()?;
        }
        Ok(Self {
            entries: &entries[..entries.len() - input.remaining()],
            order: input.order(),
            count,
        })
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn iter(&self) -> EncodedEntries<'m> {
        EncodedEntries {
            input: Decoder::new(self.entries, self.order),
        }
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
        let tag = self.input.read().ok()?;
        Some((tag, self.input.read_octets().ok()?))
    }
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
) -> Result<alloc::vec::Vec<u8>> {
    let mut out = Encoder::new(order);
    out.write(order.flag());
    body(&mut out)?;
    Ok(out.into_buffer())
}
