//! JacORB's naming service.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{HarnessError, Process, peers};

/// How long it may take to start.
const TIME_OUT: Duration = Duration::from_secs(120);

/// A naming service of JacORB's with no names in it. It ends when this value is dropped.
#[derive(Debug)]
pub struct JacorbNames {
    /// The reference of its root context.
    pub reference: String,
    _process: Process,
    _directory: TempDir,
}

impl JacorbNames {
    /// Starts it. None when JacORB is not there.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Process`] when it cannot be started, [`HarnessError::Ended`] when it ends
    /// at once, [`HarnessError::TimeOut`] when it has no root context in two minutes,
    /// [`HarnessError::Resource`] without a place for its reference.
    pub fn start() -> Result<Option<Self>, HarnessError> {
        let Some(known) = peers::jacorb("ParamServer") else {
            return Ok(None);
        };
        let directory = tempfile::tempdir().map_err(|source| HarnessError::Resource {
            what: "place for the reference of JacORB's naming service",
            source,
        })?;
        let file = directory.path().join("root.ior");
        // A program of ours with the same class path, but for the class.
        let mut command = Command::new(known.get_program());
        let arguments: Vec<_> = known.get_args().collect();
        command.args(&arguments[..arguments.len() - 1]);
        command
            .arg("-Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB")
            .arg("-Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton")
            .arg(format!("-Djacorb.naming.ior_filename={}", file.display()))
            .args(["-DOAIAddr=127.0.0.1", "org.jacorb.naming.NameServer"])
            .current_dir(directory.path())
            .stderr(Stdio::null());
        let mut process = Process::start(&mut command)?;
        let reference = reference_in(&file, &mut process)?;
        Ok(Some(Self {
            reference,
            _process: process,
            _directory: directory,
        }))
    }
}

fn reference_in(file: &Path, process: &mut Process) -> Result<String, HarnessError> {
    let program = || "JacORB's naming service".to_owned();
    let started = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let text = text.trim();
        // It is written in one piece, but not at once.
        if text.len() > 100 && text.len().is_multiple_of(2) {
            return Ok(text.to_owned());
        }
        if let Some(status) = process.status()? {
            let program = program();
            return Err(HarnessError::Ended { program, status });
        }
        if started.elapsed() > TIME_OUT {
            return Err(HarnessError::TimeOut {
                program: program(),
                waited: TIME_OUT,
            });
        }
        thread::sleep(Duration::from_millis(20));
    }
}
