//! Makes Rust of the IDL.

fn main() -> Result<(), taut_build::Error> {
    taut_build::compile(&["bank.idl"])
}
