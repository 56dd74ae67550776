//! The servers and clients of `session_test.idl` that run on other ORBs.

use std::process::Command;
use std::time::Duration;

use crate::{HarnessError, Process, peers};

const TIME_OUT: Duration = Duration::from_secs(60);

/// An ORB that Taut's authors did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// omniORB 4.2.5, in C++.
    OmniOrb,
    /// JacORB 3.9, in Java.
    JacOrb,
}

impl Peer {
    /// As records and lists of known gaps name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OmniOrb => "omniorb",
            Self::JacOrb => "jacorb",
        }
    }

    /// Its server; `None` when the peer is not there, see [`peers`].
    #[must_use]
    pub fn server(self) -> Option<Program> {
        match self {
            Self::OmniOrb => peers::omniorb("session_server").map(Command::new),
            Self::JacOrb => peers::jacorb("SessionServer"),
        }
        .map(|command| Program {
            peer: self,
            command,
        })
    }

    /// Its client; `None` when the peer is not there, see [`peers`].
    #[must_use]
    pub fn client(self) -> Option<Program> {
        match self {
            Self::OmniOrb => peers::omniorb("session_client").map(Command::new),
            Self::JacOrb => peers::jacorb("SessionClient"),
        }
        .map(|command| Program {
            peer: self,
            command,
        })
    }
}

/// A program of a peer that is to be started.
#[derive(Debug)]
pub struct Program {
    peer: Peer,
    command: Command,
}

impl Program {
    /// Lets requests go both ways on its connections.
    #[must_use]
    pub fn bidirectional(mut self) -> Self {
        self.command.arg("--bidirectional");
        if self.peer == Peer::OmniOrb {
            self.command.args([
                "-ORBofferBiDirectionalGIOP",
                "1",
                "-ORBacceptBiDirectionalGIOP",
                "1",
                "-ORBclientTransportRule",
                "* bidir,tcp",
                "-ORBserverTransportRule",
                "* tcp,bidir",
            ]);
        }
        self
    }

    /// Gives a server a port to listen on.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        match self.peer {
            Peer::OmniOrb => self
                .command
                .args(["-ORBendPoint", &format!("giop:tcp:127.0.0.1:{port}")]),
            Peer::JacOrb => self.command.args(["--port", &port.to_string()]),
        };
        self
    }

    /// Gives a server a name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.command.args(["--name", name]);
        self
    }

    /// Gives the program a further argument, which only this peer may know.
    #[must_use]
    pub fn arg(mut self, argument: &str) -> Self {
        self.command.arg(argument);
        self
    }

    /// Starts it as a server.
    ///
    /// # Errors
    ///
    /// As those of [`Process::start`] and [`Process::read_line`].
    pub fn serve(mut self) -> Result<SessionServer, HarnessError> {
        SessionServer::start(&mut self.command)
    }

    /// Starts it as a client.
    ///
    /// # Errors
    ///
    /// As those of [`Process::start`].
    pub fn call(mut self) -> Result<SessionClient, HarnessError> {
        Ok(SessionClient(Process::start(&mut self.command)?))
    }
}

/// How a server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It shuts its ORB down.
    InOrder,
    /// It is killed (SIGKILL).
    Sudden,
}

/// A started server.
#[derive(Debug)]
pub struct SessionServer {
    process: Process,
    reference: String,
}

impl SessionServer {
    /// Starts a server that prints its reference first and ends with its input.
    ///
    /// # Errors
    ///
    /// As those of [`Process::start`] and [`Process::read_line`].
    pub fn start(command: &mut Command) -> Result<Self, HarnessError> {
        let mut process = Process::start(command)?;
        let reference = process.read_line(TIME_OUT)?;
        Ok(Self { process, reference })
    }

    /// The reference to its session, as a string.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// Ends it, and waits for its end.
    ///
    /// # Errors
    ///
    /// [`HarnessError::TimeOut`] when it does not end.
    pub fn end(mut self, ending: Ending) -> Result<(), HarnessError> {
        if ending == Ending::InOrder {
            self.process.close_input();
            self.process.wait(TIME_OUT)?;
        }
        // A process that is dropped is killed, and waited for.
        Ok(())
    }
}

/// A started client, which waits to be told what to do.
#[derive(Debug)]
pub struct SessionClient(Process);

impl SessionClient {
    /// Tells it to do something.
    ///
    /// # Errors
    ///
    /// As those of [`Process::write_line`].
    pub fn begin(&mut self, command: &str) -> Result<(), HarnessError> {
        Ok(self.0.write_line(command)?)
    }

    /// Returns the outcome of the call: the result or the exception.
    ///
    /// # Errors
    ///
    /// As those of [`Process::read_line`].
    pub fn outcome(&mut self) -> Result<String, HarnessError> {
        Ok(self.0.read_line(TIME_OUT)?)
    }

    /// Tells it to do something, and gives what came of it.
    ///
    /// # Errors
    ///
    /// As those of [`begin`](Self::begin) and [`outcome`](Self::outcome).
    pub fn ask(&mut self, command: &str) -> Result<String, HarnessError> {
        self.begin(command)?;
        self.outcome()
    }
}
