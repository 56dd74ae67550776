//! A reader of bytes that does not see line splices.

use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Cursor {
    bytes: Arc<[u8]>,
    position: usize,
    line: u32,
}

impl Cursor {
    pub(super) fn new(bytes: Arc<[u8]>) -> Self {
        Self {
            bytes,
            position: 0,
            line: 1,
        }
    }

    /// The next byte, without taking it.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.splices(self.position).0).copied()
    }

    /// The byte after the next.
    pub(crate) fn peek_second(&self) -> Option<u8> {
        let next = self.splices(self.position).0;
        self.bytes.get(self.splices(next + 1).0).copied()
    }

    /// Takes the next byte.
    pub(crate) fn bump(&mut self) -> Option<u8> {
        let (position, lines) = self.splices(self.position);
        let byte = self.bytes.get(position).copied()?;
        self.position = position + 1;
        self.line += lines + u32::from(byte == b'\n');
        Some(byte)
    }

    /// Where the cursor is, for [`Cursor::return_to`].
    pub(super) fn place(&self) -> (usize, u32) {
        (self.position, self.line)
    }

    /// Returns to where the cursor was.
    pub(super) fn return_to(&mut self, (position, line): (usize, u32)) {
        self.position = position;
        self.line = line;
    }

    /// The offset after the last byte taken.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The offset of the next byte.
    pub(super) fn next_position(&self) -> usize {
        self.splices(self.position).0.min(self.bytes.len())
    }

    /// The line of the last byte taken.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn skip_prefix(&mut self, prefix: &[u8]) -> bool {
        let found = self.bytes[self.position.min(self.bytes.len())..].starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    /// Where the splices that start at `position` end, and how many they are.
    fn splices(&self, mut position: usize) -> (usize, u32) {
        let mut lines = 0;
        loop {
            match self.bytes.get(position..) {
                Some([b'\\', b'\n', ..]) => position += 2,
                Some([b'\\', b'\r', b'\n', ..]) => position += 3,
                _ => return (position, lines),
            }
            lines += 1;
        }
    }
}
