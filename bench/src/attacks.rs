//! `taut-bench attacks`: how much of its throughput a well-behaved client keeps
//! while others attack the server.

use clap::{Args, ValueEnum};
use serde::Serialize;
use taut_sys::cpu;

use crate::attacker::Attack;
use crate::driver::Plan;
use crate::error::BenchError;
use crate::options::{Output, Turns};
use crate::peer::Peer;
use crate::protocol::{Request, Summary};
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

/// The effect of one attack on the client.
#[derive(Debug, Clone, Serialize)]
struct Record {
    bench: &'static str,
    case: Attack,
    threads: Threads,
    system: &'static str,
    transport: &'static str,
    rounds: usize,
    /// Connections that the attackers made in all rounds.
    attackers: u64,
    /// The mean time of a call, without attack and with.
    quiet_ns: u64,
    attacked_ns: u64,
    /// Throughput under attack, divided by that without in the same round.
    share: f64,
    share_min: f64,
    share_max: f64,
}

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
        println!(
            "threads {threads}: {} rounds of {} calls\n  {:18}  quiet µs  attacked µs  {:9}  share (least-most)",
            plan.rounds, plan.calls, "attack", "attackers"
        );
        for &attack in attacks {
            let record = measure(plan, attack, threads)?;
            println!("  {}", line(&record));
            records.push(record);
        }
    }
    arguments.output.write(&records)?;
    let least = f64::from(arguments.least_share) / 100.0;
    match records.iter().find(|record| record.share < least) {
        Some(record) => Err(BenchError::Share {
            attack: record.case.to_string(),
            share: record.share,
            least,
        }),
        None => Ok(()),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nanoseconds of a call are far below 2^53"
)]
fn line(record: &Record) -> String {
    let microseconds = |ns: u64| ns as f64 / 1e3;
    format!(
        "{:18}  {:8.2}  {:11.2}  {:9}  {:.3} ({:.3}-{:.3})",
        record.case.to_string(),
        microseconds(record.quiet_ns),
        microseconds(record.attacked_ns),
        record.attackers,
        record.share,
        record.share_min,
        record.share_max
    )
}

/// Lets a client call with and without attack in turn. Server and client share
/// a CPU, so that what the attack costs the server is missing at the client; the
/// attackers have another, if there is one.
fn measure(plan: Plan, attack: Attack, threads: Threads) -> Result<Record, BenchError> {
    let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
    let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
        return Err(BenchError::Nothing);
    };
    let mut programs = system::own_programs("taut-server", "taut-client")?;
    if threads == Threads::Reactor {
        programs.server.arg("--reactor-threads=2");
    }
    let mut attackers = system::own_programs("taut-server", "attacker")?.client;
    let server = Peer::start(programs.server, last, plan.time_out)?;
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
        expect(&attackers, |line| (line == "started").then_some(()))?;
        let attacked = turn(&mut client, plan.calls)?;
        attackers.write_line("stop")?;
        connections += expect(&attackers, |line| line.parse::<u64>().ok())?;
        rounds.push((quiet, attacked));
    }
    // Twice the time is half the throughput.
    let means = |of: fn(&(Summary, Summary)) -> u64| rounds.iter().map(of);
    let share = Spread::of_ratios(
        means(|(quiet, _)| quiet.mean_ns),
        means(|(_, attacked)| attacked.mean_ns),
    );
    let share = share.ok_or(BenchError::Nothing)?;
    let median = |of: fn(&(Summary, Summary)) -> u64| statistics::median(rounds.iter().map(of));
    Ok(Record {
        bench: "attacks",
        case: attack,
        threads,
        system: "taut",
        transport: "tcp",
        rounds: rounds.len(),
        attackers: connections,
        quiet_ns: median(|(quiet, _)| quiet.mean_ns).ok_or(BenchError::Nothing)?,
        attacked_ns: median(|(_, attacked)| attacked.mean_ns).ok_or(BenchError::Nothing)?,
        share: share.median,
        share_min: share.min,
        share_max: share.max,
    })
}

/// One turn of the client.
fn turn(client: &mut Peer, calls: u32) -> Result<Summary, BenchError> {
    client.write_line(&Request::Run(calls).to_string())?;
    expect(client, Summary::parse)
}

/// The program's next line, as `read` understands it.
fn expect<T>(peer: &Peer, read: impl FnOnce(&str) -> Option<T>) -> Result<T, BenchError> {
    let line = peer.read_line()?;
    read(&line).ok_or_else(|| BenchError::Answer {
        program: peer.program().to_owned(),
        line,
    })
}
