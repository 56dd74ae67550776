//! Results for machines.

use serde::Serialize;

use super::figures::Figures;
use crate::case::{Case, Transport};
use crate::histogram::Step;
use crate::placement::Mode;
use crate::record::{Head, ratios_to_raw};
use crate::statistics::Spread;
use crate::system::System;

/// The results of a system's calls.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    #[serde(flatten)]
    head: Head,
    rounds: usize,
    calls: u64,
    median_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    p999_ns: u64,
    p9999_ns: u64,
    max_ns: u64,
    #[serde(flatten, serialize_with = "ratios_to_raw")]
    ratio_raw: Option<Spread>,
    /// Of client and server, in all rounds.
    minor_faults: u64,
    major_faults: u64,
    voluntary_switches: u64,
    involuntary_switches: u64,
    /// On the client's heap for a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    allocations: Option<f64>,
    /// The share of all samples in steps of time; those without samples are left out.
    histogram: Vec<Step>,
}

/// A record for each system.
pub(super) fn list(mode: Mode, transport: Transport, all: &[Figures]) -> Vec<Record> {
    let raw = all.iter().find(|figures| figures.system == System::Raw);
    let record = |figures: &Figures| {
        let raw = raw.filter(|raw| raw.system != figures.system);
        let [median_ns, p90_ns, p99_ns, p999_ns, p9999_ns, max_ns] = figures.percentiles_ns;
        let steps = figures.histogram.steps().into_iter();
        Record {
            head: Head {
                bench: "jitter",
                case: Case::Void.name(),
                mode,
                system: figures.system,
                transport,
                bytes: Case::Void.bytes(),
            },
            rounds: figures.rounds,
            calls: figures.calls,
            median_ns,
            p90_ns,
            p99_ns,
            p999_ns,
            p9999_ns,
            max_ns,
            ratio_raw: raw.and_then(|raw| {
                let medians = figures.medians_ns.iter().copied();
                Spread::of_ratios(medians, raw.medians_ns.iter().copied())
            }),
            minor_faults: figures.usage.minor_faults,
            major_faults: figures.usage.major_faults,
            voluntary_switches: figures.usage.voluntary_switches,
            involuntary_switches: figures.usage.involuntary_switches,
            allocations: figures.allocations,
            histogram: steps.filter(|step| step.share > 0.0).collect(),
        }
    };
    all.iter().map(record).collect()
}
