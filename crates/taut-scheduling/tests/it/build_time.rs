//! Schedules that `taut-build` computes from the annotations of IDL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use taut_build::{Config, Error};
use taut_scheduling::{Options, Strategy};
use tempfile::TempDir;

const IDL: &str = r#"
module Sensors {
  interface Log { @wcet("100us") oneway void write(in string line); };
  interface Radar {
    @wcet("300us") void update();
    @period("10ms") @wcet("2ms") @deadline("8ms") @criticality(HIGH) @calls("update", times = 2)
    @calls("Log::write")
    void sweep();
    void reset();
  };
};
"#;

/// Compiles IDL with a schedule in a directory of its own; returns the directory, too.
fn compile(idl: &str, toml: Option<&str>) -> (TempDir, Result<String, String>) {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("a.idl"), idl).unwrap();
    let config = Config::new().out_dir(directory.path());
    let config = match toml {
        None => config.schedule(Options::new(Strategy::RateMonotonic)),
        Some(toml) => {
            fs::write(at("a.toml"), toml).unwrap();
            config.schedule(at("a.toml"))
        }
    };
    let path = directory.path().display().to_string();
    let outcome = match config.compile(&[at("a.idl")]) {
        Ok(()) => Ok(fs::read_to_string(at("a_schedule.rs")).unwrap()),
        Err(error @ Error::Schedule { .. }) => Err(error.to_string().replace(&path, "")),
        Err(error) => panic!("{error}"),
    };
    (directory, outcome)
}

#[test]
fn annotations_become_a_schedule() {
    let (directory, text) = compile(IDL, None);
    let text = text.unwrap();
    for part in [
        "pub const SENSORS_RADAR_SWEEP: ::taut_scheduling::Handle",
        "name: ::std::borrow::Cow::Borrowed(\"Sensors::Log::write\")",
        "total_ns: 2600000,",
        "deadline_ns: 8000000,",
        "Criticality::High",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("reset"), "it has no annotation");
    // Without a request there is none.
    fs::remove_file(directory.path().join("a_schedule.rs")).unwrap();
    let config = Config::new().out_dir(directory.path());
    config.compile(&[directory.path().join("a.idl")]).unwrap();
    assert!(!directory.path().join("a_schedule.rs").exists());
}

#[test]
fn a_file_describes_operations_that_have_no_annotations() {
    let toml = "strategy = \"edf\"\n[[operation]]\nname = \"Sensors::Radar::reset\"\n\
                wcet = \"1ms\"\nperiod = \"1s\"\ncalls = [\"Sensors::Radar::update\"]\n";
    let (_directory, text) = compile(IDL, Some(toml));
    let text = text.unwrap();
    assert!(text.contains("Strategy::EarliestDeadlineFirst"), "{text}");
    assert!(
        text.contains("SENSORS_RADAR_RESET") && text.contains("total_ns: 1300000"),
        "{text}"
    );
}

#[test]
fn an_infeasible_schedule_is_shown_like_an_error_of_rustc() {
    let idl = IDL.replace("@wcet(\"2ms\")", "@wcet(\"9ms\")");
    let (_directory, outcome) = compile(&idl, None);
    let error = outcome.unwrap_err();
    let expected = "\
error[deadline-missed]: `Sensors::Radar::sweep` takes up to 9.7ms and has a deadline of 8ms: 1.7ms are missing
 --> /a.idl:8:10
";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.contains("8 |     void sweep();\n"), "{error}");
    assert!(
        error.contains("= help: shorten what runs before it"),
        "{error}"
    );
}

#[test]
fn a_fault_of_the_file_is_shown_with_its_line() {
    for (toml, part) in [
        ("strategy = \"x\"", "there is no strategy `x`"),
        (
            "[[operation]]\nname = \"b\"\nwcet = \"3ms\"\nperiod = \"2ms\"",
            " --> /a.toml:2:8\n",
        ),
        (
            "[[operation]]\nname = \"Sensors::Radar::update\"\nwcet = \"3ms\"",
            "and the TOML file describes it, too",
        ),
    ] {
        let (_directory, outcome) = compile(IDL, Some(toml));
        let error = outcome.unwrap_err();
        assert!(error.contains(part), "{part} is not in\n{error}");
    }
}

