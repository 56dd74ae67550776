//! Files that change as a whole.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives a file another text, or makes it: a program that reads it finds the old text or the new one,
/// even if this is interrupted. It keeps its permissions, and a link to it goes on to lead to it.
///
/// # Errors
///
/// An error of the operating system; the file is then as it was.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let (path, permissions) = match fs::canonicalize(path) {
        Ok(path) => {
            let permissions = fs::metadata(&path)?.permissions();
            (path, Some(permissions))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    let new = path.with_file_name(name);
    // One may be left of a process that had the same id and was killed.
    let _ = fs::remove_file(&new);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
    let written = permissions
        .map_or(Ok(()), |permissions| file.set_permissions(permissions))
        .and_then(|()| file.write_all(text))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // The reason is more worth telling than what this may find.
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_is_made_and_replaced_where_its_link_leads() {
        let directory = std::env::temp_dir().join(format!("taut-sys-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        let (file, link) = (directory.join("file"), directory.join("link"));
        replace(&file, b"one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // Nothing else is left, and a directory that is not there is an error.
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
        assert!(replace(&directory.join("none/file"), b"").is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}
