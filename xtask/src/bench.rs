//! Running the benchmarks.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;
use crate::{debian_packages, peers, tonic};

/// Builds the peers when omniORB is installed, then runs `taut-bench`. Without
/// omniORB the benchmarks still run, and compare with raw sockets only. The command `async`
/// has tonic as well.
pub(crate) fn run(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    if arguments.first().is_some_and(|command| command == "render") {
        return render(workspace, arguments);
    }
    let missing = debian_packages::missing();
    if missing.is_empty() {
        peers::build(workspace)?;
    } else {
        eprintln!(
            "LEFT OUT: omniORB, for {} is missing; run `cargo xtask peers`",
            missing.join(" ")
        );
    }
    let [command, rest @ ..] = arguments else {
        return measure(workspace, arguments);
    };
    match command.to_str() {
        Some("page") => page(workspace, rest),
        Some("async") => {
            if let Err(error) = tonic::build(workspace) {
                eprintln!("LEFT OUT: tonic, for its program is not built: {error}");
            }
            measure(workspace, arguments)
        }
        Some("probes" | "demux" | "demux-look-ups" | "allocation") => probe(workspace, arguments),
        _ => measure(workspace, arguments),
    }
}

/// Measures how late calls end that stall: so many of each kind, which have 200 ms. The
/// events that they wait for take so much longer than the code that this is not optimized.
pub(crate) fn deadlines(workspace: &Workspace, times: u32) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["run", "--quiet", "--package", PACKAGE, "--", "deadlines"]);
    command::run(cargo.args(["--times", &times.to_string()]))
}

/// Makes the tables of a page of records. It measures nothing, and is not optimized.
fn render(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["run", "--quiet", "--package", PACKAGE, "--"]);
    command::run(cargo.args(arguments))
}

/// The package of the benchmarks, and its program.
const PACKAGE: &str = "taut-bench";

/// Builds the benchmarks and runs them.
fn measure(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    command::run(&mut workspace.cargo(&["build", "--release", "--package", PACKAGE]))?;
    let program = workspace.release_program(PACKAGE);
    // Not with `cargo run`, which would start it in the root, where a file that
    // an argument names is looked for in vain.
    command::run(Command::new(program).args(arguments))
}

/// Builds the benchmarks with the feature `probes` in a directory of its own, and runs
/// them: anything else that this program measures includes the probes.
fn probe(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    let directory = workspace.build_directory("bench-probes");
    let mut build = workspace.cargo(&["build", "--release", "--package", PACKAGE]);
    build.args(["--features", "probes", "--target-dir"]);
    command::run(build.arg(&directory))?;
    let program = directory.join("release").join(PACKAGE);
    command::run(Command::new(program).args(arguments))
}

/// Measures all that one page shows, and writes it: the probes, many servants, and the
/// table, to which the arguments go.
fn page(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    let folder = workspace.build_directory("bench");
    fs::create_dir_all(&folder).map_err(|source| ChoreError::File {
        path: folder.clone(),
        source,
    })?;
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let [probes, scalability] = ["probes", "scalability"].map(|command| {
        let file = folder.join(command).with_extension("json");
        let mut all: Vec<OsString> = vec![command.into(), "--json".into(), file.clone().into()];
        if is_quick {
            all.push("--quick".into());
        }
        (file, all)
    });
    probe(workspace, &probes.1)?;
    measure(workspace, &scalability.1)?;
    let page = folder.join("page.html");
    let mut table: Vec<OsString> = vec!["table".into(), "--html".into(), page.clone().into()];
    for (file, _) in [probes, scalability] {
        table.extend(["--also".into(), file.into()]);
    }
    table.extend_from_slice(arguments);
    measure(workspace, &table)?;
    println!("{}", page.display());
    Ok(())
}
