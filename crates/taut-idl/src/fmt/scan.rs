//! A file as what has to be kept of it: tokens, comments, directives, and how
//! they are grouped.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Lexer, RawKind, RawToken, Words};
use crate::source::{FileId, Span};

/// Something that a file holds, in the order of the file.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) kind: ElementKind,
    /// The offsets of its first byte, and after its last.
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many line ends stand between it and the element before; 2 says that
    /// there is an empty line, or more than one.
    pub(super) line_ends: u8,
}

#[derive(Debug, PartialEq)]
pub(super) enum ElementKind {
    Token(RawKind),
    /// `//`
    LineComment,
    /// `/* */`
    BlockComment,
    /// A line that starts with `#`, to its end.
    Directive(Branch),
    /// A line between conditions that is no IDL, nor has to be.
    Verbatim,
}

/// The effect of a directive on the choice between lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// `#if`, `#ifdef`, `#ifndef`
    Open,
    /// `#elif`, `#else`
    Other,
    /// `#endif`
    Close,
    /// Any other directive.
    Neither,
}

/// Reads a file. When it has lexical errors, these.
pub(super) fn scan(file: FileId, bytes: &[u8]) -> Result<Vec<Element>, Vec<Diagnostic>> {
    let mut lexer = Lexer::new(file, bytes.into(), Words::default());
    let mark = lexer.skip_byte_order_mark();
    lexer.keep_comments();
    let mut scanner = Scanner {
        lexer,
        elements: Vec::new(),
        line_ends: 0,
        line_start: mark.map_or(0, |mark| mark.end as usize),
        conditions: 0,
        faults: Vec::new(),
    };
    while scanner.line() {}
    match scanner.faults.is_empty() {
        true => Ok(scanner.elements),
        false => Err(scanner.faults),
    }
}

struct Scanner {
    lexer: Lexer,
    elements: Vec<Element>,
    line_ends: u8,
    /// The offset of the line's first byte.
    line_start: usize,
    /// How many conditions are open.
    conditions: usize,
    faults: Vec<Diagnostic>,
}

impl Scanner {
    /// Reads one line, through splices and comments; whether there are more.
    fn line(&mut self) -> bool {
        let (first, line_ends) = (self.elements.len(), self.line_ends);
        let mut fault = None;
        loop {
            let mut token = self.lexer.next_token();
            for comment in self.lexer.take_comments() {
                let kind = match comment.line {
                    true => ElementKind::LineComment,
                    false => ElementKind::BlockComment,
                };
                self.add(kind, comment.span);
            }
            if token.kind == RawKind::Hash && token.first_on_line {
                token = self.directive(token.span);
            }
            match token.kind {
                RawKind::UnterminatedComment => {
                    self.faults.push(fault_of(&token.kind, token.span));
                    return false;
                }
                RawKind::Newline | RawKind::End => {
                    let span = token.span;
                    if let Some(fault) = fault {
                        self.faulty_line(first, line_ends, span, fault);
                    }
                    self.line_ends = (self.line_ends + 1).min(2);
                    self.line_start = span.end as usize;
                    return token.kind == RawKind::Newline;
                }
                RawKind::Unterminated(_)
                | RawKind::Stray(_)
                | RawKind::Hash
                | RawKind::HashHash
                    if fault.is_none() =>
                {
                    fault = Some(fault_of(&token.kind, token.span));
                }
                _ => {}
            }
            self.add(ElementKind::Token(token.kind), token.span);
        }
    }

    fn add(&mut self, kind: ElementKind, span: Span) {
        self.elements.push(Element {
            kind,
            start: span.start as usize,
            end: span.end as usize,
            line_ends: std::mem::take(&mut self.line_ends),
        });
    }

    /// Reads a directive after its `#`, with its comments. Answers what ends it.
    fn directive(&mut self, hash: Span) -> RawToken {
        let mut branch = Branch::Neither;
        let mut token = self.lexer.next_token();
        if let RawKind::Identifier(name) = &token.kind {
            match &**name {
                "if" | "ifdef" | "ifndef" => branch = Branch::Open,
                "elif" | "else" => branch = Branch::Other,
                "endif" => branch = Branch::Close,
                // These may hold what starts a comment elsewhere.
                "include" => drop(self.lexer.header_name()),
                "error" | "warning" => drop(self.lexer.rest_of_line()),
                _ => {}
            }
        }
        while !matches!(
            token.kind,
            RawKind::Newline | RawKind::End | RawKind::UnterminatedComment
        ) {
            token = self.lexer.next_token();
        }
        self.lexer.take_comments();
        match branch {
            Branch::Open => self.conditions += 1,
            Branch::Close => self.conditions = self.conditions.saturating_sub(1),
            Branch::Other | Branch::Neither => {}
        }
        let span = Span {
            end: token.span.start,
            ..hash
        };
        self.add(ElementKind::Directive(branch), span);
        token
    }

    /// A line that holds something that is no token. Where a condition may take
    /// it out it is left alone.
    fn faulty_line(&mut self, first: usize, line_ends: u8, end: Span, fault: Diagnostic) {
        if self.conditions == 0 {
            self.faults.push(fault);
            return;
        }
        self.elements.truncate(first);
        self.line_ends = line_ends;
        let span = Span {
            start: self.line_start as u32,
            end: end.start,
            ..end
        };
        self.add(ElementKind::Verbatim, span);
    }
}

fn fault_of(kind: &RawKind, span: Span) -> Diagnostic {
    use DiagnosticCode::{IllegalCharacter, Syntax, Unterminated};
    match kind {
        RawKind::UnterminatedComment => {
            let span = Span {
                end: span.end.min(span.start + 2),
                ..span
            };
            Diagnostic::error(Unterminated, "unterminated comment", span)
                .label("there is no `*/` after this")
        }
        RawKind::Unterminated(what) => {
            let message = format!("unterminated {} literal", what.as_str());
            Diagnostic::error(Unterminated, message, span)
                .label("there is no closing quote on this line")
        }
        RawKind::Stray(byte) if byte.is_ascii_graphic() => {
            let message = format!("the character `{}` has no place in IDL", char::from(*byte));
            Diagnostic::error(IllegalCharacter, message, span)
        }
        RawKind::Stray(byte) => {
            let message = format!("the character 0x{byte:02X} has no place in IDL");
            Diagnostic::error(IllegalCharacter, message, span)
        }
        _ => Diagnostic::error(Syntax, "`#` in the middle of a line", span)
            .help("a directive must stand on a line of its own"),
    }
}
