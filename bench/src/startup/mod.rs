//! `taut-bench startup`: how soon a server is there, what it takes to activate objects, and
//! the memory of an object, a connection and a thread.
//!
//! [`programs`] run in processes of their own; [`report`] shows what they told.

mod programs;
mod report;

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, value_parser};

pub(crate) use self::programs::Program;
use self::programs::Way;
pub(crate) use self::report::{ACTIVATION, MEMORY, START};
use crate::case::Transport;
use crate::error::BenchError;
use crate::footprint::Footprint;
use crate::many::Streams;
use crate::options::{Output, Rounds, TimeOut};
use crate::peer::Peer;
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::record::Row;
use crate::statistics::Spread;
use crate::system::{self, System};

/// The arguments of `taut-bench startup`.
#[derive(Debug, Args)]
#[command(mut_arg("rounds", |rounds| rounds.default_value("7")))]
pub(crate) struct Arguments {
    /// How many objects are activated
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1, 10, 100, 1_000, 10_000, 100_000], value_parser = value_parser!(u32).range(1..=1_000_000))]
    objects: Vec<u32>,
    /// How many connections are opened, each with a thread and without
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(1..=60))]
    connections: u32,
    #[command(flatten)]
    rounds: Rounds,
    #[command(flatten)]
    time_out: TimeOut,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    sizes: MessageSizes,
}

/// Measures, shows three tables, and writes the records. All runs on one CPU.
///
/// # Errors
///
/// Those of [`Peer`], [`Streams`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let cpu = Placement::here(Mode::Same)?.server_cpu;
    let mut rows = starts(arguments, cpu)?;
    rows.extend(activations(arguments, cpu)?);
    rows.extend(memory(arguments, cpu)?);
    print!("{}", report::render(&rows));
    arguments.output.write("startup", rows)
}

/// Nanoseconds, as a figure.
fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// How long each system, and a program that prints a line, takes until its first reference and its
/// first reply.
fn starts(arguments: &Arguments, cpu: usize) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for system in [None, Some(System::Taut), Some(System::Omniorb)] {
        let mut times: [Vec<f64>; 2] = Default::default();
        // The first brings what the disk has, and is not counted.
        for round in 0..=arguments.rounds.count {
            let server = match system {
                None => Some(system::own_program("startup-nothing")?),
                Some(system) => system
                    .void_programs(arguments.sizes, Transport::Tcp)?
                    .map(|programs| programs.server),
            };
            let Some(server) = server else { break };
            let begun = Instant::now();
            let mut server = Peer::start(server, cpu, arguments.time_out.duration())?;
            let line = server.read_line()?;
            let referred = begun.elapsed();
            let open = |_| Streams::open(arguments.sizes, 1, &line);
            let streams = system.map(open).transpose()?;
            streams.as_ref().map_or(Ok(()), call_each)?;
            let replied = begun.elapsed();
            if round > 0 {
                times[0].push(nanoseconds(referred));
                times[1].extend(system.map(|_| nanoseconds(replied)));
            }
        }
        if !times[0].is_empty() {
            let [references, replies] = times.map(Spread::of);
            let name = system.map_or("nothing".to_owned(), |system| system.to_string());
            let row = Row::new().with("case", "start").with("system", name);
            let row = row.with("rounds", arguments.rounds.count);
            let row = row.spread("first_reference_ns", references);
            rows.push(row.spread("first_reply_ns", replies));
        }
    }
    Ok(rows)
}

/// Rows on the activation of so many objects, each number in processes of its own.
fn activations(arguments: &Arguments, cpu: usize) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for &objects in &arguments.objects {
        for &way in Way::value_variants() {
            let mut times = Vec::new();
            let mut octets = 0.0;
            for _ in 0..arguments.rounds.count {
                let mut program = system::own_program("startup-activation")?;
                program.arg(format!("--objects={objects}"));
                program.arg(format!("--way={way}"));
                let mut program = Peer::start(program, cpu, arguments.time_out.duration())?;
                let (time, live) = program.expect(programs::parse_activation)?;
                times.push(nanoseconds(time) / f64::from(objects));
                octets = live / f64::from(objects);
            }
            let row = Row::new().with("case", "activation").with("way", way);
            let row = row.with("objects", objects);
            let row = row.with("rounds", arguments.rounds.count);
            let row = row.spread("object_ns", Spread::of(times));
            rows.push(row.with("object_octets", octets));
        }
    }
    Ok(rows)
}

/// The memory of connections that are called over once, with a thread of its own each and with
/// a reactor's for all; the rest is a thread.
fn memory(arguments: &Arguments, cpu: usize) -> Result<Vec<Row>, BenchError> {
    let count = arguments.connections as usize;
    let mut figures = Vec::new();
    for reactor in [None, Some("--reactor-threads=2")] {
        let mut server = system::own_program("soak-server")?;
        server.args(reactor);
        let mut server = Peer::start(server, cpu, arguments.time_out.duration())?;
        let reference = server.read_line()?;
        let look = |server: &mut Peer| {
            let heap = server.ask("memory")?.parse::<f64>().unwrap_or(0.0);
            let resident = Footprint::of(server.id())?.resident_kib as f64 * 1024.0;
            Ok::<_, BenchError>([heap, resident])
        };
        let first = Streams::open(arguments.sizes, 1, &reference)?;
        call_each(&first)?;
        let before = look(&mut server)?;
        let streams = Streams::open(arguments.sizes, count, &reference)?;
        call_each(&streams)?;
        let after = look(&mut server)?;
        let of_one = |place: usize| (after[place] - before[place]) / count as f64;
        figures.push([of_one(0), of_one(1)]);
    }
    let [with_thread, shared] = figures[..] else {
        return Ok(Vec::new());
    };
    let thread = [with_thread[0] - shared[0], with_thread[1] - shared[1]];
    let row = |what: &str, [heap, resident]: [f64; 2]| {
        let row = Row::new().with("case", "memory").with("what", what);
        let row = row.with("connections", count).with("heap_octets", heap);
        row.with("resident_octets", resident)
    };
    Ok(vec![
        row("connection with a thread of its own", with_thread),
        row("connection of the reactor", shared),
        row("thread of a connection", thread),
    ])
}

fn call_each(streams: &Streams) -> Result<(), BenchError> {
    let mut callers = streams.callers();
    callers
        .iter_mut()
        .try_for_each(|caller| streams.call(caller))
}
