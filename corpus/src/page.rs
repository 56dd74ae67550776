//! The page `docs/corpus.md`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::error::CorpusError;
use crate::examine::{Finding, Stage};
use crate::fetch::version;
use crate::known_gaps::KnownGaps;
use crate::packages::{Origin, PACKAGES};

const HEAD: &str = "\
# The corpus

IDL that nobody here wrote. `cargo xtask corpus` fetches it, checks each file,
makes Rust of it, compiles that with clippy (no warning is accepted), and
compares what Taut understood with what omniidl did: repository ids, operations
with their parameters and exceptions, members, labels, bounds, values. It writes
this page; the names and results in it are checked, the times are not.

Lines in brackets are those with all included files, definitions those of the
included files too. Times are in milliseconds, for the file with all that it
includes: medians of seven, in release mode, on an otherwise idle machine if
somebody saw to it.

`equal` means that omniidl says the same to the last bound; `refuses` that it
does not compile the file.
";

/// The cells of a row that are measured: those of the times.
const MEASURED: [usize; 2] = [4, 5];

/// Writes the page.
///
/// # Errors
///
/// When the version of a package is not known.
pub fn page(findings: &[Finding], gaps: &KnownGaps, corpus: &Path) -> Result<String, CorpusError> {
    let mut page = HEAD.to_owned();
    page += &summary(findings);
    for package in PACKAGES {
        let version = version(corpus, package).map_err(|source| CorpusError::File {
            path: corpus.join(package.name),
            source,
        })?;
        let origin = match package.origin {
            Origin::Debian => format!("Debian, {} {version}", package.name),
            Origin::DebianSource => {
                format!("Debian, the source package {} {version}", package.name)
            }
            Origin::Maven(coordinates) => format!("Maven, {coordinates}"),
        };
        page += &format!("\n## {}\n\n{origin}\n\n", package.name);
        page += "| file | lines | definitions | check | generate | Rust | omniidl |\n";
        page += "|---|---:|---:|---:|---:|---|---|\n";
        for finding in findings {
            if finding.file.package == package.name {
                page += &row(finding);
            }
        }
    }
    page += &notes(findings, gaps);
    Ok(page)
}

/// Whether two pages say the same but for the times.
pub fn same_but_for_times(one: &str, other: &str) -> bool {
    one.lines()
        .map(without_times)
        .eq(other.lines().map(without_times))
}

fn without_times(line: &str) -> String {
    let cells: Vec<_> = line.split('|').collect();
    let cells = cells.iter().enumerate().map(|(index, cell)| {
        let measured = cells.len() == 9 && MEASURED.contains(&index);
        if measured { "" } else { *cell }
    });
    cells.collect::<Vec<_>>().join("|")
}

fn summary(findings: &[Finding]) -> String {
    let total = findings.len();
    let compiled = findings
        .iter()
        .filter(|finding| passes(finding, Stage::Compile));
    let equal = findings.iter().filter(|finding| is_equal(finding));
    let refused = findings.iter().filter(|finding| finding.refused.is_some());
    format!(
        "\nOf {total} files {} become Rust that compiles. omniidl refuses {}; of the others {} \
         are equal.\n",
        compiled.count(),
        refused.count(),
        equal.count()
    )
}

fn row(finding: &Finding) -> String {
    let rust = match &finding.failure {
        Some((Stage::Omniidl, _)) | None => "compiles".to_owned(),
        Some((stage, _)) => format!("fails: {}", stage.name()),
    };
    let omniidl = if finding.refused.is_some() {
        "refuses"
    } else if is_equal(finding) {
        "equal"
    } else {
        "differs"
    };
    format!(
        "| {} | {} ({}) | {} | {} | {} | {rust} | {omniidl} |\n",
        finding.file.name,
        finding.lines,
        finding.lines_with_includes,
        finding.definitions,
        milliseconds(finding.check),
        milliseconds(finding.generation),
    )
}

/// Returns the notes below the table: why files fail, differ or are refused.
fn notes(findings: &[Finding], gaps: &KnownGaps) -> String {
    let mut notes = String::new();
    for finding in findings {
        let id = finding.file.id();
        if let Some((stage, why)) = &finding.failure {
            let reason = gaps.reason(&id).unwrap_or("not known yet");
            let first = why.lines().next().unwrap_or_default();
            // Writing to a string does not fail.
            let _ = writeln!(notes, "- {id}, {}: {reason} ({first})", stage.name());
        }
        if let Some(why) = &finding.refused {
            let _ = writeln!(notes, "- {id}, refused by omniidl: {why}");
        }
    }
    if notes.is_empty() {
        return notes;
    }
    format!("\n## Notes\n\n{notes}")
}

fn passes(finding: &Finding, stage: Stage) -> bool {
    let failed = finding.failure.as_ref();
    failed.is_none_or(|(failed, _)| *failed > stage)
}

fn is_equal(finding: &Finding) -> bool {
    finding.refused.is_none()
        && !matches!(finding.failure, Some((Stage::Check | Stage::Omniidl, _)))
}

fn milliseconds(time: Duration) -> String {
    if time.is_zero() {
        return "-".to_owned();
    }
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_may_differ() {
        let row = |check, rust| format!("| a.idl | 1 (2) | 3 | {check} | 0.5 | {rust} | equal |\n");
        assert!(same_but_for_times(
            &row("0.1", "compiles"),
            &row("7.0", "compiles")
        ));
        assert!(!same_but_for_times(
            &row("0.1", "compiles"),
            &row("0.1", "fails")
        ));
    }
}
