//! The two processes that `taut-bench soak` looks at.
//!
//! Both answer `memory` with the octets that they have allocated since their start. The client also
//! does what `call N` and `connect N` ask for, and answers `done`.

use std::io::{self, BufRead, Write};

use ::taut::Settings;

use crate::allocations;
use crate::error::BenchError;
use crate::taut::{self, Client};

/// Keeps the connections of the first look open until the last, however slow the machine.
fn keep_open(settings: &mut Settings) {
    settings.server.idle_timeout = None;
    settings.client.idle_timeout = None;
}

/// The server.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve(reactor_threads: Option<usize>) -> Result<(), BenchError> {
    allocations::watch();
    taut::serve_while(reactor_threads, keep_open, || {
        for line in io::stdin().lock().lines() {
            if line? != "memory" {
                return Err(io::Error::other("expected `memory`"));
            }
            answer_memory()?;
        }
        Ok(())
    })
}

/// The client.
///
/// # Errors
///
/// [`BenchError::Request`] for a line that it does not know, and those of
/// [`Client`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    allocations::watch();
    let client = Client::connect(reference, keep_open)?;
    client.ping()?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let mut words = line.split(' ');
        let request = (words.next(), words.next().map(str::parse::<u32>));
        match request {
            (Some("memory"), None) => {
                answer_memory().map_err(BenchError::system("standard output"))?;
                continue;
            }
            (Some("call"), Some(Ok(count))) => (0..count).try_for_each(|_| client.ping())?,
            (Some("connect"), Some(Ok(count))) => {
                (0..count).try_for_each(|_| come_and_go(reference))?;
            }
            _ => return Err(BenchError::Request { line }),
        }
        writeln!(io::stdout(), "done").map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

/// An ORB that connects, calls once and ends.
fn come_and_go(reference: &str) -> Result<(), BenchError> {
    let client = Client::connect(reference, |_| ())?;
    client.ping()?;
    client.end()
}

fn answer_memory() -> io::Result<()> {
    writeln!(io::stdout(), "{}", allocations::live().max(0))
}
