//! Running a server and its client, and what memory they have.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Serialize;

use crate::command::ChoreError;

/// The resident memory of a process, in KiB.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Resident {
    /// Before the calls; a client has asked for its object's type.
    pub(super) start_kib: u64,
    /// After 1,000 of them.
    pub(super) called_kib: u64,
}

/// A program that waits for a line whenever it has written one.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    shown: String,
}

impl Process {
    fn start(program: &Path, arguments: &[&str]) -> Result<Self, ChoreError> {
        let shown = program.display().to_string();
        let failed = |source| ChoreError::Start {
            command: shown.clone(),
            source,
        };
        let mut child = Command::new(program)
            .args(arguments)
            // The file that a distribution installs must not change what is seen.
            .env("OMNIORB_CONFIG", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.ok_or_else(|| failed(std::io::ErrorKind::BrokenPipe.into()))?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            shown,
        })
    }

    /// The next line that it writes.
    fn line(&mut self) -> Result<String, ChoreError> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(1..) => Ok(line.trim_end().to_owned()),
            _ => Err(self.broken("it ended before it was done")),
        }
    }

    /// Lets it go on.
    fn go_on(&mut self) -> Result<(), ChoreError> {
        let input = self.input.as_mut();
        match input.map(|input| input.write_all(b"\n").and_then(|()| input.flush())) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.broken("it does not listen")),
        }
    }

    fn resident_kib(&self) -> Result<u64, ChoreError> {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = fs::read_to_string(&path).map_err(|source| ChoreError::File {
            path: path.into(),
            source,
        })?;
        let line = text.lines().find(|line| line.starts_with("Rss:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        number.ok_or_else(|| self.broken("the system does not tell its memory"))
    }

    fn broken(&self, what: &str) -> ChoreError {
        ChoreError::Program {
            path: self.shown.clone().into(),
            what: what.to_owned(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its input ends, and so does it; one that does not is not waited for.
        self.input = None;
        if std::thread::panicking() || self.child.wait().is_err() {
            let _ = self.child.kill();
        }
    }
}

/// Lets the client make its calls. The server's memory, and the client's.
pub(super) fn run(
    server: &Path,
    client: &Path,
    is_omniorb: bool,
) -> Result<(Resident, Resident), ChoreError> {
    let options: &[&str] = match is_omniorb {
        true => &["-ORBendPoint", "giop:tcp:127.0.0.1:"],
        false => &[],
    };
    let mut server = Process::start(server, options)?;
    let reference = server.line()?;
    let server_start_kib = server.resident_kib()?;
    let mut client = Process::start(client, &[&reference])?;
    client.line()?;
    let client_start_kib = client.resident_kib()?;
    client.go_on()?;
    client.line()?;
    Ok((
        Resident {
            start_kib: server_start_kib,
            called_kib: server.resident_kib()?,
        },
        Resident {
            start_kib: client_start_kib,
            called_kib: client.resident_kib()?,
        },
    ))
}
