//! Value types and events.

use super::surroundings::Surroundings;
use super::{Parsed, Parser};
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::model::{ValueKind, Visibility};
use crate::preprocess::TokenKind;
use crate::syntax::{DefinitionKind, Factory, Members, Preface, Value};

impl Parser<'_> {
    /// Whether a value type or an event starts here.
    pub(super) fn at_value(&self, surroundings: Surroundings) -> bool {
        let is_kind = |token: &TokenKind, after: &TokenKind| match token {
            TokenKind::Keyword(Keyword::ValueType) => true,
            // As any late keyword, a name where it is not followed by one.
            TokenKind::Identifier {
                text,
                escaped: false,
            } => {
                &**text == "eventtype"
                && matches!(after, TokenKind::Identifier { .. })
                // There it may be a type of other days.
                && !surroundings.holds_features()
            }
            _ => false,
        };
        let modified = self.at_keyword(Keyword::Abstract) || self.at_word("custom");
        is_kind(self.kind(), self.kind_at(1))
            || modified && is_kind(self.kind_at(1), self.kind_at(2))
    }

    pub(super) fn value(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        let start = self.span();
        let kind = if self.take_keyword(Keyword::Abstract).is_some() {
            ValueKind::Abstract
        } else if self.at_word("custom") {
            self.advance();
            ValueKind::Custom
        } else {
            ValueKind::Stateful
        };
        let is_event = self.at_word("eventtype");
        self.advance();
        self.only_in_modules(surroundings, "a value type", start)?;
        let name = self.name("the name of the value type")?;
        if self.take(Punctuation::Semicolon).is_some() {
            let is_abstract = kind == ValueKind::Abstract;
            return Ok(DefinitionKind::ValueDeclaration {
                name,
                is_abstract,
                is_event,
            });
        }
        let is_body = self.at(Punctuation::LeftBrace)
            || self.at(Punctuation::Colon)
            || self.at_word("supports");
        if !is_body && kind == ValueKind::Stateful && !is_event {
            let ty = self.type_spec("`{`, `:`, `;`, `supports` or a type to be boxed")?;
            self.finish("the value box");
            return Ok(DefinitionKind::ValueBox { name, ty });
        }
        let (mut truncatable, mut bases) = (None, Vec::new());
        if self.take(Punctuation::Colon).is_some() {
            if self.at_word("truncatable")
                && matches!(
                    self.kind_at(1),
                    TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope)
                )
            {
                truncatable = Some(self.advance());
            }
            bases = self.scoped_names("the name of a base")?;
        }
        let mut supports = Vec::new();
        if self.at_word("supports") {
            self.advance();
            supports = self.scoped_names("the name of an interface")?;
        }
        let open = self.expect(Punctuation::LeftBrace)?;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Value)))?;
        self.close(open, "value type")?;
        self.finish("the value type");
        Ok(DefinitionKind::Value(Box::new(Value {
            name,
            kind,
            is_event,
            truncatable,
            bases,
            supports,
            items,
        })))
    }

    /// A member of the state or a factory, if one starts here.
    pub(super) fn value_element(&mut self, preface: Preface) -> Option<Parsed<DefinitionKind>> {
        let visibility = if self.at_word("public") {
            Visibility::Public
        } else if self.at_word("private") {
            Visibility::Private
        } else if self.at_word("factory") {
            return Some(self.factory("the factory").map(DefinitionKind::Factory));
        } else {
            return None;
        };
        Some(self.state(visibility, preface))
    }

    fn state(&mut self, visibility: Visibility, preface: Preface) -> Parsed<DefinitionKind> {
        let span = self.advance();
        let ty = self.type_spec("the type of a member")?;
        let declarators = self.declarators("the name of the member")?;
        self.finish("the member");
        Ok(DefinitionKind::State {
            visibility,
            span,
            members: Box::new(Members {
                preface,
                ty,
                declarators,
            }),
        })
    }

    /// A factory or finder, from its first word on.
    pub(super) fn factory(&mut self, what: &str) -> Parsed<Factory> {
        self.advance();
        let name = self.name(&format!("the name of {what}"))?;
        self.expect(Punctuation::LeftParenthesis)?;
        let outer = std::mem::take(&mut self.defining);
        let parameters = self.parameters();
        self.defining = outer;
        let parameters = parameters?;
        let raises = match self.at_keyword(Keyword::Raises) {
            true => self.exceptions()?,
            false => Vec::new(),
        };
        self.finish(what);
        Ok(Factory {
            name,
            parameters,
            raises,
        })
    }
}
