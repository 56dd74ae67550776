//! Bit sets and bit masks.

use super::Resolver;
use super::entity::Entity;
use super::scope::ScopeKind;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lean;
use crate::model::{
    Annotation, AnnotationValue, Bitfield, Bitmask, Bitset, ConstantValue, DefinitionId,
    DefinitionKind, Flag, Primitive, Type,
};
use crate::source::Span;
use crate::syntax::{self, ScopedName, TypeSpec};

/// The most bits of either.
const BITS: u32 = 64;

impl Resolver<'_> {
    pub(super) fn bitset(&mut self, bitset: syntax::Bitset) {
        let name = &bitset.name;
        let kind = DefinitionKind::Bitset(Box::default());
        let id = self.define(name, &bitset.preface, kind);
        let base = bitset.base.and_then(|base| self.bitset_base(&base, id));
        let mut bits = base.map_or(0, |base| self.bits_of(base));
        let scope = self.inner(ScopeKind::Members, name, Some(id));
        let fields = self.within(scope, |resolver| {
            let mut fields = Vec::new();
            for field in bitset.fields {
                resolver.bitfields(field, &mut bits, &mut fields);
            }
            fields
        });
        *self.kind_mut(id) = DefinitionKind::Bitset(Box::new(Bitset { base, fields }));
    }

    fn bitset_base(&mut self, name: &ScopedName, derived: DefinitionId) -> Option<DefinitionId> {
        let entity = self.lookup(name)?;
        match entity {
            Entity::Definition(id)
                if id != derived
                    && matches!(self.model.get(id).kind, DefinitionKind::Bitset(_)) =>
            {
                Some(id)
            }
            Entity::Definition(id) if id == derived => self.reject(
                DiagnosticCode::Recursion,
                format!("the bitset `{}` inherits from itself", name.to_text()),
                name.span,
            ),
            _ => self.reject_kind(name, entity, "a bitset"),
        }
    }

    fn bits_of(&self, mut id: DefinitionId) -> u32 {
        let mut bits = 0;
        while let DefinitionKind::Bitset(bitset) = &self.model.get(id).kind {
            bits += bitset
                .fields
                .iter()
                .map(|field| u32::from(field.width))
                .sum::<u32>();
            match bitset.base {
                Some(base) => id = base,
                None => break,
            }
        }
        bits
    }

    fn bitfields(&mut self, field: syntax::Bitfields, bits: &mut u32, fields: &mut Vec<Bitfield>) {
        let width = self.integer(&field.width, Primitive::ULongLong);
        let limit = match field.ty {
            Some(ty) => self.bitfield_type(ty).map(|(ty, most)| (Some(ty), most)),
            None => Some((None, BITS)),
        };
        let names: Vec<_> = match field.names.as_slice() {
            [] => vec![None],
            names => names.iter().map(Some).collect(),
        };
        let annotations = self.annotations(&field.preface.annotations);
        for name in &field.names {
            self.register(name, Entity::Member);
        }
        let (Some(width), Some((ty, most))) = (width, limit) else {
            return;
        };
        let width = match u8::try_from(width) {
            Ok(width) if width > 0 && u32::from(width) <= most => width,
            _ => {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::ConstantRange,
                    format!("a bit field here has between 1 and {most} bits"),
                    field.width.span,
                ));
                return;
            }
        };
        for name in names {
            *bits += u32::from(width);
            if *bits > BITS {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::ConstantRange,
                    format!("a bitset has {BITS} bits at most"),
                    field.span,
                ));
                *bits = 0;
                return;
            }
            fields.push(Bitfield {
                name: name.map(|name| name.text.clone()),
                span: name.map_or(field.span, |name| name.span),
                docs: field.preface.docs.clone(),
                annotations: annotations.clone(),
                width,
                ty: ty.clone(),
            });
        }
    }

    /// A type of a bit field, and how many bits it has.
    fn bitfield_type(&mut self, spec: TypeSpec) -> Option<(Type, u32)> {
        let span = spec.span;
        let ty = self.complete_type(spec)?;
        let bits = match self.unaliased(&ty) {
            Type::Primitive(Primitive::Boolean) => Some(1),
            Type::Primitive(primitive) => super::constants::range(primitive)
                .map(|(least, greatest, _)| ((greatest - least) as u128 + 1).ilog2()),
            _ => None,
        };
        if let Some(bits) = bits {
            return Some((ty, bits));
        }
        self.reject(
            DiagnosticCode::WrongKind,
            "a bit field is a boolean, an octet or an integer".to_owned(),
            span,
        )
    }

    pub(super) fn bitmask(&mut self, bitmask: syntax::Bitmask) {
        let name = &bitmask.name;
        let kind = DefinitionKind::Bitmask(Box::default());
        let id = self.define(name, &bitmask.preface, kind);
        let bits = self.bit_bound(id, BITS as u8).unwrap_or(32);
        let scope = self.inner(ScopeKind::Members, name, Some(id));
        let flags = self.within(scope, |resolver| resolver.flags(bitmask.flags, bits));
        *self.kind_mut(id) = DefinitionKind::Bitmask(Box::new(Bitmask { bits, flags }));
    }

    /// The number of bits that the annotation `@bit_bound` gives a definition, from
    /// 1 to `most`.
    fn bit_bound(&mut self, id: DefinitionId, most: u8) -> Option<u8> {
        let annotations = &self.model.get(id).annotations;
        let mut named = annotations.iter().filter(|it| it.name == "bit_bound");
        let bound = named.next().cloned()?;
        self.small(&bound, 1, most)
    }

    /// Checks the bits of an enum, of which there are at most 32, against the number
    /// of its enumerators (IDL 4.2, 7.4.15.4.5).
    pub(super) fn check_bit_bound(&mut self, id: DefinitionId, enumerators: usize) {
        let Some(bits) = self.bit_bound(id, 32) else {
            return;
        };
        if enumerators as u64 > 1 << bits {
            let definition = self.model.get(id);
            let message = format!(
                "the enum `{}` has {enumerators} enumerators, more than `@bit_bound({bits})` allows",
                definition.name
            );
            let span = definition.span;
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::ConstantRange,
                message,
                span,
            ));
        }
    }

    fn flags(&mut self, names: Vec<(syntax::Name, syntax::Preface)>, bits: u8) -> Vec<Flag> {
        let mut flags: Vec<Flag> = Vec::new();
        let mut next = 0;
        for (name, preface) in names {
            self.register(&name, Entity::Member);
            let annotations = self.annotations(&preface.annotations);
            let position = annotations
                .iter()
                .find(|annotation| annotation.name == "position");
            let position = match position {
                Some(annotation) => self.small(annotation, 0, bits - 1).unwrap_or(next),
                None => next,
            };
            next = position.saturating_add(1);
            let taken = flags.iter().find(|flag| flag.position == position);
            let taken = taken.map(|flag| flag.span);
            let fault = |message: &str, span: Span| {
                Diagnostic::error(DiagnosticCode::ConstantRange, message, span)
            };
            if let Some(taken) = taken {
                let diagnostic = fault("two flags have the same bit", name.span);
                self.diagnostics
                    .push(diagnostic.also(taken, "the first one"));
                continue;
            }
            if position >= bits {
                let message = format!("the bitmask has {bits} bits only");
                self.diagnostics.push(fault(&message, name.span));
                continue;
            }
            lean::push(
                &mut flags,
                Flag {
                    name: name.text.clone(),
                    span: name.span,
                    docs: preface.docs.clone(),
                    annotations,
                    position,
                },
            );
        }
        flags
    }

    /// The integer that is the argument of an annotation.
    fn small(&mut self, annotation: &Annotation, least: u8, greatest: u8) -> Option<u8> {
        match annotation.argument("value") {
            Some(AnnotationValue::Constant(ConstantValue::Integer(value)))
                if (i128::from(least)..=i128::from(greatest)).contains(value) =>
            {
                // It lies between two of this type.
                Some(*value as u8)
            }
            _ => self.reject(
                DiagnosticCode::ConstantRange,
                format!("this needs an integer between {least} and {greatest}"),
                annotation.span,
            ),
        }
    }
}
