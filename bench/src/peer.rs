//! A program that the driver has started.

use std::process::Command;
use std::thread;
use std::time::Duration;

use taut_sys::cpu;
use test_tools::Process;
#[cfg(doc)]
use test_tools::ProcessError;

use crate::error::BenchError;

/// A program on one CPU, whose standard input and output the driver holds. It
/// is killed when this value is dropped.
pub(crate) struct Peer {
    process: Process,
    time_out: Duration,
}

impl Peer {
    /// Starts a program that may run on `cpu` only, whatever it is made with:
    /// the thread that starts it is bound there, and children inherit that.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Start`], and [`BenchError::System`] when the CPU may not
    /// be used.
    pub(crate) fn start(
        mut command: Command,
        cpu: usize,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let started = thread::scope(|scope| {
            let starting = scope.spawn(|| {
                cpu::pin(cpu).map_err(BenchError::system("cannot bind a thread to its CPU"))?;
                Ok(Process::start(&mut command)?)
            });
            starting.join()
        });
        match started {
            Ok(started) => started.map(|process| Self { process, time_out }),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Closes the program's input, and waits for its end.
    ///
    /// # Errors
    ///
    /// [`ProcessError::TimeOut`].
    pub(crate) fn end(mut self, time_out: Duration) -> Result<(), BenchError> {
        self.process.close_input();
        Ok(self.process.wait(time_out).map(drop)?)
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Writes a line to the program.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Talk`].
    pub(crate) fn write_line(&mut self, line: &str) -> Result<(), BenchError> {
        Ok(self.process.write_line(line)?)
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
            program: self.process.program().to_owned(),
            line,
        }
    }

    /// Reads the program's next line. The driver sleeps until it comes.
    ///
    /// # Errors
    ///
    /// [`ProcessError::TimeOut`] and [`ProcessError::EndOfOutput`].
    pub(crate) fn read_line(&mut self) -> Result<String, BenchError> {
        Ok(self.process.read_line(self.time_out)?)
    }

    /// Reads the program's next line as `understand` does.
    ///
    /// # Errors
    ///
    /// Those of [`read_line`](Self::read_line), and [`BenchError::Answer`].
    pub(crate) fn expect<T>(
        &mut self,
        understand: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, BenchError> {
        let line = self.read_line()?;
        understand(&line).ok_or_else(|| self.misunderstood(line))
    }
}

#[cfg(test)]
mod tests {
    use test_tools::ProcessError;

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
            assert!(matches!(
                peer.read_line(),
                Err(BenchError::Process(ProcessError::EndOfOutput { .. }))
            ));
        }
        assert_eq!(cpu::allowed().unwrap(), allowed);
    }

    #[test]
    fn a_silent_peer_times_out() {
        let cpu = cpu::allowed().unwrap()[0];
        let mut peer = shell("exec sleep 60", cpu, Duration::from_millis(20)).unwrap();
        assert!(matches!(
            peer.read_line(),
            Err(BenchError::Process(ProcessError::TimeOut { .. }))
        ));
    }

    #[test]
    fn a_peer_that_cannot_be_started_is_an_error() {
        let cpu = cpu::allowed().unwrap()[0];
        let missing = Peer::start(Command::new("/nonexistent/program"), cpu, LONG);
        assert!(matches!(
            missing,
            Err(BenchError::Process(ProcessError::Start { .. }))
        ));
        let nowhere = shell("true", usize::MAX, LONG);
        assert!(matches!(nowhere, Err(BenchError::System { .. })));
    }
}
