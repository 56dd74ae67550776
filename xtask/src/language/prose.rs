//! The paragraphs of pages and of comments in Rust code.

use std::iter::Peekable;
use std::path::Path;
use std::str::Chars;

/// How a file holds its prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// As a page of Markdown.
    Markdown,
    /// As comments of Rust code.
    Rust,
}

impl Format {
    /// The format that the name of a file tells.
    pub(super) fn of(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension == "rs" => Self::Rust,
            _ => Self::Markdown,
        }
    }
}

/// A paragraph, an item of a list, or a row of a table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// The lines, counted from one, without the marks of comments and lists.
    pub(super) lines: Vec<(usize, String)>,
}

/// The blocks of a file, without headings and code.
pub(super) fn blocks(text: &str, format: Format) -> Vec<Block> {
    match format {
        Format::Markdown => {
            let lines = text.lines().map(str::to_owned);
            paragraphs((1..).zip(lines))
        }
        Format::Rust => comments(text)
            .chunk_by(|one, next| one.goes_on_in(next))
            .flat_map(|run| {
                paragraphs(
                    run.iter()
                        .map(|comment| (comment.line, comment.text.clone())),
                )
            })
            .collect(),
    }
}

/// Cuts adjacent lines into blocks.
fn paragraphs(lines: impl Iterator<Item = (usize, String)>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut block = Block::default();
    let mut is_code = false;
    for (line, text) in lines {
        let text = text.trim();
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        let is_break = is_fence || is_code || text.is_empty() || text.starts_with('#');
        is_code ^= is_fence;
        let item = item(text);
        if is_break || item.is_some() || text.starts_with('|') {
            blocks.push(std::mem::take(&mut block));
        }
        if !is_break {
            block.lines.push((line, item.unwrap_or(text).to_owned()));
        }
    }
    blocks.push(block);
    blocks.retain(|block| !block.lines.is_empty());
    blocks
}

/// The text of an item of a list, behind its mark.
fn item(text: &str) -> Option<&str> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < text.len() {
        return number.strip_prefix(". ");
    }
    ["- ", "* ", "> "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
}

/// One line of a comment.
#[derive(Debug)]
struct Comment {
    line: usize,
    /// The slashes and what stands right behind them: `//`, `///`, `//!`, or `/*`.
    marker: &'static str,
    /// Whether code precedes it on its line.
    follows_code: bool,
    text: String,
}

impl Comment {
    fn goes_on_in(&self, next: &Self) -> bool {
        self.line + 1 == next.line && self.marker == next.marker && !next.follows_code
    }
}

/// Reads as much of Rust as tells comments from literals.
struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
    is_after_code: bool,
    comments: Vec<Comment>,
}

