//! Text that is to be expanded, which is copied as little as may be.

use std::borrow::Cow;
use std::ops::Range;

use crate::lean;
use crate::lex::{Body, Docs, RawKind, RawToken};
use crate::source::Span;

/// Tokens that are to be expanded: those of a line, or what a macro's use is
/// replaced with.
pub(super) struct Replacement<'t> {
    runs: Vec<Run>,
    body: &'t [RawKind],
    pub(super) arguments: Vec<Argument<'t>>,
    /// The place of the macro's use, which is that of what its body says.
    span: Option<Span>,
    length: usize,
}

/// An argument of a macro.
#[derive(Default)]
pub(super) struct Argument<'t> {
    pub(super) tokens: &'t [RawToken],
    /// The tokens that the argument expands to, once they have been asked for.
    pub(super) expanded: Option<Vec<RawToken>>,
    /// How it is spelt, once that has been asked for.
    pub(super) spelling: Option<Body>,
}

/// Tokens that lie behind each other.
enum Run {
    /// Of the macro's body.
    Body(Range<usize>),
    /// Of an argument as it is written.
    Plain(usize, Range<usize>),
    /// Of what an argument expands to.
    Expanded(usize, Range<usize>),
    /// A token that was made of others.
    Made(Box<RawToken>),
}

impl Run {
    fn length(&self) -> usize {
        match self {
            Self::Body(range) | Self::Plain(_, range) | Self::Expanded(_, range) => range.len(),
            Self::Made(_) => 1,
        }
    }
}

impl<'t> Replacement<'t> {
    /// These tokens as they are.
    pub(super) fn of(tokens: &'t [RawToken]) -> Self {
        let argument = Argument {
            tokens,
            ..Argument::default()
        };
        let mut replacement = Self {
            runs: Vec::new(),
            body: &[],
            arguments: vec![argument],
            span: None,
            length: 0,
        };
        replacement.push_plain(0, 0);
        replacement
    }

    /// A macro's body, used at a place; as yet without any of it.
    pub(super) fn with_arguments(
        body: &'t [RawKind],
        arguments: Vec<Argument<'t>>,
        span: Span,
    ) -> Self {
        Self {
            runs: Vec::new(),
            body,
            arguments,
            span: Some(span),
            length: 0,
        }
    }

    /// All of a macro's body, used at a place.
    pub(super) fn body(body: &'t [RawKind], span: Span) -> Self {
        let mut replacement = Self::with_arguments(body, Vec::new(), span);
        replacement.push(Run::Body(0..body.len()));
        replacement
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    fn push(&mut self, run: Run) {
        let length = run.length();
        self.length += length;
        if length > 0 {
            lean::push(&mut self.runs, run);
        }
    }

    /// Adds a token of the body.
    pub(super) fn push_body(&mut self, at: usize) {
        if let Some(Run::Body(range)) = self.runs.last_mut()
            && range.end == at
        {
            range.end += 1;
            self.length += 1;
        } else {
            self.push(Run::Body(at..at + 1));
        }
    }

    /// Adds an argument as it is written, from one of its tokens on.
    pub(super) fn push_plain(&mut self, argument: usize, from: usize) {
        let tokens = self.arguments.get(argument);
        let end = tokens.map_or(0, |argument| argument.tokens.len());
        self.push(Run::Plain(argument, from.min(end)..end));
    }

    /// Adds what an argument expands to.
    pub(super) fn push_expanded(&mut self, argument: usize) {
        let tokens = self.arguments.get(argument);
        let tokens = tokens.and_then(|argument| argument.expanded.as_ref());
        self.push(Run::Expanded(argument, 0..tokens.map_or(0, Vec::len)));
    }

    pub(super) fn push_made(&mut self, token: RawToken) {
        self.push(Run::Made(Box::new(token)));
    }

    /// Takes the last token.
    pub(super) fn pop(&mut self) -> Option<RawToken> {
        let run = self.runs.last()?;
        let token = self.token(run, run.length().checked_sub(1)?);
        match self.runs.last_mut() {
            Some(Run::Body(range) | Run::Plain(_, range) | Run::Expanded(_, range))
                if range.len() > 1 =>
            {
                range.end -= 1;
            }
            _ => {
                self.runs.pop();
            }
        }
        self.length -= 1;
        token
    }

    fn kind<'r>(&'r self, run: &'r Run, offset: usize) -> Option<&'r RawKind> {
        match run {
            Run::Body(range) => self.body.get(range.start + offset),
            Run::Made(token) => Some(&token.kind),
            _ => self.slice(run).get(offset).map(|token| &token.kind),
        }
    }

    /// The tokens of an argument's run.
    fn slice(&self, run: &Run) -> &[RawToken] {
        let found = match run {
            Run::Plain(argument, range) => {
                let argument = self.arguments.get(*argument);
                argument.and_then(|argument| argument.tokens.get(range.clone()))
            }
            Run::Expanded(argument, range) => {
                let argument = self.arguments.get(*argument);
                let tokens = argument.and_then(|argument| argument.expanded.as_ref());
                tokens.and_then(|tokens| tokens.get(range.clone()))
            }
            Run::Body(_) | Run::Made(_) => None,
        };
        found.unwrap_or_default()
    }

    fn token(&self, run: &Run, offset: usize) -> Option<RawToken> {
        match run {
            Run::Body(range) => Some(RawToken {
                kind: self.body.get(range.start + offset)?.clone(),
                span: self.span?,
                first_on_line: false,
                docs: Docs::default(),
                inert: false,
            }),
            Run::Made(token) => Some((**token).clone()),
            _ => self.slice(run).get(offset).cloned(),
        }
    }

    /// The kinds of all tokens.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &RawKind> {
        self.runs.iter().flat_map(move |run| {
            let offsets = 0..run.length();
            offsets.filter_map(move |offset| self.kind(run, offset))
        })
    }
}

/// Reads the tokens of a replacement.
pub(super) struct Reader<'r, 't> {
    replacement: &'r Replacement<'t>,
    run: usize,
    offset: usize,
    /// How many tokens have been read.
    pub(super) position: usize,
}

impl<'r, 't> Reader<'r, 't> {
    pub(super) fn new(replacement: &'r Replacement<'t>) -> Self {
        Self {
            replacement,
            run: 0,
            offset: 0,
            position: 0,
        }
    }

    pub(super) fn next(&mut self) -> Option<RawToken> {
        let run = self.replacement.runs.get(self.run)?;
        let token = self.replacement.token(run, self.offset);
        self.skip(1);
        token
    }

    /// The kind of the next token.
    pub(super) fn peek(&self) -> Option<&'r RawKind> {
        let run = self.replacement.runs.get(self.run)?;
        self.replacement.kind(run, self.offset)
    }

    /// So many tokens, all of which are there.
    pub(super) fn take(&mut self, count: usize) -> Cow<'r, [RawToken]> {
        if let Some(run) = self.replacement.runs.get(self.run)
            && let Some(tokens) = self.replacement.slice(run).get(self.offset..)
            && let Some(tokens) = tokens.get(..count)
        {
            self.skip(count);
            return Cow::Borrowed(tokens);
        }
        let mut tokens = Vec::with_capacity(count);
        tokens.extend((0..count).map_while(|_| self.next()));
        Cow::Owned(tokens)
    }

    /// Passes over tokens of the current run.
    fn skip(&mut self, count: usize) {
        self.position += count;
        self.offset += count;
        let run = self.replacement.runs.get(self.run);
        if run.is_none_or(|run| run.length() <= self.offset) {
            self.run += 1;
            self.offset = 0;
        }
    }
}
