//! Modules, and what may stand in them and in interfaces.

use super::surroundings::Surroundings;
use super::{Failed, Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::model::InterfaceKind;
use crate::preprocess::TokenKind;
use crate::source::Span;
use crate::syntax::{Definition, DefinitionKind, Item, Preface, Struct, TypeKind};

impl Parser<'_> {
    pub(super) fn specification(&mut self) -> Vec<Item> {
        self.items(Surroundings::File)
    }

    /// Everything up to the closing brace, or to the end of the last file.
    pub(super) fn items(&mut self, surroundings: Surroundings) -> Vec<Item> {
        let outer = std::mem::take(&mut self.defining);
        let mut items = Vec::new();
        loop {
            self.directives(&mut items);
            if self.diagnostics.is_full() {
                self.position = self.tokens.len() - 1;
            }
            if self.at_end() {
                break;
            }
            if self.at(Punctuation::RightBrace) {
                if surroundings != Surroundings::File {
                    break;
                }
                self.stray_brace();
                continue;
            }
            if *self.kind() == TokenKind::Invalid {
                self.advance();
                continue;
            }
            if let Some(span) = self.take(Punctuation::Semicolon) {
                self.diagnostics.push(Diagnostic::warning(
                    DiagnosticCode::Syntax,
                    "this `;` ends nothing",
                    span,
                ));
                continue;
            }
            let start = self.position;
            self.defining.clear();
            let preface = self.preface();
            let before = preface.clone().unwrap_or_default();
            match preface.and_then(|preface| self.definition(surroundings, preface)) {
                Ok(kind) => lean::push(
                    &mut items,
                    Item::Definition(Definition {
                        preface: before,
                        kind,
                    }),
                ),
                Err(Failed) => {
                    self.recover_from(start);
                    let kind = DefinitionKind::Poisoned(std::mem::take(&mut self.defining));
                    lean::push(
                        &mut items,
                        Item::Definition(Definition {
                            preface: before,
                            kind,
                        }),
                    );
                }
            }
            if self.position == start {
                self.advance();
            }
        }
        self.defining = outer;
        items
    }

    fn stray_brace(&mut self) {
        let span = self.advance();
        self.diagnostics.push(
            Diagnostic::error(DiagnosticCode::Syntax, "unexpected `}`", span)
                .label("there is no `{` for it to close"),
        );
        self.take(Punctuation::Semicolon);
    }

    fn definition(
        &mut self,
        surroundings: Surroundings,
        preface: Preface,
    ) -> Parsed<DefinitionKind> {
        if self.at_annotation_definition() {
            return self.annotation_definition();
        }
        if let Some(kind) = self.at_ported(surroundings) {
            return self.ported(kind, surroundings);
        }
        if self.at_alias(surroundings) {
            return self.alias();
        }
        if self.at_home(surroundings) {
            return self.home(surroundings);
        }
        // Constructs that nest are parsed by functions of their own, so that little stack
        // is needed for each level.
        match self.kind() {
            TokenKind::Keyword(Keyword::Module) => self.module(surroundings),
            TokenKind::Keyword(Keyword::Interface) => {
                self.interface(surroundings, InterfaceKind::Unconstrained)
            }
            TokenKind::Keyword(keyword @ (Keyword::Abstract | Keyword::Local))
                if *self.kind_at(1) == TokenKind::Keyword(Keyword::Interface) =>
            {
                let kind = match keyword {
                    Keyword::Abstract => InterfaceKind::Abstract,
                    _ => InterfaceKind::Local,
                };
                self.advance();
                self.interface(surroundings, kind)
            }
            _ if self.at_value(surroundings) => self.value(surroundings),
            _ => self.simple_definition(surroundings, preface),
        }
    }

    /// A definition that holds no others.
    fn simple_definition(
        &mut self,
        surroundings: Surroundings,
        preface: Preface,
    ) -> Parsed<DefinitionKind> {
        if surroundings == Surroundings::Value
            && let Some(element) = self.value_element(preface.clone())
        {
            return element;
        }
        if surroundings == Surroundings::Component {
            return self.component_element();
        }
        if surroundings == Surroundings::Home
            && let Some(element) = self.home_element()
        {
            return element;
        }
        let named = matches!(self.kind_at(1), TokenKind::Identifier { .. });
        let bodied = matches!(
            self.kind_at(2),
            TokenKind::Punctuation(Punctuation::LeftBrace | Punctuation::Colon)
        );
        if named && bodied && self.at_word("bitset") {
            return self.bitset(preface);
        }
        if named && bodied && self.at_word("bitmask") {
            return self.bitmask(preface);
        }
        if let Some(declaration) = self.identity(surroundings) {
            return declaration;
        }
        let TokenKind::Keyword(keyword) = *self.kind() else {
            return self.other_definition(surroundings);
        };
        let (kind, construct) = match keyword {
            Keyword::Struct => {
                self.advance();
                let name = self.name("the name of the struct")?;
                if self.at(Punctuation::Semicolon) {
                    (DefinitionKind::StructDeclaration(name), "the declaration")
                } else {
                    (
                        DefinitionKind::Struct(Box::new(self.struct_body(name, preface)?)),
                        "the struct",
                    )
                }
            }
            Keyword::Union => {
                self.advance();
                let name = self.name("the name of the union")?;
                if self.at(Punctuation::Semicolon) {
                    (DefinitionKind::UnionDeclaration(name), "the declaration")
                } else {
                    (
                        DefinitionKind::Union(Box::new(self.union_body(name, preface)?)),
                        "the union",
                    )
                }
            }
            Keyword::Exception => {
                self.advance();
                let name = self.name("the name of the exception")?;
                let (members, _) = self.members("exception")?;
                (
                    DefinitionKind::Exception(Box::new(Struct {
                        name,
                        preface,
                        base: None,
                        members,
                    })),
                    "the exception",
                )
            }
            Keyword::Enum => {
                self.advance();
                (DefinitionKind::Enum(self.enumeration(preface)?), "the enum")
            }
            Keyword::Typedef => {
                self.advance();
                let ty = self.type_spec("a type")?;
                let declarators = self.declarators("the name of the type")?;
                (DefinitionKind::Typedef { ty, declarators }, "the typedef")
            }
            Keyword::Native => {
                self.advance();
                let name = self.name("the name of the native type")?;
                (DefinitionKind::Native(name), "the native type")
            }
            Keyword::Const => (self.constant()?, "the constant"),
            _ => return self.other_definition(surroundings),
        };
        self.finish(construct);
        Ok(kind)
    }

    /// Anything that starts neither with a keyword of its own.
    fn other_definition(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        if surroundings.holds_features() {
            return self.feature(surroundings);
        }
        if let TokenKind::Identifier { text, .. } = self.kind() {
            let near = crate::spelling::nearest(text, STARTERS.iter().copied());
            let message = format!("expected a definition, found `{text}`");
            let mut diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, self.span())
                .label("expected a definition");
            if let Some(near) = near {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            } else if let Some(word) = super::hints::foreign_definition(text) {
                diagnostic = diagnostic.help(format!("the word of IDL is {word}"));
            }
            return self.fail(diagnostic);
        }
        let member = matches!(
            self.kind(),
            TokenKind::Keyword(
                Keyword::Attribute | Keyword::ReadOnly | Keyword::OneWay | Keyword::Void
            )
        );
        if member {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "operations and attributes must stand in an interface",
                self.span(),
            );
            return self.fail(diagnostic);
        }
        self.fail_expecting("a definition")
    }

    /// The `;` after a definition that is otherwise sound.
    pub(super) fn finish(&mut self, construct: &str) {
        if self.semicolon(construct).is_err() {
            self.recover();
        }
    }

    fn module(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        let keyword = self.advance();
        self.only_in_modules(surroundings, "a module", keyword)?;
        if self.at_instance() {
            return self.instance(false);
        }
        let name = self.name("the name of the module")?;
        if self.at(Punctuation::Less) {
            return self.template(name);
        }
        if self.at(Punctuation::Semicolon) {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "a module cannot be declared without its definitions",
                name.span,
            );
            return self.fail(diagnostic);
        }
        let open = self.expect(Punctuation::LeftBrace)?;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Module)))?;
        let definitions = items.iter().any(|item| matches!(item, Item::Definition(_)));
        if !definitions && self.at(Punctuation::RightBrace) {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::EmptyDefinition,
                    format!("the module `{}` is empty", name.text),
                    name.span,
                )
                .label("a module must define something"),
            );
        }
        self.close(open, "module")?;
        self.finish("the module");
        Ok(DefinitionKind::Module { name, items })
    }

    /// The `}` that ends a body.
    pub(super) fn close(&mut self, open: Span, construct: &str) -> Parsed<()> {
        if self.take(Punctuation::RightBrace).is_some() {
            return Ok(());
        }
        // The braces around it are not closed either.
        if !self.unclosed {
            self.unclosed = true;
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::Unterminated,
                    format!("the {construct} has no closing `}}`"),
                    open,
                )
                .label("this brace is never closed")
                .also(self.previous().after(), "the file ends here"),
            );
        }
        Ok(())
    }

    fn constant(&mut self) -> Parsed<DefinitionKind> {
        self.advance();
        let ty = self.type_spec("the type of the constant")?;
        let name = self.name("the name of the constant")?;
        self.expect(Punctuation::Equals)?;
        if matches!(ty.kind, TypeKind::Poisoned) {
            // The value is as little known as its type.
            while !self.at(Punctuation::Semicolon)
                && !self.at(Punctuation::RightBrace)
                && !self.at_end()
            {
                self.advance();
            }
            return Ok(DefinitionKind::Poisoned(vec![name]));
        }
        let value = Box::new(self.expression()?);
        Ok(DefinitionKind::Constant { ty, name, value })
    }
}

/// The keywords that definitions start with.
const STARTERS: &[&str] = &[
    "module",
    "interface",
    "struct",
    "union",
    "enum",
    "exception",
    "typedef",
    "const",
    "valuetype",
    "native",
    "eventtype",
    "component",
    "home",
    "porttype",
    "connector",
];
