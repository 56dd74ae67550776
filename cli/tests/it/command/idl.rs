//! `taut idl`: checking, and making Rust.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::PathBuf;

use super::support::run;
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

    let later = gen_with(&[
        "--answering",
        "future",
        "--answering-of",
        "Base::b=responder",
    ]);
    assert!(later.output.contains("pub trait AsyncBase:"), "{later:?}");
    assert!(later.output.contains("Responder<"), "{later:?}");
    let unknown = gen_with(&["--answering-of", "Base=guess"]);
    assert!(unknown.errors.contains("at_once"), "{unknown:?}");

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
    let files = directory(&[("bank.idl", "component Till {};\n")]);
    let outcome = run(&["idl", "gen", &path(&files, "bank.idl")]);
    assert_eq!((outcome.output.as_str(), outcome.status), ("", Some(1)));
    let errors = &outcome.errors;
    assert!(errors.starts_with("error[not-supported]: "), "{outcome:?}");
    assert!(errors.contains("bank.idl:1:"), "{outcome:?}");
}

#[test]
fn of_names_that_meet_one_yields_to_a_rename_and_two_renames_are_an_error() {
    let source = "struct Limits { long max_sum; long maxSum; };\n";
    let files = directory(&[("bank.idl", source)]);
    let file = path(&files, "bank.idl");
    let one = ["idl", "gen", &file, "--rename", "Limits::max_sum=max_sum"];
    let settled = run(&one);
    assert_eq!(settled.status, Some(0), "{settled:?}");
    let warning = "warning[renamed]: the member `Limits::maxSum` becomes `max_sum_2` in Rust";
    assert!(settled.errors.starts_with(warning), "{settled:?}");

    let two = [&one[..], &["--rename", "Limits::maxSum=max_sum"]].concat();
    let refused = run(&two);
    assert_eq!((refused.output.as_str(), refused.status), ("", Some(1)));
    assert!(refused.errors.contains("bank.idl:1:"), "{refused:?}");
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
fn a_module_has_the_prefix_and_version_that_another_compiler_gives_it() {
    let files = directory(&[("ft.idl", "module FT { interface Naming { }; };")]);
    let file = path(&files, "ft.idl");
    let ids = |arguments: &[&str]| run(&[&["idl", "dump", &file], arguments].concat());
    let plain = ids(&[]);
    assert!(plain.output.contains("IDL:FT/Naming:1.0"), "{plain:?}");
    let changed = ids(&[
        "--module-prefix",
        "FT=omg.org",
        "--module-version",
        "FT=2.3",
    ]);
    assert!(
        changed.output.contains("IDL:omg.org/FT/Naming:2.3"),
        "{changed:?}"
    );
    let unknown = ids(&["--module-version", "Ft=2.3"]);
    assert_eq!(unknown.status, Some(1));
    let message = "there is no module `Ft` that ids could be set for";
    assert!(unknown.errors.contains(message), "{unknown:?}");
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

#[test]
fn the_model_is_json() {
    let files = directory(&[
        (
            "types.idl",
            "module Bank { typedef long Amount; };\nmodule Other { native N; };\n",
        ),
        (
            "bank.idl",
            "#include \"types.idl\"\nmodule Bank {\n  // Most.\n  const Amount MAX = 3;\n};\n",
        ),
    ]);
    let file = path(&files, "bank.idl");
    let json = |arguments: &[&str]| -> serde_json::Value {
        let outcome = run(&[&["idl", "dump", &file], arguments].concat());
        assert_eq!((outcome.errors.as_str(), outcome.status), ("", Some(0)));
        serde_json::from_str(&outcome.output).unwrap()
    };
    let main = json(&[]);
    assert_eq!(main["definitions"].as_array().unwrap().len(), 1);
    assert_eq!(main["definitions"][0]["name"], "Bank");
    let constant = &main["definitions"][0]["definitions"][0];
    let expected = serde_json::json!({
        "kind": "const",
        "name": "MAX",
        "place": { "file": &file, "line": 4, "column": 16 },
        "docs": ["Most."],
        "annotations": [],
        "scoped_name": "Bank::MAX",
        "repository_id": "IDL:Bank/MAX:1.0",
        "included": false,
        "type": { "kind": "named", "name": "Bank::Amount" },
        "value": { "kind": "integer", "value": 3 },
    });
    assert_eq!(*constant, expected);
    let all = json(&["--included"]);
    assert_eq!(all["files"].as_array().unwrap().len(), 2);
    assert_eq!(all["definitions"][0]["definitions"][0]["name"], "Amount");
    assert_eq!(all["definitions"][1]["definitions"][0]["kind"], "native");

    fs::write(files.path().join("broken.idl"), BROKEN).unwrap();
    let broken = run(&["idl", "dump", &path(&files, "broken.idl")]);
    assert_eq!((broken.output.as_str(), broken.status), ("", Some(1)));
}

#[test]
fn the_model_of_whatever_compiles_is_shown_in_full() {
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/taut-idl/tests/data/ok"
    );
    let mut count = 0;
    for entry in fs::read_dir(data).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "idl") {
            continue;
        }
        let include = format!("{data}/include");
        let file = file.to_str().unwrap();
        let outcome = run(&["idl", "dump", "--included", "-I", &include, file]);
        assert_eq!(outcome.status, Some(0), "{file}: {}", outcome.errors);
        serde_json::from_str::<serde_json::Value>(&outcome.output).unwrap();
        assert!(!outcome.output.contains("\"kind\": \"unknown\""), "{file}");
        count += 1;
    }
    assert!(count > 50, "{count} files");
}

