//! Preprocessing ends soon: no small source makes the preprocessor do much.
//! Each of these once took time or memory that grew with the source's square.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashMap;
use std::path::PathBuf;

use taut_idl::{DiagnosticCode, Limits, Options, Preprocessing, preprocess_with};

/// Far more than could be worked through again for each of them.
const MANY: usize = 100_000;

fn preprocess(source: String) -> Preprocessing {
    let mut files = HashMap::from([(PathBuf::from("main.idl"), source.into_bytes())]);
    preprocess_with(&["main.idl"], &Options::default(), &mut files)
}

fn assert_limited(source: String) {
    let found = preprocess(source).diagnostics;
    let last = found.last().unwrap();
    assert_eq!(last.code, DiagnosticCode::LimitExceeded, "{found:?}");
}

fn joined(between: &str, part: impl Fn(usize) -> String) -> String {
    let parts: Vec<String> = (0..MANY).map(part).collect();
    parts.join(between)
}

#[test]
fn a_macro_with_many_parameters() {
    let names = joined(",", |index| format!("a{index}"));
    let body = joined(" ", |index| format!("a{index}"));
    let values = joined(",", |_| String::new());
    let found = preprocess(format!("#define A({names}) {body}\nA({values})\n"));
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    assert_eq!(found.tokens, 0);
}

#[test]
fn a_long_argument_that_is_used_often() {
    let body = joined(" ", |_| "a".to_owned());
    let argument = "+".repeat(MANY);
    assert_limited(format!("#define A(a) {body}\nA({argument})\n"));
}

#[test]
fn a_long_argument_that_is_spelt_often() {
    let body = joined(" ", |_| "#a".to_owned());
    let argument = "+".repeat(MANY);
    assert_limited(format!("#define A(a) {body}\nA({argument})\n"));
}

#[test]
fn a_long_name_that_is_pasted_often() {
    let body = joined("##", |_| "a".to_owned());
    let argument = "b".repeat(MANY);
    assert_limited(format!("#define A(a) {body}\nA({argument})\n"));
}

#[test]
fn parentheses_in_a_macro_that_nothing_closes() {
    let body = "A(".repeat(MANY);
    let found = preprocess(format!("#define A(a)\n#define B {body}\nB\n"));
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    assert_eq!(found.tokens, 2 * MANY);
}

#[test]
fn inclusions_of_what_a_long_macro_says() {
    let body = "+".repeat(MANY);
    let lines = "#include A\n".repeat(MANY);
    assert!(
        !preprocess(format!("#define A {body}\n{lines}"))
            .diagnostics
            .is_empty()
    );
}

#[test]
fn a_long_file_that_includes_itself_often() {
    let lines = "#include \"main.idl\"\n".repeat(10);
    let source = format!("#if 1\n{lines}#endif\n{}", "// Skipped\n".repeat(MANY));
    let mut files = HashMap::from([(PathBuf::from("main.idl"), source.into_bytes())]);
    let options = Options {
        limits: Limits {
            include_depth: 4,
            repeated_bytes: 2 << 20,
            ..Limits::default()
        },
        ..Options::default()
    };
    let found = preprocess_with(&["main.idl"], &options, &mut files).diagnostics;
    let message = &found.last().unwrap().message;
    assert_eq!(message, "files are read again for more than 2097152 bytes");
}

#[test]
fn the_fault_of_an_argument_that_is_used_often_is_told_once() {
    let source = "#define ONE(a) a\n#define A(a) a a a\nA(ONE(1, 2))\n";
    let found = preprocess(source.to_owned()).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "the macro `ONE` takes 1 argument, not 2");
}
