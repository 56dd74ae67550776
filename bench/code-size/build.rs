//! Makes Rust of the same IDL in both strategies.

use taut_build::{Config, Marshaling};

fn main() -> Result<(), taut_build::Error> {
    for (name, marshaling) in [
        ("compiled", Marshaling::Compiled),
        ("interpretive", Marshaling::Interpretive),
    ] {
        Config::new()
            .output(name)
            .marshaling(marshaling)
            .compile(&["idl/param_test.idl"])?;
    }
    Ok(())
}
