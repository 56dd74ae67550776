//! Components, homes, port types and connectors.

use super::surroundings::Surroundings;
use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::lex::keyword::Keyword;
use crate::preprocess::TokenKind;
use crate::syntax::component::{Home, Port, PortKind, Ported, PortedKind};
use crate::syntax::{DefinitionKind, Item, ScopedName, TypeKind, TypeSpec};

impl Parser<'_> {
    /// Whether a component, a port type or a connector starts here, and which.
    pub(super) fn at_ported(&self, surroundings: Surroundings) -> Option<PortedKind> {
        [
            PortedKind::Component,
            PortedKind::PortType,
            PortedKind::Connector,
        ]
        .into_iter()
        .find(|kind| self.at_late_construct(word(*kind), surroundings))
    }

    pub(super) fn at_home(&self, surroundings: Surroundings) -> bool {
        self.at_late_construct("home", surroundings)
    }

    /// Whether a word starts a construct here, rather than being a name of
    /// other days.
    fn at_late_construct(&self, word: &str, surroundings: Surroundings) -> bool {
        // In an interface it may be a type.
        let is_feature = || {
            surroundings.holds_features()
                && matches!(
                    self.kind_at(2),
                    TokenKind::Punctuation(Punctuation::LeftParenthesis | Punctuation::Semicolon)
                )
        };
        self.at_word(word)
            && matches!(self.kind_at(1), TokenKind::Identifier { .. })
            && !is_feature()
    }

    /// A component, port type or connector.
    pub(super) fn ported(
        &mut self,
        kind: PortedKind,
        surroundings: Surroundings,
    ) -> Parsed<DefinitionKind> {
        let what = kind.describe();
        let keyword = self.advance();
        self.only_in_modules(surroundings, &format!("a {what}"), keyword)?;
        let name = self.name(&format!("the name of the {what}"))?;
        if kind != PortedKind::Connector && self.take(Punctuation::Semicolon).is_some() {
            return Ok(DefinitionKind::PortedDeclaration { kind, name });
        }
        let base = match kind {
            PortedKind::PortType => None,
            _ => self.single_base(what)?,
        };
        let supports = match kind {
            PortedKind::Component => self.supports()?,
            _ => Vec::new(),
        };
        let open = self.expect(Punctuation::LeftBrace)?;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Component)))?;
        let holds = |wanted: fn(&DefinitionKind) -> bool| {
            items
                .iter()
                .any(|item| matches!(item, Item::Definition(held) if wanted(&held.kind)))
        };
        let lacks_ports =
            !holds(|held| matches!(held, DefinitionKind::Port(_) | DefinitionKind::Poisoned(_)));
        let missing = match kind {
            PortedKind::Component => None,
            PortedKind::PortType => lacks_ports.then_some("a port type must have a port"),
            PortedKind::Connector => {
                let empty = base.is_none() && lacks_ports && !holds(|_| true);
                empty.then_some("a connector must have a port or an attribute")
            }
        };
        if let Some(label) = missing.filter(|_| self.at(Punctuation::RightBrace)) {
            let message = format!("the {what} `{}` has no ports", name.text);
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::EmptyDefinition, message, name.span).label(label),
            );
        }
        self.close(open, what)?;
        self.finish(&format!("the {what}"));
        Ok(DefinitionKind::Ported(Box::new(Ported {
            kind,
            name,
            base,
            supports,
            items,
        })))
    }

    pub(super) fn home(&mut self, surroundings: Surroundings) -> Parsed<DefinitionKind> {
        let keyword = self.advance();
        self.only_in_modules(surroundings, "a home", keyword)?;
        let name = self.name("the name of the home")?;
        if self.at(Punctuation::Semicolon) {
            let diagnostic = Diagnostic::error(
                DiagnosticCode::Syntax,
                "a home cannot be declared without its definition",
                name.span,
            );
            return self.fail(diagnostic);
        }
        let base = self.single_base("home")?;
        let supports = self.supports()?;
        if !self.at_word("manages") {
            return self.fail_expecting("`manages` and the component of the home");
        }
        self.advance();
        let manages = self.scoped_name("the name of a component")?;
        let primary_key = if self.at_word("primarykey") {
            self.advance();
            Some(self.scoped_name("the name of a value type")?)
        } else {
            None
        };
        let open = self.expect(Punctuation::LeftBrace)?;
        let items = self.nested(|parser| Ok(parser.items(Surroundings::Home)))?;
        self.close(open, "home")?;
        self.finish("the home");
        Ok(DefinitionKind::Home(Box::new(Home {
            name,
            base,
            supports,
            manages,
            primary_key,
            items,
        })))
    }

    fn single_base(&mut self, what: &str) -> Parsed<Option<ScopedName>> {
        if self.take(Punctuation::Colon).is_none() {
            return Ok(None);
        }
        let base = self.scoped_name("the name of the base")?;
        if self.at(Punctuation::Comma) {
            let span = self.span();
            let message = format!("a {what} inherits from one other only");
            return self.fail(Diagnostic::error(DiagnosticCode::Syntax, message, span));
        }
        Ok(Some(base))
    }

    fn supports(&mut self) -> Parsed<Vec<ScopedName>> {
        if !self.at_word("supports") {
            return Ok(Vec::new());
        }
        self.advance();
        self.scoped_names("the name of an interface")
    }

    /// Parses an element of a component: a port or an attribute.
    pub(super) fn component_element(&mut self) -> Parsed<DefinitionKind> {
        let (text, escaped) = match self.kind() {
            TokenKind::Identifier { text, escaped } => (text.clone(), *escaped),
            TokenKind::Keyword(Keyword::ReadOnly | Keyword::Attribute) => {
                return self.feature(Surroundings::Component);
            }
            _ => return self.no_component_element(),
        };
        match &*text {
            _ if escaped => self.no_component_element(),
            "provides" => {
                self.advance();
                let ty = self.port_interface()?;
                self.port(PortKind::Provides(ty))
            }
            "uses" => {
                self.advance();
                let multiple = self.at_word("multiple")
                    && !matches!(
                        self.kind_at(2),
                        TokenKind::Punctuation(Punctuation::Semicolon)
                    );
                if multiple {
                    self.advance();
                }
                let ty = self.port_interface()?;
                self.port(PortKind::Uses { ty, multiple })
            }
            "emits" | "publishes" | "consumes" => {
                self.advance();
                let event = self.scoped_name("the name of an event type")?;
                self.port(match &*text {
                    "emits" => PortKind::Emits(event),
                    "publishes" => PortKind::Publishes(event),
                    _ => PortKind::Consumes(event),
                })
            }
            "port" | "mirrorport" => {
                self.advance();
                let ty = self.scoped_name("the name of a port type")?;
                let mirror = &*text == "mirrorport";
                self.port(PortKind::Extended { ty, mirror })
            }
            _ => self.no_component_element(),
        }
    }

    fn port_interface(&mut self) -> Parsed<TypeSpec> {
        let ty = self.type_spec("the name of an interface")?;
        if matches!(
            ty.kind,
            TypeKind::Scoped(_) | TypeKind::Plain(crate::model::Type::Object) | TypeKind::Poisoned
        ) {
            return Ok(ty);
        }
        let message = "a facet or receptacle is of an interface or `Object`";
        self.fail(Diagnostic::error(
            DiagnosticCode::WrongKind,
            message,
            ty.span,
        ))
    }

    fn port(&mut self, kind: PortKind) -> Parsed<DefinitionKind> {
        let name = self.name("the name of the port")?;
        self.finish("the port");
        Ok(DefinitionKind::Port(Port { name, kind }))
    }

    fn no_component_element(&mut self) -> Parsed<DefinitionKind> {
        let message = format!(
            "expected a port or an attribute, found {}",
            self.kind().describe()
        );
        let mut diagnostic = Diagnostic::error(DiagnosticCode::Syntax, message, self.span())
            .label("neither a port nor an attribute");
        if let TokenKind::Identifier { text, .. } = self.kind()
            && let Some(near) = crate::spelling::nearest(text, PORTS.iter().copied())
        {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if !matches!(self.kind(), TokenKind::Punctuation(_) | TokenKind::End) {
            diagnostic = diagnostic.help(
                "types and operations stand outside: in a module, or in an interface that is \
                 supported or provided",
            );
        }
        self.fail(diagnostic)
    }

    /// A factory or a finder of a home, if one starts here.
    pub(super) fn home_element(&mut self) -> Option<Parsed<DefinitionKind>> {
        let is_operation = matches!(self.kind_at(1), TokenKind::Identifier { .. })
            && *self.kind_at(2) == TokenKind::Punctuation(Punctuation::LeftParenthesis);
        if !is_operation {
            return None;
        }
        if self.at_word("factory") {
            return Some(self.factory("the factory").map(DefinitionKind::Factory));
        }
        self.at_word("finder")
            .then(|| self.factory("the finder").map(DefinitionKind::Finder))
    }
}

/// The words that start what stands in a component.
const PORTS: &[&str] = &[
    "provides",
    "uses",
    "emits",
    "publishes",
    "consumes",
    "port",
    "mirrorport",
    "attribute",
    "readonly",
];

fn word(kind: PortedKind) -> &'static str {
    match kind {
        PortedKind::Component => "component",
        PortedKind::PortType => "porttype",
        PortedKind::Connector => "connector",
    }
}
