//! How many files and sockets a process may have, and those that it was started with.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many open files and sockets the process may have at the moment (`ulimit -n`);
/// none: without limit.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Lets the process have as many open files and sockets as it is allowed to ask
/// for, and says how many these are; none: without limit. Most systems give
/// 1,024 to a process that does not ask.
///
/// # Errors
///
/// An error of the operating system.
pub fn raise_limit() -> io::Result<Option<u64>> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit)?;
    Ok(maximum)
}

/// Another descriptor for what this one stands for, which is closed by itself.
///
/// # Errors
///
/// `EBADF` if there is no such descriptor; an error of the operating system.
pub(crate) fn duplicate(descriptor: RawFd) -> io::Result<OwnedFd> {
    if descriptor < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: the number is not -1, and nothing is done with it but one system call, which
    // changes nothing of what the descriptor stands for and fails if it is not open.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    // 0 to 2 are the standard streams.
    Ok(rustix::io::fcntl_dupfd_cloexec(borrowed, 3)?)
}

/// Whether an error says that the process, or the machine, has no file descriptor left.
pub fn is_exhausted(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE))
}

/// A descriptor that is kept for when there is no other left.
#[derive(Debug)]
pub struct Reserve(Option<OwnedFd>);

impl Reserve {
    /// A reserve, which is empty if there is no descriptor left for it.
    pub fn new() -> Self {
        let mut reserve = Self(None);
        // It is filled later, then.
        let _ = reserve.fill();
        reserve
    }

    /// Gives the descriptor to the thread that asks the system for one next.
    pub fn release(&mut self) {
        self.0 = None;
    }

    /// Fills the reserve, unless it is full.
    ///
    /// # Errors
    ///
    /// The operating system's error: that there is no descriptor left.
    pub fn fill(&mut self) -> io::Result<()> {
        if self.0.is_none() {
            self.0 = Some(eventfd(0, EventfdFlags::CLOEXEC)?);
        }
        Ok(())
    }
}

impl Default for Reserve {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_as_many_as_it_can() {
        let most = raise_limit().unwrap();
        assert_ne!(most, Some(0));
        assert_eq!(raise_limit().unwrap(), most);
        assert_eq!(limit(), most);
    }

    #[test]
    fn only_the_lack_of_descriptors_is_that() {
        let error = |errno: Errno| io::Error::from(errno);
        assert!(is_exhausted(&error(Errno::MFILE)));
        assert!(is_exhausted(&error(Errno::NFILE)));
        assert!(!is_exhausted(&error(Errno::AGAIN)));
        assert!(!is_exhausted(&io::ErrorKind::OutOfMemory.into()));
    }

    #[test]
    fn a_reserve_is_released_and_filled_again() {
        let mut reserve = Reserve::new();
        assert!(reserve.0.is_some());
        reserve.release();
        assert!(reserve.0.is_none());
        reserve.fill().unwrap();
        assert!(reserve.0.is_some());
    }
}
