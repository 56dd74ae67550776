//! `taut-bench collocation`: what the smallest call of an object in the caller's
//! own process costs, beside a call through a trait object and one by message.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ::taut::{CollocationStrategy, Reference};
use clap::Args;
use serde::Serialize;

use crate::error::BenchError;
use crate::record;
use crate::statistics::Spread;
use crate::taut::idl::bench::Pinger;
use crate::taut::{self, Servant};

/// What is measured, and where the results go.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// How often each way of calling has a turn; the first comes on top.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// How many calls a turn has; by message, a hundredth of them.
    #[arg(long, default_value_t = 2_000_000)]
    calls: u32,
    /// Writes the results to this file, too.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A way of calling.
struct Way {
    name: &'static str,
    pinger: Arc<dyn Pinger>,
    calls: u32,
    /// Nanoseconds of a call, for each turn.
    turns: Vec<f64>,
}

/// What came out for one way of calling.
#[derive(Debug, Serialize)]
struct Record {
    bench: &'static str,
    case: &'static str,
    mode: &'static str,
    system: &'static str,
    transport: &'static str,
    way: &'static str,
    rounds: usize,
    /// The mean of a turn's calls: the median over the turns, the least and the
    /// greatest.
    median_ns: f64,
    min_ns: f64,
    max_ns: f64,
}

/// Measures, and shows what came out.
///
/// # Errors
///
/// [`BenchError`], when the object cannot be set up or a call fails.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let (orb, reference) = taut::activate(None)?;
    let through = |strategy| Arc::new(reference.with_collocation(strategy)) as Arc<dyn Pinger>;
    let way = |name, pinger, calls| Way {
        name,
        pinger,
        calls,
        turns: Vec::new(),
    };
    let calls = arguments.calls;
    let mut ways = [
        way("trait object", Arc::new(Servant) as Arc<dyn Pinger>, calls),
        way("direct", through(CollocationStrategy::Direct), calls),
        way(
            "through-poa",
            through(CollocationStrategy::ThroughPoa),
            calls,
        ),
        way(
            "off",
            through(CollocationStrategy::Off),
            calls.div_ceil(100),
        ),
    ];
    for round in 0..=arguments.rounds {
        for way in &mut ways {
            let ns = way.turn()?;
            // The first warms up.
            if round > 0 {
                way.turns.push(ns);
            }
        }
    }
    let records: Vec<Record> = ways.iter().filter_map(Way::record).collect();
    println!("collocation: {} rounds of {calls} calls", arguments.rounds);
    println!(
        "  {:<14} {:>10} {:>10} {:>10}",
        "way", "median ns", "least", "most"
    );
    for record in &records {
        println!(
            "  {:<14} {:>10.1} {:>10.1} {:>10.1}",
            record.way, record.median_ns, record.min_ns, record.max_ns
        );
    }
    if let Some(file) = &arguments.json {
        record::write(&records, file)?;
    }
    orb.shutdown(true).map_err(BenchError::orb)
}

impl Way {
    /// Calls, and tells how many nanoseconds each call took.
    fn turn(&self) -> Result<f64, BenchError> {
        let begin = Instant::now();
        for _ in 0..self.calls {
            black_box(&self.pinger).ping().map_err(BenchError::call)?;
        }
        Ok(begin.elapsed().as_secs_f64() * 1e9 / f64::from(self.calls))
    }

    fn record(&self) -> Option<Record> {
        let spread = Spread::of(self.turns.iter().copied())?;
        Some(Record {
            bench: "collocation",
            case: "void",
            mode: "same",
            system: "taut",
            transport: if self.name == "off" { "tcp" } else { "local" },
            way: self.name,
            rounds: self.turns.len(),
            median_ns: spread.median,
            min_ns: spread.min,
            max_ns: spread.max,
        })
    }
}
