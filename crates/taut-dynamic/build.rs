//! Makes stubs of what is asked of interface repositories.

fn main() -> Result<(), taut_build::Error> {
    taut_build::Config::new()
        .without_futures()
        .compile(&["idl/InterfaceDef.idl"])
}
