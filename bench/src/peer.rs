//! A program that the driver has started.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use taut_sys::cpu;

use crate::error::BenchError;

/// A program on one CPU, whose standard input and output the driver holds. It
/// is killed when this value is dropped.
pub(crate) struct Peer {
    program: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    time_out: Duration,
}

impl Peer {
    /// Starts a program that may run on `cpu` only, whatever it is made with:
    /// the thread that starts it is bound there, and children inherit that.
    ///
    /// # Errors
    ///
    /// [`BenchError::Start`], and [`BenchError::System`] when the CPU may not
    /// be used.
    pub(crate) fn start(
        mut command: Command,
        cpu: usize,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let spawned = thread::scope(|scope| {
            let starting = scope.spawn(|| {
                cpu::pin(cpu).map_err(BenchError::system("cannot bind a thread to its CPU"))?;
                command.spawn().map_err(|source| BenchError::Start {
                    program: program.clone(),
                    source,
                })
            });
            starting.join()
        });
        let mut child = match spawned {
            Ok(child) => child?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(BenchError::Ended { program });
        };
        let (sender, lines) = mpsc::channel();
        // Ends with the program's output, at the latest when it is killed.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            program,
            child,
            input,
            lines,
            time_out,
        })
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The program, as it was started.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// Writes a line to the program.
    ///
    /// # Errors
    ///
    /// [`BenchError::Talk`].
    pub(crate) fn write_line(&mut self, line: &str) -> Result<(), BenchError> {
        writeln!(self.input, "{line}").map_err(|source| BenchError::Talk {
            program: self.program.clone(),
            source,
        })
    }

    /// Writes a line to the program, and reads its answer.
    ///
    /// # Errors
    ///
    /// Those of [`write_line`](Self::write_line) and [`read_line`](Self::read_line).
    pub(crate) fn ask(&mut self, line: &str) -> Result<String, BenchError> {
        self.write_line(line)?;
        self.read_line()
    }

    /// The error for an answer that is none.
    pub(crate) fn misunderstood(&self, line: String) -> BenchError {
        BenchError::Answer {
            program: self.program.clone(),
            line,
        }
    }

    /// The program's next line. The driver sleeps until it comes.
    ///
    /// # Errors
    ///
    /// [`BenchError::TimeOut`] and [`BenchError::Ended`].
    pub(crate) fn read_line(&self) -> Result<String, BenchError> {
        let program = || self.program.clone();
        self.lines
            .recv_timeout(self.time_out)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => BenchError::TimeOut {
                    program: program(),
                    waited: self.time_out,
                },
                RecvTimeoutError::Disconnected => BenchError::Ended { program: program() },
            })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Fails when the program has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn shell(script: &str, cpu: usize, time_out: Duration) -> Result<Peer, BenchError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Peer::start(command, cpu, time_out)
    }

    #[test]
    fn a_peer_runs_on_its_cpu_and_the_driver_where_it_did() {
        let allowed = cpu::allowed().unwrap();
        let script = "read line; echo $line; grep Cpus_allowed_list /proc/self/status";
        for &cpu in &allowed {
            let mut peer = shell(script, cpu, LONG).unwrap();
            peer.write_line("word").unwrap();
            assert_eq!(peer.read_line().unwrap(), "word");
            let status = peer.read_line().unwrap();
            assert_eq!(status, format!("Cpus_allowed_list:\t{cpu}"));
            assert!(matches!(peer.read_line(), Err(BenchError::Ended { .. })));
        }
        assert_eq!(cpu::allowed().unwrap(), allowed);
    }

    #[test]
    fn a_silent_peer_times_out() {
        let cpu = cpu::allowed().unwrap()[0];
        let peer = shell("exec sleep 60", cpu, Duration::from_millis(20)).unwrap();
        assert!(matches!(peer.read_line(), Err(BenchError::TimeOut { .. })));
    }

    #[test]
    fn a_peer_that_cannot_be_started_is_an_error() {
        let cpu = cpu::allowed().unwrap()[0];
        let missing = Peer::start(Command::new("/nonexistent/program"), cpu, LONG);
        assert!(matches!(missing, Err(BenchError::Start { .. })));
        let nowhere = shell("true", usize::MAX, LONG);
        assert!(matches!(nowhere, Err(BenchError::System { .. })));
    }
}
