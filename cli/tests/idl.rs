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
fn strategies_are_chosen_for_the_whole_and_for_parts() {
    let files = directory(&[(
        "bank.idl",
        "interface Base { void a (in long x); void b (in long x); };\ninterface Late : Base { };\n",
    )]);
    let file = path(&files, "bank.idl");
    let by_table = "pub const A: &'static ::taut::codegen::table::Operation<";
    let gen_with = |options: &[&str]| run(&[&["idl", "gen", file.as_str()][..], options].concat());
    let plain = gen_with(&[]);
    assert!(!plain.output.contains("table"), "{plain:?}");
    let part = gen_with(&[
        "--marshaling",
        "interpretive",
        "--marshaling-of",
        "Base::b=compiled",
    ]);
    assert!(part.output.contains(by_table), "{part:?}");
    assert!(!part.output.contains("pub const B:"), "{part:?}");
    let of_file = gen_with(&["--marshaling-of", "bank.idl=interpretive"]);
    assert!(of_file.output.contains("pub const B:"), "{of_file:?}");
    let linear = gen_with(&[
        "--dispatch",
        "linear",
        "--dispatch-of",
        "Late=binary_search",
    ]);
    assert!(linear.output.contains("LinearOperationTable::new"));
    assert!(linear.output.contains("SortedOperationTable::new"));

    let unknown = gen_with(&["--dispatch", "guess"]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.errors.contains("perfect_hash"), "{unknown:?}");
    let unknown = gen_with(&["--marshaling-of", "Base=guess"]);
    assert_eq!(unknown.status, Some(1));
    assert!(unknown.errors.contains("interpretive"), "{unknown:?}");
    let nowhere = gen_with(&["--marshaling-of", "other.idl=compiled"]);
    assert!(nowhere.errors.contains("other.idl"), "{nowhere:?}");
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
    assert!(outcome.errors.starts_with("error: "), "{outcome:?}");
    assert!(outcome.errors.contains("bank.idl:1:"), "{outcome:?}");
}
