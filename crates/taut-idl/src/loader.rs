//! Where source files come from.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Reads source files. Tests and fuzzers provide their own; [`FileSystem`] is
/// the real one.
pub trait FileLoader {
    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] (or `NotADirectory`) when there is no such
    /// file, upon which the next include path is tried; anything else is
    /// reported.
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>>;

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
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if path.is_dir() {
            return Err(io::ErrorKind::NotFound.into());
        }
        std::fs::read(path)
    }

    fn identity(&mut self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Files held in memory, by their paths.
impl FileLoader for HashMap<PathBuf, Vec<u8>> {
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
