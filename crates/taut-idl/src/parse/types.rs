//! Types where they are used, and declarators.

use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::model::{Primitive, Type};
use crate::preprocess::TokenKind;
use crate::syntax::{Declarator, Expression, Preface, TypeKind, TypeSpec};

impl Parser<'_> {
    pub(super) fn type_spec(&mut self, what: &str) -> Parsed<TypeSpec> {
        let preface = self.preface()?;
        // Types that nest have functions of their own, so that little stack is
        // needed for each level.
        match self.kind() {
            TokenKind::Keyword(Keyword::Sequence) => {
                self.ignore(&preface.annotations);
                self.sequence()
            }
            TokenKind::Identifier { .. }
                if self.at_word("map")
                    && *self.kind_at(1) == TokenKind::Punctuation(Punctuation::Less) =>
            {
                self.ignore(&preface.annotations);
                self.map()
            }
            TokenKind::Keyword(Keyword::Struct) => self.struct_in_place(preface),
            TokenKind::Keyword(Keyword::Union) => self.union_in_place(preface),
            TokenKind::Keyword(Keyword::Enum) => self.enum_in_place(preface),
            _ => {
                self.ignore(&preface.annotations);
                self.type_without_parts(what)
            }
        }
    }

    fn struct_in_place(&mut self, preface: Preface) -> Parsed<TypeSpec> {
        let start = self.advance();
        let name = self.name("the name of the struct")?;
        let body = self.nested(|parser| parser.struct_body(name, preface))?;
        let kind = TypeKind::Struct(Box::new(body));
        let span = start.to(self.previous());
        Ok(TypeSpec { kind, span })
    }

    fn union_in_place(&mut self, preface: Preface) -> Parsed<TypeSpec> {
        let start = self.advance();
        let name = self.name("the name of the union")?;
        let body = self.nested(|parser| parser.union_body(name, preface))?;
        let kind = TypeKind::Union(Box::new(body));
        let span = start.to(self.previous());
        Ok(TypeSpec { kind, span })
    }

    fn enum_in_place(&mut self, preface: Preface) -> Parsed<TypeSpec> {
        let start = self.advance();
        let kind = TypeKind::Enum(Box::new(self.enumeration(preface)?));
        let span = start.to(self.previous());
        Ok(TypeSpec { kind, span })
    }

    fn type_without_parts(&mut self, what: &str) -> Parsed<TypeSpec> {
        let start = self.span();
        let keyword = match self.kind() {
            // Defined by a source from before these were keywords.
            TokenKind::Keyword(Keyword::Abstract | Keyword::Local)
                if matches!(
                    self.kind_at(1),
                    TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope)
                ) =>
            {
                let kind = TypeKind::Scoped(Box::new(self.scoped_name(what)?));
                return Ok(TypeSpec {
                    kind,
                    span: start.to(self.previous()),
                });
            }
            TokenKind::Keyword(keyword) => *keyword,
            TokenKind::Invalid => {
                self.advance();
                return Ok(TypeSpec {
                    kind: TypeKind::Poisoned,
                    span: start,
                });
            }
            TokenKind::Identifier {
                text,
                escaped: false,
            } if &**text == "signed" && matches!(self.kind_at(1), TokenKind::Keyword(_)) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        "`signed` is not a word of IDL",
                        start,
                    )
                    .help("integers are signed unless they are `unsigned`: drop the word"),
                );
                self.advance();
                return self.nested(|parser| parser.type_spec(what));
            }
            TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope) => {
                let kind = TypeKind::Scoped(Box::new(self.scoped_name(what)?));
                return Ok(TypeSpec {
                    kind,
                    span: start.to(self.previous()),
                });
            }
            _ => return self.fail_expecting(what),
        };
        let kind = match keyword {
            Keyword::Boolean => self.primitive(Primitive::Boolean),
            Keyword::Char => self.primitive(Primitive::Char),
            Keyword::Octet => self.primitive(Primitive::Octet),
            Keyword::Short => self.primitive(Primitive::Short),
            Keyword::Float => self.primitive(Primitive::Float),
            Keyword::Double => self.primitive(Primitive::Double),
            Keyword::Long => {
                if *self.kind_at(1) == TokenKind::Keyword(Keyword::Double) {
                    self.advance();
                    self.primitive(Primitive::LongDouble)
                } else {
                    self.advance();
                    match self.take_keyword(Keyword::Long) {
                        Some(_) => TypeKind::Primitive(Primitive::LongLong),
                        None => TypeKind::Primitive(Primitive::Long),
                    }
                }
            }
            Keyword::Unsigned => {
                self.advance();
                if self.take_keyword(Keyword::Short).is_some() {
                    TypeKind::Primitive(Primitive::UShort)
                } else if self.take_keyword(Keyword::Long).is_some() {
                    match self.take_keyword(Keyword::Long) {
                        Some(_) => TypeKind::Primitive(Primitive::ULongLong),
                        None => TypeKind::Primitive(Primitive::ULong),
                    }
                } else {
                    return self.fail_expecting("`short` or `long` after `unsigned`");
                }
            }
            Keyword::String => {
                self.advance();
                TypeKind::String(self.bound()?)
            }
            Keyword::Object => {
                self.advance();
                TypeKind::Plain(Type::Object)
            }
            Keyword::Any => {
                self.advance();
                TypeKind::Plain(Type::Any)
            }
            Keyword::ValueBase => {
                self.advance();
                TypeKind::Plain(Type::ValueBase)
            }
            Keyword::WChar => self.primitive(Primitive::WChar),
            Keyword::WString => {
                self.advance();
                TypeKind::WString(self.bound()?)
            }
            Keyword::Fixed => {
                self.advance();
                TypeKind::Fixed(self.digits_and_scale()?)
            }
            Keyword::Void => {
                let diagnostic = Diagnostic::error(
                    DiagnosticCode::Syntax,
                    "`void` can only be the result of an operation",
                    start,
                );
                return self.fail(diagnostic);
            }
            keyword => {
                let keyword = keyword.as_str();
                let message = format!("expected {what}, found the keyword `{keyword}`");
                let diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, start)
                    .label(format!("expected {what}"));
                return self.fail(diagnostic);
            }
        };
        Ok(TypeSpec {
            kind,
            span: start.to(self.previous()),
        })
    }

    fn primitive(&mut self, primitive: Primitive) -> TypeKind {
        self.advance();
        TypeKind::Primitive(primitive)
    }

    fn sequence(&mut self) -> Parsed<TypeSpec> {
        let start = self.advance();
        self.expect(Punctuation::Less)?;
        self.angles += 1;
        let element = self.nested(|parser| parser.type_spec("the type of the elements"))?;
        let bound = match self.take(Punctuation::Comma) {
            Some(_) => Some(Box::new(self.expression()?)),
            None => None,
        };
        let end = self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        let kind = TypeKind::Sequence {
            element: Box::new(element),
            bound,
        };
        Ok(TypeSpec {
            kind,
            span: start.to(end),
        })
    }

    fn map(&mut self) -> Parsed<TypeSpec> {
        let start = self.advance();
        self.expect(Punctuation::Less)?;
        self.angles += 1;
        let key = self.nested(|parser| parser.type_spec("the type of the keys"))?;
        self.expect(Punctuation::Comma)?;
        let value = self.nested(|parser| parser.type_spec("the type of the values"))?;
        let bound = match self.take(Punctuation::Comma) {
            Some(_) => Some(Box::new(self.expression()?)),
            None => None,
        };
        let end = self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        let kind = TypeKind::Map {
            key: Box::new(key),
            value: Box::new(value),
            bound,
        };
        Ok(TypeSpec {
            kind,
            span: start.to(end),
        })
    }

    /// `<bound>`, if it is there.
    fn bound(&mut self) -> Parsed<Option<Box<Expression>>> {
        if self.take(Punctuation::Less).is_none() {
            return Ok(None);
        }
        self.angles += 1;
        let bound = self.expression()?;
        self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        Ok(Some(Box::new(bound)))
    }

    /// `<digits, scale>`, if it is there.
    fn digits_and_scale(&mut self) -> Parsed<Option<Box<(Expression, Expression)>>> {
        if self.take(Punctuation::Less).is_none() {
            return Ok(None);
        }
        self.angles += 1;
        let digits = self.expression()?;
        self.expect(Punctuation::Comma)?;
        let scale = self.expression()?;
        self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        Ok(Some(Box::new((digits, scale))))
    }

    pub(super) fn declarators(&mut self, what: &str) -> Parsed<Vec<Declarator>> {
        let mut declarators = vec![self.declarator(what)?];
        while self.take(Punctuation::Comma).is_some() {
            lean::push(&mut declarators, self.declarator(what)?);
        }
        Ok(declarators)
    }

    pub(super) fn declarator(&mut self, what: &str) -> Parsed<Declarator> {
        let name = self.name(what)?;
        let mut dimensions = Vec::new();
        while self.at(Punctuation::LeftBracket) {
            if dimensions.len() >= self.nesting {
                let message = format!("an array of more than {} dimensions", self.nesting);
                let span = self.span();
                return self.fail(Diagnostic::error(
                    DiagnosticCode::LimitExceeded,
                    message,
                    span,
                ));
            }
            self.advance();
            let angles = std::mem::take(&mut self.angles);
            dimensions.push(self.expression()?);
            self.angles = angles;
            self.expect(Punctuation::RightBracket)?;
        }
        Ok(Declarator { name, dimensions })
    }
}
