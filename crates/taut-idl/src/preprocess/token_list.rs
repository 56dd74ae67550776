//! The tokens of a specification, in pieces that are freed one by one.

use std::ops::{Index, IndexMut};

use super::Token;

/// How many tokens a piece holds.
const PIECE: usize = 1024;

/// Tokens in order. They lie in pieces, so that a long list is never copied to
/// grow, and that the parser need not keep those that it is done with.
#[derive(Debug, Default)]
pub(crate) struct TokenList {
    /// All but the last are full, or were freed.
    pieces: Vec<Vec<Token>>,
    length: usize,
}

impl TokenList {
    pub(crate) fn push(&mut self, token: Token) {
        if self.length.is_multiple_of(PIECE) {
            // A small source does not need a whole one.
            let most = if self.pieces.is_empty() { 0 } else { PIECE };
            self.pieces.push(Vec::with_capacity(most));
        }
        if let Some(last) = self.pieces.last_mut() {
            last.push(token);
            self.length += 1;
        }
    }

    /// How many there are, with those that were freed.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The token with this index, unless it was freed.
    pub(crate) fn get(&self, index: usize) -> Option<&Token> {
        self.pieces.get(index / PIECE)?.get(index % PIECE)
    }

    /// Frees the piece before the one that holds a token, once that is the
    /// second there: the parser looks back by one token and no farther.
    pub(crate) fn free_before(&mut self, index: usize) {
        if index % PIECE == 1
            && let Some(before) = (index / PIECE).checked_sub(1)
            && let Some(piece) = self.pieces.get_mut(before)
        {
            *piece = Vec::new();
        }
    }
}

impl Index<usize> for TokenList {
    type Output = Token;

    fn index(&self, index: usize) -> &Token {
        &self.pieces[index / PIECE][index % PIECE]
    }
}

impl IndexMut<usize> for TokenList {
    fn index_mut(&mut self, index: usize) -> &mut Token {
        &mut self.pieces[index / PIECE][index % PIECE]
    }
}
