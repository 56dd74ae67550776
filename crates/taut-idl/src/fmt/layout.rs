//! Elements of a file to lines: blocks, statements, what stands between them.

use super::scan::{Branch, Element, ElementKind};
use super::spacing::Spacing;
use super::statement::{Piece, PieceKind, Statements};
use super::writer::Writer;
use crate::lex::{Punctuation, RawKind};

/// How much farther the members of a block stand than the block.
const INDENTATION: usize = 2;
/// Blocks, and conditions, that are nested more deeply are taken for one.
const NESTING: usize = 64;

/// An open block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Its members end with `;`.
    Members,
    /// Its members have `,` between them.
    List,
}

/// Lays out a file.
pub(super) fn layout(source: &[u8], elements: &[Element], writer: Writer) -> Vec<u8> {
    let mut layout = Layout {
        statements: Statements { source, writer },
        elements,
        remarks: remarks(elements),
        blocks: Blocks::default(),
        conditions: Vec::new(),
        pieces: Vec::new(),
        spacing: Spacing::default(),
        preface: true,
        empty_before: false,
        at_start: false,
    };
    let mut at = 0;
    while let Some(element) = elements.get(at) {
        match &element.kind {
            ElementKind::Directive(branch) => layout.directive(at, *branch),
            ElementKind::Verbatim => layout.directive(at, Branch::Neither),
            ElementKind::LineComment | ElementKind::BlockComment => layout.comment(at),
            ElementKind::Token(kind) => at += layout.token(at, kind),
        }
        at += 1;
    }
    layout.end_statement();
    layout.statements.writer.finish()
}

/// The open blocks.
#[derive(Debug, Clone, Default)]
struct Blocks {
    open: Vec<Block>,
    /// How many more there are within.
    deeper: usize,
}

impl Blocks {
    fn push(&mut self, block: Block) {
        match self.open.len() < NESTING {
            true => self.open.push(block),
            false => self.deeper += 1,
        }
    }

    fn pop(&mut self) {
        match self.deeper {
            0 => drop(self.open.pop()),
            _ => self.deeper -= 1,
        }
    }
}

/// For each comment, whether only comments follow it on its line.
fn remarks(elements: &[Element]) -> Vec<bool> {
    let mut remarks = vec![false; elements.len()];
    for (at, element) in elements.iter().enumerate().rev() {
        let is_comment = matches!(
            element.kind,
            ElementKind::LineComment | ElementKind::BlockComment
        );
        remarks[at] = is_comment && (ends_line(elements, at) || remarks[at + 1]);
    }
    remarks
}

/// Whether a line ends after an element.
fn ends_line(elements: &[Element], at: usize) -> bool {
    elements
        .get(at + 1)
        .is_none_or(|next| next.line_ends > 0 || matches!(next.kind, ElementKind::Directive(_)))
}

struct Layout<'s> {
    statements: Statements<'s>,
    elements: &'s [Element],
    /// See [`remarks`].
    remarks: Vec<bool>,
    blocks: Blocks,
    /// The blocks that were open when each open condition started.
    conditions: Vec<Blocks>,
    /// The statement so far.
    pieces: Vec<Piece>,
    spacing: Spacing,
    /// Whether the statement holds nothing but annotations so far.
    preface: bool,
    /// Whether an empty line precedes the statement.
    empty_before: bool,
    /// Whether a block was opened and has no line yet.
    at_start: bool,
}

