//! Where source files come from.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::bounded;

/// Reads source files. Tests and fuzzers provide their own; [`FileSystem`] is
/// the real one.
pub trait FileLoader {
    /// Reads a whole file of at most `bytes_max` bytes. A larger one need not be
    /// read: more than `bytes_max` bytes are refused in any case.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] (or `NotADirectory`) when there is no such
    /// file, and [`io::ErrorKind::IsADirectory`] when it is a directory, upon
    /// which the next include path is tried; [`io::ErrorKind::FileTooLarge`] when
    /// the file has more than `bytes_max` bytes. Any other error is reported as
    /// it is.
    fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>>;

    /// A path under which the same file is always known, so that it is read
    /// only once. As it is provided, `.` components are dropped.
    fn identity(&mut self, path: &Path) -> PathBuf {
        path.components()
            .filter(|part| !matches!(part, Component::CurDir))
            .collect()
    }
}

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileSystem;

impl FileLoader for FileSystem {
    fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
        bounded::read_file(path, bytes_max)
    }

    fn identity(&mut self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Files held in memory, by their paths.
impl FileLoader for HashMap<PathBuf, Vec<u8>> {
    fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
        match self.get(path) {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(bytes) if bytes.len() > bytes_max => Err(bounded::too_large(bytes_max)),
            Some(bytes) => Ok(bytes.clone()),
        }
    }
}
