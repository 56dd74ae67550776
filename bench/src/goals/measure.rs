//! Letting raw sockets, Taut and other ORBs take turns at each row.

use std::time::Duration;

use super::result::{self, RowResult};
use super::rows::Row;
use super::wire::{Probe, Traffic};
use crate::case::Transport;
use crate::client::Client;
use crate::driver;
use crate::error::BenchError;
use crate::placement::{Mode, Placement};
use crate::raw_flood::Flood;
use crate::system::{self, Programs, System};

/// The ORBs that are always measured where they are built.
pub(super) const ORBS: &[System] = &[System::Taut, System::Omniorb];

/// The same with the one that is measured on request.
pub(super) const ORBS_WITH_JACORB: &[System] = &[System::Taut, System::Omniorb, System::Jacorb];

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// The ORBs that are measured, where they are built.
    pub(super) orbs: &'static [System],
    /// How often each system has its turn at a row.
    pub(super) rounds: u32,
    /// How often all programs start anew meanwhile, at the most once a round: where in
    /// memory chance puts a process makes it some percent slower or faster.
    pub(super) starts: u32,
    /// The most calls of a turn.
    pub(super) calls: u32,
    /// The octets of messages that a turn moves at about most.
    pub(super) octets: u64,
    /// The octets under way for which sockets have room in floods.
    pub(super) queue_octets: u32,
    /// How long a program may be silent.
    pub(super) time_out: Duration,
}

/// The fewest calls of a turn, however large their messages are.
const CALLS_MIN: u32 = 30;

impl Plan {
    /// The rounds between two starts.
    fn parts(self) -> impl Iterator<Item = u32> {
        let starts = self.starts.clamp(1, self.rounds.max(1));
        (0..starts).map(move |start| (self.rounds + start) / starts)
    }

    /// The samples of a turn: few of large messages, and yet enough for a median; of
    /// floods, which are long already, one may do.
    fn samples(self, traffic: Traffic) -> u32 {
        let octets = traffic.octets();
        let fitting = self.octets / (octets.there + octets.back).max(1);
        let fitting = u32::try_from(fitting).unwrap_or(u32::MAX);
        let least = match traffic {
            Traffic::Call(_) => CALLS_MIN,
            Traffic::Flood(_) => 1,
        };
        fitting.max(least).min(self.calls)
    }
}

/// Measures all rows, those of one mode after those of the other. A mode for which
/// there are too few CPUs, and a system that is not built, are left out with a line
/// on standard error.
///
/// # Errors
///
/// Those of [`Client`] and [`Probe`].
pub(super) fn all(plan: Plan, rows: &[Row]) -> Result<Vec<RowResult>, BenchError> {
    let mut probe = Probe::start()?;
    let mut traffic = Vec::new();
    for row in rows {
        traffic.push(probe.traffic(row.kind)?);
    }
    probe.end()?;

    let mut results = Vec::new();
    let mut modes = vec![Mode::Same, Mode::Split];
    modes.retain(|&mode| rows.iter().any(|row| row.mode == mode));
    for (mode, placement) in Placement::of_all(&modes)? {
        let of_mode = (rows.iter().zip(&traffic)).filter(|(row, _)| row.mode == mode);
        let orbs = Orbs::new(plan, placement)?;
        for (row, &traffic) in of_mode {
            let result = measure(plan, row, traffic, &orbs)?;
            let done = results.len() + 1;
            eprintln!("{done:3}/{}  {}", rows.len(), result.progress());
            results.push(result);
        }
    }
    Ok(results)
}

/// The clients that have several kinds of calls.
struct Orbs {
    plan: Plan,
    placement: Placement,
    built: Vec<System>,
}

/// The transport of calls, whether Taut's threads learn when to spin, and whether sockets
/// have no more room for octets under way than those of raw floods.
#[derive(Debug, Clone, Copy)]
struct Manner {
    transport: Transport,
    adapts: bool,
    is_bounded: bool,
}

impl Orbs {
    /// Those that are built; what is not is said here once.
    fn new(plan: Plan, placement: Placement) -> Result<Self, BenchError> {
        let mut built = Vec::new();
        for &system in plan.orbs {
            if system.table_programs(Transport::Tcp)?.is_some() {
                built.push(system);
            }
        }
        Ok(Self {
            plan,
            placement,
            built,
        })
    }

    fn start_all(&self, manner: Manner) -> Result<Vec<(System, Client)>, BenchError> {
        let mut clients = Vec::new();
        for &system in &self.built {
            if let Some(mut programs) = system.table_programs(manner.transport)? {
                if manner.adapts {
                    programs.set_orb_arguments("-ORBWaitStrategy adaptive");
                }
                if manner.is_bounded {
                    system.bound_buffers(&mut programs, self.plan.queue_octets as usize);
                }
                clients.push((system, self.start(programs)?));
            }
        }
        Ok(clients)
    }

