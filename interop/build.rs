//! Makes Rust of the IDL that both sides of a test agree on.

fn main() -> Result<(), taut_build::Error> {
    taut_build::compile(&["idl/param_test.idl"])?;
    taut_build::compile(&["idl/construct_test.idl"])?;
    taut_build::compile(&["../bench/idl/ping.idl"])
}
