//! The packages that are published: what is in them, and what their manifests say.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use test_tools::{CodeBlock, code_blocks};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).arg("--offline").args(arguments);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The members of the workspace, as `cargo metadata` tells of them.
pub(crate) fn members() -> Vec<Value> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata: Value = serde_json::from_str(&cargo(&arguments)).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

#[test]
fn only_crates_that_others_use_are_published() {
    let members = members();
    let published = members.iter().filter(|package| is_published(package));
    let published: BTreeSet<_> = published
        .filter_map(|package| package["name"].as_str())
        .collect();
    let expected = [
        "taut",
        "taut-build",
        "taut-cdr",
        "taut-cli",
        "taut-dynamic",
        "taut-explain",
        "taut-giop",
        "taut-idl",
        "taut-idl-types",
        "taut-ifr",
        "taut-json",
        "taut-naming",
        "taut-otel",
        "taut-scheduling",
        "taut-scheduling-service",
        "taut-sync",
        "taut-sys",
        "taut-traffic",
        "taut-transport",
        "taut-transport-conformance",
        "taut-types",
    ];
    assert_eq!(published, BTreeSet::from(expected));
}

#[test]
fn the_manifests_of_packages_say_what_registries_ask_for() {
    for package in members().iter().filter(|package| is_published(package)) {
        let name = &package["name"];
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(package[field].is_string(), "{name}: {field}");
        }
        for field in ["keywords", "categories"] {
            assert!(
                !package[field].as_array().unwrap().is_empty(),
                "{name}: {field}"
            );
        }
        assert_eq!(
            package["metadata"]["docs"]["rs"]["all-features"], true,
            "{name}"
        );
        // The dependencies of a package can be published, too.
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_for_tests = dependency["kind"] == "dev";
            let has_version = dependency["req"] != "*";
            assert!(
                is_for_tests || has_version,
                "{name}: {}",
                dependency["name"]
            );
        }
    }
}

#[test]
fn packages_have_licences_a_readme_and_no_tests_that_need_the_repository() {
    for package in members().iter().filter(|package| is_published(package)) {
        let name = package["name"].as_str().unwrap();
        let list = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
        let files: BTreeSet<&str> = list.lines().collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "Cargo.toml"] {
            assert!(files.contains(file), "{name} lacks {file}");
        }
        let test = files.iter().find(|file| file.starts_with("tests/"));
        assert_eq!(test, None, "{name}");
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let directory = manifest.parent().unwrap();
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = |path: PathBuf| fs::read_to_string(path).unwrap();
            assert_eq!(text(directory.join(licence)), text(root().join(licence)));
        }
        no_source_reaches_out(name, directory, &files);
        no_source_needs_the_workspace(package, directory, &files);
    }
}

#[test]
fn the_readme_of_each_library_has_an_example_that_is_compiled() {
    let members = members();
    let is_library = |package: &&Value| package["name"] != "taut-cli";
    let published = members.iter().filter(|package| is_published(package));
    for package in published.filter(is_library) {
        let name = &package["name"];
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let directory = manifest.parent().unwrap();
        let readme = fs::read_to_string(directory.join("README.md")).unwrap();
        let blocks = code_blocks(&readme);
        let is_compiled = |block: &CodeBlock<'_>| matches!(block.language, "rust" | "rust,no_run");
        assert!(blocks.iter().any(is_compiled), "{name}");
        let library = fs::read_to_string(directory.join("src/lib.rs")).unwrap();
        let compiles = "#[cfg(doctest)]\n#[doc = include_str!(\"../README.md\")]\n";
        assert!(library.contains(compiles), "{name}");
    }
}

/// Unit tests and examples, which are in packages, use no crate of the workspace that is not
/// published. Cargo leaves such dependencies out of the packages' manifests.
fn no_source_needs_the_workspace(package: &Value, directory: &Path, files: &BTreeSet<&str>) {
    let dependencies = package["dependencies"].as_array().unwrap();
    let left_out = dependencies
        .iter()
        .filter(|it| it["req"] == "*" && it["path"].is_string());
    let crates = left_out.map(|it| it["name"].as_str().unwrap().replace('-', "_"));
    let crates: Vec<_> = crates.collect();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let text = fs::read_to_string(directory.join(file)).unwrap();
        let used = crates
            .iter()
            .find(|name| text.contains(&format!("{name}::")));
        assert_eq!(used, None, "{}: {file}", package["name"]);
    }
}

/// Sources include files of their own package only.
fn no_source_reaches_out(name: &str, directory: &Path, files: &BTreeSet<&str>) {
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let path = directory.join(file);
        let text = fs::read_to_string(&path).unwrap();
        for macro_name in ["include!(\"", "include_str!(\"", "include_bytes!(\""] {
            for rest in text.split(macro_name).skip(1) {
                let included = rest.split('"').next().unwrap();
                let included = path.parent().unwrap().join(included);
                let included = included.canonicalize().unwrap();
                let directory = directory.canonicalize().unwrap();
                let within = included.strip_prefix(&directory);
                let is_there = within.is_ok_and(|path| files.contains(path.to_str().unwrap()));
                assert!(is_there, "{name}: {file} includes {}", included.display());
            }
        }
    }
}
