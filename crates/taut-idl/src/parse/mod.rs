//! Tokens to a syntax tree, by recursive descent.
//!
//! A construct that cannot be understood is reported once, at the token where
//! understanding ended, and skipped to its `;` or closing brace; names that it
//! would have defined become poisoned where they are known.

mod annotation;
mod bits;
mod component;
mod declaration;
mod enumeration;
mod expression;
mod hints;
mod identity;
mod interface;
mod recovery;
mod structs;
mod surroundings;
mod template;
mod types;
mod union;
mod value;

use std::collections::HashSet;

use arcstr::ArcStr;
use smallvec::SmallVec;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::lean;
use crate::lex::keyword::{Keyword, LATE_KEYWORD_OCTETS, late_keyword};
use crate::lex::{Docs, Punctuation};
use crate::preprocess::{Preprocessed, TokenKind, TokenList};
use crate::source::{SourceMap, Span};
use crate::syntax::{Directive, Item, Name, ScopedName};

/// Parses a whole specification.
pub(crate) fn parse(
    preprocessed: Preprocessed,
    nesting: usize,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Item> {
    let mut parser = Parser {
        tokens: preprocessed.tokens,
        directives: preprocessed.directives.into_iter().peekable(),
        position: 0,
        nesting: nesting.min(256),
        depth: 0,
        deepest: 0,
        angles: 0,
        defining: Vec::new(),
        in_template: false,
        unclosed: false,
        known_annotations: HashSet::new(),
        case_reported: HashSet::new(),
        sources,
        diagnostics,
    };
    parser.specification()
}

/// Something could not be parsed, and has been reported.
#[derive(Debug, Clone, Copy)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    /// The last one is [`TokenKind::End`].
    tokens: TokenList,
    directives: std::iter::Peekable<std::vec::IntoIter<(usize, Directive)>>,
    position: usize,
    nesting: usize,
    depth: usize,
    /// The greatest depth since a template module began.
    deepest: usize,
    /// How many `<` are open, since the last open parenthesis.
    angles: usize,
    /// The names that the construct being parsed defines in its scope, to be
    /// poisoned when it turns out to be faulty.
    defining: Vec<Name>,
    /// Whether what is being parsed is in a template module.
    in_template: bool,
    /// Whether a brace was reported that is never closed.
    unclosed: bool,
    /// Those that the source defines.
    known_annotations: HashSet<String>,
    /// Names that were reported to be late keywords but for their case.
    case_reported: HashSet<ArcStr>,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
}

