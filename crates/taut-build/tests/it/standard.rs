//! The standard's modules, which the crate `taut` has: its code is what would be
//! generated now. With `TAUT_BLESS=1` it is written anew.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::{env, fs};

use taut_build::Config;

const SOURCE: &str = "#include <orb.idl>\n#include <TimeBase.idl>\n#include <Messaging.idl>\n";

#[test]
fn taut_has_the_modules_as_they_would_be_generated() {
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("standard.idl");
    fs::write(&idl, SOURCE).unwrap();
    let config = Config::new().out_dir(directory.path());
    config.generate_standard_modules().compile(&[&idl]).unwrap();
    let made = fs::read_to_string(directory.path().join("standard.rs")).unwrap();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../taut/generated/standard.rs");
    if env::var_os("TAUT_BLESS").is_some() {
        fs::create_dir_all(committed.parent().unwrap()).unwrap();
        fs::write(&committed, made).unwrap();
    } else {
        let found = fs::read_to_string(&committed).unwrap_or_default();
        assert!(found == made, "not as expected (TAUT_BLESS=1 accepts)");
    }
}

/// Returns the Rust that is generated for a file of this text.
fn generated(text: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("user.idl");
    fs::write(&idl, text).unwrap();
    Config::new()
        .out_dir(directory.path())
        .compile(&[&idl])
        .unwrap();
    fs::read_to_string(directory.path().join("user.rs")).unwrap()
}

#[test]
fn what_refers_to_them_refers_to_taut() {
    let text = generated(
        "#include <orb.idl>\n#include \"TimeBase.idl\"\n\
         struct Both { CORBA::StringSeq names; TimeBase::UtcT when; CORBA::TypeCode type; };\n\
         interface Manager { void use (in CORBA::PolicyList policies); };",
    );
    for part in [
        "pub names: ::taut::corba::StringSeq,",
        "pub when: ::taut::time_base::UtcT,",
        "pub r#type: ::taut::codegen::TypeCode,",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("mod corba"), "{text}");
}

#[test]
fn a_module_with_more_than_taut_has_is_generated_whole() {
    let text = generated(
        "#include <orb.idl>\n#pragma prefix \"omg.org\"\n\
         module CORBA { typedef StringSeq Names; };",
    );
    assert!(text.contains("pub mod corba {") && text.contains("pub type Names = StringSeq;"));
    // So is one that is another of the same name.
    let text = generated("module TimeBase { typedef unsigned long long TimeT; };");
    assert!(text.contains("pub mod time_base {"), "{text}");
}
