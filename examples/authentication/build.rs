//! Turns the IDL into Rust.

fn main() -> Result<(), taut_build::Error> {
    taut_build::compile(&["idl/vault.idl"])
}
