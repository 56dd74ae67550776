//! Makes Rust of the IDL that the benchmarks call through.

fn main() -> Result<(), taut_build::Error> {
    taut_build::compile(&["idl/collocation.idl", "idl/ping.idl", "idl/scalability.idl"])
}
