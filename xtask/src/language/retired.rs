//! Names that the project no longer uses, as the glossary lists them.

use std::path::Path;

use super::Finding;

/// The heading of the glossary under which the table of retired names stands.
const HEADING: &str = "## Retired names";

/// Retired names, each with the name that replaces it.
pub(super) struct RetiredNames {
    names: Vec<RetiredName>,
}

struct RetiredName {
    name: String,
    replacement: String,
    /// The directory below which it is retired; empty for the whole workspace.
    below: String,
}

impl RetiredNames {
    /// Reads the rows of the glossary's table. The first column has the retired spellings,
    /// the second the replacement, the third the directory below which they are retired, if
    /// they are not everywhere; each is in backticks.
    pub(super) fn parse(glossary: &str) -> Self {
        let section = glossary
            .lines()
            .skip_while(|line| line.trim() != HEADING)
            .skip(1)
            .take_while(|line| !line.starts_with("## "));
        let rows = section.filter_map(|line| line.strip_prefix('|')?.split_once('|'));
        let names = rows
            .flat_map(|(retired, rest)| {
                let (replacement, below) = rest.split_once('|').unwrap_or((rest, ""));
                let first = |text| quoted(text).next().unwrap_or_default().to_owned();
                let (replacement, below) = (first(replacement), first(below));
                quoted(retired).map(move |name| RetiredName {
                    name: name.to_owned(),
                    replacement: replacement.clone(),
                    below: below.clone(),
                })
            })
            .collect();
        Self { names }
    }

    /// Finds the uses of retired names in the text of a file, be it code or prose. The path
    /// is that from the root of the workspace.
    ///
    /// A name is compared with each part of an identifier, in its own case: `Widget` is in
    /// `Widget` and in `BigWidget`, `widget` in `widget_size`. A name with `::` is compared with
    /// the text as it stands.
    pub(super) fn uses(&self, path: &Path, text: &str) -> Vec<Finding> {
        let names = self.names.iter();
        let names: Vec<_> = names.filter(|name| path.starts_with(&name.below)).collect();
        let lines = (1..).zip(text.lines());
        lines
            .flat_map(|(line, text)| uses_in_line(&names, line, text))
            .collect()
    }
}

fn uses_in_line(names: &[&RetiredName], line: usize, text: &str) -> Vec<Finding> {
    let parts: Vec<_> = text
        .split(|char: char| !char.is_alphanumeric())
        .flat_map(parts)
        .collect();
    let is_used = |name: &str| match name.contains("::") {
        true => text.contains(name),
        false => parts.contains(&name),
    };
    let used = names.iter().filter(|retired| is_used(&retired.name));
    used.map(|retired| Finding {
        line,
        text: format!(
            "`{}` is retired: use `{}`",
            retired.name, retired.replacement
        ),
    })
    .collect()
}

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The parts of a word, each of which begins with a capital: `Worker`, `Pool`.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, char) in word.char_indices() {
        if at > start && char.is_uppercase() {
            parts.push(&word[start..at]);
            start = at;
        }
    }
    parts.push(&word[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "\
# Glossary\n\n| `lane` | `no` |\n\n## Retired names\n\n| retired | now |\n|---|---|\n\
| `Widget`, `widget` | `Gadget` | |\n| `Lever::pull_up` | `raise` |\n\
| `Gear` | `Cog` | `crates/` |\n\
\n## After\n\n| `band` | `no` |\n";

    fn uses(text: &str) -> Vec<(usize, String)> {
        uses_in("docs/a.md", text)
    }

    fn uses_in(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = RetiredNames::parse(GLOSSARY).uses(Path::new(path), text);
        findings
            .into_iter()
            .map(|use_| (use_.line, use_.text))
            .collect()
    }

    #[test]
    fn names_are_found_as_parts_of_identifiers() {
        let found = |name| format!("`{name}` is retired: use `Gadget`");
        let text = "let a = BigWidget::new();\n\nwidget_size(&self.widget)\n";
        assert_eq!(uses(text), [(1, found("Widget")), (3, found("widget"))]);
    }

    #[test]
    fn names_with_a_path_are_found_as_they_stand() {
        let found = "`Lever::pull_up` is retired: use `raise`".to_owned();
        assert_eq!(uses("[`Lever::pull_up`]"), [(1, found)]);
        assert_eq!(uses("lever.pull_up()"), []);
    }

    #[test]
    fn names_may_be_retired_below_a_directory_alone() {
        let found = "`Gear` is retired: use `Cog`".to_owned();
        assert_eq!(uses_in("crates/a/src/lib.rs", "Gear"), [(1, found)]);
        assert_eq!(uses_in("bench/src/main.rs", "Gear"), []);
    }

    #[test]
    fn other_words_and_other_tables_are_none() {
        assert_eq!(uses("swidgets, WIDGET, lane, band, not, no"), []);
    }
}
