//! `taut ior`: golden outputs for references of several ORBs, for URLs, and
//! for what is malformed.
//!
//! Each `data/ior/NAME.ior` is explained; `NAME.txt` is what is to be seen.
//! `TAUT_BLESS=1` in the environment writes what is seen now; look at the
//! difference before you commit it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::{env, fs};

use taut::Orb;
use taut_in_process::InProcess;

use super::support::{LiveObject, Outcome, run, taut};

#[test]
fn references_are_explained() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ior");
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in fs::read_dir(&directory).unwrap() {
        let reference = file.unwrap().path();
        if reference
            .extension()
            .is_none_or(|extension| extension != "ior")
        {
            continue;
        }
        count += 1;
        let name = reference.file_stem().unwrap().to_str().unwrap().to_owned();
        let Outcome {
            output,
            errors,
            status,
        } = run(&["ior", &format!("@{}", reference.display())]);
        let status = status.unwrap();
        assert_eq!(
            status != 0,
            name.starts_with("malformed"),
            "{name}: {errors}"
        );
        let found = format!("{output}{errors}[exit status {status}]\n");
        let golden = reference.with_extension("txt");
        if env::var_os("TAUT_BLESS").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{name}: expected\n{expected}\nfound\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 20, "only {count} references were there");
}

#[test]
fn programs_get_json() {
    for (name, pointer, expected) in [
        ("omniorb", "/type_id", "\"IDL:demo/Circle:1.0\""),
        ("omniorb", "/profiles/0/content/port", "4711"),
        (
            "omniorb",
            "/profiles/0/content/components/0/content/orb_type/name",
            "\"omniORB\"",
        ),
        ("tao", "/profiles/0/content/object_key/form", "\"TAO\""),
        (
            "unknown",
            "/profiles/0/data",
            "\"6465666768696a6b6c6d6e6f707172737475767778\"",
        ),
        (
            "malformed_components",
            "/profiles/0/content/components/0/error",
            "\"9 is not a boolean (0 or 1) at octet 0\"",
        ),
        ("nil", "/nil", "true"),
        ("corbaname", "/components/2/id", "\"c.d\""),
    ] {
        let file = format!("@{}/tests/data/ior/{name}.ior", env!("CARGO_MANIFEST_DIR"));
        let Outcome { output, status, .. } = run(&["ior", "--json", &file]);
        assert_eq!(status, Some(i32::from(name.starts_with("malformed"))));
        let json: serde_json::Value = serde_json::from_str(&output).unwrap();
        let found = json.pointer(pointer).unwrap_or(&serde_json::Value::Null);
        assert_eq!(found.to_string(), expected, "{name} {pointer}");
    }
}

#[test]
fn what_taut_makes_is_explained_by_taut() {
    let object = LiveObject::start();
    let shown = run(&["ior", &object.reference]);
    assert_eq!((shown.status, shown.errors.as_str()), (Some(0), ""));
    for line in [
        "type id   IDL:omg.org/CosNaming/BindingIterator:1.0\n",
        "  host        127.0.0.1\n",
        "    form               Taut\n",
        "    POA slot           0\n",
        "  TAG_ORB_TYPE (0)  Taut (0x54415554)\n",
    ] {
        assert!(shown.output.contains(line), "{line:?} in\n{}", shown.output);
    }
}

#[test]
fn a_profile_of_a_protocol_that_a_program_has_added_is_its_tag_and_octets() {
    let builder = Orb::builder().protocol(InProcess::new()).unwrap();
    let orb = builder.listen("inproc://bank").unwrap().build().unwrap();
    let poa = orb.root_poa().unwrap();
    let object = poa.create_reference("IDL:demo/Bank:1.0").unwrap();
    let [profile] = &object.ior().profiles[..] else {
        panic!("{object:?}");
    };
    let reference = object.to_string();

    let shown = run(&["ior", &reference]);
    assert_eq!((shown.status, shown.errors.as_str()), (Some(0), ""));
    let octets = profile.data.len();
    let heading = format!("profile 1: unknown ({:#x})  {octets} octets\n", profile.tag);
    assert!(shown.output.contains(&heading), "{}", shown.output);
    // Behind the octets come the letters that they are.
    assert!(shown.output.contains("bank."), "{}", shown.output);

    let json = run(&["ior", "--json", &reference]).output;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let hexadecimal: String = profile
        .data
        .iter()
        .map(|octet| format!("{octet:02x}"))
        .collect();
    assert_eq!(json["profiles"][0]["data"], hexadecimal);
    orb.shutdown(true).unwrap();
}

#[test]
fn references_come_from_standard_input_as_well() {
    let mut command = taut();
    command
        .args(["ior", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"\n  corbaloc::h/k \n").unwrap();
    drop(input);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert!(
        outcome.output.starts_with("scheme      corbaloc\n"),
        "{outcome:?}"
    );

    let empty = run(&["ior", "@/dev/null"]);
    assert_eq!(empty.errors, "error: /dev/null is empty\n");
    assert_eq!(run(&["ior", " "]).errors, "error: the reference is empty\n");

    let missing = run(&["ior", "@/nowhere/at all"]);
    assert_eq!(missing.status, Some(1));
    assert!(
        missing
            .errors
            .starts_with("error: cannot read /nowhere/at all: ")
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = taut();
    command.args(["ior", "corbaloc::h/k"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!((outcome.errors.as_str(), outcome.status), ("", Some(0)));
}

/// The text of `data/ior/taut.ior`.
fn sound_reference() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ior/taut.ior");
    fs::read_to_string(file).unwrap().trim().to_owned()
}

#[test]
fn references_that_mail_has_folded_and_bare_digits_are_read() {
    let reference = sound_reference();
    let expected = run(&["ior", &reference]);
    assert_eq!(expected.status, Some(0), "{}", expected.errors);
    let (first, rest) = reference.split_at(60);
    let (second, third) = rest.split_at(61);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("folded.ior");
    for text in [
        format!("{first}\n{second}\n{third}\n"),
        format!("{first}\r\n  {second}\r\n  {third}\r\n"),
        format!("{first}=\n{second}=\n{third}\n"),
        format!("> {first}\n> {second}\n> {third}\n"),
        format!("{first} {second}\t{third}"),
        reference.replace("IOR:", ""),
        reference.replace("IOR:", "ior:"),
    ] {
        fs::write(&path, &text).unwrap();
        let found = run(&["ior", &format!("@{}", path.display())]);
        assert_eq!(found, expected, "{text}");
        assert_eq!(run(&["ior", &text]), expected, "{text}");
    }
    let found = run(&["ior", &format!("file://{}", path.display())]);
    assert_eq!(found, expected);
}

#[test]
fn texts_that_are_nearly_references_get_a_hint() {
    let reference = sound_reference();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("two.ior");
    fs::write(&path, format!("{reference}\n{reference}\n")).unwrap();
    let path = path.display().to_string();
    for (argument, hint) in [
        (
            format!("@{path}"),
            format!("there are 2 references in {path}; give one of them at a time"),
        ),
        (
            format!("{reference} {reference}"),
            "there are 2 references in the argument".to_owned(),
        ),
        (path.clone(), format!("{path} is a file; write @{path}")),
        (
            "nowhere/bank.ior".to_owned(),
            "write @ before its path".to_owned(),
        ),
        (
            format!("Bank at {reference}"),
            "a reference begins at character 9".to_owned(),
        ),
    ] {
        let outcome = run(&["ior", &argument]);
        assert_eq!(outcome.status, Some(1), "{argument}");
        assert!(outcome.errors.contains(&hint), "{}", outcome.errors);
    }
}
