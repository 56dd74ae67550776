//! `taut-bench waiting`: the latency of the smallest two-way call by how both sides wait,
//! each way beside blocking.

mod report;
mod scene;
mod strategy;
mod threads;

use clap::{Args, ValueEnum};
use taut_sys::cpu;

use crate::case::Transport;
use crate::client::Client;
use crate::driver::{self, Plan, Turn};
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::raw::MessageSizes;
use crate::record::Row;
pub(crate) use report::LAYOUT;
pub(crate) use scene::be_busy;
use scene::{Crowd, Scene};
use strategy::Strategy;
pub(crate) use threads::call as call_by_threads;

/// The arguments of `taut-bench waiting`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// The CPUs that client and server use, alone or with others
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Scene::value_variants())]
    scenes: Vec<Scene>,
    /// The transports of the messages
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Transport::Tcp, Transport::Unix])]
    transports: Vec<Transport>,
    /// How both sides wait; without `block` there are no ratios
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Strategy::value_variants())]
    strategies: Vec<Strategy>,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Measures, shows a table for each scene and transport, says what is farthest from
/// blocking, and writes the records.
///
/// # Errors
///
/// [`BenchError::Nothing`] when there are too few CPUs for all that was asked for; those
/// of [`driver::take_turns`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let mut records = Vec::new();
    for &scene in &arguments.scenes {
        let placement = match scene.placement(&allowed) {
            Ok(placement) => placement,
            Err(error) => {
                eprintln!("LEFT OUT: scene {scene}, for it {error}");
                continue;
            }
        };
        let transports = arguments.transports.iter();
        for &transport in transports.filter(|&&transport| scene.is_over(transport)) {
            let asked = arguments.turns.plan();
            let plan = Plan {
                calls: (asked.calls / scene.calls_of_sample()).max(1),
                ..asked
            };
            let mut clients = Vec::new();
            let strategies = arguments.strategies.iter().copied();
            let strategies: Vec<_> = strategies.filter(|&one| scene.suits(one)).collect();
            for &strategy in &strategies {
                let programs = scene.programs(strategy, transport, arguments.sizes)?;
                clients.push(Client::start(programs, placement, plan.time_out)?);
            }
            let turns = Turn::of_each(clients.len(), None);
            let crowd = Crowd::around(scene, placement, plan.time_out)?;
            let rounds = driver::take_turns(plan, &mut clients, &turns)?;
            drop(crowd);
            let rows = report::rows(scene, transport, &strategies, &rounds).into_iter();
            let with_counts = |row: Row| {
                row.with("samples", plan.calls)
                    .with("calls", scene.calls_of_sample())
            };
            let measured: Vec<_> = rows.map(with_counts).collect();
            print!("{}", LAYOUT.text(&measured));
            records.extend(measured);
        }
    }
    if records.is_empty() {
        return Err(BenchError::Nothing);
    }
    print!("{}", report::farthest(&records));
    arguments.output.write("waiting", records)
}