impl Parser<'_> {
    fn kind(&self) -> &TokenKind {
        self.tokens
            .get(self.position)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn kind_at(&self, ahead: usize) -> &TokenKind {
        self.tokens
            .get(self.position + ahead)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    /// The place of the current token.
    fn span(&self) -> Span {
        self.tokens[self.position.min(self.tokens.len() - 1)].span
    }

    /// The place of the token before.
    fn previous(&self) -> Span {
        self.tokens[self.position.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    fn docs(&self) -> Docs {
        let token = self.tokens.get(self.position);
        token.map_or_else(Docs::default, |token| token.docs.clone())
    }

    fn at_end(&self) -> bool {
        matches!(self.kind(), TokenKind::End)
    }

    fn follows_invalid(&self) -> bool {
        let previous = self
            .position
            .checked_sub(1)
            .and_then(|index| self.tokens.get(index));
        previous.is_some_and(|token| token.kind == TokenKind::Invalid)
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if !self.at_end() {
            self.position += 1;
            self.tokens.free_before(self.position);
        }
        span
    }

    fn at(&self, wanted: Punctuation) -> bool {
        *self.kind() == TokenKind::Punctuation(wanted)
    }

    fn at_keyword(&self, wanted: Keyword) -> bool {
        *self.kind() == TokenKind::Keyword(wanted)
    }

    /// Whether the token is this word, which is a keyword only here.
    fn at_word(&self, wanted: &str) -> bool {
        matches!(self.kind(), TokenKind::Identifier { text, escaped: false } if &**text == wanted)
    }

    fn take(&mut self, wanted: Punctuation) -> Option<Span> {
        self.at(wanted).then(|| self.advance())
    }

    fn take_keyword(&mut self, wanted: Keyword) -> Option<Span> {
        self.at_keyword(wanted).then(|| self.advance())
    }

    fn expect(&mut self, wanted: Punctuation) -> Parsed<Span> {
        match self.take(wanted) {
            Some(span) => Ok(span),
            None => self.fail_expecting(&format!("`{}`", wanted.as_str())),
        }
    }

    /// A `>`, which may be the first half of a `>>`.
    fn expect_greater(&mut self) -> Parsed<Span> {
        if self.at(Punctuation::ShiftRight) {
            let token = &mut self.tokens[self.position];
            token.kind = TokenKind::Punctuation(Punctuation::Greater);
            let first = Span {
                end: token.span.start + 1,
                ..token.span
            };
            token.span.start = first.end.min(token.span.end);
            return Ok(first);
        }
        self.expect(Punctuation::Greater)
    }

    /// The `;` that ends a construct. A missing one is reported, and taken for
    /// there when what follows looks like something new.
    fn semicolon(&mut self, construct: &str) -> Parsed<()> {
        if self.take(Punctuation::Semicolon).is_some() {
            return Ok(());
        }
        // The fault that swallowed the `;` has been reported.
        if self.unclosed && self.at_end() || self.follows_invalid() {
            return Ok(());
        }
        let (previous, here) = (self.previous(), self.span());
        let new_line = previous.file != here.file
            || self.sources.file(here.file).line(previous.end) < self.sources.line(here);
        let apart = new_line || self.at(Punctuation::RightBrace) || self.starts_definition();
        if *self.kind() == TokenKind::Invalid || !apart && !self.at_end() {
            return self.fail_expecting("`;`");
        }
        self.diagnostics.push(
            Diagnostic::error(
                DiagnosticCode::Syntax,
                format!("expected `;` after {construct}"),
                previous.after(),
            )
            .label("a `;` is missing here"),
        );
        Ok(())
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    fn fail_expecting<T>(&mut self, wanted: &str) -> Parsed<T> {
        if *self.kind() == TokenKind::Invalid || self.follows_invalid() {
            return Err(Failed);
        }
        // The end of a file is best shown behind what stands last in it.
        let span = if self.at_end() {
            self.previous().after()
        } else {
            self.span()
        };
        let message = format!("expected {wanted}, found {}", self.kind().describe());
        let diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, span)
            .label(format!("expected {wanted}"));
        let diagnostic = match wanted.strip_prefix("the name of") {
            Some(_) => self.without_name(diagnostic),
            None => self.without_end(diagnostic),
        };
        self.fail(diagnostic)
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.nesting {
            let message = format!("nested more than {} levels deep", self.nesting);
            let span = self.span();
            return self.fail(Diagnostic::error(
                DiagnosticCode::LimitExceeded,
                message,
                span,
            ));
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// A name that is defined here.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        if *self.kind() == TokenKind::Invalid {
            while *self.kind() == TokenKind::Invalid {
                self.advance();
            }
            if !matches!(self.kind(), TokenKind::Identifier { .. }) {
                return Err(Failed);
            }
        }
        let span = self.span();
        match self.kind().clone() {
            TokenKind::Identifier { text, escaped } => {
                self.advance();
                lean::push(
                    &mut self.defining,
                    Name {
                        text: text.clone(),
                        span,
                    },
                );
                if let Some(version) = late_keyword(&text).filter(|_| !escaped) {
                    self.warn_late(&text, version, span);
                } else if !escaped {
                    self.warn_late_but_for_case(&text, span);
                }
                Ok(Name { text, span })
            }
            // Where only a name can stand, older sources may have a word that
            // became a keyword later; but no other type can have that of a type.
            TokenKind::Keyword(keyword)
                if let Some(version) = keyword.since()
                    && !(keyword.is_late_type() && self.names_type(what)) =>
            {
                let text: ArcStr = keyword.as_str().into();
                self.advance();
                self.warn_late(&text, version, span);
                let name = Name { text, span };
                lean::push(&mut self.defining, name.clone());
                Ok(name)
            }
            TokenKind::Keyword(keyword) => {
                let message = format!("expected {what}, found the keyword `{}`", keyword.as_str());
                let diagnostic = Diagnostic::error(DiagnosticCode::Keyword, message, span)
                    .label(format!("expected {what}"));
                let diagnostic = self.keyword_for_name(keyword, diagnostic);
                self.fail(diagnostic)
            }
            _ => self.fail_expecting(what),
        }
    }

    fn warn_late(&mut self, text: &str, version: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning(
                DiagnosticCode::Keyword,
                format!("`{text}` is a keyword since {version}"),
                span,
            )
            .help(format!("write `_{text}` to keep the name")),
        );
    }

    /// Warns of a name that differs from a late keyword in case only, which compilers
    /// that know the keyword refuse.
    fn warn_late_but_for_case(&mut self, text: &ArcStr, span: Span) {
        let may_be_one = text.len() <= LATE_KEYWORD_OCTETS;
        if !may_be_one || !text.bytes().any(|octet| octet.is_ascii_uppercase()) {
            return;
        }
        let keyword = text.to_ascii_lowercase();
        if let Some(version) = late_keyword(&keyword)
            && self.case_reported.insert(text.clone())
        {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::Keyword,
                    format!("`{text}` differs from the keyword `{keyword}` in case only"),
                    span,
                )
                .label(format!("a keyword since {version}"))
                .help(format!("write `_{text}` to keep the name")),
            );
        }
    }

    /// Whether what is expected is the name of a new type.
    fn names_type(&self, what: &str) -> bool {
        ![
            "member",
            "parameter",
            "operation",
            "attribute",
            "enumerator",
            "module",
        ]
        .iter()
        .any(|named| what.ends_with(named))
    }

    /// The name at hand, which may be a word that became a keyword later and
    /// starts no type.
    fn used_name(&self) -> Option<ArcStr> {
        match self.kind() {
            TokenKind::Identifier { text, .. } => Some(text.clone()),
            TokenKind::Keyword(keyword) if keyword.is_late() && !keyword.is_late_type() => {
                Some(keyword.as_str().into())
            }
            _ => None,
        }
    }

    fn scoped_name(&mut self, what: &str) -> Parsed<ScopedName> {
        let start = self.span();
        let absolute = self.take(Punctuation::Scope).is_some();
        let mut parts = SmallVec::new();
        loop {
            let span = self.span();
            match self.used_name() {
                Some(text) => {
                    self.advance();
                    parts.push(Name { text, span });
                }
                _ if parts.is_empty() && !absolute => return self.fail_expecting(what),
                _ => return self.fail_expecting("a name after `::`"),
            }
            if self.take(Punctuation::Scope).is_none() {
                return Ok(ScopedName {
                    absolute,
                    parts,
                    span: start.to(span),
                });
            }
        }
    }

    fn scoped_names(&mut self, what: &str) -> Parsed<Vec<ScopedName>> {
        let mut names = vec![self.scoped_name(what)?];
        while self.take(Punctuation::Comma).is_some() {
            lean::push(&mut names, self.scoped_name(what)?);
        }
        Ok(names)
    }

    /// The directives that precede the current token.
    fn directives(&mut self, items: &mut Vec<Item>) {
        let position = self.position;
        while let Some((_, directive)) = self.directives.next_if(|(at, _)| *at <= position) {
            lean::push(items, Item::Directive(directive));
        }
    }
}
