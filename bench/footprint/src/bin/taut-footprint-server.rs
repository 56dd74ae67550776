//! Serves a `Greeter`: prints its reference, and ends with its input.

use std::error::Error;

use taut::{Orb, Reference};
use taut_footprint::footprint::{Greeter, GreeterSkeleton};

struct Servant;

impl Greeter for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    fn greet(&self, name: &str) -> taut::Result<String> {
        Ok(["Hello, ", name].concat())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen("127.0.0.1:0")?.build()?;
    let poa = orb.root_poa()?;
    let greeter = poa.servant_to_reference(GreeterSkeleton::new(Servant))?;
    poa.manager().activate()?;
    println!("{}", orb.object_to_string(greeter.as_object()));
    taut_footprint::wait();
    orb.shutdown(true)?;
    Ok(())
}
