//! The language of comments and pages: sentences that name their subject, and names of the
//! glossary.
//!
//! Counts the findings in every `.rs` and `.md` file of the workspace and compares their
//! numbers with `xtask/language-baseline.toml`, in which they may only fall.

mod baseline;
mod prose;
mod retired;
mod sentences;

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::ChoreError;
use crate::workspace::Workspace;
use baseline::Counts;
use prose::Format;
use retired::RetiredNames;

const BASELINE: &str = "xtask/language-baseline.toml";
const GLOSSARY: &str = "docs/glossary.md";
/// The pages that may use retired names: one lists them, the other tells of renamings.
const MAY_NAME_RETIRED: [&str; 2] = [GLOSSARY, "CHANGELOG.md"];

/// A fault of language, at a line counted from one.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    line: usize,
    text: String,
}

/// Prints each finding as `file:line: text` and compares their numbers with the baseline.
///
/// # Errors
///
/// [`ChoreError::Language`] if there are more findings than the baseline has, or fewer, so
/// that the baseline must be lowered; [`ChoreError::File`] if a file cannot be read.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    let retired = RetiredNames::parse(&read(&workspace.path(GLOSSARY))?);
    let allowed = Counts::parse(&read(&workspace.path(BASELINE))?);
    let mut found = Counts::default();
    for file in files(&workspace.path(""))? {
        let text = read(&file)?;
        let format = Format::of(&file);
        let shown = file.strip_prefix(workspace.path("")).unwrap_or(&file);
        let openings = sentences::openings(&prose::blocks(&text, format));
        let may_name_retired = MAY_NAME_RETIRED.iter().any(|page| shown == Path::new(page));
        let names = match may_name_retired {
            true => Vec::new(),
            false => retired.uses(shown, &text),
        };
        found.openings += openings.len();
        found.retired_names += names.len();
        for finding in openings.iter().chain(&names) {
            println!("{}:{}: {}", shown.display(), finding.line, finding.text);
        }
    }
    match found.compare(&allowed) {
        None => Ok(()),
        Some(why) => Err(ChoreError::Language {
            why: format!("{why} (see {BASELINE} and {GLOSSARY})"),
        }),
    }
}

/// The files below a directory that are examined, in order; hidden directories and build
/// directories are left out.
fn files(directory: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    let fault = |source| ChoreError::File {
        path: directory.to_path_buf(),
        source,
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        entries.push((entry.path(), entry.file_type().map_err(fault)?.is_dir()));
    }
    entries.sort();
    let mut files = Vec::new();
    for (path, is_directory) in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_directory && !name.starts_with('.') && name != "target" {
            files.extend(self::files(&path)?);
        } else if !is_directory && (name.ends_with(".rs") || name.ends_with(".md")) {
            files.push(path);
        }
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String, ChoreError> {
    fs::read_to_string(path).map_err(|source| ChoreError::File {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_directories_and_hidden_ones_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["src", "target", ".git"] {
            fs::create_dir(directory.path().join(name)).unwrap();
            fs::write(directory.path().join(name).join("a.rs"), "").unwrap();
        }
        fs::write(directory.path().join("b.md"), "").unwrap();
        fs::write(directory.path().join("c.idl"), "").unwrap();
        let found = files(directory.path()).unwrap();
        let expected = ["b.md", "src/a.rs"].map(|name| directory.path().join(name));
        assert_eq!(found, expected);
    }
}
