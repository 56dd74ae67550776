//! Interfaces, operations and attributes.

use arcstr::ArcStr;

use super::surroundings::Surroundings;
use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::model::{InterfaceKind, ParameterMode};
use crate::preprocess::TokenKind;
use crate::syntax::{Attribute, DefinitionKind, Operation, Parameter, ScopedName};

impl Parser<'_> {
    pub(super) fn interface(
        &mut self,
        surroundings: Surroundings,
        kind: InterfaceKind,
    ) -> Parsed<DefinitionKind> {
        let keyword = self.advance();
        self.only_in_modules(surroundings, "an interface", keyword)?;
        let name = self.name("the name of the interface")?;
        if self.at(Punctuation::Semicolon) {
            self.advance();
            return Ok(DefinitionKind::InterfaceDeclaration { kind, name });
        }
        let bases = match self.take(Punctuation::Colon) {
            Some(_) => self.scoped_names("the name of a base interface")?,
            None => Vec::new(),
        };
        let open = self.expect(Punctuation::LeftBrace)?;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Interface)))?;
        self.close(open, "interface")?;
        self.finish("the interface");
        Ok(DefinitionKind::Interface {
            kind,
            name,
            bases,
            items,
        })
    }

    /// An operation or an attribute.
    pub(super) fn feature(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        if let Some(span) = self.take_keyword(Keyword::ReadOnly) {
            if !self.at_keyword(Keyword::Attribute) {
                let _ = span;
                return self.fail_expecting("`attribute` after `readonly`");
            }
            return self.attribute(true);
        }
        if self.at_keyword(Keyword::Attribute) {
            return self.attribute(false);
        }
        self.operation(surroundings)
    }

    fn attribute(&mut self, readonly: bool) -> Parsed<DefinitionKind> {
        self.advance();
        let ty = self.type_spec("the type of the attribute")?;
        let mut names = vec![self.name("the name of the attribute")?];
        while self.take(Punctuation::Comma).is_some() {
            lean::push(&mut names, self.name("the name of an attribute")?);
        }
        let (mut get_raises, mut set_raises) = (Vec::new(), Vec::new());
        let clause = self.span();
        if self.at_keyword(Keyword::Raises) {
            if !readonly {
                let diagnostic = Diagnostic::error(
                    DiagnosticCode::Syntax,
                    "`raises` is for readonly attributes",
                    clause,
                )
                .help("say `getraises` and `setraises` of an attribute that can be written");
                return self.fail(diagnostic);
            }
            get_raises = self.exceptions()?;
        } else {
            if self.at_word("getraises") {
                get_raises = self.exceptions()?;
            }
            if self.at_word("setraises") {
                set_raises = self.exceptions()?;
            }
            if readonly && (!get_raises.is_empty() || !set_raises.is_empty()) {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        "`getraises` and `setraises` are for attributes that can be written",
                        clause,
                    )
                    .help("say `raises` of a readonly attribute"),
                );
            }
        }
        if names.len() > 1 && (!get_raises.is_empty() || !set_raises.is_empty()) {
            (get_raises, set_raises) = (Vec::new(), Vec::new());
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Syntax,
                    "attributes that share a declaration cannot raise exceptions",
                    clause,
                )
                .help("declare each attribute on its own"),
            );
        }
        self.finish("the attribute");
        Ok(DefinitionKind::Attribute(Box::new(Attribute {
            readonly,
            ty,
            names,
            get_raises,
            set_raises,
        })))
    }

    fn operation(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        let oneway = self.take_keyword(Keyword::OneWay);
        let result = match self.take_keyword(Keyword::Void) {
            Some(_) => None,
            None => Some(self.type_spec("an operation, an attribute or a definition")?),
        };
        let name = self.name("the name of the operation")?;
        if result.is_some() && self.at(Punctuation::Semicolon) {
            let message = format!(
                "expected `(` after the name of the operation `{}`",
                name.text
            );
            let diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, name.span.after())
                .help(match surroundings {
                    Surroundings::Value => format!(
                        "write `public` or `private` before the type if `{}` is state, or \
                         `attribute`",
                        name.text
                    ),
                    _ => format!(
                        "write `attribute` before the type if `{}` is one",
                        name.text
                    ),
                });
            return self.fail(diagnostic);
        }
        self.expect(Punctuation::LeftParenthesis)?;
        let outer = std::mem::take(&mut self.defining);
        let parameters = self.parameters();
        self.defining = outer;
        let parameters = parameters?;
        let raises = match self.at_keyword(Keyword::Raises) {
            true => self.exceptions()?,
            false => Vec::new(),
        };
        let context = match self.at_keyword(Keyword::Context) {
            true => self.context()?,
            false => Vec::new(),
        };
        self.finish("the operation");
        Ok(DefinitionKind::Operation(Box::new(Operation {
            oneway,
            result,
            name,
            parameters,
            raises,
            context,
        })))
    }

    /// Parameters, with the closing parenthesis.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if self.take(Punctuation::RightParenthesis).is_some() {
            return Ok(parameters);
        }
        loop {
            let annotations = self.annotations()?;
            let mode_span = self.span();
            let mode = match self.kind() {
                TokenKind::Keyword(Keyword::In) => ParameterMode::In,
                TokenKind::Keyword(Keyword::Out) => ParameterMode::Out,
                TokenKind::Keyword(Keyword::InOut) => ParameterMode::InOut,
                TokenKind::Keyword(Keyword::Void) => {
                    let diagnostic = Diagnostic::error(
                        DiagnosticCode::Syntax,
                        "`void` is not a parameter",
                        mode_span,
                    )
                    .help("write `()` when there are no parameters");
                    return self.fail(diagnostic);
                }
                _ => return self.fail_expecting("`in`, `out` or `inout`"),
            };
            self.advance();
            let ty = self.type_spec("the type of the parameter")?;
            let name = self.name("the name of the parameter")?;
            if self.at(Punctuation::LeftBracket) {
                let diagnostic = Diagnostic::error(
                    DiagnosticCode::AnonymousType,
                    "a parameter cannot be an array without a name for its type",
                    self.span(),
                )
                .help("name the array type with a typedef");
                return self.fail(diagnostic);
            }
            lean::push(
                &mut parameters,
                Parameter {
                    annotations,
                    mode,
                    mode_span,
                    ty,
                    name,
                },
            );
            if self.take(Punctuation::RightParenthesis).is_some() {
                return Ok(parameters);
            }
            if self.take(Punctuation::Comma).is_none() {
                return self.fail_expecting("`,` or `)`");
            }
        }
    }

    /// `raises (A, B)`, from its first word on.
    pub(super) fn exceptions(&mut self) -> Parsed<Vec<ScopedName>> {
        self.advance();
        self.expect(Punctuation::LeftParenthesis)?;
        let names = self.scoped_names("the name of an exception")?;
        self.expect(Punctuation::RightParenthesis)?;
        Ok(names)
    }

    /// `context ("a", "b*")`
    fn context(&mut self) -> Parsed<Vec<ArcStr>> {
        self.advance();
        self.expect(Punctuation::LeftParenthesis)?;
        let mut patterns = Vec::new();
        loop {
            let span = self.span();
            let TokenKind::String(pattern) = self.kind().clone() else {
                return self.fail_expecting("a string");
            };
            self.advance();
            if is_property_pattern(&pattern) {
                lean::push(&mut patterns, pattern);
            } else {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        format!("`{}` is no name of properties", pattern.escape_default()),
                        span,
                    )
                    .help("a letter, then letters, digits, `.` and `_`, then perhaps `*`"),
                );
            }
            if self.take(Punctuation::Comma).is_none() {
                self.expect(Punctuation::RightParenthesis)?;
                return Ok(patterns);
            }
        }
    }
}

fn is_property_pattern(pattern: &str) -> bool {
    let name = pattern.strip_suffix('*').unwrap_or(pattern);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && name.chars().all(is_part)
}