impl Layout<'_> {
    fn indentation(&self) -> usize {
        INDENTATION * self.blocks.open.len()
    }

    /// Starts a line outside of a statement.
    fn line(&mut self, indentation: usize, after_empty: bool) {
        let after_empty = after_empty && !self.at_start;
        self.statements.writer.line(indentation, after_empty);
        self.at_start = false;
    }

    /// A piece that stands for an element.
    fn piece(&self, at: usize, kind: PieceKind) -> Piece {
        let element = &self.elements[at];
        Piece {
            kind,
            start: element.start,
            end: element.end,
            blank: true,
            first: false,
            last: false,
            depth: self.spacing.depth(),
            preface: self.preface,
        }
    }

    /// Adds a piece to the statement, or starts one with it.
    fn add(&mut self, piece: Piece, line_ends: u8) {
        if self.pieces.is_empty() {
            self.empty_before = line_ends > 1;
        }
        self.pieces.push(piece);
    }

    fn directive(&mut self, at: usize, branch: Branch) {
        let line_ends = self.elements[at].line_ends;
        let piece = Piece {
            first: true,
            last: true,
            ..self.piece(at, PieceKind::Directive)
        };
        if self.pieces.is_empty() {
            self.line(0, line_ends > 1);
            self.statements.piece(&piece);
        } else {
            self.add(piece, line_ends);
        }
        match branch {
            Branch::Open => self.conditions.push(self.blocks.clone()),
            Branch::Other => {
                if let Some(blocks) = self.conditions.last() {
                    self.blocks.clone_from(blocks);
                }
            }
            Branch::Close => drop(self.conditions.pop()),
            Branch::Neither => {}
        }
        // Each keeps the blocks of its start: let there not be too many.
        if self.conditions.len() > NESTING {
            self.conditions.remove(0);
        }
    }

    fn comment(&mut self, at: usize) {
        let line_ends = self.elements[at].line_ends;
        let piece = self.piece(at, PieceKind::Comment);
        let remark = self.remarks[at];
        if !self.pieces.is_empty() {
            let piece = Piece {
                first: line_ends > 0,
                last: ends_line(self.elements, at),
                ..piece
            };
            self.add(piece, line_ends);
        } else if line_ends == 0 && remark && at > 0 {
            self.statements.writer.put(b" ");
            self.statements.piece(&piece);
        } else if remark {
            self.line(self.indentation(), line_ends > 1);
            self.statements.piece(&piece);
        } else {
            self.add(piece, line_ends);
        }
    }

    /// Adds a token; answers how many of the following elements it took along.
    fn token(&mut self, at: usize, kind: &RawKind) -> usize {
        let mark = match kind {
            RawKind::Punctuation(mark) if self.spacing.depth() == 0 => Some(*mark),
            _ => None,
        };
        if mark == Some(Punctuation::RightBrace) {
            self.end_statement();
            self.blocks.pop();
        }
        self.add_token(at, kind);
        match mark {
            // Nothing can be open behind it, whatever lacks its end.
            _ if *kind == RawKind::Punctuation(Punctuation::Semicolon) => self.end_statement(),
            Some(Punctuation::Comma)
                if self.blocks.open.last() == Some(&Block::List)
                    && self.spacing.outside_angles() =>
            {
                self.end_statement();
            }
            Some(Punctuation::LeftBrace) => {
                let close = RawKind::Punctuation(Punctuation::RightBrace);
                let next = self.elements.get(at + 1).map(|next| &next.kind);
                if next == Some(&ElementKind::Token(close.clone())) {
                    self.add_token(at + 1, &close);
                    if let Some(piece) = self.pieces.last_mut() {
                        piece.blank = false;
                    }
                    return 1;
                }
                let block = self.block(at + 1);
                self.end_statement();
                self.blocks.push(block);
                self.at_start = true;
            }
            _ => {}
        }
        0
    }

    /// Returns the sort of block that starts behind a `{`.
    fn block(&self, start: usize) -> Block {
        for element in &self.elements[start..] {
            match element.kind {
                ElementKind::Token(RawKind::Punctuation(
                    Punctuation::Semicolon | Punctuation::LeftBrace,
                )) => return Block::Members,
                ElementKind::Token(RawKind::Punctuation(Punctuation::RightBrace)) => {
                    return Block::List;
                }
                _ => {}
            }
        }
        Block::Members
    }

    fn add_token(&mut self, at: usize, kind: &RawKind) {
        let element = &self.elements[at];
        let mut first = false;
        if self.preface {
            let whole = self.spacing.after_annotation(kind);
            first = whole && element.line_ends > 0;
            let goes_on = *kind == RawKind::Punctuation(Punctuation::At);
            self.preface = goes_on || !whole && self.spacing.has_started();
        }
        let piece_kind = match kind {
            RawKind::Punctuation(Punctuation::Comma) => PieceKind::Comma,
            RawKind::Punctuation(Punctuation::RightParenthesis) => PieceKind::Close,
            RawKind::Punctuation(Punctuation::LeftBrace) => PieceKind::Brace,
            RawKind::Punctuation(Punctuation::LeftParenthesis)
                if self.spacing.before_parameters() =>
            {
                PieceKind::Parameters
            }
            _ => PieceKind::Token,
        };
        let mut piece = Piece {
            first,
            ..self.piece(at, piece_kind)
        };
        piece.blank = self.spacing.next(kind, self.leads_a_name(at));
        if piece_kind == PieceKind::Close {
            piece.depth = self.spacing.depth();
        }
        let is_comment = |last: &Piece| last.kind == PieceKind::Comment;
        if self.pieces.last().is_some_and(is_comment) {
            let ends = [b';', b',', b')'];
            piece.blank = !ends.contains(&self.statements.source[element.start]);
        }
        self.add(piece, element.line_ends);
    }

    /// Whether what is there has a blank in front of it, and a name behind it, with no
    /// blank between on the same line.
    fn leads_a_name(&self, at: usize) -> bool {
        let element = &self.elements[at];
        let before = at.checked_sub(1).map(|before| &self.elements[before]);
        let is_apart = before.is_some_and(|before| before.end < element.start);
        is_apart
            && self.elements.get(at + 1).is_some_and(|after| {
                let is_name = matches!(after.kind, ElementKind::Token(RawKind::Identifier(_)));
                is_name && (after.start == element.end || after.line_ends > 0)
            })
    }

    fn end_statement(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        self.spacing = Spacing::default();
        self.preface = true;
        let Some(start) = pieces.first() else {
            return;
        };
        let closes = self.statements.source[start.start] == b'}';
        let indentation = self.indentation();
        self.line(indentation, self.empty_before && !closes);
        // Comments on lines of their own behind the last member of a list.
        let is_comment = |piece: &Piece| piece.kind == PieceKind::Comment;
        let last = pieces.iter().rposition(|piece| !is_comment(piece));
        let rest = last.map_or(pieces.len(), |last| {
            let own_line = pieces[last + 1..].iter().position(|piece| piece.first);
            own_line.map_or(pieces.len(), |own_line| last + 1 + own_line)
        });
        self.statements.statement(&pieces[..rest], indentation);
        for piece in &pieces[rest..] {
            match piece.first {
                true => self.line(indentation, false),
                false => self.statements.writer.put(b" "),
            }
            self.statements.piece(piece);
        }
    }
}
