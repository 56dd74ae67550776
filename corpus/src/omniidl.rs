//! The verdict of omniidl on a file.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::error::CorpusError;
use crate::packages::File;

/// The verdict of omniidl on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The lines that [`outline`](crate::outline::outline) writes of a model.
    Outline(BTreeSet<String>),
    /// It refuses the file; the first thing that it says.
    Refused(String),
}

/// Runs omniidl on a file, with the same include directories and macros, and
/// with `built_in`, a directory, as the last of the former: what Taut finds
/// without being told where, omniidl finds there.
///
/// # Errors
///
/// When it cannot be started.
pub(crate) fn run(file: &File, back_end: &Path, built_in: &Path) -> Result<Verdict, CorpusError> {
    let mut command = Command::new("omniidl");
    command.arg("-p").arg(back_end).args(["-b", "taut_model"]);
    for define in &file.options.defines {
        command.arg(format!("-D{define}"));
    }
    let built_in = built_in.to_path_buf();
    for directory in file.options.includes.iter().chain([&built_in]) {
        command.arg(format!("-I{}", directory.display()));
    }
    let output = command
        .arg(&file.path)
        // Nothing shall be left beside the back end.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .map_err(|source| CorpusError::Start {
            program: "omniidl",
            source,
        })?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        return Ok(Verdict::Outline(text.lines().map(str::to_owned).collect()));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said
        .lines()
        .find(|line| !line.contains("Warning") && !line.starts_with(' '))
        .unwrap_or("no word why");
    // Without the place, which tells where the corpus lies.
    let message = first.splitn(3, ':').last().unwrap_or(first).trim();
    Ok(Verdict::Refused(message.to_owned()))
}
