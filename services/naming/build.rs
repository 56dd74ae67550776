//! Makes Rust of the naming service's IDL, and tells the build scripts of
//! crates that depend on this one where the IDL is.

fn main() -> Result<(), taut_build::Error> {
    println!("cargo::metadata=include={}/idl", env!("CARGO_MANIFEST_DIR"));
    taut_build::compile(&["idl/CosNaming.idl"])?;
    taut_build::Config::new()
        .include("idl")
        .extern_module("CosNaming", "crate::cos_naming")
        .compile(&["idl/TautNaming.idl"])
}
