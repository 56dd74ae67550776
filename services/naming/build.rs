//! Makes Rust of the naming service's IDL.

fn main() -> Result<(), taut_build::Error> {
    taut_build::compile(&["idl/CosNaming.idl"])
}
