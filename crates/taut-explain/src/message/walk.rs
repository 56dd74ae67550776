//! Reading with an eye on what lies between the values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Error, Primitive, Realignment, Result};

use super::{Mark, Rule};

/// A decoder that marks padding which is not 0, and goes on where a fault does
/// not keep it from knowing what comes next.
pub(super) struct Walk<'m> {
    pub(super) input: Decoder<'m>,
    bytes: &'m [u8],
    /// Where `bytes` begin in the message.
    base: usize,
    pub(super) marks: Vec<Mark>,
}

impl<'m> Walk<'m> {
    /// Begins behind the message's header.
    pub(super) fn new(
        input: Decoder<'m>,
        bytes: &'m [u8],
        realignments: &'m [Realignment],
    ) -> Self {
        Self {
            input: input.with_realignments(realignments),
            bytes,
            base: 0,
            marks: Vec::new(),
        }
    }

    pub(super) fn position(&self) -> usize {
        self.base + self.input.position()
    }

    pub(super) fn mark(
        &mut self,
        rule: Rule,
        offset: usize,
        what: impl Into<alloc::string::String>,
    ) {
        self.marks.push(Mark::new(rule, offset, what));
    }

    /// Notes a fault that ends the reading.
    pub(super) fn fault(&mut self, error: &Error) {
        let offset = self.base + error.offset();
        self.mark(
            Rule::of_cdr(&error.kind()),
            offset,
            format!("{}", error.kind()),
        );
    }

    /// Marks padding between two positions that is not 0.
    fn check_padding(&mut self, from: usize, to: usize) {
        let Some(padding) = self.bytes.get(from..to) else {
            return;
        };
        if let Some(at) = padding.iter().position(|octet| *octet != 0) {
            let what = format!("padding is {:#04x}, not 0", padding[at]);
            self.mark(Rule::Padding, self.base + from + at, what);
        }
    }

    pub(super) fn read<T: Primitive>(&mut self) -> Result<T> {
        let before = self.input.position();
        let value = self.input.read()?;
        self.check_padding(before, self.input.position() - size_of::<T>());
        Ok(value)
    }

    pub(super) fn align(&mut self, alignment: usize) -> Result<()> {
        let before = self.input.position();
        self.input.align(alignment)?;
        self.check_padding(before, self.input.position());
        Ok(())
    }

    /// A boolean; another octet counts as true, and is marked.
    pub(super) fn boolean(&mut self) -> Result<bool> {
        let octet: u8 = self.read()?;
        if octet > 1 {
            let offset = self.position() - 1;
            let what = format!("{octet} is not a boolean (0 or 1)");
            self.mark(Rule::Boolean, offset, what);
        }
        Ok(octet != 0)
    }

    /// Reserved octets.
    pub(super) fn reserved(&mut self, count: usize) -> Result<()> {
        let offset = self.position();
        let octets = self.input.read_bytes(count)?;
        if let Some(at) = octets.iter().position(|octet| *octet != 0) {
            let what = format!("a reserved octet is {:#04x}, not 0", octets[at]);
            self.mark(Rule::Reserved, offset + at, what);
        }
        Ok(())
    }

    /// A sequence of octets.
    pub(super) fn octets(&mut self) -> Result<&'m [u8]> {
        let before = self.input.position();
        let octets = self.input.read_octets()?;
        self.check_padding(
            before,
            self.input.position().saturating_sub(octets.len() + 4),
        );
        Ok(octets)
    }

    /// A string's octets without the closing NUL; faults of its end are marked.
    pub(super) fn string(&mut self) -> Result<&'m [u8]> {
        let octets = self.octets()?;
        let end = self.position();
        let text = match octets.split_last() {
            Some((0, text)) => text,
            Some(_) => {
                self.mark(Rule::String, end - 1, "a string does not end in NUL");
                octets
            }
            None => {
                let what = "a string has length 0, not even a NUL";
                self.mark(Rule::String, end - 4, what);
                octets
            }
        };
        if let Some(at) = text.iter().position(|octet| *octet == 0) {
            let start = end - octets.len();
            self.mark(Rule::String, start + at, "a string contains NUL");
        }
        Ok(text)
    }
}

/// Octets that should be text, as they are for people: UTF-8, which ASCII is a
/// part of, or else ISO 8859-1.
pub(super) fn text(octets: &[u8]) -> String {
    match core::str::from_utf8(octets) {
        Ok(text) => text.into(),
        Err(_) => octets.iter().map(|octet| char::from(*octet)).collect(),
    }
}
