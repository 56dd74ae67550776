//! A server, and a client that sends it so many oneways, for tests that count what both
//! of them do for one.
//!
//! ```text
//! flood server ENDPOINT             prints its reference
//! flood client REFERENCE ONEWAYS    sends so many, prints "done" when all have arrived
//! ```
//!
//! Each carries a kibibyte, and is sent before the next one is (`SYNC_WITH_TRANSPORT`).
//! It is a program of its own, for what else a program has in it says which functions the
//! compiler inlines.
//!
//! Both then do nothing more, until their input ends and they end without
//! taking leave: how they part is not the same each time.

use std::error::Error;
use std::io::Read;
use std::{env, io, process};

use sinks::{Sink, SinkRef, SinkSkeleton};
use taut::{Orb, Reference};

taut::include_idl!("sink");

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What each oneway carries.
const DATA: [u8; 1024] = [0x55; 1024];

struct Servant;

impl Sink for Servant {
    fn take(&self, _: &[u8]) -> taut::Result<()> {
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
        ["client", reference, oneways] => run_client(reference, oneways.parse()?),
        _ => Err("usage: flood server ENDPOINT | client REFERENCE ONEWAYS".into()),
    }
}

fn run_server(endpoint: &str) -> Outcome<()> {
    let orb = Orb::builder().listen(endpoint)?.build()?;
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    let sink = poa.activate(SinkSkeleton::new(Servant))?;
    println!("{}", sink.into_object());
    wait_and_end()
}

fn run_client(reference: &str, oneways: usize) -> Outcome<()> {
    let orb = Orb::builder().build()?;
    let sink: SinkRef = orb.string_to_object(reference)?.unchecked_narrow();
    (0..oneways).try_for_each(|_| sink.take(&DATA))?;
    sink.settle()?;
    println!("done");
    wait_and_end()
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