#[test]
fn faults_of_annotations_are_shown_with_their_lines_and_remedies() {
    for (annotations, parts) in [
        (
            "@period(10)",
            [
                "`@period` needs one argument, a string",
                "write @period(\"10ms\")",
            ],
        ),
        (
            "@wcet(\"10\")",
            ["the time `10` has no unit", "@wcet(\"10\")"],
        ),
        (
            "@criticality(\"most\")",
            ["there is no degree `most`", "very-high"],
        ),
        (
            "@importance(\"most\")",
            ["there is no degree `most`", "@importance(\"high\")"],
        ),
        (
            "@threads(\"two\")",
            ["an argument of `@threads` is no number", "not negative"],
        ),
        (
            "@threads(-1)",
            ["an argument of `@threads` is no number", "not negative"],
        ),
        (
            "@calls(\"nobody\")",
            ["there is no operation `nobody`", "as seen from here"],
        ),
        (
            "@calls",
            ["`@calls` names no operation", "@calls(\"Log::write\")"],
        ),
        (
            "@calls(\"b\", often = 2)",
            ["is not understood", "times = 2"],
        ),
        (
            "@calls(\"b\") @wcet(\"1ms\")",
            ["never-released", "a.idl:1:"],
        ),
        (
            "@calls(\"b\") @wcet(\"1ms\") @period(\"2ms\")",
            [
                "`I::b` is called by `I::a` and not described",
                "interface I",
            ],
        ),
        (
            "@calls(\"a\") @wcet(\"1ms\") @period(\"2ms\")",
            [
                "operations call each other in a circle: `I::a` → `I::a`",
                "error[cyclic",
            ],
        ),
    ] {
        let idl = format!("interface I {{ {annotations} void a(); void b(); }};");
        let (_directory, outcome) = compile(&idl, None);
        let error = outcome.unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{part} is not in\n{error}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("a.idl");
    fs::write(&idl, "interface I {};").unwrap();
    let config = Config::new()
        .out_dir(directory.path())
        .schedule("/no/such.toml");
    let error = config.compile(&[idl]).unwrap_err().to_string();
    assert!(
        error.starts_with("`/no/such.toml` cannot be read"),
        "{error}"
    );
}

#[test]
fn all_annotations_are_read() {
    let idl = r#"interface I {
        @period("10ms") @wcet("1ms") @typical("900us") @deadline("9ms") @offset("2ms")
        @jitter("1ms") @blocking("3ms") @importance("low") @threads(2)
        @calls("b", times = 2, oneway = TRUE)
        void a();
        @wcet("2ms") void b();
    };"#;
    // Two threads of 1 ms, and two calls of 2 ms for each, are all the time there is.
    let (_directory, outcome) = compile(idl, None);
    let error = outcome.unwrap_err();
    // A call has 3 ms of blocking, 1 ms of jitter, and two jobs of each other task before it.
    let called = "`I::b (called by I::a #2)` takes up to 20ms and has a deadline of 9ms";
    assert!(error.contains(called), "{error}");
}

/// A package whose build script computes a schedule from this IDL.
fn package(idl: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = crates.canonicalize().unwrap();
    let manifest = format!(
        "[package]\nname = \"planned\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [lib]\npath = \"lib.rs\"\n[workspace]\n\
         [build-dependencies]\n\
         taut-build = {{ path = \"{0}/taut-build\", features = [\"scheduling\"] }}\n\
         taut-scheduling = {{ path = \"{0}/taut-scheduling\", default-features = false }}\n",
        crates.display()
    );
    write("Cargo.toml", &manifest);
    let lock = fs::read_to_string(crates.join("../Cargo.lock")).unwrap();
    write("Cargo.lock", &lock);
    write("lib.rs", "");
    write("a.idl", idl);
    write(
        "build.rs",
        "fn main() -> Result<(), taut_build::Error> {\n    \
             let options = taut_scheduling::Options::default();\n    \
             taut_build::Config::new().schedule(options).compile(&[\"a.idl\"])\n}\n",
    );
    directory
}

/// Builds a package and returns whether that succeeded, and what Cargo wrote.
fn cargo_build(package: &TempDir) -> (bool, String) {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    // The dependencies are compiled once for all runs.
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("build-time");
    let output = Command::new(cargo)
        .args(["build", "--offline", "--color", "never"])
        .current_dir(package.path())
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), errors)
}

#[test]
fn cargo_build_fails_where_a_deadline_is_missed() {
    let (succeeds, errors) = cargo_build(&package(IDL));
    assert!(succeeds, "{errors}");
    let infeasible = IDL.replace("@wcet(\"2ms\")", "@wcet(\"9ms\")");
    let (succeeds, errors) = cargo_build(&package(&infeasible));
    assert!(!succeeds, "{errors}");
    for part in [
        "error[deadline-missed]: `Sensors::Radar::sweep` takes up to 9.7ms and has a deadline of \
         8ms: 1.7ms are missing",
        "--> a.idl:8:10",
        "void sweep();",
        "^^^^^",
    ] {
        assert!(errors.contains(part), "{part} is not in\n{errors}");
    }
}
