//! A server, and a client that sends it bursts of oneways, for tests that count what both
//! of them do for one.
//!
//! ```text
//! flood server ENDPOINT     prints its reference
//! flood client REFERENCE    does what each line of its input says, prints "done"
//! ```
//!
//! The lines are `hold`, at which the server says "held" and reads nothing more until a
//! line comes in, so that what is sent meanwhile arrives at once however fast either side
//! is; a number, of oneways to send; `settle`, which waits until all are through; and
//! `end`, the server's.
//!
//! Each carries a kibibyte, and is sent before the next one is (`SYNC_WITH_TRANSPORT`).
//! It is a program of its own, for what else a program has in it says which functions the
//! compiler inlines.
//!
//! The client ends when its input does. Both take no leave: how they part is not the same
//! each time.

use std::error::Error;
use std::io::BufRead;
use std::{env, io, process};

use sinks::{Sink, SinkRef, SinkSkeleton};
use taut::{Orb, Reference, Settings};

taut::include_idl!("sink");

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The octets that each oneway carries.
const DATA: [u8; 1024] = [0x55; 1024];

/// The payloads that hold the server, and that end it.
const HOLD: [u8; 0] = [];
const END: [u8; 1] = [0];

struct Servant;

impl Sink for Servant {
    fn take(&self, data: &[u8]) -> taut::Result<()> {
        if data == HOLD {
            println!("held");
            // However the waiting ends, it is over.
            let _ = io::stdin().read_line(&mut String::new());
        } else if data == END {
            process::exit(0);
        }
        Ok(())
    }

    fn settle(&self) -> taut::Result<()> {
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", endpoint] => run_server(endpoint),
        ["client", reference] => run_client(reference),
        _ => Err("usage: flood server ENDPOINT | client REFERENCE".into()),
    }
}

fn run_server(endpoint: &str) -> Outcome<()> {
    // While its thread is held, no other one is to read on.
    let alone = |settings: &mut Settings| settings.server.max_requests_per_connection = 1;
    let orb = Orb::builder().listen(endpoint)?.settings(alone).build()?;
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    let sink = poa.activate(SinkSkeleton::new(Servant))?;
    println!("{}", sink.into_object());
    orb.run();
    Ok(())
}

fn run_client(reference: &str) -> Outcome<()> {
    let orb = Orb::builder().build()?;
    let sink: SinkRef = orb.string_to_object(reference)?.unchecked_narrow();
    for line in io::stdin().lock().lines() {
        match &*line? {
            "hold" => sink.take(&HOLD)?,
            "settle" => sink.settle()?,
            "end" => sink.take(&END)?,
            oneways => (0..oneways.parse::<usize>()?).try_for_each(|_| sink.take(&DATA))?,
        }
        println!("done");
    }
    process::exit(0)
}
