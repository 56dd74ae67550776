//! The client: it knows nothing of forwarders and lives.

use std::error::Error;
use std::io;

use taut::Orb;

use crate::counting::{Counter, CounterRef};

/// Calls the counter for each line of the standard input.
pub(crate) fn run(orb: &Orb, reference: &str) -> Result<(), Box<dyn Error>> {
    let counter: CounterRef = orb.string_to_object(reference)?.unchecked_narrow();
    for line in io::stdin().lines() {
        line?;
        match counter.next() {
            Ok(number) => println!("next() = {number}"),
            Err(exception) => println!("next() raised {exception}"),
        }
    }
    Ok(())
}
