//! Sentences that begin with a pronoun instead of the thing that they are about.

use super::Finding;
use super::prose::Block;

const OPENINGS: [&str; 3] = ["What", "Who", "Whoever"];
/// Marks that may stand around a word: quotes, brackets and those of Markdown.
const MARKS: [char; 8] = ['*', '_', '`', '"', '(', ')', '[', ']'];

/// Finds the sentences that begin with one of [`OPENINGS`]. Questions are none of them.
pub(super) fn openings(blocks: &[Block]) -> Vec<Finding> {
    blocks.iter().flat_map(openings_of_block).collect()
}

fn openings_of_block(block: &Block) -> Vec<Finding> {
    let words: Vec<_> = block
        .lines
        .iter()
        .flat_map(|(line, text)| text.split_whitespace().map(|word| (*line, word)))
        .collect();
    let mut findings = Vec::new();
    let mut is_start = true;
    for (index, (line, word)) in words.iter().enumerate() {
        if is_start && opens(word) && !is_question(&words[index..]) {
            let sentence: Vec<_> = words[index..].iter().take(8).map(|word| word.1).collect();
            findings.push(Finding {
                line: *line,
                text: format!("begins with a bare pronoun: {} …", sentence.join(" ")),
            });
        }
        is_start = end_mark(word).is_some();
    }
    findings
}

fn opens(word: &str) -> bool {
    OPENINGS.contains(&word.trim_matches(MARKS).trim_end_matches("'s"))
}

/// The mark with which a word ends a sentence, or introduces one.
fn end_mark(word: &str) -> Option<char> {
    let last = word.trim_end_matches(MARKS).chars().last()?;
    matches!(last, '.' | ':' | '!' | '?').then_some(last)
}

fn is_question(words: &[(usize, &str)]) -> bool {
    words.iter().find_map(|(_, word)| end_mark(word)) == Some('?')
}

#[cfg(test)]
mod tests {
    use super::super::prose::{Format, blocks};
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        openings(&blocks(text, Format::Markdown))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn sentences_are_found_at_the_start_within_and_across_lines() {
        assert_eq!(lines("What waits."), [1]);
        assert_eq!(lines("The calls wait. Who reads, reads."), [1]);
        assert_eq!(lines("The calls wait.\nWhoever reads, reads."), [2]);
        assert_eq!(
            lines("The calls wait:\n\n- **What** waits.\n- (Who) reads."),
            [3, 4]
        );
    }

    #[test]
    fn pronouns_within_a_sentence_and_other_words_are_none() {
        assert!(lines("The reader knows\nWhat to do.").is_empty());
        assert!(lines("Whatever waits. Whose turn. Whole octets.").is_empty());
    }

    #[test]
    fn questions_are_none() {
        assert!(lines("What do two ORBs say to each other, and who\nof them is wrong?").is_empty());
        assert_eq!(lines("What waits, waits. Does it?"), [1]);
    }
}