#[test]
fn files_are_laid_out_in_place() {
    const LOOSE: &str = "module Bank{const long MAX=3;// most\n};";
    const TIDY: &str = "module Bank {\n  const long MAX = 3; // most\n};\n";
    let files = directory(&[
        ("loose.idl", LOOSE),
        ("tidy.idl", TIDY),
        ("broken.idl", "const string S = \"open;\n"),
    ]);
    let [loose, tidy, broken] = ["loose.idl", "tidy.idl", "broken.idl"].map(|it| path(&files, it));

    let checked = run(&["idl", "fmt", "--check", &tidy, &loose]);
    assert_eq!(
        (checked.output, checked.status),
        (format!("{loose}\n"), Some(1))
    );
    assert_eq!(fs::read_to_string(&loose).unwrap(), LOOSE);

    let done = run(&["idl", "fmt", &broken, &loose, &tidy]);
    assert_eq!((done.output.as_str(), done.status), ("", Some(1)));
    assert!(
        done.errors.contains("unterminated string literal"),
        "{done:?}"
    );
    assert!(
        done.errors.contains("broken.idl was left as it is"),
        "{done:?}"
    );
    assert_eq!(
        fs::read_to_string(&broken).unwrap(),
        "const string S = \"open;\n"
    );
    assert_eq!(fs::read_to_string(&loose).unwrap(), TIDY);
    let names = fs::read_dir(files.path()).unwrap().count();
    assert_eq!(names, 3, "a temporary file was left behind");

    let checked = run(&["idl", "fmt", "--check", &tidy, &loose]);
    assert_eq!((checked.errors.as_str(), checked.status), ("", Some(0)));
    let missing = run(&["idl", "fmt", &path(&files, "missing.idl")]);
    assert_eq!(missing.status, Some(1));
    assert!(missing.errors.contains("cannot read"), "{missing:?}");
    assert_eq!(run(&["idl", "fmt"]).status, Some(2));
}

#[test]
fn standard_input_is_laid_out() {
    use std::io::Write;
    use std::process::Stdio;
    let run = |arguments: &[&str], input: &[u8]| {
        let mut child = super::support::taut()
            .args(["idl", "fmt", "--stdin"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    };
    // Latin-1 goes in and out as it is.
    let laid_out = run(&[], b"//\xE9\ntypedef  long T ;");
    assert_eq!(laid_out.stdout, b"//\xE9\ntypedef long T;\n");
    assert!(laid_out.status.success());
    assert!(!run(&["--check"], b"typedef  long T;").status.success());
    assert!(run(&["--check"], b"typedef long T;\n").status.success());
}

/// Reading ends at the limit, within a small part of what an unbounded read takes.
#[cfg(target_os = "linux")]
#[test]
fn files_without_end_are_refused_before_memory_is_gone() {
    let limited = |arguments: &str| {
        let script = format!("ulimit -v 2000000; exec \"$0\" idl {arguments}");
        let mut shell = std::process::Command::new("sh");
        let taut = env!("CARGO_BIN_EXE_taut");
        let output = shell.args(["-c", &script, taut]).output().unwrap();
        super::support::Outcome::from(output)
    };
    let files = directory(&[("endless.idl", "#include \"/dev/zero\"\n")]);
    let endless = path(&files, "endless.idl");
    for arguments in [
        "check /dev/zero",
        &format!("check {endless}"),
        "gen /dev/zero",
        "dump /dev/zero",
        "fmt /dev/zero",
        "fmt --stdin </dev/zero",
    ] {
        let outcome = limited(arguments);
        assert_eq!(outcome.status, Some(1), "{arguments}: {outcome:?}");
        let limit = "it has more than 16777216 bytes, the limit";
        assert!(outcome.errors.contains(limit), "{arguments}: {outcome:?}");
    }
    let folder = files.path().to_str().unwrap();
    for command in ["check", "fmt"] {
        let outcome = limited(&format!("{command} {folder}"));
        let refused = (outcome.status, outcome.errors.contains("it is a directory"));
        assert_eq!(refused, (Some(1), true), "{outcome:?}");
    }
}
