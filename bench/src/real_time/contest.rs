//! The processes of a system: its server, the periodic client, and those that flood it.

use std::time::Duration;

use super::contender::Parts;
use super::flood;
use super::periodic::{Schedule, Turn};
use crate::error::BenchError;
use crate::peer::Peer;
use crate::placement::Placement;
use crate::system;

/// A system that is ready for its turns, and sleeps.
pub(super) struct Contest {
    // In this order, for the server goes last.
    client: Peer,
    flood: Option<Peer>,
    _server: Option<Peer>,
}

impl Contest {
    /// Starts all, with room for so many clients that flood the server.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`].
    pub(super) fn start(
        parts: Parts,
        placement: Placement,
        clients: u32,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let Parts {
            server,
            mut client,
            sizes,
        } = parts;
        let Some(server) = server else {
            return Ok(Self {
                client: Peer::start(client, placement.client_cpu, time_out)?,
                flood: None,
                _server: None,
            });
        };
        let mut server = Peer::start(server, placement.server_cpu, time_out)?;
        let told = server.read_line()?;
        client.arg(&told);
        let mut client = Peer::start(client, placement.client_cpu, time_out)?;
        // It connects with its first call, before those of the flood do.
        let first = Schedule {
            releases: 1,
            period: Duration::from_millis(1),
            deadline: time_out,
        };
        client.write_line(&first.to_string())?;
        client.expect(Turn::parse)?;
        let flood = (clients > 0).then(|| {
            let mut flood = system::own_program("real-time-flood")?;
            flood.args(sizes.to_arguments());
            flood.arg(format!("--clients={clients}"));
            // Where there are two addresses, the ordinary one.
            flood.arg(told.rsplit(' ').next().unwrap_or_default());
            let mut flood = Peer::start(flood, placement.client_cpu, time_out)?;
            flood.expect(|line| (line == "connected").then_some(()))?;
            Ok::<_, BenchError>(flood)
        });
        Ok(Self {
            client,
            flood: flood.transpose()?,
            _server: Some(server),
        })
    }

    /// Has the client call by a schedule while so many others flood the server.
    ///
    /// # Errors
    ///
    /// Those of [`Peer`], and [`BenchError::Answer`].
    pub(super) fn turn(&mut self, schedule: Schedule, clients: u32) -> Result<Turn, BenchError> {
        let flood = self.flood.as_mut().filter(|_| clients > 0);
        let Some(flood) = flood else {
            return call(&mut self.client, schedule);
        };
        flood.ask(&format!("flood {clients}"))?;
        let turn = call(&mut self.client, schedule);
        flood.write_line("stop")?;
        let flood = flood.expect(flood::parse)?;
        Ok(Turn { flood, ..turn? })
    }
}

fn call(client: &mut Peer, schedule: Schedule) -> Result<Turn, BenchError> {
    client.write_line(&schedule.to_string())?;
    client.expect(Turn::parse)
}
