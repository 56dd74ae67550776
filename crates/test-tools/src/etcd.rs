//! Members of etcd on this machine.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use crate::{free_port, tool};

/// How often a member is asked whether it serves.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Members of etcd that make a cluster, each of which can be killed and started again. All are
/// killed when the value is dropped.
#[derive(Debug)]
pub struct EtcdCluster {
    program: PathBuf,
    directory: PathBuf,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    client_port: u16,
    peer_port: u16,
    process: Option<Running>,
}

/// A process that is killed when the value is dropped.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Fails when it has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl EtcdCluster {
    /// Starts a cluster with its data and its logs below `directory`. `None`, with a line on
    /// standard error, where there is no etcd.
    ///
    /// # Errors
    ///
    /// When a member cannot be started, or the machine has no ports left.
    ///
    /// # Panics
    ///
    /// When there is no etcd and `TAUT_REQUIRE_PEERS` is `1`.
    pub fn start(directory: &Path, members: usize) -> io::Result<Option<Self>> {
        let Some(program) = tool("etcd") else {
            return Ok(None);
        };
        let mut cluster = Self {
            program,
            directory: directory.to_owned(),
            members: Vec::new(),
        };
        for _ in 0..members {
            cluster.members.push(Member {
                client_port: free_port()?,
                peer_port: free_port()?,
                process: None,
            });
        }
        for index in 0..members {
            cluster.start_member(index)?;
        }
        Ok(Some(cluster))
    }

    /// The number of members.
    #[must_use]
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The addresses at which the members serve clients, with commas between them.
    #[must_use]
    pub fn addresses(&self) -> String {
        let address = |member: &Member| format!("127.0.0.1:{}", member.client_port);
        let addresses: Vec<_> = self.members.iter().map(address).collect();
        addresses.join(",")
    }

    /// Kills a member, which keeps its data.
    pub fn kill(&mut self, index: usize) {
        self.members[index].process = None;
    }

    /// Starts a member, for the first time or again.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start_member(&mut self, index: usize) -> io::Result<()> {
        let named = |(index, member): (usize, &Member)| {
            format!("m{index}=http://127.0.0.1:{}", member.peer_port)
        };
        let all: Vec<_> = self.members.iter().enumerate().map(named).collect();
        let member = &mut self.members[index];
        let mut command = Command::new(&self.program);
        let client = format!("http://127.0.0.1:{}", member.client_port);
        let peer = format!("http://127.0.0.1:{}", member.peer_port);
        command.arg("--name").arg(format!("m{index}"));
        command
            .arg("--data-dir")
            .arg(self.directory.join(format!("m{index}")));
        command.args(["--listen-client-urls", &client]);
        command.args(["--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer]);
        command.args(["--initial-advertise-peer-urls", &peer]);
        command.args(["--initial-cluster", &all.join(",")]);
        command.args(["--initial-cluster-token", &all[0]]);
        command.args(["--logger", "zap", "--log-outputs", "stderr"]);
        // A machine that is busy is no reason for elections.
        command.args(["--heartbeat-interval", "100", "--election-timeout", "1000"]);
        let log = self.directory.join(format!("m{index}.log"));
        let log = fs::OpenOptions::new().create(true).append(true).open(log)?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        member.process = Some(Running(command.spawn()?));
        Ok(())
    }

    /// Waits until a member serves clients, and says whether it does.
    #[must_use]
    pub fn wait(&self, index: usize, time_out: Duration) -> bool {
        let started = Instant::now();
        let port = self.members[index].client_port;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            if started.elapsed() > time_out {
                return false;
            }
            thread::sleep(POLL_INTERVAL);
        }
        true
    }
}
