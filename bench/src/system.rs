//! The systems that answer the calls.

use std::env;
use std::process::Command;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::case::Transport;
use crate::error::BenchError;
use crate::raw::MessageSizes;

/// The system that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum System {
    /// Blocking sockets without an ORB: the baseline of all ratios.
    Raw,
    /// This project.
    Taut,
    /// omniORB, in C++.
    Omniorb,
    /// JacORB, in Java.
    Jacorb,
}

crate::options::display_as_option!(System);

/// A server and its client. The client takes the server's first line as its
/// last argument.
pub(crate) struct Programs {
    pub(crate) server: Command,
    pub(crate) client: Command,
}

impl Programs {
    /// Gives Taut's ORBs of both further arguments; others do not look at them.
    pub(crate) fn set_orb_arguments(&mut self, arguments: &str) {
        for program in [&mut self.server, &mut self.client] {
            program.env("TAUT_ORB_ARGUMENTS", arguments);
        }
    }
}

impl System {
    /// The programs for calls without arguments. None, with a line on standard
    /// error, when they are not built, or when they do not have the transport.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(crate) fn void_programs(
        self,
        sizes: MessageSizes,
        transport: Transport,
    ) -> Result<Option<Programs>, BenchError> {
        let mut programs = match self {
            Self::Jacorb if transport != Transport::Tcp => {
                eprintln!("LEFT OUT: JacORB, which has no {transport}");
                None
            }
            Self::Raw => {
                let mut programs = own_programs("raw-server", "raw-client")?;
                programs.server.args(sizes.to_arguments());
                programs.client.args(sizes.to_arguments());
                Some(programs)
            }
            Self::Taut => Some(own_programs("taut-server", "taut-client")?),
            Self::Omniorb => omniorb_programs("ping_server", "ping_client"),
            Self::Jacorb => jacorb_programs("PingServer", "PingClient"),
        };
        self.choose(transport, programs.as_mut());
        Ok(programs)
    }

    /// Lets the server listen where clients reach it by this transport.
    fn choose(self, transport: Transport, programs: Option<&mut Programs>) {
        if let (Transport::Unix, Some(Programs { server, .. })) = (transport, programs) {
            match self {
                Self::Raw | Self::Taut => server.arg("--unix"),
                Self::Omniorb => server.args(["-ORBendPoint", "giop:unix:"]),
                Self::Jacorb => server,
            };
        }
    }

    /// The programs for calls without arguments over `connections` connections,
    /// which are shared by so many threads of the server. None as above.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(crate) fn sharing_programs(
        self,
        sizes: MessageSizes,
        threads: usize,
        connections: usize,
    ) -> Result<Option<Programs>, BenchError> {
        let own = match self {
            Self::Raw => "epoll-server",
            Self::Taut | Self::Omniorb | Self::Jacorb => "taut-server",
        };
        let Programs {
            mut server,
            mut client,
        } = own_programs(own, "many-client")?;
        client.args(sizes.to_arguments());
        client.arg(format!("--connections={connections}"));
        match self {
            Self::Raw => {
                server.args(sizes.to_arguments());
                server.arg(format!("--threads={threads}"));
            }
            Self::Taut => {
                server.arg(format!("--reactor-threads={threads}"));
            }
            Self::Omniorb | Self::Jacorb => match self.void_programs(sizes, Transport::Tcp)? {
                Some(programs) => server = programs.server,
                None => return Ok(None),
            },
        }
        Ok(Some(Programs { server, client }))
    }

    /// The programs for all kinds of calls over a transport, for a system that has
    /// kinds of calls. None as above, and when it does not have the transport.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(crate) fn table_programs(
        self,
        transport: Transport,
    ) -> Result<Option<Programs>, BenchError> {
        let mut programs = match (self, transport) {
            (Self::Raw, _) | (_, Transport::Local) | (Self::Jacorb, Transport::Unix) => None,
            (Self::Taut, _) => Some(own_programs("table-server", "table-client")?),
            (Self::Omniorb, _) => omniorb_programs("table_server", "table_client"),
            (Self::Jacorb, Transport::Tcp) => jacorb_programs("TableServer", "TableClient"),
        };
        self.choose(transport, programs.as_mut());
        Ok(programs)
    }

    /// Lets the sockets of `programs` have room for so many octets under way. JacORB has no
    /// such setting.
    pub(crate) fn bound_buffers(self, programs: &mut Programs, octets: usize) {
        let octets = octets.to_string();
        match self {
            Self::Taut => programs.set_orb_arguments(&format!(
                "-ORBSendBuffer {octets} -ORBReceiveBuffer {octets}"
            )),
            Self::Omniorb => {
                for program in [&mut programs.server, &mut programs.client] {
                    program.args(["-ORBsocketSendBuffer", &octets]);
                }
                programs.server.args(["--receive-buffer", &octets]);
            }
            Self::Raw | Self::Jacorb => {}
        }
    }

    /// The programs for calls without arguments to any of `servants` servants, for
    /// a system that has servants. None as above, and for JacORB, which has none such.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(crate) fn scalability_programs(
        self,
        servants: u32,
    ) -> Result<Option<Programs>, BenchError> {
        let programs = match self {
            Self::Raw => None,
            Self::Taut => Some(own_programs("scalability-server", "scalability-client")?),
            Self::Omniorb => omniorb_programs("scalability_server", "scalability_client"),
            Self::Jacorb => {
                eprintln!("LEFT OUT: JacORB, which has no program with many servants");
                None
            }
        };
        Ok(programs.map(|mut programs| {
            programs.server.arg(servants.to_string());
            programs
        }))
    }
}

