//! A server, and a client that makes so many calls, for a test that counts the
//! system calls of both.
//!
//! ```text
//! system_calls server ENDPOINT           prints its reference
//! system_calls client REFERENCE CALLS    calls test_short so many times, prints "done"
//! system_calls oneways REFERENCE BATCHES makes so many batches of 32 oneways, each sent
//!                                        for their number, prints "done"
//! ```
//!
//! Both then do nothing more, until their input ends and they end without
//! taking leave: how they part is not the same each time.

use std::error::Error;
use std::io::Read;
use std::time::Duration;
use std::{env, io, process};

use taut::{Orb, Reference, SyncScope};
use taut_interop::param_test::{ParamTest, ParamTestRef, serve};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", endpoint] => run_server(endpoint),
        ["client", reference, calls] => run_client(reference, calls.parse()?),
        ["oneways", reference, batches] => run_oneways(reference, batches.parse()?),
        _ => Err(
            "usage: system_calls server ENDPOINT | client REFERENCE CALLS | \
                  oneways REFERENCE BATCHES"
                .into(),
        ),
    }
}

fn run_server(endpoint: &str) -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen(endpoint)?.build()?;
    println!("{}", serve(&orb)?.into_object());
    wait_and_end()
}

fn run_client(reference: &str, calls: usize) -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().build()?;
    let object = orb.string_to_object(reference)?;
    let target: ParamTestRef = object.unchecked_narrow();
    for _ in 0..calls {
        target.test_short(0, &mut 1)?;
    }
    println!("done");
    wait_and_end()
}

fn run_oneways(reference: &str, batches: usize) -> Result<(), Box<dyn Error>> {
    // Nothing but their number is to end a batch, and no thread to look at the time.
    let builder = Orb::builder().settings(|settings| {
        settings.oneway_batch_messages = 32;
        settings.oneway_batch_timeout = Duration::from_secs(3_600);
    });
    let orb = builder.build()?;
    let object = orb.string_to_object(reference)?;
    let target: ParamTestRef = object.unchecked_narrow();
    target.test_short(0, &mut 1)?;
    let patient = target.with_sync_scope(SyncScope::None);
    for _ in 0..batches {
        for _ in 0..32 {
            patient.notify("a oneway")?;
        }
    }
    target.test_short(0, &mut 1)?;
    println!("done");
    wait_and_end()
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
