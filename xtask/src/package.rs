//! The packages of the crates that are published: made and compiled as a registry's users
//! get them.

use std::fs;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// What `cargo metadata` says of the workspace, as far as it is used here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Package {
    name: String,
    version: String,
    /// The registries that it may be published in. `None` if every registry.
    publish: Option<Vec<String>>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }
}

/// Makes the package of each crate that is published, unpacks it and compiles it. Packages
/// that depend on others find these in a registry that lasts as long as the chore, so that
/// files that are missing in a package, and what only works in the workspace, are faults.
///
/// The network is used only if a dependency has not been downloaded yet.
pub(crate) fn run(workspace: &Workspace, allow_dirty: bool) -> Result<(), ChoreError> {
    let packages = published(&metadata(workspace)?)?;
    command::run(&mut workspace.cargo(&["fetch", "--locked"]))?;
    let mut cargo = workspace.cargo(&["package", "--offline"]);
    if allow_dirty {
        cargo.arg("--allow-dirty");
    }
    for package in &packages {
        cargo.args(["--package", &package.name]);
    }
    // Without this, Cargo compiles all dependencies anew for each package. With the same
    // debug information it finds those of the workspace.
    cargo.env("CARGO_TARGET_DIR", workspace.target());
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    command::run(&mut cargo)?;
    show_sizes(workspace, &packages)
}

/// Returns what `cargo metadata` prints of the members of the workspace.
fn metadata(workspace: &Workspace) -> Result<String, ChoreError> {
    let mut cargo = workspace.cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = cargo.stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| ChoreError::Start {
        command: command::show(&cargo),
        source,
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failed(&cargo, output.status)),
    }
}

fn failed(command: &Command, status: std::process::ExitStatus) -> ChoreError {
    ChoreError::Failed {
        command: command::show(command),
        status,
    }
}

/// Returns the members that are published.
fn published(metadata: &str) -> Result<Vec<Package>, ChoreError> {
    let metadata: Metadata =
        serde_json::from_str(metadata).map_err(|source| ChoreError::Metadata { source })?;
    let packages = metadata.packages.into_iter();
    Ok(packages.filter(Package::is_published).collect())
}

/// Prints the size of each package.
fn show_sizes(workspace: &Workspace, packages: &[Package]) -> Result<(), ChoreError> {
    println!("\n{:<28} {:>12}", "package", "octets");
    for Package { name, version, .. } in packages {
        let file = format!("package/{name}-{version}.crate");
        let path = workspace.build_directory(&file);
        let metadata = fs::metadata(&path);
        let metadata = metadata.map_err(|source| ChoreError::File { path, source })?;
        println!("{name:<28} {:>12}", metadata.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_no_registry_may_have_are_left_out() {
        let metadata = r#"{"packages": [
            {"name": "everywhere", "version": "0.1.0", "publish": null, "edition": "2024"},
            {"name": "nowhere", "version": "0.1.0", "publish": []},
            {"name": "somewhere", "version": "0.2.0", "publish": ["ours"]}
        ]}"#;
        let packages = published(metadata).unwrap();
        let names: Vec<_> = packages.iter().map(|package| &package.name[..]).collect();
        assert_eq!(names, ["everywhere", "somewhere"]);
    }

    #[test]
    fn what_is_no_metadata_is_an_error() {
        let error = published("{}").unwrap_err();
        assert!(matches!(error, ChoreError::Metadata { .. }), "{error}");
    }

    #[test]
    fn the_published_crates_of_the_workspace_are_found() {
        let packages = published(&metadata(&Workspace::locate()).unwrap()).unwrap();
        let has = |name: &str| packages.iter().any(|package| package.name == name);
        assert!(has("taut") && has("taut-cli"), "{packages:?}");
        assert!(!has("xtask") && !has("test-tools"), "{packages:?}");
    }
}
