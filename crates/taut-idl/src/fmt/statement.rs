//! One statement on one line, or on several if it is too long for that.

use super::text;
use super::writer::Writer;

/// A line should not be longer.
const COLUMNS: usize = 100;
/// How much farther the lines stand that a statement goes on with.
const CONTINUATION: usize = 4;
/// How much farther the lines stand that hold a parameter each.
const INDENTATION: usize = 2;

/// A part of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    /// Its place in the source.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a blank precedes it.
    pub(super) blank: bool,
    /// Whether it must be the first of its line.
    pub(super) first: bool,
    /// Whether it must be the last of its line.
    pub(super) last: bool,
    /// How many parentheses are open before it, or after it if it closes one.
    pub(super) depth: usize,
    /// Whether it belongs to the annotations that the statement starts with.
    pub(super) preface: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Token,
    Comma,
    /// The `(` before the parameters of an operation.
    Parameters,
    /// A `)`.
    Close,
    /// A `{`.
    Brace,
    Comment,
    /// A directive, or a line that is no IDL.
    Directive,
}

impl Piece {
    fn is_token(&self) -> bool {
        !matches!(self.kind, PieceKind::Comment | PieceKind::Directive)
    }
}

/// Writes statements.
pub(super) struct Statements<'s> {
    pub(super) source: &'s [u8],
    pub(super) writer: Writer,
}

