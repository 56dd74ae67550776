//! Sockets that the service manager has opened (`sd_listen_fds(3)`): those with the descriptors from
//! 3 on, as many as it says.

use std::env;
use std::ops::Range;
use std::os::fd::RawFd;
use std::process;

use crate::failure::Failure;

/// The environment variable with the number of sockets.
const COUNT: &str = "LISTEN_FDS";
/// The environment variable with the process for which they are; children of it inherit both.
const PROCESS: &str = "LISTEN_PID";

/// The first descriptor of a socket.
const FIRST: RawFd = 3;

/// Returns the descriptors of the sockets that the service manager has passed to this process.
///
/// # Errors
///
/// When it does not say how many.
pub(super) fn descriptors() -> Result<Range<RawFd>, Failure> {
    let value = |variable| env::var_os(variable)?.into_string().ok();
    passed(value(PROCESS).as_deref(), value(COUNT).as_deref())
}

fn passed(process: Option<&str>, count: Option<&str>) -> Result<Range<RawFd>, Failure> {
    let is_ours = process.and_then(|id| id.parse().ok()) == Some(process::id());
    let Some(count) = count.filter(|_| is_ours) else {
        return Ok(FIRST..FIRST);
    };
    match count.parse::<u16>() {
        Ok(count) => Ok(FIRST..FIRST + RawFd::from(count)),
        Err(_) => Err(Failure::Message(format!(
            "{COUNT}={count:?} is no number of sockets; the service manager sets it, and nobody else"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_for_one_process() {
        let own = process::id().to_string();
        let passed = |process, count| passed(process, count).ok();
        assert_eq!(passed(Some(&own), Some("2")), Some(3..5));
        assert_eq!(passed(Some(&own), Some("0")), Some(3..3));
        assert_eq!(passed(Some(&own), None), Some(3..3));
        for other in [None, Some("1"), Some("")] {
            assert_eq!(passed(other, Some("2")), Some(3..3), "{other:?}");
        }
        for malformed in ["", "-1", "x"] {
            assert_eq!(passed(Some(&own), Some(malformed)), None, "{malformed}");
        }
    }
}
