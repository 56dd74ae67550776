//! `typeid`, `typeprefix` and `import`.

use super::surroundings::Surroundings;
use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::Punctuation;
use crate::preprocess::TokenKind;
use crate::syntax::{DefinitionKind, Imported};

impl Parser<'_> {
    /// One of these declarations, if one starts here.
    pub(super) fn identity(
        &mut self,
        surroundings: Surroundings,
    ) -> Option<Parsed<DefinitionKind>> {
        let TokenKind::Identifier {
            text,
            escaped: false,
        } = self.kind()
        else {
            return None;
        };
        let text = text.clone();
        let named = matches!(
            self.kind_at(1),
            TokenKind::Identifier { .. } | TokenKind::Punctuation(Punctuation::Scope)
        );
        // In an interface these words may be types of other days.
        let is_feature = surroundings.holds_features()
            && matches!(
                self.kind_at(2),
                TokenKind::Punctuation(Punctuation::LeftParenthesis | Punctuation::Semicolon)
            );
        match &*text {
            "typeid" | "typeprefix" if named && !is_feature => {
                Some(self.type_identity(&*text == "typeprefix"))
            }
            "import"
                if surroundings == Surroundings::File
                    && (named || matches!(self.kind_at(1), TokenKind::String(_))) =>
            {
                Some(self.import())
            }
            _ => None,
        }
    }

    fn type_identity(&mut self, is_prefix: bool) -> Parsed<DefinitionKind> {
        let start = self.advance();
        let name = self.scoped_name("the name of a definition")?;
        let TokenKind::String(text) = self.kind() else {
            return self.fail_expecting("a string");
        };
        let text = text.to_string();
        let span = start.to(self.advance());
        if !is_prefix && !text.contains(':') {
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::RepositoryId,
                    "a repository id starts with its format and a colon",
                    self.previous(),
                )
                .help("write one such as `IDL:example.com/Name:1.0`"),
            );
            self.finish("the declaration");
            return Ok(DefinitionKind::Poisoned(Vec::new()));
        }
        self.finish("the declaration");
        Ok(if is_prefix {
            DefinitionKind::TypePrefix {
                name,
                prefix: text,
                span,
            }
        } else {
            DefinitionKind::TypeId {
                name,
                id: text,
                span,
            }
        })
    }

    fn import(&mut self) -> Parsed<DefinitionKind> {
        let start = self.advance();
        let imported = match self.kind() {
            TokenKind::String(text) => {
                let text = text.to_string();
                self.advance();
                Imported::RepositoryId(text)
            }
            _ => Imported::Name(self.scoped_name("the name of what is imported")?),
        };
        let span = start.to(self.previous());
        self.finish("the import");
        Ok(DefinitionKind::Import { imported, span })
    }
}
