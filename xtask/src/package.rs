//! The packages of the crates that are published: made and compiled as a registry's users
//! get them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The output of `cargo metadata`, as far as it is used here.
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

/// Makes the package of each crate that is published, unpacks all of them and compiles what is
/// in them: each package alone, and then the unit tests and examples of all. So files that are
/// missing in a package, and what only works in the workspace, are faults.
///
/// The network is used only if a dependency has not been downloaded yet.
pub(crate) fn run(workspace: &Workspace, allow_dirty: bool) -> Result<(), ChoreError> {
    let packages = published(&metadata(workspace)?)?;
    command::run(&mut workspace.cargo(&["fetch", "--locked"]))?;
    // Cargo's own verification takes packages of an earlier run for those of this one, for
    // their versions are the same.
    let mut cargo = workspace.cargo(&["package", "--offline", "--no-verify"]);
    if allow_dirty {
        cargo.arg("--allow-dirty");
    }
    for package in &packages {
        cargo.args(["--package", &package.name]);
    }
    command::run(&mut cargo)?;

    let unpacked = workspace.build_directory("package-check");
    unpack(workspace, &packages, &unpacked)?;
    for package in &packages {
        check(workspace, &unpacked, &["--package", &package.name])?;
    }
    check(workspace, &unpacked, &["--workspace", "--all-targets"])?;
    show_sizes(workspace, &packages)
}

/// The file of a package.
fn archive(workspace: &Workspace, package: &Package) -> PathBuf {
    let Package { name, version, .. } = package;
    workspace.build_directory(&format!("package/{name}-{version}.crate"))
}

/// Unpacks packages into a directory that becomes a workspace of them. There they stand for
/// the packages of a registry that they name as dependencies.
fn unpack(workspace: &Workspace, packages: &[Package], to: &Path) -> Result<(), ChoreError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |source| ChoreError::File { path, source }
    };
    if to.exists() {
        fs::remove_dir_all(to).map_err(fault(to))?;
    }
    fs::create_dir_all(to).map_err(fault(to))?;
    for package in packages {
        // The times in packages are always the same: Cargo would not see that files differ from
        // those of an earlier run.
        let mut tar = Command::new("tar");
        tar.args(["--touch", "-xzf"])
            .arg(archive(workspace, package))
            .arg("-C")
            .arg(to);
        command::run(&mut tar)?;
    }
    let manifest = to.join("Cargo.toml");
    fs::write(&manifest, workspace_manifest(packages)).map_err(fault(&manifest))?;
    let lock = to.join("Cargo.lock");
    fs::copy(workspace.path("Cargo.lock"), &lock).map_err(fault(&lock))?;
    Ok(())
}

/// The manifest of a workspace of unpacked packages. It has the profile of this workspace, so
/// that dependencies that are compiled already serve it.
fn workspace_manifest(packages: &[Package]) -> String {
    let directory = |package: &Package| format!("{}-{}", package.name, package.version);
    let mut members = String::new();
    let mut patches = String::new();
    for package in packages {
        let directory = directory(package);
        members.push_str(&format!("    \"{directory}\",\n"));
        patches.push_str(&format!(
            "{} = {{ path = \"{directory}\" }}\n",
            package.name
        ));
    }
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\n{members}]\n\n\
         [patch.crates-io]\n{patches}\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n"
    )
}

/// Compiles what is in unpacked packages, without the generation of code.
fn check(workspace: &Workspace, unpacked: &Path, selection: &[&str]) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["check", "--offline", "--quiet"]);
    cargo.current_dir(unpacked).args(selection);
    cargo.env("CARGO_TARGET_DIR", workspace.target());
    command::run(&mut cargo)
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
    for package in packages {
        let path = archive(workspace, package);
        let metadata = fs::metadata(&path);
        let metadata = metadata.map_err(|source| ChoreError::File { path, source })?;
        println!("{:<28} {:>12}", package.name, metadata.len());
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
    fn unpacked_packages_stand_for_those_of_a_registry() {
        let package = |name: &str| Package {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            publish: None,
        };
        let manifest = workspace_manifest(&[package("one"), package("two")]);
        assert!(
            manifest.contains("    \"one-0.1.0\",\n    \"two-0.1.0\",\n]"),
            "{manifest}"
        );
        assert!(
            manifest.contains("two = { path = \"two-0.1.0\" }\n"),
            "{manifest}"
        );
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
