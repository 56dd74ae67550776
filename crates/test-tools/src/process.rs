//! A program that a test or a benchmark has started.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use std::{error, fmt};

/// How often the end of a program is asked for.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Why a program did not do what was asked of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program could not be started.
    Start {
        /// The program, as it was to be started.
        program: String,
        /// The answer of the operating system.
        source: io::Error,
    },
    /// Nothing came from the program, or it did not end, in the time given.
    TimeOut {
        /// The program, as it was started.
        program: String,
        /// How long the caller waited.
        waited: Duration,
    },
    /// The program closed its output, where a line was expected.
    EndOfOutput {
        /// The program, as it was started.
        program: String,
    },
    /// Writing to the program, or waiting for its end, failed.
    Talk {
        /// The program, as it was started.
        program: String,
        /// The answer of the operating system.
        source: io::Error,
    },
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start {program}: {source}"),
            Self::TimeOut { program, waited } => {
                write!(f, "{program}: nothing within {} ms", waited.as_millis())
            }
            Self::EndOfOutput { program } => {
                write!(f, "{program}: its output ended where a line was expected")
            }
            Self::Talk { program, source } => write!(f, "cannot talk to {program}: {source}"),
        }
    }
}

impl error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Talk { source, .. } => Some(source),
            Self::TimeOut { .. } | Self::EndOfOutput { .. } => None,
        }
    }
}

/// A started program whose standard input and output the caller holds.
///
/// The program is killed when this value is dropped.
#[derive(Debug)]
pub struct Process {
    program: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// Starts a program with its standard input and output connected to the result.
    ///
    /// Its standard error is as the command says, the caller's own by default. The
    /// environment gets `OMNIORB_CONFIG=/dev/null`, so that omniORB does not read the
    /// machine's configuration.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Start`] when the program cannot be started.
    pub fn start(command: &mut Command) -> Result<Self, ProcessError> {
        Self::start_with_input(command.stdin(Stdio::piped()))
    }

    /// The same with the standard input that the command says.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_with_input(command: &mut Command) -> Result<Self, ProcessError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let start_error = |source| ProcessError::Start {
            program: program.clone(),
            source,
        };
        let mut child = command
            .env("OMNIORB_CONFIG", "/dev/null")
            .stdout(Stdio::piped())
            .spawn()
            .map_err(start_error)?;
        let stdin = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // Ends with the program's output, at the latest when it is killed.
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let Ok(line) = line else { break };
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            program,
            child,
            stdin,
            lines,
        })
    }

    /// The operating system's number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line of the program's output, without its end; for a server,
    /// the first is often its reference.
    ///
    /// # Errors
    ///
    /// [`ProcessError::TimeOut`] when no whole line came in time,
    /// [`ProcessError::EndOfOutput`] when there will be none.
    pub fn read_line(&mut self, time_out: Duration) -> Result<String, ProcessError> {
        self.lines.recv_timeout(time_out).map_err(|error| {
            let program = self.program.clone();
            match error {
                RecvTimeoutError::Timeout => ProcessError::TimeOut {
                    program,
                    waited: time_out,
                },
                RecvTimeoutError::Disconnected => ProcessError::EndOfOutput { program },
            }
        })
    }

    /// Writes a line to the program's input.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Talk`] when the program does not read any more, or its
    /// input was closed with [`close_input`](Self::close_input).
    pub fn write_line(&mut self, line: &str) -> Result<(), ProcessError> {
        let written = match &mut self.stdin {
            Some(stdin) => writeln!(stdin, "{line}"),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|source| ProcessError::Talk {
            program: self.program.clone(),
            source,
        })
    }

    /// Closes the program's input, which ends most servers.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// How the program ended, or `None` while it runs.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Talk`] when the operating system does not say.
    pub fn status(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        self.child.try_wait().map_err(|source| ProcessError::Talk {
            program: self.program.clone(),
            source,
        })
    }

    /// Waits for the program's end.
    ///
    /// # Errors
    ///
    /// [`ProcessError::TimeOut`] when it still runs when the time is over,
    /// [`ProcessError::Talk`] when the operating system does not say.
    pub fn wait(&mut self, time_out: Duration) -> Result<ExitStatus, ProcessError> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.status()? {
                return Ok(status);
            }
            if started.elapsed() >= time_out {
                return Err(ProcessError::TimeOut {
                    program: self.program.clone(),
                    waited: time_out,
                });
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Reads the output to its end, then waits for the program's. The time-out
    /// is for both together.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub fn finish(
        &mut self,
        time_out: Duration,
    ) -> Result<(Vec<String>, ExitStatus), ProcessError> {
        let started = Instant::now();
        let rest = || time_out.saturating_sub(started.elapsed());
        let mut lines = Vec::new();
        loop {
            match self.read_line(rest()) {
                Ok(line) => lines.push(line),
                Err(ProcessError::EndOfOutput { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok((lines, self.wait(rest())?))
    }

    /// The program, as it was started.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails when the program has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(50);

    fn shell(script: &str) -> Process {
        Process::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn lines_go_both_ways() {
        let mut process = shell("read line; echo \"got $line\"; echo last; exit 3");
        process.write_line("word").unwrap();
        assert_eq!(process.read_line(LONG).unwrap(), "got word");
        let (lines, status) = process.finish(LONG).unwrap();
        assert_eq!(lines, ["last"]);
        assert_eq!(status.code(), Some(3));
        let end = process.read_line(LONG);
        assert!(matches!(end, Err(ProcessError::EndOfOutput { .. })));
    }

    #[test]
    fn a_silent_program_times_out() {
        let mut process = shell("exec sleep 60");
        let line = process.read_line(SHORT);
        assert!(matches!(line, Err(ProcessError::TimeOut { .. })));
        let end = process.wait(SHORT);
        assert!(matches!(end, Err(ProcessError::TimeOut { .. })));
        assert!(process.status().unwrap().is_none());
    }

    #[test]
    fn a_program_sees_the_end_of_its_input() {
        let mut process = shell("cat; echo done");
        process.close_input();
        assert!(process.write_line("late").is_err());
        assert_eq!(process.finish(LONG).unwrap().0, ["done"]);
    }

    #[test]
    fn a_dropped_program_is_killed() {
        let process = shell("exec sleep 60");
        let entry = format!("/proc/{}", process.id());
        assert!(Path::new(&entry).exists());
        drop(process);
        assert!(!Path::new(&entry).exists());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let start = Process::start(&mut Command::new("/nonexistent/program"));
        assert!(matches!(start, Err(ProcessError::Start { .. })));
    }
}
