//! The code blocks of a page, so that tests can hold pages to what they print.

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock<'p> {
    /// The word behind the fence, such as `rust`; often empty.
    pub language: &'p str,
    /// The file that the page says it is: the first code span of the line in front of the
    /// block, if that line ends in a colon and the span is a name with an extension.
    pub file: Option<&'p str>,
    /// The lines within the fences, each with its end.
    pub text: &'p str,
}

/// Returns the fenced code blocks of a page in Markdown, in their order. Fences stand at the
/// margin; a block without its end reaches to the end of the page.
pub fn code_blocks(page: &str) -> Vec<CodeBlock<'_>> {
    const FENCE: &str = "```";
    let mut blocks = Vec::new();
    // The block that is open: its language, its file, and where its text begins.
    let mut open: Option<(&str, Option<&str>, usize)> = None;
    let mut line_before = "";
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let end = at + line.len();
        match (line.strip_prefix(FENCE), open) {
            (Some(language), None) => {
                open = Some((language.trim(), file_of(line_before), end));
            }
            (Some(_), Some((language, file, begin))) => {
                let text = page.get(begin..at).unwrap_or_default();
                blocks.push(CodeBlock {
                    language,
                    file,
                    text,
                });
                open = None;
            }
            (None, _) => {}
        }
        if !line.trim().is_empty() {
            line_before = line;
        }
        at = end;
    }
    if let Some((language, file, begin)) = open {
        let text = page.get(begin..).unwrap_or_default();
        blocks.push(CodeBlock {
            language,
            file,
            text,
        });
    }
    blocks
}

/// The first code span of a line that ends in a colon, if it is a file's name.
fn file_of(line: &str) -> Option<&str> {
    let line = line.trim_end().strip_suffix(':')?;
    let span = line.split('`').nth(1)?;
    (span.contains('.') && !span.contains(' ')).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_their_language_file_and_text() {
        let page = "`build.rs`, beside `Cargo.toml`:\n\n```rust\nfn main() {}\n```\n\nThen `a`:\n\
                    ```console\n$ a\n\n$ b\n```\n```\nopen";
        let block = |language, file, text| CodeBlock {
            language,
            file,
            text,
        };
        let expected = [
            block("rust", Some("build.rs"), "fn main() {}\n"),
            block("console", None, "$ a\n\n$ b\n"),
            block("", None, "open"),
        ];
        assert_eq!(code_blocks(page), expected);
    }
}
