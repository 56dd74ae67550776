//! Tests under the compiler's sanitizers, with rustup's nightly toolchain.
//!
//! AddressSanitizer finds what unsafe code does to memory. ThreadSanitizer finds
//! accesses that nothing orders. It must see all that orders them, the standard
//! library's part too: with the component `rust-src` that is built along. Without
//! it, orders that the library makes by itself are invisible, and what is reported
//! for that is suppressed, by `tsan_suppressions.txt`.

use std::path::PathBuf;
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The tests that reach what is unsafe: a package and, if not all of its tests, an executable
/// and what its tests begin with.
const UNSAFE: [(&str, &str, &[&str]); 6] = [
    ("taut-cdr", "", &[]),
    ("taut-sync", "", &[]),
    ("taut-sys", "", &[]),
    ("taut-types", "", &[]),
    ("taut", "it", &["collocation::", "large_replies::"]),
    ("taut-interop", "it", &["strategies::", "large_structs::"]),
];

/// The modules of the tests of `taut` in which threads meet.
const CONCURRENT: [&str; 12] = [
    "bidirectional::",
    "calls::",
    "client_connections::",
    "collocation::",
    "forwarding::",
    "history::",
    "left_behind::",
    "lifecycle::",
    "oneways::",
    "poa::",
    "reactor::",
    "shared::",
];

/// Named, so that programs that run while others are built are left as they are.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests of what is unsafe under AddressSanitizer.
pub(crate) fn addresses(workspace: &Workspace) -> Result<(), ChoreError> {
    let suppressions = workspace.path("xtask/lsan_suppressions.txt");
    for (package, executable, modules) in UNSAFE {
        let tests: &[&str] = match executable {
            "" => &["--tests"],
            executable => &["--test", executable],
        };
        let mut cargo = nightly("cargo");
        cargo
            .current_dir(workspace.path(""))
            .args(["test", "--package", package, "--target", TARGET])
            .args(tests)
            .arg("--target-dir")
            .arg(workspace.build_directory("asan"))
            .env("RUSTFLAGS", "-Zsanitizer=address")
            .env("ASAN_OPTIONS", "detect_leaks=1")
            .env(
                "LSAN_OPTIONS",
                format!("suppressions={}", suppressions.display()),
            );
        command::run(cargo.arg("--").args(modules))?;
    }
    Ok(())
}

/// Runs the tests in which threads meet under ThreadSanitizer: those inside `taut` and the
/// crates below it, and those of `taut` from outside.
pub(crate) fn threads(workspace: &Workspace) -> Result<(), ChoreError> {
    let flags = thread_sanitizer_flags(workspace)?;
    let packages = ["taut", "taut-sync", "taut-sys"];
    let mut inside = thread_sanitizer(workspace, &flags);
    inside
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .arg("--lib");
    let mut outside = thread_sanitizer(workspace, &flags);
    outside
        .args(["--package", "taut", "--test", "it", "--test", "alone", "--"])
        .args(CONCURRENT);
    // Both run, whatever the first finds.
    let found = command::run(&mut inside);
    command::run(&mut outside).and(found)
}

/// The flags of cargo and of the environment that ThreadSanitizer needs.
struct Flags {
    arguments: &'static [&'static str],
    environment: Vec<(&'static str, String)>,
}

/// Tests under ThreadSanitizer, of packages that are still to be named.
fn thread_sanitizer(workspace: &Workspace, flags: &Flags) -> Command {
    let mut cargo = nightly("cargo");
    cargo
        .current_dir(workspace.path(""))
        .args(["test", "--no-fail-fast", "--target", TARGET])
        .arg("--target-dir")
        .arg(workspace.build_directory("tsan"))
        .args(flags.arguments)
        .envs(flags.environment.iter().map(|(name, value)| (name, value)));
    cargo
}

/// The flags with which the standard library is built along, if its source is there, and
/// those with which its reports are suppressed otherwise.
fn thread_sanitizer_flags(workspace: &Workspace) -> Result<Flags, ChoreError> {
    if has_library_source()? {
        eprintln!("xtask: the standard library is built with ThreadSanitizer too");
        let rust_flags = "-Zsanitizer=thread -Copt-level=1".to_owned();
        return Ok(Flags {
            arguments: &["-Zbuild-std"],
            environment: vec![("RUSTFLAGS", rust_flags)],
        });
    }
    eprintln!(
        "xtask: the standard library is as it comes, for the nightly toolchain has no \
         rust-src; what is reported for that alone is suppressed"
    );
    // Suppressions are by name, and names are found by this program.
    if command::find_program("llvm-symbolizer").is_none() {
        return Err(ChoreError::Missing {
            packages: vec!["llvm"],
            why: "ThreadSanitizer's reports cannot be told apart without llvm-symbolizer",
        });
    }
    let rust_flags =
        "-Zsanitizer=thread -Copt-level=1 -Cunsafe-allow-abi-mismatch=sanitizer".to_owned();
    let suppressions = workspace.path("xtask/tsan_suppressions.txt");
    let options = format!("suppressions={}", suppressions.display());
    Ok(Flags {
        arguments: &[],
        environment: vec![("RUSTFLAGS", rust_flags), ("TSAN_OPTIONS", options)],
    })
}

/// A program of rustup's nightly toolchain: rustup's own, which knows toolchains,
/// and not the one that runs this.
fn nightly(program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .arg("+nightly")
        .env_remove("RUSTC")
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// Whether the nightly toolchain has the source of the standard library.
fn has_library_source() -> Result<bool, ChoreError> {
    let mut rustc = nightly("rustc");
    let output = rustc
        .args(["--print", "sysroot"])
        .output()
        .map_err(|source| ChoreError::Start {
            command: "rustc +nightly".to_owned(),
            source,
        })?;
    let root = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let library = PathBuf::from(root).join("lib/rustlib/src/rust/library/std");
    Ok(library.is_dir())
}