/// Hidden commands of this program.
///
/// # Errors
///
/// [`BenchError::System`] when this program does not find itself.
pub(crate) fn own_programs(server: &str, client: &str) -> Result<Programs, BenchError> {
    Ok(Programs {
        server: own_program(server)?,
        client: own_program(client)?,
    })
}

/// A hidden command of this program.
///
/// # Errors
///
/// [`BenchError::System`] when this program does not find itself.
pub(crate) fn own_program(name: &str) -> Result<Command, BenchError> {
    let program = env::current_exe().map_err(BenchError::system("cannot find this program"))?;
    let mut command = Command::new(program);
    command.arg(name);
    Ok(command)
}

/// Programs that `cargo xtask peers` builds with omniORB.
pub(crate) fn omniorb_programs(server: &str, client: &str) -> Option<Programs> {
    Some(Programs {
        server: omniorb_program(server)?,
        client: omniorb_program(client)?,
    })
}

/// A program that `cargo xtask peers` builds with omniORB. None, with a line on
/// standard error, when it is not built.
pub(crate) fn omniorb_program(name: &str) -> Option<Command> {
    or_left_out("omniORB", name, test_tools::omniorb(name).map(Command::new))
}

/// Programs of these classes that `cargo xtask peers` builds with JacORB.
fn jacorb_programs(server: &str, client: &str) -> Option<Programs> {
    Some(Programs {
        server: jacorb_program(server)?,
        client: jacorb_program(client)?,
    })
}

/// A program of this class that `cargo xtask peers` builds with JacORB. None, with a line
/// on standard error, when it is not built.
fn jacorb_program(class: &str) -> Option<Command> {
    or_left_out("JacORB", class, test_tools::jacorb(class, &[]))
}

fn or_left_out(orb: &str, program: &str, found: Option<Command>) -> Option<Command> {
    if found.is_none() {
        eprintln!("LEFT OUT: {orb}, for its {program} is not there; run `cargo xtask peers`");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_built_is_left_out() {
        assert!(omniorb_programs("ping_server", "no_such_client").is_none());
        assert!(jacorb_programs("PingServer", "NoSuchClient").is_none());
    }

    #[test]
    fn jacorb_is_left_out_of_what_it_has_not() {
        let jacorb = System::Jacorb;
        let sizes = MessageSizes {
            request_octets: 80,
            reply_octets: 24,
        };
        assert!(
            jacorb
                .void_programs(sizes, Transport::Unix)
                .unwrap()
                .is_none()
        );
        assert!(jacorb.table_programs(Transport::Unix).unwrap().is_none());
        assert!(jacorb.scalability_programs(1).unwrap().is_none());
    }
}
