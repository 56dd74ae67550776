//! Calls the `Greeter` whose reference is its argument: once, and after a line of
//! input as often again as the table says.

use std::error::Error;

use taut::Orb;
use taut_footprint::footprint::{Greeter, GreeterRef};

/// The calls of each of the two operations.
const CALLS: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let reference = std::env::args().nth(1).ok_or("give me a reference")?;
    let orb = Orb::builder().build()?;
    let greeter: GreeterRef = orb.string_to_object(&reference)?.narrow()?;
    println!("ready");
    taut_footprint::wait();
    for _ in 0..CALLS {
        greeter.ping()?;
        if greeter.greet("world")? != "Hello, world" {
            return Err("another greeting than was expected".into());
        }
    }
    println!("done");
    taut_footprint::wait();
    orb.shutdown(true)?;
    Ok(())
}
