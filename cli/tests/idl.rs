//! `taut idl`: checking, and making Rust.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::fs;
use std::path::PathBuf;

use support::run;
use tempfile::TempDir;

const BROKEN: &str = "\
module Bank {
  interface Account {
    void deposit (in Amount sum);
    long deposit ();
  };
};
";

/// A directory with files in it.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn path(directory: &TempDir, name: &str) -> String {
    let path: PathBuf = directory.path().join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_broken_file_is_shown_with_its_faults() {
    let files = directory(&[("bank.idl", BROKEN)]);
    let file = path(&files, "bank.idl");
    let outcome = run(&["idl", "check", &file]);
    assert_eq!(outcome.status, Some(1));
    assert_eq!(outcome.output, "");
    let errors = outcome.errors.replace(&file, "bank.idl");
    for part in [
        "error[unknown-name]",
        " --> bank.idl:3:22\n",
        "3 |     void deposit (in Amount sum);\n",
        "error[redefinition]",
        "\n\nerror: 2 errors in the IDL\n",
    ] {
        assert!(errors.contains(part), "{part:?} in\n{errors}");
    }
    let generated = run(&["idl", "gen", &file]);
    assert_eq!((generated.output.as_str(), generated.status), ("", Some(1)));
}

#[test]
fn a_sound_file_is_passed_over_in_silence() {
    let files = directory(&[
        ("include/types.idl", "typedef long Amount;\n"),
        (
            "bank.idl",
            "#include <types.idl>\n#if LIMIT > 2 && WITH\nconst Amount MAX = LIMIT;\n#else\n\
             #error no limit\n#endif\n",
        ),
    ]);
    let (file, include) = (path(&files, "bank.idl"), path(&files, "include"));
    let sound = run(&[
        "idl", "check", "-I", &include, "-D", "LIMIT=3", "-DWITH", &file,
    ]);
    assert_eq!(
        (sound.output.as_str(), sound.errors.as_str(), sound.status),
        ("", "", Some(0))
    );
    let undefined = run(&["idl", "check", "-I", &include, &file]);
    assert_eq!(undefined.status, Some(1));
    assert!(undefined.errors.contains("no limit"), "{undefined:?}");
}

#[test]
fn rust_goes_to_standard_output_or_to_a_file() {
    let files = directory(&[("bank.idl", "module Bank { const long MAX = 3; };\n")]);
    let (file, target) = (path(&files, "bank.idl"), path(&files, "bank.rs"));
    let shown = run(&["idl", "gen", &file]);
    assert_eq!((shown.errors.as_str(), shown.status), ("", Some(0)));
    assert!(
        shown.output.contains("pub const MAX: i32 = 3;"),
        "{shown:?}"
    );
    let written = run(&["idl", "gen", &file, "-o", &target]);
    assert_eq!((written.output.as_str(), written.status), ("", Some(0)));
    assert_eq!(fs::read_to_string(&target).unwrap(), shown.output);

    let renamed = run(&["idl", "gen", &file, "--rename", "Bank::MAX=MOST"]);
    assert!(
        renamed.output.contains("pub const MOST: i32 = 3;"),
        "{renamed:?}"
    );
    let nowhere = run(&["idl", "gen", &file, "-o", "/nowhere/at/all.rs"]);
    assert_eq!(nowhere.status, Some(1));
    assert!(
        nowhere
            .errors
            .starts_with("error: /nowhere/at/all.rs cannot be written: ")
    );
}

#[test]
fn what_cannot_become_rust_is_shown_with_its_places() {
    let files = directory(&[(
        "bank.idl",
        "struct Limits { long maxSum; long max_sum; };\n",
    )]);
    let file = path(&files, "bank.idl");
    let outcome = run(&["idl", "gen", &file]);
    assert_eq!((outcome.output.as_str(), outcome.status), ("", Some(1)));
    assert!(
        outcome.errors.starts_with("error[name-collision]: "),
        "{outcome:?}"
    );
    assert!(outcome.errors.contains("bank.idl:1:"), "{outcome:?}");
}

/// Two warnings, one of the compiler of IDL and one of the generator of Rust.
const DUBIOUS: &str = "\
module Bank {
#pragma prefix \"example.org\"
  interface Account {
    void into ();
  };
};
";

#[test]
fn warnings_are_shown_allowed_or_made_errors() {
    let files = directory(&[("bank.idl", DUBIOUS)]);
    let file = path(&files, "bank.idl");
    let shown = run(&["idl", "gen", &file]);
    assert_eq!(shown.status, Some(0));
    assert!(shown.output.contains("IDL:example.org/Account:1.0"));
    for code in ["warning[pragma]", "warning[method-name]"] {
        assert!(shown.errors.contains(code), "{shown:?}");
    }
    let both = ["--allow", "pragma", "--allow", "method-name"];
    let silent = run(&[&["idl", "gen", "--deny-warnings"], &both[..], &[&file]].concat());
    assert_eq!((silent.errors.as_str(), silent.status), ("", Some(0)));
    let denied = run(&["idl", "check", "--deny-warnings", &file]);
    assert_eq!(denied.status, Some(1));
    assert!(denied.errors.starts_with("error[pragma]"), "{denied:?}");
    assert!(denied.errors.ends_with("\n\nerror: 1 error in the IDL\n"));
    let denied = run(&["idl", "gen", "--allow", "pragma", "--deny-warnings", &file]);
    assert_eq!((denied.output.as_str(), denied.status), ("", Some(1)));
    assert!(
        denied.errors.starts_with("error[method-name]"),
        "{denied:?}"
    );
    let unknown = run(&["idl", "check", "--allow", "everything", &file]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.errors.contains("no warning has this code"));
}

#[test]
fn a_prefix_inside_a_module_counts_as_it_is_told_to() {
    let files = directory(&[("bank.idl", DUBIOUS)]);
    let file = path(&files, "bank.idl");
    let kept = run(&["idl", "gen", "--prefix-in-module", "keep", &file]);
    assert!(kept.output.contains("IDL:example.org/Bank/Account:1.0"));
}

#[test]
fn json_has_what_the_text_has() {
    let files = directory(&[("bank.idl", DUBIOUS), ("broken.idl", BROKEN)]);
    let dubious = run(&["idl", "gen", "--json", &path(&files, "bank.idl")]);
    assert_eq!(dubious.status, Some(0));
    assert_eq!(
        dubious.errors.matches("\"severity\":\"warning\"").count(),
        2
    );
    let broken = run(&["idl", "check", "--json", &path(&files, "broken.idl")]);
    assert_eq!(broken.status, Some(1));
    assert!(broken.errors.starts_with("[\n{\"severity\":\"error\""));
    assert!(broken.errors.ends_with("\n]\n"), "{broken:?}");
    let missing = run(&[
        "idl",
        "gen",
        "--json",
        "--rename",
        "a=b",
        &path(&files, "bank.idl"),
    ]);
    assert!(missing.errors.contains("\"primary\":null"), "{missing:?}");
}
