//! Taut's first example: a server and a client in two processes, strings,
//! structs, sequences, exceptions, an object that the client passes and the
//! server calls back, and what a call costs beside a raw socket.
//!
//! `taut-quickstart` alone starts both; `taut-quickstart server` and
//! `taut-quickstart client REFERENCE` start one.

mod client;
mod latency;
mod server;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

// The module `weather`, generated from `idl/weather.idl`.
taut::include_idl!("weather");

const USAGE: &str = "usage: taut-quickstart [server | client REFERENCE [RAW_ADDRESS]]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    // The ORB takes its own arguments, such as -ORBListenEndpoints.
    let orb = taut::Orb::init(&mut arguments)?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => both(),
        ["server"] => server::serve(&orb),
        ["client", reference] => client::run(&orb, reference, None),
        ["client", reference, raw] => client::run(&orb, reference, Some(raw)),
        _ => Err(USAGE.into()),
    }
}

/// Starts the server, reads its reference, and hands it to a client.
fn both() -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let mut server = Command::new(&program)
        .args(["server", "-ORBListenEndpoints", "127.0.0.1:0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = server
        .stdout
        .take()
        .map(BufReader::new)
        .into_iter()
        .flat_map(BufRead::lines);
    let (Some(reference), Some(raw)) = (lines.next(), lines.next()) else {
        return Err("the server ended before it said where it is".into());
    };
    let (reference, raw) = (reference?, raw?);
    println!("Process {} serves the object\n  {reference}\n", server.id());

    let status = Command::new(&program)
        .args([
            "client",
            &reference,
            &raw,
            "-ORBListenEndpoints",
            "127.0.0.1:0",
        ])
        .status()?;
    // The server ends when its standard input does.
    drop(server.stdin.take());
    server.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err("the client failed".into())
    }
}
