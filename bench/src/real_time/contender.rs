//! The systems that serve a client of high priority and others.

use std::process::Command;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::raw::MessageSizes;
use crate::system;

/// A system that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Contender {
    /// Nobody is called: how late the client's thread wakes, which is the machine's doing.
    Machine,
    /// Sockets, with a thread for each connection at its client's priority: the limit.
    Raw,
    /// This project, whose server knows no priorities.
    Taut,
    /// This project, whose server has a lane for each of two priorities.
    TautLanes,
    /// The same, and its client has a connection for each band of priorities.
    TautBands,
    /// omniORB, whose server knows none either.
    Omniorb,
}

crate::options::display_as_option!(Contender);

/// The programs of a system.
pub(super) struct Parts {
    /// Prints where it is: an address, a reference, or of high priority and ordinary ones one
    /// each.
    pub(super) server: Option<Command>,
    /// Gets that as its last argument.
    pub(super) client: Command,
    pub(super) sizes: MessageSizes,
}

impl Contender {
    /// All of them.
    pub(super) const ALL: [Self; 6] = [
        Self::Machine,
        Self::Raw,
        Self::Taut,
        Self::TautLanes,
        Self::TautBands,
        Self::Omniorb,
    ];

    /// Whether there is a server that is called.
    pub(super) fn is_called(self) -> bool {
        self != Self::Machine
    }

    /// Whether its server knows priorities and is no limit but an ORB, so that there is an aim
    /// for it.
    pub(super) fn has_lanes(self) -> bool {
        matches!(self, Self::TautLanes | Self::TautBands)
    }

    /// Its programs. None, with a line on standard error, when they are not built.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(super) fn parts(
        self,
        sizes: MessageSizes,
        priority: i32,
    ) -> Result<Option<Parts>, BenchError> {
        let own = |name: &str| {
            let mut command = system::own_program(name)?;
            command.arg(format!("--priority={priority}"));
            Ok::<_, BenchError>(command)
        };
        let (server, client) = match self {
            Self::Machine => (None, own("real-time-sleeper")?),
            Self::Raw => {
                let (mut server, mut client) =
                    (own("real-time-sockets")?, own("real-time-raw-client")?);
                server.args(sizes.to_arguments());
                client.args(sizes.to_arguments());
                (Some(server), client)
            }
            Self::Taut => {
                let server = system::own_program("taut-server")?;
                (Some(server), own("real-time-client")?)
            }
            Self::TautLanes | Self::TautBands => {
                let mut client = own("real-time-lanes-client")?;
                client.args((self == Self::TautBands).then_some("--bands"));
                (Some(own("real-time-lanes-server")?), client)
            }
            Self::Omniorb => {
                let server = system::omniorb_program("ping_server");
                let client = system::omniorb_program("periodic_client");
                let (Some(server), Some(mut client)) = (server, client) else {
                    return Ok(None);
                };
                client.arg(priority.to_string());
                (Some(server), client)
            }
        };
        Ok(Some(Parts {
            server,
            client,
            sizes,
        }))
    }
}
