//! Makes Rust of the IDL that the benchmarks call through.

fn main() -> Result<(), taut_build::Error> {
    for stem in ["collocation", "ping", "scalability"] {
        taut_build::compile(&[format!("idl/{stem}.idl")])?;
    }
    Ok(())
}
