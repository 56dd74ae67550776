//! Lines of output.

/// Collects lines; the last one is open.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    line_start: usize,
    /// Whether a line has been started.
    started: bool,
}

impl Writer {
    /// Puts something before the first line.
    pub(super) fn mark(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.line_start = self.bytes.len();
    }

    /// Starts a line, after an empty one if that is wanted and this is not the
    /// first.
    pub(super) fn line(&mut self, indentation: usize, after_empty: bool) {
        if self.started {
            self.bytes.push(b'\n');
            if after_empty {
                self.bytes.push(b'\n');
            }
        }
        self.started = true;
        self.line_start = self.bytes.len();
        let length = self.bytes.len() + indentation;
        self.bytes.resize(length, b' ');
    }

    pub(super) fn put(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
    }

    /// Puts a text of several lines as it is.
    pub(super) fn put_lines(&mut self, lines: &[Vec<u8>]) {
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                self.bytes.push(b'\n');
                self.line_start = self.bytes.len();
            }
            self.bytes.extend_from_slice(line);
        }
    }

    /// How many bytes the open line has.
    pub(super) fn length(&self) -> usize {
        self.bytes.len() - self.line_start
    }

    /// The column of the next byte, as [`super::text::column`] counts.
    pub(super) fn column(&self) -> usize {
        super::text::column(&self.bytes, self.bytes.len())
    }

    /// All that was written, with the last line closed.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.started {
            self.bytes.push(b'\n');
        }
        self.bytes
    }
}
