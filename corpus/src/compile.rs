//! Compiling what was generated, all files in one crate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::error::CorpusError;
use crate::examine::{Finding, Stage};

/// Compiles the Rust of all findings with clippy, a module for each, and notes
/// what it says in the findings. The crate is made anew in `directory`; its
/// dependencies are built where the workspace's are.
///
/// # Errors
///
/// When Cargo cannot be started, or something fails that is in none of the
/// modules.
pub fn compile(
    findings: &mut [Finding],
    root: &Path,
    target: &Path,
    directory: &Path,
) -> Result<(), CorpusError> {
    write_crate(findings, root, directory)?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["clippy", "--offline", "--quiet", "--message-format=json"])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .map_err(|source| CorpusError::Start {
            program: "cargo clippy",
            source,
        })?;
    let messages = messages(&String::from_utf8_lossy(&output.stdout));
    if !output.status.success() && messages.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(CorpusError::Compile(said));
    }
    for (file, message) in messages {
        let mut compiled = findings.iter_mut();
        let Some(finding) = compiled.find(|finding| file == module_file(finding)) else {
            return Err(CorpusError::Compile(format!("{file}: {message}")));
        };
        finding.failure = Some((Stage::Compile, message));
    }
    Ok(())
}

fn write_crate(findings: &[Finding], root: &Path, directory: &Path) -> Result<(), CorpusError> {
    let source = directory.join("src");
    let file_error = |path: &Path| {
        let path = path.to_path_buf();
        move |source| CorpusError::File { path, source }
    };
    if directory.exists() {
        fs::remove_dir_all(directory).map_err(file_error(directory))?;
    }
    fs::create_dir_all(&source).map_err(file_error(&source))?;
    let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(file_error(&path));
    let mut modules = "//! The Rust of the corpus.\n#![warn(missing_docs)]\n".to_owned();
    for finding in findings {
        if let Some(rust) = &finding.rust {
            let module = module(finding);
            modules += &format!("#[doc = {:?}]\npub mod {module};\n", finding.file.id());
            write(directory.join(module_file(finding)), rust)?;
        }
    }
    write(source.join("lib.rs"), &modules)?;
    let taut = root.join("crates/taut");
    let manifest = format!(
        "[package]\nname = \"corpus-rust\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\ntaut = {{ path = {:?} }}\n",
        taut.display().to_string()
    );
    write(directory.join("Cargo.toml"), &manifest)?;
    // The workspace's versions, so that nothing has to be looked up.
    let lock = directory.join("Cargo.lock");
    fs::copy(root.join("Cargo.lock"), &lock)
        .map(|_| ())
        .map_err(file_error(&lock))
}

/// The name of the module that a file becomes.
fn module(finding: &Finding) -> String {
    let id = finding.file.id();
    let letters = id.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '_',
    });
    letters
        .collect::<String>()
        .trim_end_matches("_idl")
        .to_owned()
}

fn module_file(finding: &Finding) -> String {
    format!("src/{}.rs", module(finding))
}

/// The first warning or error in each file of the crate.
fn messages(output: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in output.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let message = &message["message"];
        let text = message["message"].as_str();
        let file = message["spans"][0]["file_name"].as_str();
        if let (Some(text), Some(file)) = (text, file) {
            let line = &message["spans"][0]["line_start"];
            found
                .entry(file.to_owned())
                .or_insert_with(|| format!("{text} (line {line})"));
        }
    }
    found
}
