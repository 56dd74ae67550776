//! Letting systems take turns.

use std::time::Duration;

use crate::client::Client;
use crate::error::BenchError;
use crate::placement::Placement;
use crate::protocol::Summary;
use crate::record::Row;
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

/// The outcome of a system: the summary of each of its turns, in order.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) system: System,
    pub(crate) rounds: Vec<Summary>,
}

impl Outcome {
    /// A row for each system that has a round, with the fields of `subject`, which all of
    /// them have in common, and beside raw sockets where those were measured.
    pub(crate) fn rows(outcomes: &[Self], subject: &Row) -> Vec<Row> {
        let raw = outcomes.iter().find(|it| it.system == System::Raw);
        let rows = outcomes.iter().map(|it| it.row(subject, raw));
        rows.flatten().collect()
    }

    /// The same for one system. None without a round.
    pub(crate) fn row(&self, subject: &Row, raw: Option<&Self>) -> Option<Row> {
        let raw = raw.filter(|raw| raw.system != self.system);
        let row = Row::of_rounds(&self.rounds)?.with_all(subject);
        let row = row.with("system", self.system);
        Some(row.ratio("ratio_raw", &self.rounds, raw.map(|raw| &*raw.rounds)))
    }
}

/// A turn of each round.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Whose turn it is, by the client's place.
    pub(crate) client: usize,
    /// The kind of calls, for a client that has several.
    pub(crate) kind: Option<String>,
}

impl Turn {
    /// A turn of each of so many clients, all with calls of this kind.
    pub(crate) fn of_each(clients: usize, kind: Option<String>) -> Vec<Self> {
        let turn = |client| Self {
            client,
            kind: kind.clone(),
        };
        (0..clients).map(turn).collect()
    }
}

/// Measures systems in one placement.
///
/// All servers and clients are started first and sleep while it is not their
/// turn.
///
/// # Errors
///
/// Those of [`Client`].
pub(crate) fn measure(
    plan: Plan,
    placement: Placement,
    systems: impl IntoIterator<Item = (System, Programs)>,
) -> Result<Vec<Outcome>, BenchError> {
    let mut clients = Vec::new();
    let mut measured = Vec::new();
    for (system, programs) in systems {
        clients.push(Client::start(programs, placement, plan.time_out)?);
        measured.push(system);
    }
    let turns = Turn::of_each(clients.len(), None);
    let rounds = take_turns(plan, &mut clients, &turns)?;
    let outcome = |(system, rounds)| Outcome { system, rounds };
    Ok(measured.into_iter().zip(rounds).map(outcome).collect())
}

/// Lets clients take their turns: for each turn the summaries of all rounds.
///
/// # Errors
///
/// Those of [`Client`].
pub(crate) fn take_turns(
    plan: Plan,
    clients: &mut [Client],
    turns: &[Turn],
) -> Result<Vec<Vec<Summary>>, BenchError> {
    interleave(plan.rounds, turns.len(), |turn| {
        let Turn { client, kind } = &turns[turn];
        let client = &mut clients[*client];
        if let Some(kind) = kind {
            client.select(kind)?;
        }
        client.run(plan.calls)
    })
}

/// Lets `turns` take turns: for each of them what came of it in all rounds.
///
/// Everyone gets one turn to warm up, which is not counted. From round to round
/// the order rotates, so that no turn always follows the same other.
///
/// # Errors
///
/// Those of `take`, which is given the turn's place.
pub(crate) fn interleave<T>(
    rounds: u32,
    turns: usize,
    mut take: impl FnMut(usize) -> Result<T, BenchError>,
) -> Result<Vec<Vec<T>>, BenchError> {
    for turn in 0..turns {
        take(turn)?;
    }
    let mut taken: Vec<_> = (0..turns).map(|_| Vec::new()).collect();
    for turn in places(rounds, turns) {
        taken[turn].push(take(turn)?);
    }
    Ok(taken)
}

/// Which turn it is, round after round.
fn places(rounds: u32, turns: usize) -> impl Iterator<Item = usize> {
    let firsts = (0..turns).cycle();
    (0..rounds)
        .zip(firsts)
        .flat_map(move |(_, first)| (0..turns).map(move |place| (first + place) % turns))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use test_tools::ProcessError;

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

    fn placement() -> Placement {
        let cpu = taut_sys::cpu::allowed().unwrap()[0];
        Placement {
            server_cpu: cpu,
            client_cpu: cpu,
        }
    }

    fn measure_client(script: &str) -> Result<Vec<Outcome>, BenchError> {
        let programs = Programs {
            server: shell("echo here; read end"),
            client: shell(script),
        };
        measure(PLAN, placement(), [(System::Raw, programs)])
    }

    #[test]
    fn every_system_but_raw_sockets_is_compared_with_them() {
        let outcome = |system, medians_ns: &[u64]| Outcome {
            system,
            rounds: crate::record::tests::rounds(medians_ns),
        };
        let subject = Row::new().with("case", "void");
        let outcomes = [
            outcome(System::Omniorb, &[20]),
            outcome(System::Raw, &[10]),
            outcome(System::Taut, &[]),
        ];
        let rows = Outcome::rows(&outcomes, &subject);
        let ratios: Vec<_> = rows.iter().map(|row| row.number("ratio_raw")).collect();
        assert_eq!(ratios, [Some(2.0), None]);
        assert!(rows[0].is("case", "void") && rows[0].is("system", "omniorb"));
        let alone = Outcome::rows(&outcomes[..1], &subject);
        assert_eq!(alone[0].number("ratio_raw"), None);
    }

    #[test]
    fn turns_rotate() {
        let order = |rounds, systems| places(rounds, systems).collect::<Vec<_>>();
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
    fn a_client_makes_the_calls_of_each_turn_s_kind() {
        // The median is 1 for calls of kind "a", 2 for those of kind "bb".
        let script = r#"while read word rest; do
            case $word in select) kind=${#rest};; run) echo "$kind 1 1 1 1";; esac; done"#;
        let cpu = placement().client_cpu;
        let mut clients = [Client::alone(shell(script), cpu, PLAN.time_out).unwrap()];
        let turns = ["a", "bb"].map(|kind| Turn {
            client: 0,
            kind: Some(kind.to_owned()),
        });
        let rounds = take_turns(PLAN, &mut clients, &turns).unwrap();
        let medians: Vec<Vec<_>> = rounds
            .iter()
            .map(|round| round.iter().map(|summary| summary.median_ns).collect())
            .collect();
        assert_eq!(medians, [[1; 3], [2; 3]]);
    }

    #[test]
    fn a_client_that_fails_is_an_error() {
        let nonsense = measure_client("read run; echo nonsense");
        assert!(matches!(nonsense, Err(BenchError::Answer { .. })));
        let ended = measure_client("read run; exit 1");
        assert!(matches!(
            ended,
            Err(BenchError::Process(ProcessError::EndOfOutput { .. }))
        ));
    }
}
