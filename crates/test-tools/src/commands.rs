//! The commands that pages show.

use crate::code_blocks;

/// Returns the commands of a page that begin with `program`, such as `cargo xtask`, each as the
/// words that a shell makes of it: those behind a prompt or a bar in blocks of code, with the
/// lines that continue them, and the code spans of the text that leave nothing out with `…`. A
/// command whose quotation has no end is a single word.
#[must_use]
pub fn commands(page: &str, program: &str) -> Vec<Vec<String>> {
    let mut text = page.to_owned();
    let mut found = Vec::new();
    for block in code_blocks(page) {
        text = text.replace(block.text, "");
        let joined = block.text.replace("\\\n", " ");
        let lines = joined.lines().filter_map(|line| line.strip_prefix("$ "));
        found.extend(lines.flat_map(|line| line.split(" | ").map(|part| part.trim().to_owned())));
    }
    let spans = text.split('`').skip(1).step_by(2);
    let whole = spans.filter(|span| !span.contains('…'));
    found.extend(whole.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")));
    let begins = |command: &&String| {
        let rest = command.strip_prefix(program);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    let ours = found.iter().filter(begins);
    ours.map(|line| words(line).unwrap_or_else(|| vec![line.clone()]))
        .collect()
}

/// The words of a command line, up to a comment, a redirection or the end of the command;
/// `None` if a quotation has no end.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        inside => word.push(inside),
                    }
                }
            }
            ' ' => words.extend(word.take()),
            '|' | '>' | '<' | '&' | ';' | '#' if word.is_none() => break,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_blocks_and_spans() {
        let page = "Say `a do\nit`, or `a …`, or `ab c`.\n\n```console\n$ a 'b c' # why\n$ x | a -r \\\n\
                    \x20   --long\na out\n$ a \"b\n```\n";
        let found = commands(page, "a");
        let expected: [&[&str]; 4] = [
            &["a", "b c"],
            &["a", "-r", "--long"],
            &["a \"b"],
            &["a", "do", "it"],
        ];
        assert_eq!(found, expected);
    }
}
