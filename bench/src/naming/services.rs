//! The services, each with its names in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use serde::Serialize;
use taut::Orb;
use tempfile::TempDir;

use super::tree::Names;
use crate::error::BenchError;
use crate::footprint::Footprint;
use crate::peer::Peer;
use crate::system;

/// A naming service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Service {
    /// Taut's, with its names in a file.
    Taut,
    /// Taut's, with its names in memory.
    TautMemory,
    /// omniNames as it comes: it writes each change to its log and does not wait for the disk.
    Omniorb,
    /// omniNames with a log that is synchronized, by an attribute of its directory.
    OmniorbSynchronized,
    /// JacORB's, which writes its names to files when it ends.
    Jacorb,
}

crate::options::display_as_option!(Service);

/// The way in which a service has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    /// As it ends by itself.
    Orderly,
    /// By SIGKILL.
    Killed,
}

/// A service that runs, and what it takes to start it again.
pub(crate) struct Started {
    pub(crate) service: Service,
    pub(crate) url: String,
    /// Whether it has its names already.
    pub(crate) has_names: bool,
    port: u16,
    peer: Option<Peer>,
    directory: TempDir,
}

impl Service {
    pub(crate) const ALL: [Self; 5] = [
        Self::Taut,
        Self::TautMemory,
        Self::Omniorb,
        Self::OmniorbSynchronized,
        Self::Jacorb,
    ];

    /// Whether it has its names after each way to end. JacORB's has them only after one.
    pub(crate) fn keeps_names(self) -> bool {
        match self {
            Self::Taut | Self::Omniorb | Self::OmniorbSynchronized => true,
            Self::TautMemory | Self::Jacorb => false,
        }
    }

    /// Starts it without names, or with them where it can be given them at once. None, with a line
    /// on standard error, where it is not there.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::start`]; [`BenchError::System`] without a directory or a port.
    pub(crate) fn start(
        self,
        cpu: usize,
        time_out: Duration,
        names: Names,
    ) -> Result<Option<Started>, BenchError> {
        let directory = tempfile::tempdir();
        let directory = directory.map_err(BenchError::system("no directory for names"))?;
        let port = test_tools::free_port();
        let port = port.map_err(BenchError::system("no free port"))?;
        if self == Self::OmniorbSynchronized && !synchronize(directory.path()) {
            eprintln!("LEFT OUT: {self}, for the file system does not synchronize a directory");
            return Ok(None);
        }
        let Some(mut command) = self.command(directory.path(), port, true)? else {
            eprintln!("LEFT OUT: {self}, which is not there; run `cargo xtask peers`");
            return Ok(None);
        };
        let has_names = matches!(self, Self::Taut | Self::TautMemory);
        if has_names {
            command.arg(format!("--bindings={}", names.bindings));
            command.arg(format!("--shape={}", names.shape));
        }
        let mut started = Started {
            service: self,
            url: String::new(),
            has_names,
            port,
            peer: None,
            directory,
        };
        started.run(command, cpu, time_out)?;
        Ok(Some(started))
    }

    /// The program, for its first life or a later one.
    fn command(
        self,
        directory: &Path,
        port: u16,
        is_first: bool,
    ) -> Result<Option<Command>, BenchError> {
        Ok(match self {
            Self::Taut | Self::TautMemory => {
                let mut command = system::own_program("naming-server")?;
                command.arg(format!("--port={port}"));
                if self == Self::Taut {
                    command.arg("--store").arg(directory.join("names"));
                }
                Some(command)
            }
            Self::Omniorb | Self::OmniorbSynchronized => {
                test_tools::on_path("omniNames").map(|program| {
                    let mut command = Command::new(program);
                    if is_first {
                        command.arg("-start").arg(port.to_string());
                    }
                    command
                        .args(["-always", "-ignoreport", "-datadir"])
                        .arg(directory);
                    command.args(["-ORBendPoint", &format!("giop:tcp:127.0.0.1:{port}")]);
                    // It tells of its checkpoints there.
                    command.stderr(Stdio::null());
                    command
                })
            }
            Self::Jacorb => test_tools::jacorb("PingServer", &[]).map(|known| {
                // A program of ours with the same class path, but for the class.
                let mut command = Command::new(known.get_program());
                let arguments: Vec<_> = known.get_args().collect();
                command.args(arguments.split_last().map_or(&[][..], |(_, rest)| rest));
                command
                    .arg("-Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB")
                    .arg("-Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton")
                    .arg(format!(
                        "-Djacorb.naming.ior_filename={}",
                        directory.join(REFERENCE).display()
                    ))
                    .args(["-DOAIAddr=127.0.0.1", "org.jacorb.naming.NameServer"])
                    .current_dir(directory)
                    .stderr(Stdio::null());
                command
            }),
        })
    }
}

