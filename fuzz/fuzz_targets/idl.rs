//! IDL: the preprocessor, the parser, the checks, and the text of diagnostics.

#![no_main]

use std::collections::HashMap;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use taut_idl::{Limits, Options, compile_with};

fuzz_target!(|source: &[u8]| {
    // A file that may include itself, and another one.
    let mut files: HashMap<PathBuf, Vec<u8>> = HashMap::from([
        ("main.idl".into(), source.to_vec()),
        (
            "other.idl".into(),
            b"module Other { typedef long T; };".to_vec(),
        ),
    ]);
    let options = Options {
        limits: Limits {
            tokens: 50_000,
            expansion: 5_000,
            inclusions: 100,
            repeated_bytes: 1 << 20,
            ..Limits::default()
        },
        ..Options::default()
    };
    let compilation = compile_with(&["main.idl"], &options, &mut files);
    // Every place that a diagnostic names is in the source.
    let text = compilation.render(false);
    assert_eq!(text.is_empty(), compilation.diagnostics.is_empty());
});
