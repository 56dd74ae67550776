//! The programs of the README, `docs/async.md` and `docs/orderly-end.md`: they are printed
//! as they are compiled here, and do what the pages say.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;

use crate::names::Names;
use taut::Orb;
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;
use test_tools::code_blocks;

const TELLER: &str = env!("CARGO_BIN_EXE_teller");
const LOOPBACK: [&str; 2] = ["-ORBListenEndpoints", "127.0.0.1:0"];

/// The text of a file of this package.
fn own(path: &str) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(package.join(path)).unwrap()
}

/// A program that runs until this is dropped.
struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(path: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(path);
        command.args(arguments).env_remove("TAUT_ORB_ARGUMENTS");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next line that it writes.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(path);
    command.args(arguments).env_remove("TAUT_ORB_ARGUMENTS");
    command.output().unwrap()
}

/// The output of a program that must succeed.
fn output_of(path: &str, arguments: &[&str]) -> String {
    let output = run(path, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_pages_print_what_is_compiled() {
    let mut files = 0;
    for page in ["README.md", "docs/async.md", "docs/orderly-end.md"] {
        let text = own(&format!("../../{page}"));
        for block in code_blocks(&text) {
            let is_code = ["rust", "idl"].contains(&block.language);
            match block.file {
                Some(file) if is_code => {
                    assert_eq!(block.text, own(file), "{page}: {file}");
                    files += 1;
                }
                // A part of a program; those of other pages are compiled by doc-tests.
                None if is_code && page == "docs/orderly-end.md" => {
                    let whole = own("src/bin/orderly_branch.rs");
                    assert!(whole.contains(block.text), "{page}: {}", block.text);
                }
                _ => {}
            }
        }
    }
    assert_eq!(files, 6, "the IDL, the build script and four programs");
}

#[test]
fn the_client_and_the_server_of_the_readme_do_what_it_shows() {
    let mut branch = Program::start(env!("CARGO_BIN_EXE_branch"), &LOOPBACK);
    let reference = branch.line();
    assert!(reference.starts_with("IOR:"), "{reference}");
    let shown: Vec<String> = (0..3).map(|_| output_of(TELLER, &[&reference])).collect();
    assert_eq!(shown, ["balance 150\n", "balance 50\n", "50 missing\n"]);
    let readme = own("../../README.md");
    for line in shown {
        assert!(readme.contains(&format!("\n{line}")), "{line}");
    }
}

/// The naming service is that of `taut name serve`, within this process.
#[test]
fn the_programs_of_the_readme_find_each_other_by_a_name() {
    let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = orb.build().unwrap();
    let store = Arc::new(MemoryStore::new());
    NamingService::start(&orb, store, ServiceSettings::default()).unwrap();
    let names = format!("NameService={}", orb.corbaloc("NameService").unwrap());
    let names = ["-ORBInitRef", &names];
    let readme = own("../../README.md");
    let words = |program: &str| -> Vec<String> {
        let begin = format!("$ cargo run --bin {program} -- ");
        let lines = readme.lines().filter_map(|line| line.strip_prefix(&begin));
        let mut named = lines.filter(|line| line.contains("bank/main"));
        let line = named.next_back().unwrap();
        let words = line.trim_end_matches(" &").split(' ');
        words.map(str::to_owned).collect()
    };
    let (branch, teller) = (words("branch"), words("teller"));
    let with = |told: &[String]| -> Vec<String> {
        let told = told.iter().map(String::as_str);
        told.chain(names).map(str::to_owned).collect()
    };
    let mut arguments = with(&branch);
    arguments.extend(LOOPBACK.map(str::to_owned));
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let mut branch = Program::start(env!("CARGO_BIN_EXE_branch"), &arguments);
    assert!(branch.line().starts_with("IOR:"));
    let teller = with(&teller);
    let teller: Vec<_> = teller.iter().map(String::as_str).collect();
    // The reference is written before the name is bound.
    let mut output = run(TELLER, &teller);
    for _ in 0..500 {
        if output.status.success() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        output = run(TELLER, &teller);
    }
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "balance 150\n");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_program_without_its_argument_says_what_it_needs() {
    for program in [TELLER, env!("CARGO_BIN_EXE_async_teller")] {
        let output = run(program, &[]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("usage: "), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn the_asynchronous_client_makes_two_calls_at_once() {
    let mut branch = Program::start(env!("CARGO_BIN_EXE_branch"), &LOOPBACK);
    let reference = branch.line();
    let shown = output_of(env!("CARGO_BIN_EXE_async_teller"), &[&reference]);
    assert_eq!(shown, "Ada has 250, Charles has 250\n");
}

#[test]
fn a_server_ends_in_order_on_sigterm() {
    let names = Names::start();
    let service = format!("NameService={}", names.corbaloc());
    let arguments = [&LOOPBACK[..], &["-ORBInitRef", &service]].concat();
    let mut branch = Program::start(env!("CARGO_BIN_EXE_orderly_branch"), &arguments);
    assert_eq!(branch.line(), "bound to the name bank");

    // The name leads to the branch, which opens no accounts.
    let url = format!("{}#bank", names.corbaloc().replace("corbaloc", "corbaname"));
    let errors = String::from_utf8(run(TELLER, &[&url]).stderr).unwrap();
    assert!(errors.contains("the branch opened no account"), "{errors}");

    let id = branch.child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.unwrap().success());
    let mut rest = String::new();
    branch.output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "ended\n");
    assert!(branch.child.wait().unwrap().success());
    assert!(!names.has_bindings());
}
