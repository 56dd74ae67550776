//! A network of one's own, with nothing but a loopback in it, and the capture of
//! what goes over it. Root, or anybody where the system lets users have
//! namespaces, may have one; there, captures are allowed.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};

use super::fault;
use crate::command::{self, ChoreError};
use crate::interop;

/// How long to wait for `dumpcap` to begin or to end.
const PATIENCE: Duration = Duration::from_secs(20);

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The room that the kernel has for packets that `dumpcap` has not written yet, in MiB.
const BUFFER_MIB: &str = "512";

/// Runs this program again inside a new network: `capture --inside`. Its tests put what
/// they record into this directory, if it is there.
pub(super) fn enter(records: &Path, all: bool) -> Result<(), ChoreError> {
    let this = env::current_exe().map_err(|source| ChoreError::Start {
        command: "this program".to_owned(),
        source,
    })?;
    let mut unshare = unshare();
    unshare.arg(this).args(["capture", "--inside"]);
    if records.is_dir() {
        unshare.env(interop::RECORDS, records);
    }
    if all {
        unshare.arg("--all");
    }
    command::run(&mut unshare)
}

/// Whether this system lets its user have a network of his own.
pub(super) fn is_allowed() -> bool {
    let output = unshare().args(["ip", "link", "set", "lo", "up"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs what follows in a new network.
fn unshare() -> Command {
    let mut unshare = Command::new("unshare");
    if !is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(["--net", "--"]);
    unshare
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Captures what goes over the loopback while `traffic` runs.
pub(super) fn capture(
    file: &Path,
    traffic: impl FnOnce() -> Result<(), ChoreError>,
) -> Result<(), ChoreError> {
    command::run(Command::new("ip").args(["link", "set", "lo", "up"]))?;
    let log = file.with_extension("log");
    let file_error = |source| ChoreError::File {
        path: log.clone(),
        source,
    };
    if let Err(source) = fs::remove_file(file)
        && source.kind() != io::ErrorKind::NotFound
    {
        return Err(file_error(source));
    }
    let mut dumpcap = Command::new("dumpcap");
    dumpcap.args(["-q", "-i", "lo", "-s", "0", "-B", BUFFER_MIB, "-w"]);
    dumpcap.arg(file);
    dumpcap.stderr(File::create(&log).map_err(file_error)?);
    let mut dumpcap = Running(dumpcap.spawn().map_err(|source| ChoreError::Start {
        command: "dumpcap".to_owned(),
        source,
    })?);
    // The file's header is there when it listens.
    dumpcap.wait_until(file, |_| {
        fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0)
    })?;
    traffic()?;
    // The last packets of the tests are still on their way to `dumpcap`.
    thread::sleep(Duration::from_secs(1));
    dumpcap.interrupt()?;
    dumpcap.wait_until(file, |child| {
        child.try_wait().is_ok_and(|status| status.is_some())
    })?;
    let said = fs::read_to_string(&log).map_err(file_error)?;
    // "Packets received/dropped on interface 'Loopback: lo': 35254/0 (…"
    let dropped = said
        .lines()
        .find_map(|line| line.split_once("'Loopback: lo': "))
        .and_then(|(_, counts)| counts.split([' ', '/']).nth(1));
    match dropped {
        Some("0") => Ok(()),
        Some(count) => Err(fault(file, format!("{count} packets are missing"))),
        None => Err(fault(
            file,
            format!("dumpcap does not say what is missing: {said}"),
        )),
    }
}

/// `dumpcap`, which is ended at the latest when this value is dropped.
struct Running(Child);

impl Running {
    fn wait_until(
        &mut self,
        file: &Path,
        mut holds: impl FnMut(&mut Child) -> bool,
    ) -> Result<(), ChoreError> {
        let started = Instant::now();
        while !holds(&mut self.0) {
            if started.elapsed() > PATIENCE {
                return Err(fault(file, "dumpcap neither writes nor ends"));
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Asks for an end in order.
    fn interrupt(&self) -> Result<(), ChoreError> {
        let id = self.0.id().to_string();
        command::run(Command::new("kill").args(["-INT", &id]))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails when it has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
