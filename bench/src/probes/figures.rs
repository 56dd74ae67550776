//! The times that the two sides report, and few numbers for the rounds.

use serde::{Deserialize, Serialize};

use crate::statistics::Spread;
use crate::step::{Side, Whose};

/// The time of a step, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) side: Side,
    pub(super) step: String,
    pub(super) whose: Whose,
    /// The stage of a request's latency that it is a part of, if it is.
    pub(super) stage: Option<String>,
    /// How often it was taken.
    pub(super) count: u64,
    pub(super) median_ns: f64,
    pub(super) mean_ns: f64,
    pub(super) min_ns: f64,
    pub(super) p99_ns: f64,
}

/// The answer of a program: the steps of its side that were taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) steps: Vec<Step>,
    /// The time of a probe itself.
    pub(super) probe_ns: f64,
}

/// The times that both sides report of a round.
#[derive(Debug, Clone)]
pub(super) struct Sides {
    pub(super) client: Told,
    pub(super) server: Told,
}

/// The figures of all rounds.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    /// The client's steps and then the server's. Of the times the medians over the
    /// rounds, of the least the least.
    pub(super) steps: Vec<Step>,
    /// The median over rounds and sides.
    pub(super) probe_ns: f64,
    /// The time that the ORB takes of a call, on both sides, without the probes: of means,
    /// for steps may be as short as a tick of the counter.
    pub(super) orb_ns: f64,
    /// The same with the probes: the ORB takes no more than that.
    pub(super) orb_most_ns: f64,
    /// A call, without the probes.
    pub(super) call_ns: f64,
}

impl Figures {
    /// None without a round, or when nothing was noted.
    pub(super) fn of(rounds: &[Sides]) -> Option<Self> {
        let all: Vec<Vec<&Step>> = (rounds.iter())
            .map(|it| it.client.steps.iter().chain(&it.server.steps).collect())
            .collect();
        let mut steps = Vec::new();
        for &first in all.first()? {
            let same = |step: &&&Step| (step.side, &step.step) == (first.side, &first.step);
            let of_rounds = || all.iter().filter_map(|round| round.iter().find(same));
            let spread = |time: fn(&Step) -> f64| Spread::of(of_rounds().map(|it| time(it)));
            steps.push(Step {
                count: of_rounds().map(|it| it.count).sum(),
                median_ns: spread(|it| it.median_ns)?.median,
                mean_ns: spread(|it| it.mean_ns)?.median,
                min_ns: spread(|it| it.min_ns)?.min,
                p99_ns: spread(|it| it.p99_ns)?.median,
                ..first.clone()
            });
        }
        let probes = rounds
            .iter()
            .flat_map(|it| [it.client.probe_ns, it.server.probe_ns]);
        let probe_ns = Spread::of(probes)?.median;
        let call = steps
            .iter()
            .find(|it| (it.side, it.whose) == (Side::Client, Whose::Whole))?;
        // The server's steps are part of the client's wait.
        let probed = steps.iter().filter(|it| it.whose != Whose::Whole).count();
        #[expect(clippy::cast_precision_loss, reason = "a few")]
        let call_ns = call.median_ns - probed as f64 * probe_ns;
        let of_orb = steps.iter().filter(|it| it.whose == Whose::Orb);
        let orb_most_ns = of_orb.map(|it| it.mean_ns).sum();
        let figures = Self {
            steps,
            probe_ns,
            orb_ns: 0.0,
            orb_most_ns,
            call_ns,
        };
        Some(Self {
            orb_ns: figures.orb_of(Side::Client) + figures.orb_of(Side::Server),
            ..figures
        })
    }

    /// The ORB's time in a call on one side, without the probes.
    pub(super) fn orb_of(&self, side: Side) -> f64 {
        let steps = self.steps.iter();
        let of_orb = steps.filter(|it| (it.side, it.whose) == (side, Whose::Orb));
        of_orb.map(|it| (it.mean_ns - self.probe_ns).max(0.0)).sum()
    }

    /// How much of a call is the ORB's.
    pub(super) fn orb_share(&self) -> f64 {
        self.orb_ns / self.call_ns
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A round in which the client took `write` to write and `call` in all, and the
    /// server 100 to read.
    pub(in crate::probes) fn round(write: f64, call: f64) -> Sides {
        let step = |side, step: &str, whose, median_ns| Step {
            side,
            step: step.to_owned(),
            whose,
            stage: (whose == Whose::Orb).then(|| format!("a stage of the {side:?}")),
            count: 10,
            median_ns,
            mean_ns: median_ns + 1.0,
            min_ns: median_ns - 1.0,
            p99_ns: 2.0 * median_ns,
        };
        let told = |steps| Told {
            steps,
            probe_ns: 10.0,
        };
        Sides {
            client: told(vec![
                step(Side::Client, "request written", Whose::Orb, write),
                step(Side::Client, "reply received", Whose::System, call - write),
                step(Side::Client, "the call", Whose::Whole, call),
            ]),
            server: told(vec![step(
                Side::Server,
                "request framed",
                Whose::Orb,
                100.0,
            )]),
        }
    }

    #[test]
    fn the_share_of_the_orb_is_that_without_the_probes() {
        let rounds = [
            round(60.0, 1_030.0),
            round(50.0, 990.0),
            round(70.0, 1_100.0),
        ];
        let figures = Figures::of(&rounds).unwrap();
        assert_eq!(figures.steps.len(), 4);
        let written = &figures.steps[0];
        assert_eq!(
            (written.count, written.median_ns, written.min_ns),
            (30, 60.0, 49.0)
        );
        assert_eq!((figures.orb_ns, figures.call_ns), (51.0 + 91.0, 1_000.0));
        assert!((figures.orb_most_ns - 162.0).abs() < 1e-9);
        assert!((figures.orb_share() - 0.142).abs() < 1e-9);
        assert!(Figures::of(&[]).is_none());
    }

    #[test]
    fn answers_are_read_as_they_are_written() {
        let told = round(60.0, 1_030.0).client;
        let line = serde_json::to_string(&told).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Told>(&line).unwrap(), told);
    }
}
