//! Reading of files and streams up to a limit.
//!
//! A path may lead to a device or a pipe that never ends (`/dev/zero`), and a
//! file may be larger than the machine's memory. The functions here stop at a
//! limit, and never hold more than one byte beyond it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// How many bytes are asked for when nothing is known of the length.
const CHUNK_BYTES: usize = 64 << 10;

/// Reads a whole file of at most `bytes_max` bytes. Devices and pipes are read
/// until their end or the limit; a pipe that nobody writes to is waited for.
///
/// # Errors
///
/// - [`io::ErrorKind::FileTooLarge`] when the file has more than `bytes_max`
///   bytes. A regular file is not read then; of anything else, no more than
///   `bytes_max + 1` bytes are.
/// - [`io::ErrorKind::IsADirectory`] when the path leads to a directory,
///   [`io::ErrorKind::Unsupported`] when it leads to a socket.
/// - Any other error of the system.
///
/// The text of these but the last completes a sentence that begins with "cannot read
/// the file".
pub fn read_file(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > bytes_max as u64 {
        return Err(too_large(bytes_max));
    }
    // The file may have grown since, so that the limit is held to once more.
    read_stream(&mut file, bytes_max)
}

/// Opens a file, a device or a pipe for reading; a pipe that nobody writes to is waited for.
///
/// # Errors
///
/// - [`io::ErrorKind::IsADirectory`] when the path leads to a directory.
/// - [`io::ErrorKind::Unsupported`] when it leads to a socket.
/// - Any other error of the system.
///
/// The text of the first two completes a sentence that begins with "cannot read
/// the file".
pub fn open_file(path: &Path) -> io::Result<File> {
    // Asked for before the file is opened: a socket cannot be, nor can directories on
    // some systems, and the error would be another.
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(is_a_directory());
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_socket(&metadata.file_type()) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "it is a socket"));
    }
    File::open(path)
}

/// Reads from a stream to its end, at most `bytes_max` bytes.
///
/// # Errors
///
/// [`io::ErrorKind::FileTooLarge`] when the stream has more than `bytes_max`
/// bytes, of which `bytes_max + 1` have been read then;
/// [`io::ErrorKind::IsADirectory`] when the stream is a directory that was
/// opened as a file; any other error of the stream.
pub fn read_stream(stream: &mut impl Read, bytes_max: usize) -> io::Result<Vec<u8>> {
    // One byte more tells a stream that ends at the limit from one that goes on.
    let most = bytes_max.saturating_add(1);
    let mut bytes = Vec::new();
    while bytes.len() < most {
        let filled = bytes.len();
        // Twice as much each time, but never beyond the limit.
        let room = filled.max(CHUNK_BYTES).min(most - filled);
        bytes.reserve_exact(room);
        let read = stream.by_ref().take(room as u64).read_to_end(&mut bytes);
        if read.map_err(named)? < room {
            return Ok(bytes);
        }
    }
    Err(too_large(bytes_max))
}

/// An error with a text for what users meet most.
fn named(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::IsADirectory => is_a_directory(),
        _ => error,
    }
}

fn is_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")
}

/// The error of a source that has more than `bytes_max` bytes.
pub(crate) fn too_large(bytes_max: usize) -> io::Error {
    let message = format!("it has more than {bytes_max} bytes, the limit");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An endless stream that counts what is taken from it.
    struct Endless(usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1000);
            buffer[..count].fill(0);
            self.0 += count;
            Ok(count)
        }
    }

    #[test]
    fn an_endless_stream_is_read_to_the_limit_and_no_further() {
        for bytes_max in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 1_000_000] {
            let mut stream = Endless(0);
            let error = read_stream(&mut stream, bytes_max).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            assert_eq!(stream.0, bytes_max + 1);
        }
    }

    #[test]
    fn a_stream_of_the_limit_is_read_and_one_of_more_is_not() {
        for length in [0, 1, 2, CHUNK_BYTES - 1, CHUNK_BYTES, 5 * CHUNK_BYTES + 7] {
            let octets: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let bytes = read_stream(&mut octets.as_slice(), length).unwrap();
            assert_eq!(bytes, octets);
            assert!(bytes.capacity() <= length + 1, "{}", bytes.capacity());
            if length > 0 {
                let error = read_stream(&mut octets.as_slice(), length - 1).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            }
        }
    }

    #[test]
    fn a_file_that_is_too_large_and_a_directory_are_told_apart() {
        let this = Path::new(file!()).file_name().unwrap();
        let this = Path::new("src").join(this);
        assert!(read_file(&this, 1 << 20).unwrap().starts_with(b"//!"));
        let kind = |path: &Path, most| read_file(path, most).unwrap_err().kind();
        assert_eq!(kind(&this, 10), io::ErrorKind::FileTooLarge);
        assert_eq!(kind(Path::new("src"), 10), io::ErrorKind::IsADirectory);
        assert_eq!(kind(Path::new("src/none"), 10), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_is_called_one() {
        let path = std::env::temp_dir().join(format!("taut-idl-socket-{}", std::process::id()));
        let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = read_file(&path, 10).unwrap_err();
        drop(socket);
        fs::remove_file(&path).unwrap();
        assert_eq!(error.to_string(), "it is a socket");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_is_too_large() {
        let error = read_file(Path::new("/dev/zero"), 100_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let text = error.to_string();
        assert_eq!(text, "it has more than 100000 bytes, the limit");
    }
}
