//! A client that has been started, and its server.

use std::process::Command;
use std::time::Duration;

use taut_sys::usage::Usage;

use crate::error::BenchError;
use crate::peer::Peer;
use crate::placement::Placement;
use crate::protocol::{self, Request, Summary};
use crate::system::Programs;

/// A client that sleeps until it is asked for calls.
pub(crate) struct Client {
    // In this order, for the client is to be gone when its server goes.
    peer: Peer,
    server: Option<Peer>,
    /// The kind of calls that it makes, if it was told any.
    kind: Option<String>,
}

impl Client {
    /// Starts a server and its client.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`].
    pub(crate) fn start(
        programs: Programs,
        placement: Placement,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let Programs { server, mut client } = programs;
        let mut server = Peer::start(server, placement.server_cpu, time_out)?;
        client.arg(server.read_line()?);
        Ok(Self {
            server: Some(server),
            ..Self::alone(client, placement.client_cpu, time_out)?
        })
    }

    /// Starts a client that needs no server.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::start`].
    pub(crate) fn alone(
        client: Command,
        cpu: usize,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        Ok(Self {
            peer: Peer::start(client, cpu, time_out)?,
            server: None,
            kind: None,
        })
    }

    /// Has it make calls of a kind, for a client that has several.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::write_line`]. A kind that it does not know ends the client.
    pub(crate) fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        if self.kind.as_deref() != Some(kind) {
            let request = Request::Select(kind.to_owned());
            self.peer.write_line(&request.to_string())?;
            self.kind = Some(kind.to_owned());
        }
        Ok(())
    }

    /// Has it make calls, and times them.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`], and [`BenchError::Answer`].
    pub(crate) fn run(&mut self, calls: u32) -> Result<Summary, BenchError> {
        self.ask(&Request::Run(calls), Summary::parse)
    }

    /// Has it make calls; the time of each in nanoseconds, in order.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`], and [`BenchError::Answer`].
    pub(crate) fn samples(&mut self, calls: u32) -> Result<Vec<u64>, BenchError> {
        self.ask(&Request::Samples(calls), protocol::parse_samples)
    }

    /// Has it make calls: what its process and its server's had of the machine meanwhile,
    /// and the time of each in nanoseconds, in order.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`], [`BenchError::Answer`], and [`BenchError::System`] when the
    /// server's process cannot be looked at.
    pub(crate) fn usage(&mut self, calls: u32) -> Result<(Usage, Vec<u64>), BenchError> {
        let before = self.server_usage()?;
        let (own, samples_ns) = self.ask(&Request::Usage(calls), protocol::parse_usage)?;
        let server = self.server_usage()?.since(before);
        Ok((own.and(server), samples_ns))
    }

    fn server_usage(&self) -> Result<Usage, BenchError> {
        match &self.server {
            Some(server) => {
                Usage::of(server.id()).map_err(BenchError::system("cannot look at a process"))
            }
            None => Ok(Usage::default()),
        }
    }

    /// Has it make calls, and counts how often they allocate on the heap.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`], and [`BenchError::Answer`].
    pub(crate) fn allocations(&mut self, calls: u32) -> Result<u64, BenchError> {
        self.ask(&Request::Allocations(calls), |line| line.parse().ok())
    }

    fn ask<T>(
        &mut self,
        request: &Request,
        understand: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, BenchError> {
        self.peer.write_line(&request.to_string())?;
        self.peer.expect(understand)
    }
}
