//! Makes Rust of the interface repository's IDL and of the tests', and tells the build scripts of
//! crates that depend on this one where the IDL is.

fn main() -> Result<(), taut_build::Error> {
    println!("cargo::metadata=include={}/idl", env!("CARGO_MANIFEST_DIR"));
    taut_build::Config::new()
        .without_futures()
        .compile(&["idl/InterfaceRepository.idl"])?;
    // The package that is published has no tests.
    let of_tests = "tests/it/bank.idl";
    if !std::path::Path::new(of_tests).exists() {
        return Ok(());
    }
    taut_build::Config::new()
        .native_type("Bank::Cookie", "::std::string::String")
        .compile(&[of_tests])
}
