//! How many files and sockets a process may have.

use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets the process have as many open files and sockets as it is allowed to ask
/// for, and says how many these are; none: without limit. Most systems give
/// 1,024 to a process that does not ask.
///
/// # Errors
///
/// What the operating system answers.
pub fn raise_limit() -> io::Result<Option<u64>> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit)?;
    Ok(maximum)
}

/// Whether an error says that the process, or the machine, has no file descriptor left.
pub fn is_exhausted(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_process_may_have_as_many_as_it_can() {
        let limit = super::raise_limit().unwrap();
        assert_ne!(limit, Some(0));
        assert_eq!(super::raise_limit().unwrap(), limit);
    }
}
