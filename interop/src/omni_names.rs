//! omniORB's naming service.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use test_tools::Process;

use crate::error::HarnessError;

/// How long the naming service may take until it has its root context.
const START_TIME_OUT: Duration = Duration::from_secs(20);

/// How often another port is tried when the one that was free is taken.
const ATTEMPTS_MAX: usize = 5;

/// A naming service with no names in it, on a port of the loopback that nothing
/// else uses. It ends, and its data are deleted, when this value is dropped.
#[derive(Debug)]
pub struct OmniNames {
    port: u16,
    // Before the directory, for fields are dropped in this order and the
    // program must not write into a directory that is gone.
    _process: Process,
    _data: TempDir,
}

impl OmniNames {
    /// Starts a naming service and waits until it has its root context. `None`
    /// when omniNames is not installed; see [`test_tools::tool`].
    ///
    /// # Errors
    ///
    /// [`HarnessError::Process`] when it cannot be started,
    /// [`HarnessError::Ended`] when it ends at once on several ports,
    /// [`HarnessError::TimeOut`] when it has no root context in 20 seconds,
    /// [`HarnessError::Resource`] without a free port or a place for its data.
    ///
    /// # Panics
    ///
    /// When it is not installed and `TAUT_REQUIRE_PEERS` is `1`.
    pub fn start() -> Result<Option<Self>, HarnessError> {
        let Some(program) = test_tools::tool("omniNames") else {
            return Ok(None);
        };
        let mut attempt = 1;
        loop {
            let port = test_tools::free_port().map_err(|source| HarnessError::Resource {
                what: "free TCP port",
                source,
            })?;
            match Self::start_on(Command::new(&program), port) {
                // Somebody else may have taken the port in between.
                Err(HarnessError::Ended { .. }) if attempt < ATTEMPTS_MAX => attempt += 1,
                started => return started.map(Some),
            }
        }
    }

    /// The TCP port on which it listens, at 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The `corbaloc` URL of its root context, which names GIOP 1.2.
    #[must_use]
    pub fn corbaloc(&self) -> String {
        format!("corbaloc:iiop:1.2@127.0.0.1:{}/NameService", self.port)
    }

    fn start_on(mut command: Command, port: u16) -> Result<Self, HarnessError> {
        let data = tempfile::tempdir().map_err(|source| HarnessError::Resource {
            what: "directory for the data of omniNames",
            source,
        })?;
        command
            .arg("-start")
            .arg(port.to_string())
            .arg("-always")
            // Without it the endpoint below would be an addition to all others.
            .arg("-ignoreport")
            .arg("-datadir")
            .arg(data.path())
            .args(["-ORBendPoint", &format!("giop:tcp:127.0.0.1:{port}")])
            // It tells of its checkpoints there, which drowns all else.
            .stderr(Stdio::null());
        let mut process = Process::start(&mut command)?;
        await_root_context(&mut process, port)?;
        Ok(Self {
            port,
            _process: process,
            _data: data,
        })
    }
}

/// Waits until the root context is there and the process still is, so that it
/// must be the process's. A connection alone proves nothing: the service accepts
/// some before it has made its root context.
fn await_root_context(process: &mut Process, port: u16) -> Result<(), HarnessError> {
    let started = Instant::now();
    loop {
        let is_there = is_root_context_there(port);
        if let Some(status) = process.status()? {
            return Err(HarnessError::Ended {
                program: process.program().to_owned(),
                status,
            });
        }
        if is_there {
            return Ok(());
        }
        if started.elapsed() >= START_TIME_OUT {
            return Err(HarnessError::TimeOut {
                program: process.program().to_owned(),
                waited: START_TIME_OUT,
            });
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Asks by a LocateRequest of GIOP 1.0, without any ORB, whether an object has
/// the key `NameService`.
fn is_root_context_there(port: u16) -> bool {
    const REQUEST: &[u8] = b"GIOP\x01\0\0\x03\0\0\0\x13\0\0\0\x01\0\0\0\x0bNameService";
    let ask = || -> io::Result<[u8; 20]> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(START_TIME_OUT))?;
        stream.write_all(REQUEST)?;
        let mut reply = [0; 20];
        stream.read_exact(&mut reply)?;
        Ok(reply)
    };
    // A LocateReply whose status is OBJECT_HERE, 1 in either byte order.
    matches!(ask(), Ok(reply) if reply[7] == 4 && reply[16..].contains(&1))
}