fn comments(source: &str) -> Vec<Comment> {
    let mut reader = Reader {
        chars: source.chars().peekable(),
        line: 1,
        is_after_code: false,
        comments: Vec::new(),
    };
    while let Some(char) = reader.next() {
        match char {
            '/' if reader.accept('/') => reader.line_comment(),
            '/' if reader.accept('*') => reader.block_comment(),
            '"' => reader.string(),
            'r' if reader.may_be_raw() => reader.raw_string(),
            '\'' => reader.quote(),
            _ => {}
        }
        reader.is_after_code |= !char.is_whitespace();
        if char.is_alphanumeric() || char == '_' {
            reader.word();
        }
        if char == '\n' {
            reader.is_after_code = false;
        }
    }
    reader.comments
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let char = self.chars.next();
        self.line += usize::from(char == Some('\n'));
        char
    }

    fn accept(&mut self, expected: char) -> bool {
        self.chars.next_if_eq(&expected).is_some()
    }

    /// Whether an `r` that has just been read may begin a raw string.
    fn may_be_raw(&mut self) -> bool {
        matches!(self.chars.peek(), Some('"' | '#'))
    }

    /// The rest of a word, of which a trailing `r` may begin a raw byte or C string.
    fn word(&mut self) {
        let mut last = ' ';
        while let Some(char) = self.chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
            last = char;
        }
        if last == 'r' && self.may_be_raw() {
            self.raw_string();
        }
    }

    fn line_comment(&mut self) {
        let marker = match self.chars.peek() {
            Some('/') => "///",
            Some('!') => "//!",
            _ => "//",
        };
        if marker != "//" {
            self.chars.next();
        }
        let line = self.line;
        let mut text = String::new();
        while let Some(char) = self.chars.next_if(|char| *char != '\n') {
            text.push(char);
        }
        self.comments.push(Comment {
            line,
            marker,
            follows_code: self.is_after_code,
            text,
        });
    }

    fn block_comment(&mut self) {
        let mut depth = 1;
        let mut text = String::new();
        let mut line = self.line;
        while depth > 0 {
            let Some(char) = self.next() else { break };
            match char {
                '*' if self.accept('/') => depth -= 1,
                '/' if self.accept('*') => depth += 1,
                '\n' => {
                    self.block_line(line, &mut text);
                    line = self.line;
                }
                _ => text.push(char),
            }
        }
        self.block_line(line, &mut text);
    }

    fn block_line(&mut self, line: usize, text: &mut String) {
        let text = std::mem::take(text);
        self.comments.push(Comment {
            line,
            marker: "/*",
            follows_code: self.is_after_code,
            text: text.trim_start_matches([' ', '*', '!']).to_owned(),
        });
    }

    fn string(&mut self) {
        while let Some(char) = self.next() {
            match char {
                '\\' => drop(self.next()),
                '"' => return,
                _ => {}
            }
        }
    }

    fn raw_string(&mut self) {
        let mut hashes = 0;
        while self.accept('#') {
            hashes += 1;
        }
        // `r#name` is a word.
        if !self.accept('"') {
            return;
        }
        while let Some(char) = self.next() {
            if char == '"' && (0..hashes).all(|_| self.accept('#')) {
                return;
            }
        }
    }

    /// A literal of a character, or a lifetime.
    fn quote(&mut self) {
        match self.next() {
            Some('\\') => {
                self.next();
                while let Some(char) = self.chars.next_if(|char| *char != '\n') {
                    if char == '\'' {
                        return;
                    }
                }
            }
            Some(_) => drop(self.accept('\'')),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, format: Format) -> Vec<String> {
        let show = |block: Block| {
            let lines = block.lines.iter();
            let lines: Vec<_> = lines.map(|(line, text)| format!("{line} {text}")).collect();
            lines.join(" / ")
        };
        blocks(text, format).into_iter().map(show).collect()
    }

    #[test]
    fn pages_have_paragraphs_items_and_rows_without_headings_and_code() {
        let page =
            "# What\n\none\ntwo\n- three\n  four\n1. five\n```\nWhat\n```\n| six |\n| seven |\n";
        let expected = [
            "3 one / 4 two",
            "5 three / 6 four",
            "7 five",
            "11 | six |",
            "12 | seven |",
        ];
        assert_eq!(shown(page, Format::Markdown), expected);
    }

    #[test]
    fn comments_are_told_from_code_and_joined_by_marker() {
        let code =
            "//! one\n//! two\n\n/// three\n/// four\nlet a = 1; // five\n// six\n/// seven\n";
        let expected = [
            "1 one / 2 two",
            "4 three / 5 four",
            "6 five / 7 six",
            "8 seven",
        ];
        assert_eq!(shown(code, Format::Rust), expected);
    }

    #[test]
    fn comments_in_literals_are_none() {
        let code = r##"
let a = "// no"; let b = "\" // no"; let c = r#"" // no"#; let d = br"\"; // one
let e = '"'; let f = '\''; let g = '\u{22}'; let h: &'static str = ""; // two
let r#type = b'"'; let for_ = "
// no"; // three
"##;
        assert_eq!(shown(code, Format::Rust), ["2 one", "3 two", "5 three"]);
    }

    #[test]
    fn block_comments_nest_and_have_lines() {
        let code = "/* one /* two */\n * three */ let a = 1;\n// four\n";
        assert_eq!(
            shown(code, Format::Rust),
            ["1 one  two / 2 three", "3 four"]
        );
    }
}
