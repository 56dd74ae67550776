//! The commands that pages show.

use crate::code_blocks;

/// Returns the commands in the blocks of a page that begin with `program`, such as `cargo xtask`,
/// each as the words that a shell makes of it: those behind a prompt or a bar, with the lines that
/// continue them. A command whose quotation has no end is a single word.
#[must_use]
pub fn commands(page: &str, program: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for block in code_blocks(page) {
        let joined = block.text.replace("\\\n", " ");
        let lines = joined.lines().filter_map(|line| line.strip_prefix("$ "));
        let parts = lines.flat_map(|line| line.split(" | "));
        let ours = parts.filter_map(|part| begins_with(part.trim(), program));
        found.extend(ours.map(|line| words(line).unwrap_or_else(|| vec![line.to_owned()])));
    }
    found
}

/// Returns the commands in the code spans of a page that begin with `program`, but for those
/// that leave something out with `…`.
#[must_use]
pub fn named_commands(page: &str, program: &str) -> Vec<Vec<String>> {
    let mut text = page.to_owned();
    for block in code_blocks(page) {
        text = text.replace(block.text, "");
    }
    let spans = text.split('`').skip(1).step_by(2);
    let whole = spans.filter(|span| !span.contains('…'));
    let ours = whole.filter_map(|span| begins_with(span, program));
    ours.map(|span| span.split_whitespace().map(str::to_owned).collect())
        .collect()
}

/// The line, if it begins with the program and has more words.
fn begins_with<'l>(line: &'l str, program: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(program)?;
    rest.starts_with(' ').then_some(line)
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
        let expected: [&[&str]; 3] = [&["a", "b c"], &["a", "-r", "--long"], &["a \"b"]];
        assert_eq!(commands(page, "a"), expected);
        assert_eq!(named_commands(page, "a"), [["a", "do", "it"]]);
    }
}
