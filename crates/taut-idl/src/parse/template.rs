//! Template modules and their instances.

use super::surroundings::Surroundings;
use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::preprocess::TokenKind;
use crate::syntax::template::{Argument, Instance, Parameter, ParameterKind, Template};
use crate::syntax::{DefinitionKind, Name, TypeKind, TypeSpec};

impl Parser<'_> {
    /// After `module`: whether an instance is made there of a template module.
    pub(super) fn at_instance(&self) -> bool {
        let mut ahead = usize::from(self.at(Punctuation::Scope));
        let mut is_scoped = ahead > 0;
        loop {
            if !matches!(self.kind_at(ahead), TokenKind::Identifier { .. }) {
                return false;
            }
            ahead += 1;
            if *self.kind_at(ahead) != TokenKind::Punctuation(Punctuation::Scope) {
                break;
            }
            is_scoped = true;
            ahead += 1;
        }
        if *self.kind_at(ahead) != TokenKind::Punctuation(Punctuation::Less) {
            return false;
        }
        // Parameters are followed by a body, arguments by a name.
        loop {
            match self.kind_at(ahead) {
                _ if is_scoped => return true,
                TokenKind::Punctuation(Punctuation::Semicolon) => return true,
                TokenKind::Punctuation(Punctuation::LeftBrace | Punctuation::RightBrace)
                | TokenKind::End => return false,
                _ => ahead += 1,
            }
        }
    }

    /// A template module, after its name.
    pub(super) fn template(&mut self, name: Name) -> Parsed<DefinitionKind> {
        if self.in_template {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "a template module cannot stand in another",
                name.span,
            )
            .help("define it before, and use it by an `alias` or an instance");
            return self.fail(diagnostic);
        }
        self.advance();
        self.angles += 1;
        let outer = std::mem::take(&mut self.defining);
        let parameters = self.template_parameters();
        self.defining = outer;
        let parameters = parameters?;
        self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        let open = self.expect(Punctuation::LeftBrace)?;
        let first = self.position;
        self.in_template = true;
        self.deepest = self.depth;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Module)));
        self.in_template = false;
        let items = items?;
        let tokens = self.position - first;
        let depth = self.deepest - self.depth;
        if items.is_empty() && self.at(Punctuation::RightBrace) {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::EmptyDefinition,
                    format!("the template module `{}` is empty", name.text),
                    name.span,
                )
                .label("a module must define something"),
            );
        }
        self.close(open, "template module")?;
        self.finish("the template module");
        Ok(DefinitionKind::Template(Box::new(Template {
            name,
            parameters,
            items: items.into(),
            tokens,
            depth,
        })))
    }

    fn template_parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = vec![self.template_parameter()?];
        while self.take(Punctuation::Comma).is_some() {
            parameters.push(self.template_parameter()?);
        }
        Ok(parameters)
    }

    fn template_parameter(&mut self) -> Parsed<Parameter> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Interface) => ParameterKind::Interface,
            TokenKind::Keyword(Keyword::ValueType) => ParameterKind::ValueType,
            TokenKind::Keyword(Keyword::Struct) => ParameterKind::Struct,
            TokenKind::Keyword(Keyword::Union) => ParameterKind::Union,
            TokenKind::Keyword(Keyword::Exception) => ParameterKind::Exception,
            TokenKind::Keyword(Keyword::Enum) => ParameterKind::Enum,
            TokenKind::Keyword(Keyword::Sequence) => ParameterKind::Sequence(None),
            TokenKind::Keyword(Keyword::Const) => {
                self.advance();
                let ty = self.plain_type("the type of the constant")?;
                let name = self.name("the name of a parameter")?;
                let kind = ParameterKind::Constant(ty);
                return Ok(Parameter { name, kind });
            }
            _ if self.at_word("typename") => ParameterKind::TypeName,
            _ if self.at_word("eventtype") => ParameterKind::EventType,
            TokenKind::Identifier { .. } => {
                let text = self.kind().describe();
                let message = format!("expected the kind of a parameter, found {text}");
                let diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, self.span())
                    .label("expected a kind")
                    .help(
                        "write `typename` before the name of a parameter that stands for a type, \
                         or `const` and a type",
                    );
                return self.fail(diagnostic);
            }
            _ => return self.fail_expecting("`typename`, `interface`, `const` or the like"),
        };
        let kind = match kind {
            ParameterKind::Sequence(None)
                if *self.kind_at(1) == TokenKind::Punctuation(Punctuation::Less) =>
            {
                let ty = self.plain_type("a sequence")?;
                match ty.kind {
                    TypeKind::Sequence { element, .. } => ParameterKind::Sequence(Some(*element)),
                    _ => ParameterKind::Sequence(None),
                }
            }
            kind => {
                self.advance();
                kind
            }
        };
        let name = self.name("the name of a parameter")?;
        Ok(Parameter { name, kind })
    }

    /// A type that is not defined in place.
    fn plain_type(&mut self, what: &str) -> Parsed<TypeSpec> {
        if self.at_keyword(Keyword::Struct)
            || self.at_keyword(Keyword::Union)
            || self.at_keyword(Keyword::Enum)
        {
            return self.fail_expecting(what);
        }
        let ty = self.type_spec(what)?;
        if let Some(span) = defines(&ty) {
            let message = "no type can be defined here";
            return self.fail(Diagnostic::error(DiagnosticCode::Syntax, message, span));
        }
        Ok(ty)
    }

    /// An instance, after `module` or `alias`.
    pub(super) fn instance(&mut self, is_alias: bool) -> Parsed<DefinitionKind> {
        let template = self.scoped_name("the name of a template module")?;
        let start = self.expect(Punctuation::Less)?;
        self.angles += 1;
        let mut arguments = vec![self.template_argument(is_alias)?];
        while self.take(Punctuation::Comma).is_some() {
            arguments.push(self.template_argument(is_alias)?);
        }
        let end = self.expect_greater()?;
        self.angles = self.angles.saturating_sub(1);
        let name = self.name("the name of the instance")?;
        self.finish(if is_alias {
            "the alias"
        } else {
            "the instance"
        });
        Ok(DefinitionKind::Instance(Box::new(Instance {
            template,
            arguments,
            arguments_span: start.to(end),
            name,
            is_alias,
        })))
    }

    fn template_argument(&mut self, is_alias: bool) -> Parsed<Argument> {
        if is_alias {
            let name = self.scoped_name("the name of a parameter")?;
            let span = name.span;
            let kind = TypeKind::Scoped(Box::new(name));
            return Ok(Argument::Type(TypeSpec { kind, span }));
        }
        let is_type = match self.kind() {
            TokenKind::Keyword(Keyword::True | Keyword::False) => false,
            TokenKind::Keyword(_) => true,
            TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope) => {
                let mut ahead = 0;
                while matches!(
                    self.kind_at(ahead),
                    TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope)
                ) {
                    ahead += 1;
                }
                // The `<` can only be that of a map.
                matches!(
                    self.kind_at(ahead),
                    TokenKind::Punctuation(
                        Punctuation::Comma | Punctuation::Greater | Punctuation::Less
                    )
                )
            }
            _ => false,
        };
        if is_type {
            return self.plain_type("a type or a constant").map(Argument::Type);
        }
        self.expression().map(Argument::Constant)
    }

    /// Whether an `alias` starts here.
    pub(super) fn at_alias(&self, surroundings: Surroundings) -> bool {
        self.at_word("alias")
            && !surroundings.holds_features()
            && matches!(
                self.kind_at(1),
                TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope)
            )
    }

    pub(super) fn alias(&mut self) -> Parsed<DefinitionKind> {
        let span = self.advance();
        if !self.in_template {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "an `alias` stands in a template module only",
                span,
            )
            .help("make an instance: `module Template<...> Name;`");
            return self.fail(diagnostic);
        }
        self.instance(true)
    }
}

/// Where a type defines another, if it does.
fn defines(ty: &TypeSpec) -> Option<crate::source::Span> {
    match &ty.kind {
        TypeKind::Struct(_) | TypeKind::Union(_) | TypeKind::Enum(_) => Some(ty.span),
        TypeKind::Sequence { element, .. } => defines(element),
        TypeKind::Map { key, value, .. } => defines(key).or_else(|| defines(value)),
        _ => None,
    }
}
