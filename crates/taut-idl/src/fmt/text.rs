//! The text of comments and directives, without what does not show.

/// Columns beyond this one are taken for it when comments are moved.
const COLUMN: usize = 200;

/// The column of a place, counted from 0, with tabulators every 8.
pub(super) fn column(text: &[u8], place: usize) -> usize {
    let start = place.saturating_sub(COLUMN);
    let before = &text[start..place];
    let line = match before.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => &before[end + 1..],
        None if start == 0 => before,
        None => return COLUMN,
    };
    width(line).min(COLUMN)
}

/// How wide a text of one line is.
fn width(line: &[u8]) -> usize {
    line.iter().fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        _ => width + 1,
    })
}

/// The lines of a text, without blanks at their ends. A backslash that splices
/// lines goes on to do so, and no other starts to.
pub(super) fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let text = without_last_splice(text);
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut rest = text.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = rest.next() {
        let trimmed = trim_end(line);
        let mut kept = trimmed.to_vec();
        if trimmed.ends_with(b"\\") {
            let splices = rest.peek().is_some() && matches!(&line[trimmed.len()..], b"" | b"\r");
            if !splices {
                kept.push(b' ');
            }
        }
        lines.push(kept);
    }
    lines
}

/// Whether a line of a text goes on in the next.
pub(super) fn is_spliced(lines: &[Vec<u8>]) -> bool {
    let (_, first) = lines.split_last().unwrap_or((const { &Vec::new() }, &[]));
    first.iter().any(|line| line.ends_with(b"\\"))
}

/// The text without line splices that only empty lines follow.
fn without_last_splice(mut text: &[u8]) -> &[u8] {
    loop {
        let trimmed = trim_end(text);
        let shorter = trimmed
            .strip_suffix(b"\\\n")
            .or_else(|| trimmed.strip_suffix(b"\\\r\n"));
        match shorter {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let length = line.iter().rposition(|byte| !is_blank(*byte));
    &line[..length.map_or(0, |last| last + 1)]
}

fn trim_start(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !is_blank(*byte));
    &line[start.unwrap_or(line.len())..]
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

/// The lines of a comment, moved from one column to another.
pub(super) fn moved(text: &[u8], from: usize, to: usize) -> Vec<Vec<u8>> {
    let mut lines = lines(text);
    // A blank in front of what a splice joined would be one inside.
    if is_spliced(&lines) {
        return lines;
    }
    let Some((_, others)) = lines.split_first_mut() else {
        return lines;
    };
    let starred = others
        .iter()
        .all(|line| line.is_empty() || trim_start(line).starts_with(b"*"));
    for line in others.iter_mut().filter(|line| !line.is_empty()) {
        let text = trim_start(line);
        let margin = match starred {
            true => to + 1,
            false => (width(&line[..line.len() - text.len()]) + to).saturating_sub(from),
        };
        let mut moved = vec![b' '; margin];
        moved.extend_from_slice(text);
        *line = moved;
    }
    lines
}

/// The lines of a comment without their margins: what must stay.
pub(super) fn essence(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = lines(text);
    lines
        .iter()
        .map(|line| trim_start(trim_end(line)).to_vec())
        .collect()
}
