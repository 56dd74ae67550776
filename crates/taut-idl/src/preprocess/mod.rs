//! Files to tokens: inclusion, conditions, macros, pragmas.
//!
//! Every token keeps the place where it stands in its file. Pragmas and the
//! borders of files become [`Directive`]s that know which token they precede.

mod arguments;
mod condition;
mod directive;
mod expansion;
mod include;
mod line;
mod macros;
mod pragma;
mod replacement;
mod token;
mod token_list;

use std::path::PathBuf;

use arcstr::ArcStr;
use hashbrown::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::lex::keyword::Keyword;
use crate::lex::literal::{self, Malformed, Number};
use crate::lex::{Docs, Lexer, Quoted, RawKind, RawToken, Words};
use crate::loader::FileLoader;
use crate::options::Options;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::Directive;
use macros::Macro;
pub(crate) use token::{Token, TokenKind};
pub(crate) use token_list::TokenList;

/// The output of the preprocessor: the tokens and directives for the parser, and the files
/// that were read.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    /// The last one is [`TokenKind::End`].
    pub(crate) tokens: TokenList,
    /// Each with the index of the token that it precedes, in order.
    pub(crate) directives: Vec<(usize, Directive)>,
    /// Every file that was read.
    pub(crate) dependencies: Vec<PathBuf>,
}

/// Preprocesses main files one after the other, as one specification.
pub(crate) fn preprocess(
    main_files: &[PathBuf],
    options: &Options,
    loader: &mut dyn FileLoader,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        options,
        loader,
        sources,
        diagnostics,
        words: Words::default(),
        macros: HashMap::new(),
        files: HashMap::new(),
        once: HashSet::new(),
        included: HashSet::new(),
        case_reported: HashSet::new(),
        inclusions: 0,
        bytes: 0,
        bytes_processed: 0,
        expansions: 0,
        expansion_depth: 0,
        markers: Vec::new(),
        stopped: false,
        output: Preprocessed {
            tokens: TokenList::default(),
            directives: Vec::new(),
            dependencies: Vec::new(),
        },
    };
    preprocessor.run(main_files);
    preprocessor.output
}

struct Preprocessor<'a> {
    options: &'a Options,
    loader: &'a mut dyn FileLoader,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    /// The words read so far.
    words: Words,
    macros: HashMap<ArcStr, Macro>,
    /// The files read so far, by their identity.
    files: HashMap<PathBuf, FileId>,
    /// The files that said `#pragma once`.
    once: HashSet<FileId>,
    /// The files that another included.
    included: HashSet<FileId>,
    /// Identifiers already reported to be keywords but for their case.
    case_reported: HashSet<ArcStr>,
    inclusions: usize,
    /// The bytes of all files read so far, each counted once.
    bytes: usize,
    /// The bytes of all files, counted as often as they are processed.
    bytes_processed: usize,
    expansions: usize,
    /// How many macros are being expanded, one within the other.
    expansion_depth: usize,
    /// The files that line markers have entered and not left.
    markers: Vec<usize>,
    /// Set when a limit was passed that ends all.
    stopped: bool,
    output: Preprocessed,
}

