//! Inputs that no subcommand can take: such without end, and directories.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs::File;
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use taut::Orb;

use super::support::{Outcome, run, taut};

/// The memory that a command may map, in KiB.
const MEMORY_KIB_MAX: u32 = 2_000_000;

/// The time after which a command is taken to read for ever.
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// Runs the command under a limit of memory; `input` is its standard input.
fn run_limited(arguments: &[&str], input: Stdio) -> Outcome {
    let program = taut();
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY_KIB_MAX} && exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(program.get_program());
    command.args(arguments).env("NO_COLOR", "1");
    command.env_remove("TAUT_ORB_ARGUMENTS").stdin(input);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let errors = thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let mut output = child.stdout.take().unwrap();
    let output = thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > HANGS_AFTER {
            child.kill().unwrap();
            panic!("taut {arguments:?} reads for ever");
        }
        thread::sleep(Duration::from_millis(5));
    };
    Outcome {
        output: output.join().unwrap().unwrap(),
        errors: errors.join().unwrap().unwrap(),
        status: status.code(),
    }
}

/// A reference that is taken for a naming context without asking its object.
fn naming_context() -> (Orb, String) {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = builder.build().unwrap();
    let poa = orb.root_poa().unwrap();
    let context = poa.create_reference("IDL:omg.org/CosNaming/NamingContext:1.0");
    let reference = context.unwrap().to_string();
    (orb, reference)
}

#[test]
fn no_subcommand_reads_an_endless_input_until_memory_is_gone() {
    let (_orb, context) = naming_context();
    let limit = "more than 1048576 bytes";
    let none = "none of pcap, pcapng";
    for (arguments, error) in [
        (&["ior", "@/dev/zero"][..], limit),
        (&["ior", "file:///dev/zero"], limit),
        (&["ior", "-"], limit),
        (&["name", "list", "--ns", "@/dev/zero"], limit),
        (&["name", "list", "--ns", "-"], limit),
        (
            &["name", "bind", "--ns", &context, "bank", "@/dev/zero"],
            limit,
        ),
        (&["name", "bind", "--ns", &context, "bank", "-"], limit),
        (&["giop", "/dev/zero"], none),
        (&["giop", "-"], none),
        (&["giop", "/dev/null", "--idl", "/dev/zero"], "bytes"),
        (&["idl", "check", "/dev/zero"], "bytes"),
        (&["idl", "gen", "/dev/zero"], "bytes"),
        (&["idl", "dump", "/dev/zero"], "bytes"),
        (&["idl", "fmt", "/dev/zero"], "bytes"),
        (&["idl", "fmt", "--check", "/dev/zero"], "bytes"),
        (&["idl", "fmt", "--stdin"], "bytes"),
    ] {
        let input = File::open("/dev/zero").unwrap();
        let outcome = run_limited(arguments, input.into());
        assert_eq!(outcome.status, Some(1), "{arguments:?}: {}", outcome.errors);
        assert!(
            outcome.errors.contains(error),
            "{arguments:?}: {}",
            outcome.errors
        );
    }
}

/// Explains what a command of the shell writes without end, which must fail.
fn explain_endless(script: &str) -> Outcome {
    let mut source = Command::new("sh")
        .args(["-c", script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = source.stdout.take().unwrap();
    let outcome = run_limited(&["giop", "-"], input.into());
    source.wait().unwrap();
    assert_eq!(outcome.status, Some(1), "{script}: {}", outcome.errors);
    outcome
}

#[test]
fn an_endless_hex_dump_ends_at_the_limit() {
    let outcome = explain_endless("exec yes 47494f50");
    let expected = "the dump is longer than 16777216 octets (max_dump_size)";
    assert!(outcome.errors.contains(expected), "{}", outcome.errors);
}

#[test]
fn octets_without_end_behind_a_header_end_at_the_limit() {
    for (size, total) in [
        // 2 GiB: refused at the header.
        (r"\000\000\000\200", "2147483660"),
        // 16 MiB and 1 octet: passed over, and a message searched behind it.
        (r"\001\000\000\001", "16777229"),
    ] {
        let header = r"GIOP\001\002\001\000";
        let script = format!("printf '{header}{size}'; exec cat /dev/zero");
        let outcome = explain_endless(&script);
        let expected = "more than 16777216 octets in a row";
        assert!(outcome.errors.contains(expected), "{}", outcome.errors);
        assert!(outcome.errors.contains("max_passed_over"));
        // The header was explained before.
        let note = format!("the message of {total} octets is larger than 16777216");
        assert!(outcome.output.contains(&note), "{}", outcome.output);
    }
}

#[test]
fn the_limit_of_references_is_an_option() {
    let file = format!("@{}/tests/data/ior/taut.ior", env!("CARGO_MANIFEST_DIR"));
    let outcome = run(&["ior", "--max-reference-size", "100", &file]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.errors.contains("more than 100 bytes"),
        "{}",
        outcome.errors
    );
    let outcome = run(&["ior", "--max-reference-size", "10000", &file]);
    assert_eq!(outcome.status, Some(0), "{}", outcome.errors);
}

#[test]
fn a_socket_is_called_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("socket");
    let _socket = UnixListener::bind(&path).unwrap();
    let path = path.to_str().unwrap();
    for arguments in [["ior", &format!("@{path}")], ["giop", path]] {
        let outcome = run(&arguments);
        assert_eq!(outcome.status, Some(1), "{arguments:?}");
        assert!(
            outcome.errors.contains("it is a socket"),
            "{}",
            outcome.errors
        );
    }
}

#[test]
fn a_directory_is_called_one() {
    let (_orb, context) = naming_context();
    let directory = env!("CARGO_MANIFEST_DIR");
    let marked = format!("@{directory}");
    for arguments in [
        &["ior", &marked][..],
        &["name", "list", "--ns", &marked],
        &["name", "bind", "--ns", &context, "bank", &marked],
        &["giop", directory],
        &["giop", "/dev/null", "--idl", directory],
        &["idl", "check", directory],
        &["idl", "gen", directory],
        &["idl", "dump", directory],
        &["idl", "fmt", directory],
    ] {
        let outcome = run(arguments);
        assert_eq!(outcome.status, Some(1), "{arguments:?}: {}", outcome.errors);
        assert!(
            outcome.errors.contains("is a directory"),
            "{arguments:?}: {}",
            outcome.errors
        );
    }
}
