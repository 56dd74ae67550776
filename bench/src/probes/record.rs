//! Results for machines.

use serde::Serialize;

use super::figures::{Figures, Step};
use crate::case::Transport;
use crate::goals::Kind;
use crate::placement::Mode;
use crate::record::Head;
use crate::step::{Side, Whose};
use crate::system::System;

/// The time of a step of a kind of call.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    #[serde(flatten)]
    head: Head,
    rounds: usize,
    /// Of a round.
    calls: u32,
    #[serde(flatten)]
    step: Step,
    /// The time of a probe itself, which is part of the step's times.
    probe_ns: f64,
    /// With the call as a whole: what of it is the ORB's on both sides, without the
    /// probes, and its share of the call without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    orb_ns: Option<f64>,
    /// The same with the probes.
    #[serde(skip_serializing_if = "Option::is_none")]
    orb_most_ns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orb_share: Option<f64>,
}

/// A record for each step.
pub(super) fn list(
    kind: Kind,
    transport: Transport,
    (rounds, calls): (usize, u32),
    figures: &Figures,
) -> Vec<Record> {
    let record = |step: &Step| {
        let is_call = (step.side, step.whose) == (Side::Client, Whose::Whole);
        Record {
            head: Head {
                bench: "probes",
                case: kind.case(),
                mode: Mode::Same,
                system: System::Taut,
                transport,
                bytes: kind.bytes(),
            },
            rounds,
            calls,
            step: step.clone(),
            probe_ns: figures.probe_ns,
            orb_ns: is_call.then_some(figures.orb_ns),
            orb_most_ns: is_call.then_some(figures.orb_most_ns),
            orb_share: is_call.then(|| figures.orb_share()),
        }
    };
    figures.steps.iter().map(record).collect()
}
