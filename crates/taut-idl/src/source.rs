//! Source files and places in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

/// A range of bytes of a source file, as it was read: before line splicing and
/// macro expansion.
///
/// The tokens that a macro expands to have the place of the macro's use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// From the start of this span to the end of another. When they lie in
    /// different files, or in the wrong order, this span alone.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        if self.file == last.file && last.end >= self.end {
            Self {
                end: last.end,
                ..self
            }
        } else {
            self
        }
    }

    /// The empty span just after this one.
    #[must_use]
    pub fn after(self) -> Self {
        Self {
            start: self.end,
            ..self
        }
    }
}

/// One source file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: PathBuf,
    bytes: Arc<[u8]>,
    line_starts: Vec<u32>,
    is_main: bool,
    is_built_in: bool,
}

impl SourceFile {
    /// The path, as it was given or as the include paths made it. Of a file
    /// that the compiler brings along, one that starts with `<built-in>`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether this is one of the files that were to be compiled, rather than
    /// one that was merely included.
    pub fn is_main(&self) -> bool {
        self.is_main
    }

    /// Whether the compiler brings this file along.
    pub fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// The line of a byte offset, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The column of a byte offset in bytes, counted from 1.
    pub fn column(&self, offset: u32) -> u32 {
        let line = self.line(offset);
        let start = self
            .line_starts
            .get(line.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(0);
        offset - start + 1
    }

    pub(crate) fn shared_bytes(&self) -> Arc<[u8]> {
        Arc::clone(&self.bytes)
    }
}

/// Every file that a compilation read.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were first read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The ids of all files, in the same order.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len()).filter_map(|index| u32::try_from(index).ok().map(FileId))
    }

    /// The bytes of a span.
    pub fn text(&self, span: Span) -> &[u8] {
        self.file(span.file)
            .bytes
            .get(span.start as usize..span.end as usize)
            .unwrap_or(&[])
    }

    /// The line of a span's first byte, counted from 1.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span.file).line(span.start)
    }

    /// The bytes must be fewer than 2^32; the caller limits them.
    pub(crate) fn add(&mut self, path: PathBuf, bytes: Vec<u8>, is_main: bool) -> FileId {
        let id = FileId(self.files.len() as u32);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(ends.map(|(at, _)| at as u32 + 1))
            .collect();
        self.files.push(SourceFile {
            path,
            bytes: bytes.into(),
            line_starts,
            is_main,
            is_built_in: false,
        });
        id
    }

    pub(crate) fn add_built_in(&mut self, path: PathBuf, bytes: &[u8]) -> FileId {
        let id = self.add(path, bytes.to_vec(), false);
        if let Some(file) = self.files.last_mut() {
            file.is_built_in = true;
        }
        id
    }
}
