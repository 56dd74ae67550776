//! `taut-bench protocols`: the operations of `IDL_Cubit` over GIOP and over GIOPlite, by TCP
//! and by Unix-domain sockets, beside raw sockets.
//!
//! [`row`] has the calls and the protocols, [`report`] shows the results.

mod report;
mod row;

use clap::{Args, value_parser};

use self::row::Messaging;
use crate::case::Transport;
use crate::client::Client;
use crate::driver;
use crate::error::BenchError;
use crate::goals::{self, Kind};
use crate::options::{Output, Turns};
use crate::placement::{Mode, Placement};
use crate::raw::MessageSizes;
use crate::system::{Programs, own_programs};

/// The options of `taut-bench protocols`.
#[derive(Debug, Args)]
#[command(mut_arg("calls", |calls| calls.default_value("10000")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    turns: Turns,
    #[command(flatten)]
    output: Output,
    /// Transports that carry the messages
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [Transport::Tcp, Transport::Unix])]
    transports: Vec<Transport>,
    /// Whether client and server share a CPU
    #[arg(long, default_value_t = Mode::Same)]
    mode: Mode,
    /// How often the programs of a row start anew, at most once a round: where in memory
    /// chance puts a process makes it some percent slower or faster
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(1..))]
    starts: u32,
}

/// Measures all rows over each transport, and shows them.
///
/// # Errors
///
/// Those of [`Client`], of [`goals::message_sizes`] and of writing the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let plan = arguments.turns.plan();
    let placement = Placement::here(arguments.mode)?;
    let kinds = row::kinds();
    let sizes = Messaging::ALL.map(|it| goals::message_sizes(&kinds, it.orb_arguments()));
    let [giop, lite] = sizes;
    let (giop, lite) = (giop?, lite?);
    let mut measured = Vec::new();
    for &transport in &arguments.transports {
        for (&kind, sizes) in kinds.iter().zip(giop.iter().zip(&lite)) {
            let sizes = [*sizes.0, *sizes.1];
            let of_row = OfRow {
                kind,
                transport,
                giop: sizes[0],
            };
            let rounds = measure(plan, arguments.starts, placement, of_row)?;
            let rows = report::rows(kind, (transport, arguments.mode), sizes, &rounds);
            measured.extend(rows.into_iter().map(|row| row.with("calls", plan.calls)));
        }
    }
    print!("{}", report::LAYOUT.text(&measured));
    arguments.output.write("protocols", measured)
}

/// A row's kind of call, and how its programs exchange messages.
#[derive(Debug, Clone, Copy)]
struct OfRow {
    kind: Kind,
    transport: Transport,
    /// The octets that raw sockets exchange: those of GIOP.
    giop: MessageSizes,
}

/// Lets raw sockets, GIOP and GIOPlite take turns. All programs are started so many times,
/// at most once a round.
fn measure(
    plan: driver::Plan,
    starts: u32,
    placement: Placement,
    of_row: OfRow,
) -> Result<Rounds, BenchError> {
    let starts = starts.min(plan.rounds);
    let mut all = Rounds::default();
    for start in 0..starts {
        let part = driver::Plan {
            rounds: (plan.rounds + start) / starts,
            ..plan
        };
        let start = |programs| Client::start(programs, placement, plan.time_out);
        let mut clients = vec![start(of_row.raw_programs()?)?];
        for messaging in Messaging::ALL {
            clients.push(start(of_row.taut_programs(messaging)?)?);
        }
        let turns = [None, Some(of_row.kind), Some(of_row.kind)];
        let turns: Vec<_> = (turns.iter().enumerate())
            .map(|(client, kind)| driver::Turn {
                client,
                kind: kind.map(|kind| kind.to_string()),
            })
            .collect();
        let rounds = driver::take_turns(part, &mut clients, &turns)?;
        for (all, rounds) in all.iter_mut().zip(rounds) {
            all.extend(rounds);
        }
    }
    Ok(all)
}

/// The rounds of raw sockets, of GIOP and of GIOPlite.
type Rounds = [Vec<crate::protocol::Summary>; 3];

impl OfRow {
    fn raw_programs(self) -> Result<Programs, BenchError> {
        let mut programs = own_programs("raw-server", "raw-client")?;
        programs.server.args(self.giop.to_arguments());
        programs.client.args(self.giop.to_arguments());
        self.over_transport(&mut programs);
        Ok(programs)
    }

    fn taut_programs(self, messaging: Messaging) -> Result<Programs, BenchError> {
        let mut programs = own_programs("table-server", "table-client")?;
        programs.set_orb_arguments(messaging.orb_arguments());
        self.over_transport(&mut programs);
        Ok(programs)
    }

    fn over_transport(self, programs: &mut Programs) {
        if self.transport == Transport::Unix {
            programs.server.arg("--unix");
        }
    }
}
