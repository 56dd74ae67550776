//! `taut-bench-tonic`: the smallest call by gRPC over one HTTP/2 connection, with as many
//! under way as the driver says.
//!
//! ```text
//! taut-bench-tonic server           prints its address, serves until standard input ends
//! taut-bench-tonic client ADDRESS   makes the calls that standard input asks for
//! ```
//!
//! Both sides run on a runtime of one thread, for each has one CPU. The messages and the
//! service are as tonic's generated code has them, written by hand: no `protoc` is needed.

mod client;
mod service;

use std::error::Error;
use std::process::ExitCode;

/// An error of any kind, for people.
type AnyError = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["server"] => service::serve(),
        ["client", address] => client::call(address),
        _ => Err("usage: taut-bench-tonic server | client ADDRESS".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taut-bench-tonic: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A runtime of one thread.
fn runtime() -> Result<tokio::runtime::Runtime, AnyError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    Ok(builder.enable_all().build()?)
}
