//! Comments that document what follows them.

use crate::model::List;

/// The lines of a comment, without its marks.
pub(crate) type Docs = List<String>;

/// The comment block read last, while nothing else has come after it.
#[derive(Debug, Default)]
pub(super) struct Comments {
    block: Option<Block>,
}

#[derive(Debug)]
struct Block {
    lines: Vec<String>,
    last_line: u32,
    /// How many slashes its lines start with; none for `/* */`.
    slashes: usize,
    /// Whether nothing but blanks precedes it on its line.
    own_line: bool,
}

impl Comments {
    /// Adds a `//` comment that stands alone on its line. It continues a run
    /// of such comments, or starts one.
    pub(super) fn add_line(&mut self, text: &str, line: u32, last_line: u32) {
        let slashes = if text.starts_with("///") && !text.starts_with("////") {
            3
        } else {
            2
        };
        let text = text[slashes.min(text.len())..].trim_end().to_owned();
        match &mut self.block {
            Some(block) if block.slashes == slashes && block.last_line + 1 == line => {
                block.lines.push(text);
                block.last_line = last_line;
            }
            _ => {
                self.block = Some(Block {
                    lines: vec![text],
                    last_line,
                    slashes,
                    own_line: true,
                })
            }
        }
    }

    /// Sets a `/* */` comment, given without its marks. One that does not stand
    /// first on its line speaks of what follows on the same line, if of anything.
    pub(super) fn add_block(&mut self, text: &str, last_line: u32, own_line: bool) {
        let starred = |line: &str| {
            let line = line.trim_start();
            line.is_empty() || line.starts_with('*')
        };
        let stars = text.lines().skip(1).all(starred);
        let lines = text.lines().enumerate().map(|(index, line)| {
            let line = line.trim_end();
            if index == 0 {
                return line.trim_start_matches(['*', '!']).to_owned();
            }
            match line.trim_start().strip_prefix('*') {
                Some(rest) if stars => rest.trim_start_matches('*').to_owned(),
                _ => line.to_owned(),
            }
        });
        self.block = Some(Block {
            lines: lines.collect(),
            last_line,
            slashes: 0,
            own_line,
        });
    }

    /// The comment that directly precedes a token which ends in `line`; forgets
    /// any other.
    pub(super) fn take(&mut self, line: u32) -> Docs {
        match self.block.take() {
            Some(block) if block.last_line + u32::from(block.own_line) >= line => {
                tidy(block.lines).into()
            }
            _ => Docs::default(),
        }
    }
}

/// Drops the margin, and lines without a word from both ends.
fn tidy(mut lines: Vec<String>) -> Vec<String> {
    let wordless = |line: &String| !line.chars().any(char::is_alphanumeric);
    while lines.last().is_some_and(wordless) {
        lines.pop();
    }
    let start = lines.iter().take_while(|line| wordless(line)).count();
    lines.drain(..start);
    // The first line of a block starts behind its mark, so that its own margin
    // says nothing of the others'.
    let blanks = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let first = usize::from(start == 0 && lines.len() > 1);
    let margin = lines
        .iter()
        .skip(first)
        .filter(|line| !line.is_empty())
        .map(blanks)
        .min();
    for (index, line) in lines.iter_mut().enumerate() {
        let margin = if index < first {
            blanks(line)
        } else {
            margin.unwrap_or(0)
        };
        line.drain(..margin.min(blanks(line)));
    }
    lines
}