    fn start(&self, programs: Programs) -> Result<Client, BenchError> {
        Client::start(programs, self.placement, self.plan.time_out)
    }
}

fn measure(plan: Plan, row: &Row, traffic: Traffic, orbs: &Orbs) -> Result<RowResult, BenchError> {
    let mut measured: Vec<Measured> = Vec::new();
    let traffic = match traffic {
        Traffic::Flood(flood) => Traffic::Flood(Flood {
            queue_octets: plan.queue_octets,
            ..flood
        }),
        other => other,
    };
    for rounds in plan.parts() {
        let part = measure_once(rounds, plan.samples(traffic), row, traffic, orbs)?;
        if measured.is_empty() {
            measured = part;
        } else {
            for ((_, rounds), (_, more)) in measured.iter_mut().zip(part) {
                rounds.extend(more);
            }
        }
    }
    Ok(result::of(row.clone(), traffic.octets(), measured))
}

/// The samples of a system's turns.
type Measured = (System, Vec<Vec<u64>>);

/// Has the systems take turns at a row for so many rounds. All programs are new: what a
/// connection has carried, and what a process has allocated, makes it slower or faster, and
/// raw sockets have had nothing before this row.
fn measure_once(
    rounds: u32,
    samples: u32,
    row: &Row,
    traffic: Traffic,
    orbs: &Orbs,
) -> Result<Vec<Measured>, BenchError> {
    let mut raw = orbs.start(raw_programs(row.transport, traffic)?)?;
    let manner = Manner {
        transport: row.transport,
        adapts: row.adapts,
        is_bounded: matches!(traffic, Traffic::Flood(_)),
    };
    let mut orbs = orbs.start_all(manner)?;
    let mut systems = vec![System::Raw];
    for (system, client) in &mut orbs {
        let kind = match system {
            System::Taut => row.kind,
            _ => row.kind.one_by_one(),
        };
        client.select(&kind.to_string())?;
        systems.push(*system);
    }
    let turns = driver::interleave(rounds, systems.len(), |turn| match turn {
        0 => raw.samples(samples),
        orb => orbs[orb - 1].1.samples(samples),
    })?;
    Ok(systems.into_iter().zip(turns).collect())
}

/// The programs that exchange the same octets over a transport without an ORB.
pub(super) fn raw_programs(transport: Transport, traffic: Traffic) -> Result<Programs, BenchError> {
    let (server, client, arguments) = match (transport, traffic) {
        (Transport::Tcp | Transport::Unix, Traffic::Call(sizes)) => {
            ("raw-server", "raw-client", sizes.to_arguments().to_vec())
        }
        (Transport::Tcp, Traffic::Flood(flood)) => (
            "raw-flood-server",
            "raw-flood-client",
            flood.to_arguments().to_vec(),
        ),
        // Within a process nothing is exchanged, and nobody asks for such floods: no row
        // is about either.
        (Transport::Unix, Traffic::Flood(_)) | (Transport::Local, _) => {
            return Err(BenchError::Nothing);
        }
    };
    let mut programs = system::own_programs(server, client)?;
    programs.server.args(&arguments);
    programs.client.args(&arguments);
    if transport == Transport::Unix {
        programs.server.arg("--unix");
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::MessageSizes;

    #[test]
    fn large_messages_are_sent_less_often() {
        let plan = Plan {
            orbs: ORBS,
            rounds: 7,
            starts: 3,
            calls: 2_000,
            queue_octets: 64 << 10,
            octets: 1 << 20,
            time_out: Duration::from_secs(1),
        };
        let samples = |octets| {
            plan.samples(Traffic::Call(MessageSizes {
                request_octets: octets,
                reply_octets: octets,
            }))
        };
        assert_eq!(plan.parts().collect::<Vec<_>>(), [2, 2, 3]);
        let few = Plan { rounds: 2, ..plan };
        assert_eq!(few.parts().collect::<Vec<_>>(), [1, 1]);
        assert_eq!(samples(80), 2_000);
        assert_eq!(samples(1 << 12), 128);
        assert_eq!(samples(1 << 20), CALLS_MIN);

        let floods = |messages| {
            plan.samples(Traffic::Flood(Flood {
                messages,
                message_octets: 1 << 10,
                request_octets: 80,
                reply_octets: 24,
                queue_octets: 64 << 10,
            }))
        };
        assert_eq!((floods(300), floods(30_000)), (3, 1));
    }
}
