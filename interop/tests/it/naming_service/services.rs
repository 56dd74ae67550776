//! Naming services to be compared, each with an empty root context.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use taut::Orb;
use taut_interop::{OmniNames, Process, peers};
use taut_naming::NamingContextExtRef;
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;
use tempfile::TempDir;

const TIME_OUT: Duration = Duration::from_secs(120);

/// A naming service in this process, in an ORB of its own.
pub(super) struct Ours {
    orb: Orb,
    pub(super) root: NamingContextExtRef,
}

impl Ours {
    pub(super) fn start() -> Self {
        Self::start_with(ServiceSettings::default())
    }

    pub(super) fn start_with(settings: ServiceSettings) -> Self {
        let orb = orb();
        let store = Arc::new(MemoryStore::new());
        let service = NamingService::start(&orb, store, settings).unwrap();
        let root = service.root().unchecked_narrow();
        Self { orb, root }
    }

    pub(super) fn corbaloc(&self) -> String {
        self.orb.corbaloc("NameService").unwrap()
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// An ORB that listens on the loopback.
pub(super) fn orb() -> Orb {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    builder.build().unwrap()
}

/// JacORB's naming service.
pub(super) struct JacorbNames {
    pub(super) reference: String,
    _process: Process,
    _directory: TempDir,
}

impl JacorbNames {
    /// None where JacORB is not there.
    pub(super) fn start() -> Option<Self> {
        let known = peers::jacorb("ParamServer")?;
        let directory = tempfile::tempdir().unwrap();
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
        let mut process = Process::start(&mut command).unwrap();
        let reference = reference_in(&file, &mut process);
        Some(Self {
            reference,
            _process: process,
            _directory: directory,
        })
    }
}

fn reference_in(file: &Path, process: &mut Process) -> String {
    let started = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let text = text.trim();
        // It is written in one piece, but not at once.
        if text.len() > 100 && text.len().is_multiple_of(2) {
            return text.to_owned();
        }
        let ended = process.status().unwrap();
        assert!(ended.is_none(), "JacORB's naming service: {ended:?}");
        assert!(started.elapsed() < TIME_OUT, "no reference of JacORB's");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A service under comparison: its name, a client's ORB and its root context.
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) orb: Orb,
    pub(super) root: NamingContextExtRef,
    _service: Box<dyn std::any::Any>,
}

/// All services that this machine has, Taut's first.
pub(super) fn all() -> Vec<Compared> {
    let ours = Ours::start();
    let mut all = vec![compared("Taut", &ours.corbaloc(), Box::new(0))];
    all[0]._service = Box::new(ours);
    if let Some(names) = OmniNames::start().unwrap() {
        all.push(compared("omniORB", &names.corbaloc(), Box::new(0)));
        all.last_mut().unwrap()._service = Box::new(names);
    }
    if let Some(names) = JacorbNames::start() {
        let reference = names.reference.clone();
        all.push(compared("JacORB", &reference, Box::new(names)));
    }
    all
}

fn compared(name: &'static str, url: &str, service: Box<dyn std::any::Any>) -> Compared {
    let orb = orb();
    let root = orb.string_to_object(url).unwrap().narrow().unwrap();
    Compared {
        name,
        orb,
        root,
        _service: service,
    }
}
