//! Every `tests/data/*.idl` becomes the `*.rs` beside it; every
//! `tests/data/err/*.idl` the message in the `*.stderr` beside it, and every
//! `tests/data/warn/*.idl` the warnings.
//!
//! With `TAUT_BLESS=1` the expected files are written anew. Options stand in
//! the IDL, as `options` describes.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::options::config;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use taut_build::{Config, Error, Marshaling};

#[test]
fn idl_becomes_the_expected_rust() {
    check(Path::new("tests/data"), "rs", |idl| {
        let directory = tempfile::tempdir().unwrap();
        let result = config(idl)
            .out_dir(directory.path())
            .output("output")
            .compile(&[idl]);
        if let Err(error) = result {
            panic!("{}: {error}", idl.display());
        }
        let text = fs::read_to_string(directory.path().join("output.rs")).unwrap();
        if let Err(error) = syn::parse_file(&text) {
            panic!("{}: not Rust: {error}", idl.display());
        }
        text
    });
}

/// Names of each length put the line's end into each place of what is made of them:
/// no comma may come in there where Rust takes none, nor in what a macro is given.
#[test]
fn names_of_every_length_in_every_place_become_rust() {
    let template = include_str!("../data/every_place.idl");
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("every_place.idl");
    let strategies = [Marshaling::Compiled, Marshaling::Interpretive];
    for (length, marshaling) in (1..=120).zip(strategies.into_iter().cycle()) {
        let name = "n".repeat(length);
        let source = template.replace("Xx", &format!("X{name}"));
        fs::write(&idl, source.replace("xx", &name)).unwrap();
        let config = Config::new().out_dir(directory.path()).output("output");
        let config = config.views().signatures().marshaling(marshaling);
        config.compile(&[&idl]).unwrap();
        let text = fs::read_to_string(directory.path().join("output.rs")).unwrap();
        let tokens: TokenStream = text.parse().unwrap();
        let is_sound = !has_macro_with_last_comma(tokens.clone());
        assert!(is_sound, "{length}, {marshaling:?}");
        if let Err(error) = syn::parse2::<syn::File>(tokens) {
            panic!("{length}, {marshaling:?}: not Rust: {error}");
        }
    }
}

/// Whether a macro is given something in parentheses that ends with a comma: the
/// generator writes no such thing.
fn has_macro_with_last_comma(tokens: TokenStream) -> bool {
    let is = |tree: Option<&TokenTree>, mark: char| match tree {
        Some(TokenTree::Punct(punctuation)) => punctuation.as_char() == mark,
        _ => false,
    };
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(index, tree)| {
        let TokenTree::Group(group) = tree else {
            return false;
        };
        let is_given = index > 0 && is(tokens.get(index - 1), '!');
        let is_list = is_given && group.delimiter() == Delimiter::Parenthesis;
        let last = group.stream().into_iter().last();
        (is_list && is(last.as_ref(), ',')) || has_macro_with_last_comma(group.stream())
    })
}

/// The layout is rustfmt's, but for what is listed.
#[test]
fn rustfmt_has_nothing_to_change() {
    // rustfmt breaks generic arguments where the arguments could be broken, and after the
    // `=` what could be broken elsewhere.
    const DIFFERENT: &[&str] = &[
        "answering.rs",
        "interpretive.rs",
        "maps_and_bits.rs",
        "passing.rs",
    ];
    if !has_rustfmt() {
        eprintln!("not tested: there is no rustfmt");
        return;
    }
    let mut different = Vec::new();
    for entry in fs::read_dir("tests/data").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let status = Command::new("rustfmt")
            .args(["--edition", "2024", "--check", "--quiet"])
            .arg(&path)
            .stdout(Stdio::null())
            .status();
        if !status.unwrap().success() {
            different.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    different.sort();
    assert_eq!(different, DIFFERENT);
}

fn has_rustfmt() -> bool {
    let version = Command::new("rustfmt").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

#[test]
fn faults_are_told_with_their_places_and_the_remedy() {
    check(Path::new("tests/data/err"), "stderr", |idl| {
        // Nothing is written when there are faults.
        match config(idl).out_dir("/nonexistent").compile(&[idl]) {
            Err(error @ Error::Generate { .. }) => format!("{error}\n"),
            other => panic!(
                "{}: expected a fault of generation, got {other:?}",
                idl.display()
            ),
        }
    });
}

#[test]
fn what_may_surprise_is_warned_of() {
    check(Path::new("tests/data/warn"), "stderr", |idl| {
        let directory = tempfile::tempdir().unwrap();
        let here = || config(idl).out_dir(directory.path());
        here().compile(&[idl]).unwrap();
        // Warnings go to Cargo; those that are denied come back.
        match here().deny_warnings().compile(&[idl]) {
            Err(Error::Idl { rendered }) => rendered,
            other => panic!("{}: expected a warning, got {other:?}", idl.display()),
        }
    });
}

#[test]
fn warnings_can_be_allowed() {
    let idl = Path::new("tests/data/warn/omitted.idl");
    let directory = tempfile::tempdir().unwrap();
    let config = config(idl).out_dir(directory.path()).deny_warnings();
    config.allow_warning("omitted").compile(&[idl]).unwrap();
}

fn check(directory: &Path, extension: &str, mut produce: impl FnMut(&Path) -> String) {
    let bless = env::var_os("TAUT_BLESS").is_some();
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "idl"));
    files.sort();
    assert!(!files.is_empty());
    let mut different = Vec::new();
    for idl in files {
        let produced = produce(&idl);
        let expected = idl.with_extension(extension);
        if bless {
            fs::write(&expected, produced).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != produced {
            different.push(expected);
        }
    }
    assert!(
        different.is_empty(),
        "not as expected (TAUT_BLESS=1 accepts): {different:#?}"
    );
}
