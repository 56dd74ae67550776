//! Whether a blank belongs between two tokens.

use crate::lex::keyword::Keyword;
use crate::lex::{Punctuation, RawKind};

use Punctuation as P;

/// The state of a statement, as far as the meaning of its marks depends on it.
#[derive(Debug)]
pub(super) struct Spacing {
    previous: Option<Token>,
    /// How many `<` are open at each depth of parentheses, the innermost last;
    /// never empty.
    angles: Vec<usize>,
    /// Whether the `:` of a union's label is to come.
    label: bool,
    /// Whether the token before names an annotation.
    annotation: bool,
}

/// The properties of a token that spacing depends on.
#[derive(Debug, Clone, Copy)]
struct Token {
    role: Role,
    mark: Option<Punctuation>,
    number: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A name, a number, a literal, a keyword for a value.
    Operand,
    /// A keyword for anything else.
    Word,
    Mark,
    /// `-` and the like before an operand.
    Sign,
    /// `<`
    Open,
    /// The end of what a `<` started.
    Close,
}

/// Parentheses deeper than this are taken for one.
const DEPTH: usize = 256;

impl Default for Spacing {
    fn default() -> Self {
        Self {
            previous: None,
            angles: vec![0],
            label: false,
            annotation: false,
        }
    }
}

impl Spacing {
    /// How many parentheses and brackets are open.
    pub(super) fn depth(&self) -> usize {
        self.angles.len() - 1
    }

    /// Whether there has been a token.
    pub(super) fn has_started(&self) -> bool {
        self.previous.is_some()
    }

    /// Whether no `<` is open.
    pub(super) fn outside_angles(&self) -> bool {
        self.open_angles() == 0
    }

    /// Whether a `(` that comes now starts the parameters of an operation.
    pub(super) fn before_parameters(&self) -> bool {
        let operand = self
            .previous
            .is_some_and(|token| token.role == Role::Operand);
        operand && !self.annotation && self.depth() == 0
    }

    /// Whether the tokens so far end with a whole annotation, if nothing but
    /// annotations has come so far and this kind of token comes now.
    pub(super) fn after_annotation(&self, next: &RawKind) -> bool {
        let closed = matches!(self.mark(), Some(P::RightParenthesis));
        let goes_on = matches!(next, RawKind::Punctuation(P::LeftParenthesis | P::Scope));
        self.depth() == 0 && (closed || self.annotation && self.mark().is_none() && !goes_on)
    }

    /// Takes the next token; answers whether a blank precedes it. `leads` tells
    /// whether it clings to a name behind it in the source, and not to what is before.
    pub(super) fn next(&mut self, kind: &RawKind, leads: bool) -> bool {
        let token = self.token(kind);
        let blank = self.previous.is_some_and(|previous| {
            would_join(previous, token) || self.blank(previous, token, leads)
        });
        self.step(token, kind);
        blank
    }

    fn token(&self, kind: &RawKind) -> Token {
        let mark = match kind {
            RawKind::Punctuation(mark) => Some(*mark),
            _ => None,
        };
        let role = match kind {
            RawKind::Identifier(text) => match Keyword::exact(text) {
                None | Some(Keyword::True | Keyword::False | Keyword::Object) => Role::Operand,
                Some(_) => Role::Word,
            },
            RawKind::Punctuation(P::Less) => Role::Open,
            RawKind::Punctuation(P::Greater) if self.open_angles() > 0 => Role::Close,
            RawKind::Punctuation(P::ShiftRight) if self.open_angles() > 1 => Role::Close,
            RawKind::Punctuation(P::Plus | P::Minus | P::Tilde) if !self.after_operand() => {
                Role::Sign
            }
            RawKind::Punctuation(_) => Role::Mark,
            _ => Role::Operand,
        };
        Token {
            role,
            mark,
            number: matches!(kind, RawKind::Number(_)),
        }
    }

    fn mark(&self) -> Option<Punctuation> {
        self.previous.and_then(|token| token.mark)
    }

    fn open_angles(&self) -> usize {
        self.angles.last().copied().unwrap_or(0)
    }

    fn after_operand(&self) -> bool {
        self.previous.is_some_and(|token| {
            matches!(token.role, Role::Operand | Role::Close)
                || matches!(token.mark, Some(P::RightParenthesis | P::RightBracket))
        })
    }

    fn blank(&self, previous: Token, next: Token, leads: bool) -> bool {
        match (previous.mark, next.mark) {
            (_, Some(P::Semicolon | P::Comma | P::RightParenthesis | P::RightBracket)) => false,
            (_, Some(P::LeftBracket)) => false,
            (_, Some(P::Colon)) => !self.label,
            (Some(P::Scope | P::LeftParenthesis | P::LeftBracket | P::At | P::Not), _) => false,
            _ if matches!(previous.role, Role::Open | Role::Sign) => false,
            _ if matches!(next.role, Role::Open | Role::Close) => false,
            // `A::B`, but `in ::A`; and who knows about `public ::A`?
            (_, Some(P::Scope)) => match previous.role {
                Role::Operand | Role::Close => leads,
                _ => true,
            },
            (_, Some(P::LeftParenthesis)) => !self.annotation,
            (Some(P::Dot), _) | (_, Some(P::Dot)) => false,
            _ => true,
        }
    }

    fn step(&mut self, token: Token, kind: &RawKind) {
        match token.mark {
            Some(P::LeftParenthesis | P::LeftBracket) if self.angles.len() < DEPTH => {
                self.angles.push(0);
            }
            Some(P::RightParenthesis | P::RightBracket) if self.angles.len() > 1 => {
                self.angles.pop();
            }
            Some(P::Colon) if self.depth() == 0 => self.label = false,
            _ => {}
        }
        if let Some(open) = self.angles.last_mut() {
            match (token.role, token.mark) {
                (Role::Open, _) => *open += 1,
                (Role::Close, Some(P::ShiftRight)) => *open -= 2,
                (Role::Close, _) => *open -= 1,
                _ => {}
            }
        }
        if let RawKind::Identifier(text) = kind
            && self.depth() == 0
            && matches!(Keyword::exact(text), Some(Keyword::Case | Keyword::Default))
        {
            self.label = true;
        }
        self.annotation = match token.mark {
            Some(P::At) => true,
            Some(P::Scope) => self.annotation,
            Some(_) => false,
            None => self.annotation && matches!(self.mark(), Some(P::At | P::Scope)),
        };
        self.previous = Some(token);
    }
}

/// Whether two tokens without a blank between would be others.
fn would_join(first: Token, second: Token) -> bool {
    match (first.mark, second.mark) {
        (None, None) => true,
        (None, Some(mark)) => first.number && matches!(mark, P::Dot | P::Plus | P::Minus),
        (Some(mark), None) => mark == P::Dot && second.number,
        (Some(first), Some(second)) => {
            let (first, second) = (first.as_str(), second.as_str());
            let joined = [first, &second[..1]].concat();
            JOINED.contains(&joined.as_str())
        }
    }
}

/// The pairs of characters that two tokens must not form by standing side by side.
const JOINED: &[&str] = &[
    "<<", ">>", "::", "&&", "||", "==", "!=", "<=", ">=", "//", "/*",
];
