//! Annotations.

use arcstr::ArcStr;

use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::lex::Punctuation;
use crate::preprocess::TokenKind;
use crate::syntax::{Annotation, DefinitionKind, Name, Preface};

/// Taut's own: those that choose strategies of the code that is generated, and those that describe
/// operations for their schedule.
const OWN: &[&str] = &[
    "answering",
    "blocking",
    "calls",
    "criticality",
    "deadline",
    "dispatch",
    "importance",
    "jitter",
    "marshaling",
    "offset",
    "period",
    "threads",
    "typical",
    "wcet",
];

/// Those of IDL 4.2, clause 8.
const STANDARD: &[&str] = &[
    "ami",
    "appendable",
    "autoid",
    "bit_bound",
    "default",
    "default_literal",
    "extensibility",
    "external",
    "final",
    "id",
    "key",
    "max",
    "min",
    "must_understand",
    "mutable",
    "nested",
    "oneway",
    "optional",
    "position",
    "range",
    "service",
    "unit",
    "value",
    "verbatim",
];

impl Parser<'_> {
    /// The comment and the annotations before a construct.
    pub(super) fn preface(&mut self) -> Parsed<Preface> {
        let docs = self.docs();
        let annotations = self.annotations()?.into();
        Ok(Preface { docs, annotations })
    }

    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.at(Punctuation::At) && !self.at_annotation_definition() {
            lean::push(&mut annotations, self.annotation()?);
        }
        Ok(annotations)
    }

    /// Says that annotations before a type mean nothing.
    pub(super) fn ignore(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.diagnostics.push(Diagnostic::warning(
                DiagnosticCode::Annotation,
                "the annotation is ignored here",
                annotation.span,
            ));
        }
    }

    fn annotation(&mut self) -> Parsed<Annotation> {
        let start = self.advance();
        // Keywords such as `default` and `oneway` name annotations, too.
        let name = match self.kind() {
            TokenKind::Keyword(keyword) => {
                let name = ArcStr::from(keyword.as_str());
                self.advance();
                name
            }
            _ => self
                .scoped_name("the name of an annotation")?
                .to_text()
                .into(),
        };
        let span = start.to(self.previous());
        let plain = name.trim_start_matches("::");
        if !STANDARD.contains(&plain)
            && !OWN.contains(&plain)
            && !self.known_annotations.contains(plain)
        {
            self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::Annotation,
                    format!("the annotation `@{name}` is not known"),
                    span,
                )
                .help("it is neither one of the standard nor defined with `@annotation`"),
            );
        }
        let arguments = match self.at(Punctuation::LeftParenthesis) {
            true => self.annotation_arguments()?,
            false => Vec::new(),
        };
        Ok(Annotation {
            name,
            span,
            arguments,
        })
    }

    fn annotation_arguments(&mut self) -> Parsed<Vec<(Option<Name>, crate::syntax::Expression)>> {
        self.advance();
        let mut arguments = Vec::new();
        if self.take(Punctuation::RightParenthesis).is_some() {
            return Ok(arguments);
        }
        let angles = std::mem::take(&mut self.angles);
        loop {
            let mut name = None;
            // Keywords such as `default` and `in` are names here, too.
            let word = match self.kind() {
                TokenKind::Identifier { text, .. } => Some(text.clone()),
                TokenKind::Keyword(keyword) => Some(keyword.as_str().into()),
                _ => None,
            };
            if let Some(text) = word
                && *self.kind_at(1) == TokenKind::Punctuation(Punctuation::Equals)
            {
                let span = self.advance();
                self.advance();
                name = Some(Name { text, span });
            }
            lean::push(&mut arguments, (name, self.expression()?));
            if self.take(Punctuation::RightParenthesis).is_some() {
                self.angles = angles;
                return Ok(arguments);
            }
            if self.take(Punctuation::Comma).is_none() {
                return self.fail_expecting("`,` or `)` after the annotation's argument");
            }
        }
    }

    pub(super) fn at_annotation_definition(&self) -> bool {
        self.at(Punctuation::At)
            && matches!(
                self.kind_at(1),
                TokenKind::Identifier { text, escaped: false } if &**text == "annotation"
            )
            && matches!(self.kind_at(2), TokenKind::Identifier { .. })
    }

    /// `@annotation Name { … };`, of which only the name matters: what the
    /// arguments are is for the code that uses them.
    pub(super) fn annotation_definition(&mut self) -> Parsed<DefinitionKind> {
        self.advance();
        self.advance();
        if let TokenKind::Identifier { text, .. } = self.kind() {
            let text = text.to_string();
            self.known_annotations.insert(text);
        }
        self.advance();
        if !self.at(Punctuation::LeftBrace) {
            return self.fail_expecting("`{` after the name of the annotation");
        }
        self.skip_braces();
        self.finish("the annotation");
        Ok(DefinitionKind::Poisoned(Vec::new()))
    }
}