impl Preprocessor<'_> {
    fn run(&mut self, main_files: &[PathBuf]) {
        self.define_from_options();
        // All are loaded first, so that one which another includes is known to
        // be a main file when that happens.
        let mut ids = Vec::new();
        for path in main_files {
            if let Some(id) = self.load_main(path)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        let mut last = None;
        for id in ids {
            last = Some(id);
            // One that an earlier one included is already part of the whole.
            if self.included.contains(&id) || self.stopped {
                continue;
            }
            let inclusion = self.enter(false);
            self.process(id, 0);
            self.leave(inclusion, false);
        }
        let end = last.map_or(
            Span {
                file: FileId(0),
                start: 0,
                end: 0,
            },
            |file| {
                let end = self.sources.file(file).bytes().len() as u32;
                Span {
                    file,
                    start: end,
                    end,
                }
            },
        );
        self.output.tokens.push(Token {
            kind: TokenKind::End,
            span: end,
            docs: Docs::default(),
        });
    }

    /// Processes a file that was loaded.
    fn process(&mut self, file: FileId, depth: usize) {
        let bytes = self.sources.file(file).shared_bytes();
        self.bytes_processed = self.bytes_processed.saturating_add(bytes.len());
        let mut lexer = Lexer::new(file, bytes, self.words.clone());
        if let Some(span) = lexer.skip_byte_order_mark() {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::IllegalCharacter,
                    "the file starts with a UTF-8 byte order mark",
                    span,
                )
                .help("IDL is ISO 8859-1: other compilers reject the mark"),
            );
        }
        let mut conditions = Vec::new();
        while !self.stopped {
            let token = lexer.next_token();
            let active = condition::active(&conditions);
            match token.kind {
                RawKind::End => break,
                RawKind::Newline => {}
                RawKind::Hash if token.first_on_line => {
                    self.directive(&mut lexer, &token, &mut conditions, depth);
                }
                RawKind::UnterminatedComment => self.report_comment(token.span),
                _ if !active => {}
                _ => self.text(token, &mut lexer),
            }
        }
        if !self.stopped {
            self.report_open(&conditions);
        }
    }

    /// Starts an inclusion; answers its number.
    fn enter(&mut self, by_marker: bool) -> usize {
        self.inclusions += 1;
        let inclusion = self.inclusions;
        self.put_directive(Directive::EnterFile {
            inclusion,
            by_marker,
        });
        inclusion
    }

    fn leave(&mut self, inclusion: usize, by_marker: bool) {
        self.put_directive(Directive::LeaveFile {
            inclusion,
            by_marker,
        });
    }

    fn put_directive(&mut self, directive: Directive) {
        self.output
            .directives
            .push((self.output.tokens.len(), directive));
    }

    /// How many tokens what was read so far may become.
    fn most_tokens(&self) -> usize {
        let limits = &self.options.limits;
        limits
            .tokens
            .min(limits.added_tokens.saturating_add(self.bytes))
    }

    /// Turns a token of an active line into one for the parser.
    fn put(&mut self, token: RawToken) {
        let span = token.span;
        let most = self.most_tokens();
        if self.output.tokens.len() >= most {
            self.stop_at_limit(format!("more than {most} tokens"), span);
            return;
        }
        let kind = match token.kind {
            RawKind::Identifier(text) => self.identifier(text, span),
            RawKind::Number(text) => match literal::number(&text) {
                Ok(Number::Integer(value)) => TokenKind::Integer(value),
                Ok(Number::Floating(value)) => TokenKind::Floating(value.into()),
                Ok(Number::Fixed(value)) => TokenKind::Fixed(Box::new(value)),
                Err(why) => self.malformed("number", DiagnosticCode::MalformedNumber, why, span),
            },
            RawKind::Character { wide: true, body } => match literal::wide_character(&body) {
                Ok(value) => TokenKind::WideCharacter(value),
                Err(why) => {
                    self.malformed("character", DiagnosticCode::IllegalCharacter, why, span)
                }
            },
            RawKind::String { wide: true, body } => match literal::wide_string(&body) {
                Ok(text) => TokenKind::WideString(text.into()),
                Err(why) => self.malformed("string", DiagnosticCode::IllegalCharacter, why, span),
            },
            RawKind::Character { body, .. } => match literal::character(&body) {
                Ok(value) => TokenKind::Character(value),
                Err(why) => {
                    self.malformed("character", DiagnosticCode::IllegalCharacter, why, span)
                }
            },
            RawKind::String { body, .. } => match literal::string(&body) {
                Ok(text) => TokenKind::String(text.into()),
                Err(why) => self.malformed("string", DiagnosticCode::IllegalCharacter, why, span),
            },
            RawKind::Punctuation(punctuation) => TokenKind::Punctuation(punctuation),
            RawKind::Unterminated(what) => {
                let quote = match what {
                    Quoted::String => '"',
                    Quoted::Character => '\'',
                };
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Unterminated,
                        format!("unterminated {} literal", what.as_str()),
                        span,
                    )
                    .label(format!("there is no closing `{quote}` on this line")),
                );
                TokenKind::Invalid
            }
            RawKind::Hash | RawKind::HashHash => {
                self.diagnostics.push(
                    Diagnostic::error(DiagnosticCode::Syntax, "`#` in the middle of a line", span)
                        .help("a directive must stand on a line of its own"),
                );
                TokenKind::Invalid
            }
            RawKind::Stray(byte) => match self.stray(byte, span) {
                true => TokenKind::Invalid,
                false => return,
            },
            RawKind::Invalid => TokenKind::Invalid,
            RawKind::Newline | RawKind::UnterminatedComment | RawKind::End => return,
        };
        self.output.tokens.push(Token {
            kind,
            span,
            docs: token.docs,
        });
    }

    fn identifier(&mut self, text: ArcStr, span: Span) -> TokenKind {
        if let Some(escaped) = text.strip_prefix('_') {
            if !escaped.starts_with(|first: char| first.is_ascii_alphabetic()) {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::IllegalCharacter,
                        format!("`{text}` is no identifier"),
                        span,
                    )
                    .label("after an escaping underscore, a letter must follow"),
                );
                return TokenKind::Invalid;
            }
            return TokenKind::Identifier {
                text: self.words.share(escaped),
                escaped: true,
            };
        }
        if let Some(keyword) = Keyword::exact(&text) {
            return TokenKind::Keyword(keyword);
        }
        if let Some(keyword) = Keyword::ignoring_case(&text)
            && self.case_reported.insert(text.clone())
        {
            let message = format!(
                "`{text}` differs from the keyword `{}` in case only",
                keyword.as_str()
            );
            // Sources older than the keyword are not to be blamed.
            let diagnostic = match keyword.is_late() {
                true => Diagnostic::warning(DiagnosticCode::Keyword, message, span),
                false => Diagnostic::error(DiagnosticCode::Keyword, message, span),
            };
            let keyword = keyword.as_str();
            self.diagnostics.push(diagnostic.help(format!(
                "write `{keyword}` for the keyword, or `_{text}` for a name"
            )));
        }
        TokenKind::Identifier {
            text,
            escaped: false,
        }
    }

    fn malformed(
        &mut self,
        what: &str,
        code: DiagnosticCode,
        why: Malformed,
        span: Span,
    ) -> TokenKind {
        self.diagnostics
            .push(Diagnostic::error(code, format!("malformed {what} literal"), span).label(why.0));
        TokenKind::Invalid
    }

    /// Reports a byte that starts no token. False for the rest of a character
    /// of UTF-8, which was reported with its first byte.
    fn stray(&mut self, byte: u8, span: Span) -> bool {
        let whole = |start: u32, length: u32| {
            let bytes = self.sources.text(Span {
                start,
                end: start + length,
                ..span
            });
            let text = std::str::from_utf8(bytes).ok()?;
            (text.chars().count() == 1).then_some(text)
        };
        let is_rest = |back: u32| {
            let start = span.start.checked_sub(back);
            start.is_some_and(|start| (back + 1..=4).any(|length| whole(start, length).is_some()))
        };
        if (0x80..0xC0).contains(&byte) && (1..4).any(is_rest) {
            return false;
        }
        let character = (2..=4).find_map(|length| whole(span.start, length));
        let (shown, span) = match character {
            Some(text) if byte >= 0x80 => {
                let end = span.start + text.len() as u32;
                (format!("`{}`", text.escape_debug()), Span { end, ..span })
            }
            _ if (0x21..0x7F).contains(&byte) => (format!("`{}`", char::from(byte)), span),
            _ => (format!("0x{byte:02X}"), span),
        };
        let message = format!("the character {shown} has no place in IDL");
        let mut diagnostic = Diagnostic::error(DiagnosticCode::IllegalCharacter, message, span);
        if byte >= 0x80 {
            diagnostic = diagnostic
                .help("letters beyond ASCII may stand in comments, characters and strings");
        }
        self.diagnostics.push(diagnostic);
        true
    }

    fn report_comment(&mut self, span: Span) {
        let opening = Span {
            end: (span.start + 2).min(span.end),
            ..span
        };
        self.diagnostics.push(
            Diagnostic::error(
                DiagnosticCode::Unterminated,
                "unterminated comment",
                opening,
            )
            .label("there is no `*/` after this"),
        );
    }

    fn stop_at_limit(&mut self, message: String, span: Span) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::LimitExceeded, message, span)
                    .label("the rest is not looked at"),
            );
        }
    }
}
