//! `taut-bench naming`: how many names a second naming services find and bind, beside how many
//! others, and how soon they are there with them.
//!
//! - [`services`] starts the services, with their names in files of their own;
//! - [`tree`] says which names there are;
//! - [`programs`] run in processes of their own: Taut's service, and the [`load`], which is the
//!   same for all services;
//! - [`report`] makes rows and tables of the outcomes.

mod load;
mod programs;
mod report;
mod services;
mod tree;

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, value_parser};
use serde::Serialize;

pub(crate) use self::programs::Program;
pub(crate) use self::report::{CALLS, START};
use self::services::{Service, Started};
use self::tree::Shape;
use crate::error::BenchError;
use crate::options::{Output, Rounds, TimeOut};
use crate::peer::Peer;
use crate::placement::{Mode, Placement};
use crate::system;

/// The arguments of `taut-bench naming`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("7")))]
#[command(mut_arg("time_out_s", |seconds| seconds.default_value("900")))]
pub(crate) struct Arguments {
    /// How many names are bound; a power of ten
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [100, 10_000, 1_000_000], value_parser = value_parser!(u32).range(1..=10_000_000))]
    bindings: Vec<u32>,
    /// Whether they are in one context or in a tree
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Shape::Flat, Shape::Tree])]
    shapes: Vec<Shape>,
    /// How many clients call at once, each over a connection of its own
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 16], value_parser = value_parser!(u32).range(1..=1000))]
    clients: Vec<u32>,
    /// The services
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Service::ALL)]
    services: Vec<Service>,
    /// Milliseconds that a turn lasts
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = value_parser!(u64).range(1..))]
    turn_ms: u64,
    /// Leave a service out that does not have all names in so many seconds
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = value_parser!(u64).range(1..))]
    fill_s: u64,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
}

/// The operation that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Operation {
    /// Any of the names is looked for.
    Resolve,
    /// A new name is bound beside them.
    Bind,
}

crate::options::display_as_option!(Operation);

/// The turns of a service with an operation and so many clients.
#[derive(Debug)]
struct Outcome {
    operation: Operation,
    service: Service,
    clients: u32,
    calls: u64,
    calls_per_s: Vec<f64>,
}

/// A service with its names, and the program that calls it.
struct Contestant {
    started: Started,
    load: Peer,
}

/// Measures, shows two tables, and writes the records. Service and clients have a CPU each.
///
/// # Errors
///
/// Those of [`Peer`] and [`Output::write`]; [`BenchError::Nothing`] when no service can be measured.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let placement = Placement::here(Mode::Split).or_else(|_| Placement::here(Mode::Same))?;
    let mut rows = Vec::new();
    for &shape in &arguments.shapes {
        for &bindings in &arguments.bindings {
            let names = tree::Names::new(shape, bindings);
            let mut contestants = Vec::new();
            for &service in &arguments.services {
                contestants.extend(prepare(arguments, placement, service, names)?);
            }
            let outcomes = measure(arguments, &mut contestants)?;
            rows.extend(report::rows(names, &outcomes));
            for contestant in contestants {
                rows.extend(beginnings(arguments, placement, contestant.started, names)?);
            }
        }
    }
    if rows.is_empty() {
        return Err(BenchError::Nothing);
    }
    print!("{}", report::render(&rows));
    arguments.output.write("naming", rows)
}

/// A service with all names. None, with a line on standard error, where it is not there, or takes
/// too long to get them.
fn prepare(
    arguments: &Arguments,
    placement: Placement,
    service: Service,
    names: tree::Names,
) -> Result<Option<Contestant>, BenchError> {
    let time_out = arguments.time_out.duration();
    let Some(started) = service.start(placement.server_cpu, time_out, names)? else {
        return Ok(None);
    };
    let mut load = system::own_program("naming-load")?;
    load.args([
        &started.url,
        &names.shape.to_string(),
        &names.bindings.to_string(),
    ]);
    let mut load = Peer::start(load, placement.client_cpu, time_out)?;
    if !started.has_names {
        let seconds = arguments.fill_s;
        load.write_line(&format!("fill {seconds}"))?;
        if !load.expect(|line| line.parse().ok())? {
            eprintln!("LEFT OUT: {service} with {names}, which it does not have in {seconds} s");
            return Ok(None);
        }
    }
    Ok(Some(Contestant { started, load }))
}

/// Lets all take turns, with each operation and number of clients.
fn measure(
    arguments: &Arguments,
    contestants: &mut [Contestant],
) -> Result<Vec<Outcome>, BenchError> {
    let mut outcomes = Vec::new();
    for &operation in Operation::value_variants() {
        for &clients in &arguments.clients {
            let of = |contestant: &Contestant| Outcome {
                operation,
                service: contestant.started.service,
                clients,
                calls: 0,
                calls_per_s: Vec::new(),
            };
            let mut of_all: Vec<_> = contestants.iter().map(of).collect();
            // The first round is not counted: connections are opened, and code is warmed up.
            for round in 0..=arguments.rounds.count {
                for (contestant, outcome) in contestants.iter_mut().zip(&mut of_all) {
                    let turn = format!("{operation} {clients} {}", arguments.turn_ms);
                    contestant.load.write_line(&turn)?;
                    let (calls, time) = contestant.load.expect(load::parse_turn)?;
                    if round > 0 {
                        outcome.calls += calls;
                        outcome.calls_per_s.push(calls as f64 / time.as_secs_f64());
                    }
                }
            }
            outcomes.append(&mut of_all);
        }
    }
    Ok(outcomes)
}

/// Rows on how soon the service is there again, after an end in order and after being killed, and
/// what it has then.
fn beginnings(
    arguments: &Arguments,
    placement: Placement,
    mut started: Started,
    names: tree::Names,
) -> Result<Vec<crate::record::Row>, BenchError> {
    let time_out = arguments.time_out.duration();
    let mut rows = Vec::new();
    if !started.service.keeps_names() {
        return Ok(rows);
    }
    for ended in services::Ended::value_variants() {
        started.end(*ended, time_out)?;
        let begun = Instant::now();
        started.begin_again(placement.server_cpu, time_out)?;
        load::resolve_one(&started.url, names)?;
        let took: Duration = begun.elapsed();
        rows.push(report::beginning(names, &started, *ended, took)?);
    }
    Ok(rows)
}
