//! A program that a test has started.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::HarnessError;

/// How often the end of a program is asked for.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A started program whose standard input and output the test holds. It is
/// killed when this value is dropped.
#[derive(Debug)]
pub struct Process {
    program: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// Starts a program with its standard input and output connected to the
    /// result. Its standard error is as the command says, the test's own by
    /// default. The environment gets `OMNIORB_CONFIG=/dev/null`, so that no
    /// configuration of the machine has a say.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Start`] when the program cannot be started.
    pub fn start(command: &mut Command) -> Result<Self, HarnessError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let start_error = |source| HarnessError::Start {
            program: program.clone(),
            source,
        };
        let mut child = command
            .env("OMNIORB_CONFIG", "/dev/null")
            .stdin(Stdio::piped())
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

    /// The next line of the program's output, without its end; for a server of
    /// ours, the first is its reference.
    ///
    /// # Errors
    ///
    /// [`HarnessError::TimeOut`] when no whole line came in time,
    /// [`HarnessError::EndOfOutput`] when there will be none.
    pub fn read_line(&mut self, time_out: Duration) -> Result<String, HarnessError> {
        self.lines.recv_timeout(time_out).map_err(|error| {
            let program = self.program.clone();
            match error {
                RecvTimeoutError::Timeout => HarnessError::TimeOut {
                    program,
                    waited: time_out,
                },
                RecvTimeoutError::Disconnected => HarnessError::EndOfOutput { program },
            }
        })
    }

    /// Writes a line to the program's input.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Talk`] when the program does not read any more, or its
    /// input was closed with [`close_input`](Self::close_input).
    pub fn write_line(&mut self, line: &str) -> Result<(), HarnessError> {
        let written = match &mut self.stdin {
            Some(stdin) => writeln!(stdin, "{line}"),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|source| HarnessError::Talk {
            program: self.program.clone(),
            source,
        })
    }

    /// Closes the program's input, which ends a server of ours.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// How the program ended, or `None` while it runs.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Talk`] when the operating system does not say.
    pub fn status(&mut self) -> Result<Option<ExitStatus>, HarnessError> {
        self.child.try_wait().map_err(|source| HarnessError::Talk {
            program: self.program.clone(),
            source,
        })
    }

    /// Waits for the program's end.
    ///
    /// # Errors
    ///
    /// [`HarnessError::TimeOut`] when it still runs when the time is over,
    /// [`HarnessError::Talk`] when the operating system does not say.
    pub fn wait(&mut self, time_out: Duration) -> Result<ExitStatus, HarnessError> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.status()? {
                return Ok(status);
            }
            if started.elapsed() >= time_out {
                return Err(HarnessError::TimeOut {
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
    ) -> Result<(Vec<String>, ExitStatus), HarnessError> {
        let started = Instant::now();
        let rest = || time_out.saturating_sub(started.elapsed());
        let mut lines = Vec::new();
        loop {
            match self.read_line(rest()) {
                Ok(line) => lines.push(line),
                Err(HarnessError::EndOfOutput { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok((lines, self.wait(rest())?))
    }

    /// The program, as it was started.
    pub(crate) fn program(&self) -> &str {
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
        assert!(matches!(end, Err(HarnessError::EndOfOutput { .. })));
    }

    #[test]
    fn a_silent_program_times_out() {
        let mut process = shell("exec sleep 60");
        let line = process.read_line(SHORT);
        assert!(matches!(line, Err(HarnessError::TimeOut { .. })));
        let end = process.wait(SHORT);
        assert!(matches!(end, Err(HarnessError::TimeOut { .. })));
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
        assert!(matches!(start, Err(HarnessError::Start { .. })));
    }
}
