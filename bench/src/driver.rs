//! Letting systems take turns.

use std::time::Duration;

use crate::error::BenchError;
use crate::peer::Peer;
use crate::placement::Placement;
use crate::protocol::{Request, Summary};
use crate::system::{Programs, System};

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// How often each system has its turn.
    pub(crate) rounds: u32,
    /// The calls of a turn.
    pub(crate) calls: u32,
    /// How long a program may be silent: while it starts, and during its turn.
    pub(crate) time_out: Duration,
}

/// What a system did: the summary of each of its turns, in order.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) system: System,
    pub(crate) rounds: Vec<Summary>,
}

/// Measures systems in one placement.
///
/// All servers and clients are started first and sleep while it is not their
/// turn. Everyone gets one turn to warm up, which is not counted. From round to
/// round the order rotates, so that no system always follows the same other.
///
/// # Errors
///
/// Those of [`Peer`], and [`BenchError::Answer`].
pub(crate) fn measure(
    plan: Plan,
    placement: Placement,
    systems: impl IntoIterator<Item = (System, Programs)>,
) -> Result<Vec<Outcome>, BenchError> {
    let mut pairs = Vec::new();
    let mut outcomes = Vec::new();
    for (system, programs) in systems {
        let mut pair = Pair::start(programs, placement, plan.time_out)?;
        pair.run(plan.calls)?;
        pairs.push(pair);
        outcomes.push(Outcome {
            system,
            rounds: Vec::new(),
        });
    }
    for turn in turns(plan.rounds, pairs.len()) {
        let summary = pairs[turn].run(plan.calls)?;
        outcomes[turn].rounds.push(summary);
    }
    Ok(outcomes)
}

/// Whose turn it is, round after round.
fn turns(rounds: u32, systems: usize) -> impl Iterator<Item = usize> {
    let firsts = (0..systems).cycle();
    (0..rounds)
        .zip(firsts)
        .flat_map(move |(_, first)| (0..systems).map(move |place| (first + place) % systems))
}

/// A client and its server.
struct Pair {
    // In this order, for the client is to be gone when its server goes.
    client: Peer,
    _server: Peer,
}

impl Pair {
    fn start(
        programs: Programs,
        placement: Placement,
        time_out: Duration,
    ) -> Result<Self, BenchError> {
        let Programs { server, mut client } = programs;
        let server = Peer::start(server, placement.server_cpu, time_out)?;
        client.arg(server.read_line()?);
        let client = Peer::start(client, placement.client_cpu, time_out)?;
        Ok(Self {
            client,
            _server: server,
        })
    }

    fn run(&mut self, calls: u32) -> Result<Summary, BenchError> {
        self.client.write_line(&Request::Run(calls).to_string())?;
        let line = self.client.read_line()?;
        Summary::parse(&line).ok_or_else(|| BenchError::Answer {
            program: self.client.program().to_owned(),
            line,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const PLAN: Plan = Plan {
        rounds: 3,
        calls: 5,
        time_out: Duration::from_secs(20),
    };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        command
    }

    fn measure_client(script: &str) -> Result<Vec<Outcome>, BenchError> {
        let cpu = taut_sys::cpu::allowed().unwrap()[0];
        let placement = Placement {
            server_cpu: cpu,
            client_cpu: cpu,
        };
        let programs = Programs {
            server: shell("echo here; read end"),
            client: shell(script),
        };
        measure(PLAN, placement, [(System::Raw, programs)])
    }

    #[test]
    fn turns_rotate() {
        let order = |rounds, systems| turns(rounds, systems).collect::<Vec<_>>();
        assert_eq!(order(4, 3), [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2]);
        assert_eq!(order(2, 1), [0, 0]);
        assert!(order(2, 0).is_empty());
    }

    #[test]
    fn the_warm_up_is_not_counted() {
        // The median is the number of the turn.
        let client = r#"test "$1" = here || exit 1; turn=0
            while read run calls; do turn=$((turn + 1)); echo "$turn $calls 1 1 1"; done"#;
        let outcomes = measure_client(client).unwrap();
        let turns: Vec<_> = outcomes[0]
            .rounds
            .iter()
            .map(|round| (round.median_ns, round.p99_ns))
            .collect();
        assert_eq!(turns, [(2, 5), (3, 5), (4, 5)]);
    }

    #[test]
    fn a_client_that_fails_is_an_error() {
        let nonsense = measure_client("read run; echo nonsense");
        assert!(matches!(nonsense, Err(BenchError::Answer { .. })));
        let ended = measure_client("read run; exit 1");
        assert!(matches!(ended, Err(BenchError::Ended { .. })));
    }
}
