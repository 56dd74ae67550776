//! The systems that have many calls under way at once.

use std::process::Command;

use clap::ValueEnum;
use serde::Serialize;

use super::pipeline::Batching;
use crate::error::BenchError;
use crate::raw::MessageSizes;
use crate::system::{self, Programs};

/// A system that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Contender {
    /// Sockets and `epoll`, messages sent together: the limit.
    Raw,
    /// The same, each message sent by itself.
    RawEach,
    /// This project: futures of generated references.
    Taut,
    /// omniORB's asynchronous invocation, in C++.
    Omniorb,
    /// tonic, gRPC in Rust.
    Tonic,
}

crate::options::display_as_option!(Contender);

impl Contender {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [
        Self::Raw,
        Self::RawEach,
        Self::Taut,
        Self::Omniorb,
        Self::Tonic,
    ];

    /// Its programs. None, with a line on standard error, when they are not built.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(crate) fn programs(self, sizes: MessageSizes) -> Result<Option<Programs>, BenchError> {
        Ok(match self {
            Self::Raw => Some(pipeline(sizes, Batching::Together)?),
            Self::RawEach => Some(pipeline(sizes, Batching::Each)?),
            Self::Taut => Some(system::own_programs("taut-server", "futures-client")?),
            Self::Omniorb => omniorb(),
            Self::Tonic => tonic(),
        })
    }
}

fn pipeline(sizes: MessageSizes, batching: Batching) -> Result<Programs, BenchError> {
    let mut programs = system::own_programs("pipeline-server", "pipeline-client")?;
    for program in [&mut programs.server, &mut programs.client] {
        program.args(sizes.to_arguments());
        program.arg(format!("--batching={batching}"));
    }
    Ok(programs)
}

/// omniORB, told to make all calls over one connection.
fn omniorb() -> Option<Programs> {
    let mut client = system::omniorb_program("async_client")?;
    client.args(["-ORBoneCallPerConnection", "0"]);
    client.args(["-ORBmaxGIOPConnectionPerServer", "1"]);
    let server = system::omniorb_program("ping_server")?;
    Some(Programs { server, client })
}

fn tonic() -> Option<Programs> {
    let Some(file) = test_tools::tonic() else {
        eprintln!("LEFT OUT: tonic, for its program is not there; run `cargo xtask tonic`");
        return None;
    };
    let program = |role| {
        let mut command = Command::new(&file);
        command.arg(role);
        command
    };
    Some(Programs {
        server: program("server"),
        client: program("client"),
    })
}