/// The file with the reference of JacORB's root context.
const REFERENCE: &str = "root.ior";

/// Has the files that are made in a directory from now on synchronized with each write, where the
/// file system can do that.
fn synchronize(directory: &Path) -> bool {
    let mut change = Command::new("chattr");
    change.arg("+S").arg(directory).stderr(Stdio::null());
    change.status().is_ok_and(|status| status.success())
}

impl Started {
    /// Ends it.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::end`].
    pub(crate) fn end(&mut self, ended: Ended, time_out: Duration) -> Result<(), BenchError> {
        let Some(peer) = self.peer.take() else {
            return Ok(());
        };
        match (ended, self.service) {
            (Ended::Orderly, Service::Taut | Service::TautMemory) => peer.end(time_out),
            (Ended::Orderly, _) => {
                let mut kill = Command::new("kill");
                let sent = kill.arg(peer.id().to_string()).status();
                sent.map_err(BenchError::system("kill"))?;
                peer.end(time_out)
            }
            (Ended::Killed, _) => {
                drop(peer);
                Ok(())
            }
        }
    }

    /// Starts it with the names that it had.
    ///
    /// # Errors
    ///
    /// As [`Service::start`].
    pub(crate) fn begin_again(&mut self, cpu: usize, time_out: Duration) -> Result<(), BenchError> {
        let command = self
            .service
            .command(self.directory.path(), self.port, false)?;
        let command = command.ok_or(BenchError::Nothing)?;
        self.run(command, cpu, time_out)
    }

    fn run(&mut self, command: Command, cpu: usize, time_out: Duration) -> Result<(), BenchError> {
        let mut peer = Peer::start(command, cpu, time_out)?;
        self.url = match self.service {
            Service::Taut | Service::TautMemory => peer.read_line()?,
            Service::Omniorb | Service::OmniorbSynchronized => {
                format!("corbaloc:iiop:1.2@127.0.0.1:{}/NameService", self.port)
            }
            Service::Jacorb => reference_in(&self.directory.path().join(REFERENCE), time_out)?,
        };
        self.peer = Some(peer);
        await_service(&self.url, time_out)
    }

    /// Returns the resources of its process.
    ///
    /// # Errors
    ///
    /// Those of [`Footprint::of`].
    pub(crate) fn footprint(&self) -> Result<Footprint, BenchError> {
        let peer = self.peer.as_ref().ok_or(BenchError::Nothing)?;
        Footprint::of(peer.id())
    }

    /// The octets of its files.
    pub(crate) fn file_octets(&self) -> u64 {
        let files = fs::read_dir(self.directory.path());
        let files = files.into_iter().flatten().flatten();
        files
            .filter_map(|file| file.metadata().ok())
            .map(|metadata| metadata.len())
            .sum()
    }
}

/// Waits until the root context answers.
fn await_service(url: &str, time_out: Duration) -> Result<(), BenchError> {
    let begun = Instant::now();
    loop {
        let orb = Orb::builder().build().map_err(BenchError::orb)?;
        let object = orb.string_to_object(url).map_err(BenchError::orb)?;
        match object.non_existent() {
            Ok(false) => return Ok(()),
            Err(error) if begun.elapsed() >= time_out => return Err(BenchError::call(error)),
            Ok(true) if begun.elapsed() >= time_out => {
                return Err(BenchError::orb(format!(
                    "{url} tells that it does not exist"
                )));
            }
            _ => thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Waits for the reference that JacORB writes.
fn reference_in(file: &PathBuf, time_out: Duration) -> Result<String, BenchError> {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let text = text.trim();
        // It is written in one piece, but not at once.
        if text.len() > 100 && text.len().is_multiple_of(2) {
            return Ok(text.to_owned());
        }
        if begun.elapsed() >= time_out {
            return Err(BenchError::Nothing);
        }
        thread::sleep(Duration::from_millis(20));
    }
}
