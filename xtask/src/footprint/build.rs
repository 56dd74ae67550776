//! Building the programs to be weighed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::shapes::SHAPES;
use crate::workspace::Workspace;

const PACKAGE: &str = "taut-footprint";
const SOURCES: &str = "bench/footprint";

/// A client and the server that it calls.
pub(super) struct Pair {
    pub(super) system: String,
    pub(super) is_omniorb: bool,
    pub(super) client: PathBuf,
    /// None: `client` is a program without an ORB.
    pub(super) server: Option<PathBuf>,
}

/// Builds all of them.
pub(super) fn all(workspace: &Workspace) -> Result<Vec<Pair>, ChoreError> {
    let mut pairs = Vec::new();
    for shape in SHAPES {
        pairs.extend(taut(workspace, shape)?);
    }
    let own = workspace.build_directory("footprint").join("omniorb");
    fs::create_dir_all(&own).map_err(|source| ChoreError::File {
        path: own.clone(),
        source,
    })?;
    pairs.extend(omniorb(workspace, &own)?);
    Ok(pairs)
}

/// Taut in a shape; with the smallest comes the program without an ORB.
fn taut(workspace: &Workspace, shape: &str) -> Result<Vec<Pair>, ChoreError> {
    command::run(&mut workspace.cargo(&[
        "build",
        "--profile",
        "footprint",
        "--package",
        PACKAGE,
        "--no-default-features",
        "--features",
        shape,
    ]))?;
    let built = workspace.build_directory("footprint");
    // The next shape's get the same names.
    let keep = |program: &str| {
        let from = built.join(format!("{PACKAGE}-{program}"));
        let to = built.join(format!("{program}-{shape}"));
        match fs::copy(&from, &to) {
            Ok(_) => Ok(to),
            Err(source) => Err(ChoreError::File { path: from, source }),
        }
    };
    let mut pairs = Vec::new();
    if shape == SHAPES[0] {
        pairs.push(Pair {
            system: "no ORB".to_owned(),
            is_omniorb: false,
            client: keep("nothing")?,
            server: None,
        });
    }
    pairs.push(Pair {
        system: format!("Taut {shape}"),
        is_omniorb: false,
        client: keep("client")?,
        server: Some(keep("server")?),
    });
    Ok(pairs)
}

/// How omniORB's libraries are linked.
const LINKS: [(&str, &[&str]); 2] = [
    ("omniORB", &["-lomniORB4", "-lomnithread"]),
    (
        "omniORB, static",
        &[
            "-Wl,-Bstatic",
            "-lomniORB4",
            "-lomnithread",
            "-Wl,-Bdynamic",
            "-lz",
        ],
    ),
];

/// The same with omniORB, for size as well.
fn omniorb(workspace: &Workspace, output: &Path) -> Result<Vec<Pair>, ChoreError> {
    let idl = workspace.path(&format!("{SOURCES}/idl/greeter.idl"));
    command::run(
        Command::new("omniidl")
            .args(["-bcxx", "-C"])
            .arg(output)
            .arg(idl),
    )?;
    let mut pairs = Vec::new();
    for (system, libraries) in LINKS {
        let program = |name: &str| -> Result<PathBuf, ChoreError> {
            let path = output.join(system.replace(", ", "-")).with_extension(name);
            let mut command = Command::new("g++");
            command
                .args([
                    "-std=c++17",
                    "-Os",
                    "-ffunction-sections",
                    "-fdata-sections",
                ])
                .arg("-isystem")
                .arg(output)
                .arg(workspace.path(&format!("{SOURCES}/omniorb/{name}.cc")))
                .arg(output.join("greeterSK.cc"))
                .arg("-o")
                .arg(&path)
                .arg("-Wl,--gc-sections")
                .args(libraries)
                .arg("-pthread");
            command::run(&mut command)?;
            Ok(path)
        };
        pairs.push(Pair {
            system: system.to_owned(),
            is_omniorb: true,
            client: program("client")?,
            server: Some(program("server")?),
        });
    }
    Ok(pairs)
}