impl Statements<'_> {
    /// Writes a statement, the first line of which was started.
    pub(super) fn statement(&mut self, pieces: &[Piece], indentation: usize) {
        // Annotations have lines of their own where they had, and where the
        // statement is too long.
        let own_lines = pieces.iter().take_while(|piece| piece.preface).count();
        let annotated = pieces[..own_lines].iter().any(Piece::is_token);
        let length = self.length(pieces) + indentation;
        let body = match pieces.get(own_lines) {
            Some(next) if annotated && (next.first || length > COLUMNS) => {
                self.fill(&pieces[..own_lines], indentation);
                self.writer.line(indentation, false);
                &pieces[own_lines..]
            }
            _ => pieces,
        };
        let length = self.length(body) + indentation;
        match self.parameters(body, length > COLUMNS) {
            Some((open, close)) => {
                self.fill(&body[..=open], indentation);
                for parameter in parameters(&body[open + 1..close]) {
                    let is_directive = parameter[0].kind == PieceKind::Directive;
                    let margin = if is_directive {
                        0
                    } else {
                        indentation + INDENTATION
                    };
                    self.writer.line(margin, false);
                    self.fill(parameter, indentation + INDENTATION);
                }
                self.writer.line(indentation, false);
                self.fill(&body[close..], indentation);
            }
            None => self.fill(body, indentation),
        }
    }

    /// The parentheses whose parameters need a line each.
    fn parameters(&self, pieces: &[Piece], too_long: bool) -> Option<(usize, usize)> {
        let is_open = |piece: &Piece| piece.kind == PieceKind::Parameters;
        let mut open = pieces.iter().position(is_open)?;
        let is_close = |piece: &Piece| piece.kind == PieceKind::Close && piece.depth == 0;
        let close = open + pieces[open..].iter().position(is_close)?;
        let inside = &pieces[open + 1..close];
        let breaks = pieces[open].last
            || inside.iter().any(|piece| piece.first || piece.last)
            || inside.iter().any(|piece| self.has_lines(piece));
        if inside.is_empty() || !breaks && !too_long {
            return None;
        }
        // A remark behind the parenthesis stays there.
        if inside[0].kind == PieceKind::Comment && !inside[0].first && inside[0].last {
            open += 1;
        }
        (open + 1 < close).then_some((open, close))
    }

    fn has_lines(&self, piece: &Piece) -> bool {
        piece.kind == PieceKind::Comment && self.text(piece).contains(&b'\n')
    }

    /// Writes pieces behind each other, starting a line where they must and
    /// where one would become too long.
    fn fill(&mut self, pieces: &[Piece], indentation: usize) {
        let mut inside = false;
        let mut breaks = false;
        for (index, piece) in pieces.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| &pieces[index]);
            if before.is_some() {
                let continued = match piece.kind {
                    PieceKind::Directive => 0,
                    PieceKind::Brace | PieceKind::Comma => indentation,
                    _ if inside => indentation + CONTINUATION,
                    _ => indentation,
                };
                if breaks || piece.first {
                    self.writer.line(continued, false);
                } else if piece.blank && self.is_too_long(before, &pieces[index..]) {
                    let continuation = if inside { CONTINUATION } else { 0 };
                    self.writer.line(indentation + continuation, false);
                } else if piece.blank {
                    self.writer.put(b" ");
                }
            }
            self.piece(piece);
            breaks = piece.last;
            inside |= piece.is_token() && !piece.preface;
        }
    }

    /// Whether the first of some pieces, with those that cling to it, should
    /// start a line.
    fn is_too_long(&self, before: Option<&Piece>, pieces: &[Piece]) -> bool {
        let is_comment = |piece: &Piece| piece.kind == PieceKind::Comment;
        let Some((first, others)) = pieces.split_first() else {
            return false;
        };
        if is_comment(first) || before.is_some_and(is_comment) || first.kind == PieceKind::Brace {
            return false;
        }
        let clinging = others.iter().take_while(|piece| !piece.blank).count();
        self.writer.length() + self.length(&pieces[..=clinging]) > COLUMNS
    }

    /// How long some pieces are behind each other, with blanks. The count is the same
    /// before and after they are laid out: not the carriage returns that end lines within
    /// them, not the margins of comments. Directives have lines of their own.
    fn length(&self, pieces: &[Piece]) -> usize {
        let octets = |piece: &Piece| match piece.kind {
            PieceKind::Directive => 0,
            PieceKind::Comment => text::essence(self.text(piece)).iter().map(Vec::len).sum(),
            _ => self
                .text(piece)
                .iter()
                .filter(|byte| **byte != b'\r')
                .count(),
        };
        let length = |piece: &Piece| usize::from(piece.blank) + octets(piece);
        pieces.iter().map(length).sum()
    }

    fn text(&self, piece: &Piece) -> &[u8] {
        &self.source[piece.start..piece.end]
    }

    /// Writes what a piece says, on the open line.
    pub(super) fn piece(&mut self, piece: &Piece) {
        let source = &self.source[piece.start..piece.end];
        match piece.kind {
            PieceKind::Comment => {
                let from = text::column(self.source, piece.start);
                let to = self.writer.column();
                self.writer.put_lines(&text::moved(source, from, to));
            }
            PieceKind::Directive => self.writer.put_lines(&text::lines(source)),
            // The line ends of splices are brought in line.
            _ if source.contains(&b'\n') => {
                let lines: Vec<Vec<u8>> = source
                    .split(|byte| *byte == b'\n')
                    .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
                    .collect();
                self.writer.put_lines(&lines);
            }
            _ => self.writer.put(source),
        }
    }
}

/// Parameters, each with its comma and with remarks on it.
fn parameters(pieces: &[Piece]) -> Vec<&[Piece]> {
    let mut parameters = Vec::new();
    let mut start = 0;
    let mut ends = false;
    for (index, piece) in pieces.iter().enumerate() {
        let remark = piece.kind == PieceKind::Comment && !piece.first && piece.last;
        if ends && !remark {
            parameters.push(&pieces[start..index]);
            start = index;
            ends = false;
        }
        ends |= piece.kind == PieceKind::Comma && piece.depth == 1;
    }
    // Comments on lines of their own behind the last parameter.
    let is_comment = |piece: &Piece| piece.kind == PieceKind::Comment;
    let last = pieces.iter().rposition(|piece| !is_comment(piece));
    let behind = last.map_or(start, |last| (last + 1).max(start));
    let rest = pieces[behind..].iter().position(|piece| piece.first);
    let rest = rest.map_or(pieces.len(), |rest| behind + rest);
    let own_lines = [&pieces[start..rest], &pieces[rest..]];
    parameters.extend(own_lines.into_iter().filter(|part| !part.is_empty()));
    parameters
}
