//! `taut-bench attacks`: how much of its throughput a well-behaved client keeps
//! while others attack the server.

use clap::{Args, ValueEnum};
use taut_sys::cpu;

use crate::attacker::Attack;
use crate::driver::Plan;
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::peer::Peer;
use crate::protocol::{Request, Summary};
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::soak::Threads;
use crate::statistics::{self, Spread};
use crate::system;

/// The arguments of `taut-bench attacks`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("30000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// The attacks to make; without, all of them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attacks: Vec<Attack>,
    /// Whose threads serve the connections
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Threads::Own, Threads::Reactor])]
    threads: Vec<Threads>,
    /// Fail when the client keeps less than this share, in percent, of its
    /// throughput
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    least_share: u32,
}

/// A table for each way of serving connections.
pub(crate) const LAYOUT: Layout = Layout {
    title: "threads {threads}: {rounds} rounds of {calls} calls",
    tables: &["threads"],
    lines: &["case"],
    columns: &[
        Column::with("attack", |row| Some(row.text("case"))).left(),
        Column::micros("quiet µs", "quiet_ns"),
        Column::micros("attacked µs", "attacked_ns"),
        Column::number("attackers", "attackers", 0),
        Column::spread("share (least-most)", "share", 3),
    ],
};

/// Measures each attack, shows a table, and writes the records.
///
/// # Errors
///
/// [`BenchError::Share`] when the client keeps less than it should; those of
/// [`Peer`] and [`Output::write`].
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let attacks = match arguments.attacks.as_slice() {
        [] => Attack::value_variants(),
        some => some,
    };
    let plan = arguments.turns.plan();
    let mut records = Vec::new();
    for &threads in &arguments.threads {
        let mut rows = Vec::new();
        for &attack in attacks {
            let row = measure(plan, attack, threads)?;
            rows.push(row.with("calls", plan.calls));
        }
        print!("{}", LAYOUT.text(&rows));
        records.extend(rows);
    }
    let least = f64::from(arguments.least_share) / 100.0;
    let share = |row: &Row| Some((row.text("case"), row.number("share")?));
    let mut shares = records.iter().filter_map(share);
    let too_small = shares.find(|(_, share)| *share < least);
    arguments.output.write("attacks", records)?;
    match too_small {
        Some((attack, share)) => Err(BenchError::Share {
            attack,
            share,
            least,
        }),
        None => Ok(()),
    }
}

/// Lets a client call with and without attack in turn. Server and client share
/// a CPU, so that what the attack costs the server is missing at the client; the
/// attackers have another, if there is one.
fn measure(plan: Plan, attack: Attack, threads: Threads) -> Result<Row, BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
        return Err(BenchError::Nothing);
    };
    let mut programs = system::own_programs("taut-server", "taut-client")?;
    if threads == Threads::Reactor {
        programs.server.arg("--reactor-threads=2");
    }
    let mut attackers = system::own_programs("taut-server", "attacker")?.client;
    let mut server = Peer::start(programs.server, last, plan.time_out)?;
    let reference = server.read_line()?;
    programs.client.arg(&reference);
    let mut client = Peer::start(programs.client, last, plan.time_out)?;
    attackers.args([&format!("--attack={attack}"), &reference]);
    let mut attackers = Peer::start(attackers, first, plan.time_out)?;

    turn(&mut client, plan.calls)?;
    let mut rounds = Vec::new();
    let mut connections = 0;
    for _ in 0..plan.rounds {
        let quiet = turn(&mut client, plan.calls)?;
        attackers.write_line("start")?;
        attackers.expect(|line| (line == "started").then_some(()))?;
        let attacked = turn(&mut client, plan.calls)?;
        attackers.write_line("stop")?;
        connections += attackers.expect(|line| line.parse::<u64>().ok())?;
        rounds.push((quiet, attacked));
    }
    // Twice the time is half the throughput.
    let means = |of: fn(&(Summary, Summary)) -> u64| rounds.iter().map(of);
    let share = Spread::of_ratios(
        means(|(quiet, _)| quiet.mean_ns),
        means(|(_, attacked)| attacked.mean_ns),
    );
    let median = |of: fn(&(Summary, Summary)) -> u64| statistics::median(rounds.iter().map(of));
    let row = Row::new()
        .with("case", attack)
        .with("threads", threads)
        .with("system", "taut")
        .with("transport", "tcp")
        .with("rounds", rounds.len())
        .with("attackers", connections)
        // Of a call, on the average.
        .with("quiet_ns", median(|(quiet, _)| quiet.mean_ns))
        .with("attacked_ns", median(|(_, attacked)| attacked.mean_ns));
    Ok(row.spread("share", Some(share.ok_or(BenchError::Nothing)?)))
}

/// One turn of the client.
fn turn(client: &mut Peer, calls: u32) -> Result<Summary, BenchError> {
    client.write_line(&Request::Run(calls).to_string())?;
    client.expect(Summary::parse)
}
