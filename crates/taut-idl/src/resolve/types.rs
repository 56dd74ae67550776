//! Types where they are used.

use std::sync::Arc;

use super::entity::{Bound, Entity, ScopeId};
use super::scope::with_article;
use super::{Incomplete, Resolver};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::model::{DefinitionId, DefinitionKind, Primitive, Type};
use crate::source::Span;
use crate::syntax::{Declarator, Expression, ScopedName, TypeKind, TypeSpec};

impl Resolver<'_> {
    /// A type that must be complete. None when it was rejected.
    pub(super) fn complete_type(&mut self, spec: TypeSpec) -> Option<Type> {
        let span = spec.span;
        let ty = self.resolve_type(spec)?;
        if let Type::Named(id) = ty
            && let Some(&why) = self.incomplete.get(&id)
        {
            self.report_incomplete_use(id, why, span);
            return None;
        }
        Some(ty)
    }

    /// A type of a member or parameter, which moreover may not be a sequence of
    /// a struct or union that is merely declared.
    pub(super) fn member_type(&mut self, spec: TypeSpec) -> Option<Type> {
        let span = spec.span;
        let ty = self.complete_type(spec)?;
        if let Some(id) = self.awaited(&ty)
            && self.incomplete.get(&id) == Some(&Incomplete::Declared)
        {
            let name = &self.model.get(id).name;
            let message = format!("a sequence of `{name}` is used before `{name}` is defined");
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::Incomplete, message, span)
                    .also(self.model.get(id).span, "only declared here")
                    .help(format!(
                        "until then it can only be a member of `{name}` itself"
                    )),
            );
            return None;
        }
        Some(ty)
    }

    /// A type of a parameter, result or attribute.
    pub(super) fn operation_type(&mut self, spec: TypeSpec, what: &str) -> Option<Type> {
        match &spec.kind {
            TypeKind::Sequence { .. } => self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::AnonymousType,
                    format!("a sequence without a name of its own as {what}"),
                    spec.span,
                )
                .help("before IDL 4, only a typedef may stand here, and most compilers insist"),
            ),
            TypeKind::Fixed(Some(_)) => self.diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::AnonymousType,
                    format!("a `fixed` type without a name of its own as {what}"),
                    spec.span,
                )
                .help("only a typedef may stand here, and most compilers insist"),
            ),
            TypeKind::Struct(_) | TypeKind::Union(_) | TypeKind::Enum(_) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::AnonymousType,
                        format!("a type cannot be defined within {what}"),
                        spec.span,
                    )
                    .help("define the type before the operation or attribute"),
                );
                return None;
            }
            _ => {}
        }
        self.member_type(spec)
    }

    fn resolve_type(&mut self, spec: TypeSpec) -> Option<Type> {
        match spec.kind {
            TypeKind::Primitive(primitive) => Some(Type::Primitive(primitive)),
            TypeKind::String(None) => Some(Type::String { bound: None }),
            TypeKind::String(Some(bound)) => {
                let bound = self.positive(&bound, "the bound of a string")?;
                Some(Type::String { bound: Some(bound) })
            }
            TypeKind::Sequence { element, bound } => {
                let element = self.resolve_type(*element);
                let bound = match bound {
                    Some(bound) => Some(self.positive(&bound, "the bound of a sequence")?),
                    None => None,
                };
                Some(Type::Sequence {
                    element: Arc::new(element?),
                    bound,
                })
            }
            TypeKind::WString(None) => Some(Type::WString { bound: None }),
            TypeKind::WString(Some(bound)) => {
                let bound = self.positive(&bound, "the bound of a string")?;
                Some(Type::WString { bound: Some(bound) })
            }
            TypeKind::Fixed(Some(parts)) => self.fixed(&parts.0, &parts.1),
            TypeKind::Fixed(None) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        "`fixed` without its digits and its scale",
                        spec.span,
                    )
                    .help("write `fixed<digits, scale>`: only a constant finds them in its value"),
                );
                None
            }
            TypeKind::Map { key, value, bound } => self.map(*key, *value, bound.as_deref()),
            TypeKind::Plain(ty) => Some(ty),
            TypeKind::Scoped(name) => self.named_type(&name),
            TypeKind::Struct(definition) => Some(Type::Named(self.structure(*definition))),
            TypeKind::Union(definition) => self.union(*definition).map(Type::Named),
            TypeKind::Enum(definition) => Some(Type::Named(self.enumeration(*definition))),
            TypeKind::Poisoned => None,
        }
    }

    fn map(&mut self, key: TypeSpec, value: TypeSpec, bound: Option<&Expression>) -> Option<Type> {
        let key = self.member_type(key);
        let value = self.member_type(value);
        let bound = match bound {
            Some(bound) => Some(self.positive(bound, "the bound of a map")?),
            None => None,
        };
        Some(Type::Map {
            key: Arc::new(key?),
            value: Arc::new(value?),
            bound,
        })
    }

    fn named_type(&mut self, name: &ScopedName) -> Option<Type> {
        if let [part] = name.parts.as_slice()
            && !name.absolute
            && let Some(primitive) = sized_integer(&part.text)
            && !self.is_visible(&part.text)
        {
            return Some(Type::Primitive(primitive));
        }
        if self.is_type_code(name) {
            return Some(Type::TypeCode);
        }
        let entity = self.lookup(name)?;
        if let Entity::Argument(index) = entity
            && let Bound::Type(ty) = &self.bound[index as usize]
        {
            return Some(ty.clone());
        }
        if let Entity::Definition(id) = entity
            && matches!(
                self.model.get(id).kind,
                DefinitionKind::Interface(_)
                    | DefinitionKind::InterfaceDeclaration
                    | DefinitionKind::AbstractInterfaceDeclaration
                    | DefinitionKind::LocalInterfaceDeclaration
                    | DefinitionKind::ValueType(_)
                    | DefinitionKind::ValueTypeDeclaration
                    | DefinitionKind::ValueBox(_)
                    | DefinitionKind::Native
                    | DefinitionKind::Bitset(_)
                    | DefinitionKind::Bitmask(_)
                    | DefinitionKind::Struct(_)
                    | DefinitionKind::Union(_)
                    | DefinitionKind::Enum(_)
                    | DefinitionKind::Typedef(_)
                    | DefinitionKind::Component(_)
                    | DefinitionKind::ComponentDeclaration
                    | DefinitionKind::Home(_)
            )
        {
            return Some(Type::Named(id));
        }
        let what = self.describe(entity);
        let text = name.to_text();
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::WrongKind,
            format!("`{text}` is {}, not a type", with_article(what)),
            name.span,
        );
        if let Some(span) = self.span_of(entity) {
            diagnostic = diagnostic.also(span, "defined here");
        }
        if what == "exception" {
            diagnostic = diagnostic.help("an exception can only stand in `raises`");
        }
        self.diagnostics.push(diagnostic);
        None
    }

    /// Whether a name stands for the type of type codes: `CORBA::TypeCode`,
    /// which needs no definition, or `TypeCode` alone as it was a keyword once.
    fn is_type_code(&mut self, name: &ScopedName) -> bool {
        match name.parts.as_slice() {
            [module, ty] if &*module.text == "CORBA" && &*ty.text == "TypeCode" => {
                let corba = self.scope(ScopeId(0)).names.get("corba");
                let scope = match corba.map(|entry| entry.entity) {
                    Some(Entity::Definition(id)) => self.scope_of_definition(id),
                    _ => None,
                };
                scope.is_none_or(|scope| !self.scope(scope).names.contains("typecode"))
            }
            [ty] if &*ty.text == "TypeCode" && !name.absolute && !self.is_visible("TypeCode") => {
                if !self.in_corba_module() {
                    self.diagnostics.push(
                        Diagnostic::warning(
                            DiagnosticCode::UnknownName,
                            "`TypeCode` is known in the module `CORBA` only",
                            name.span,
                        )
                        .help("write `CORBA::TypeCode`"),
                    );
                }
                true
            }
            _ => false,
        }
    }

    fn fixed(&mut self, digits: &Expression, scale: &Expression) -> Option<Type> {
        let most = digits.span;
        let digits = self.integer(digits, Primitive::ULong);
        let behind = self.integer(scale, Primitive::ULong);
        let (digits, behind) = (digits?, behind?);
        let (span, message) = if !(1..=31).contains(&digits) {
            (most, "a `fixed` has between 1 and 31 digits")
        } else if behind > digits {
            (scale.span, "the scale is greater than the number of digits")
        } else {
            // Neither is greater than 31.
            return Some(Type::Fixed {
                digits: digits as u8,
                scale: behind as u8,
            });
        };
        let code = DiagnosticCode::ConstantRange;
        self.diagnostics
            .push(Diagnostic::error(code, message, span));
        None
    }

    pub(super) fn span_of(&self, entity: Entity) -> Option<Span> {
        match entity {
            Entity::Definition(id) => Some(self.model.get(id).span),
            _ => None,
        }
    }

    /// Wraps a type into the dimensions of its declarator.
    pub(super) fn array(&mut self, ty: Type, declarator: &Declarator) -> Option<Type> {
        let mut lengths = Vec::new();
        for dimension in &declarator.dimensions {
            lengths.push(self.positive(dimension, "the length of an array"));
        }
        let mut ty = ty;
        for length in lengths.into_iter().rev() {
            ty = Type::Array {
                element: Arc::new(ty),
                length: length?,
            };
        }
        Some(ty)
    }

    /// A bound or a length.
    fn positive(&mut self, expression: &Expression, what: &str) -> Option<u32> {
        let value = self.integer(expression, Primitive::ULong)?;
        match u32::try_from(value) {
            Ok(value) if value > 0 => Some(value),
            _ => {
                self.diagnostics.push(Diagnostic::error(
                    DiagnosticCode::ConstantRange,
                    format!("{what} must be greater than 0"),
                    expression.span,
                ));
                None
            }
        }
    }

    /// The incomplete struct or union that a type is a sequence of, if it is.
    pub(super) fn awaited(&self, mut ty: &Type) -> Option<DefinitionId> {
        loop {
            match ty {
                Type::Sequence { element, .. } | Type::Array { element, .. } => ty = element,
                Type::Named(id) => {
                    let id = self.awaiting.get(id).unwrap_or(id);
                    return self.incomplete.contains_key(id).then_some(*id);
                }
                _ => return None,
            }
        }
    }

    fn report_incomplete_use(&mut self, id: DefinitionId, why: Incomplete, span: Span) {
        let definition = self.model.get(id);
        let name = &definition.name;
        let what = self.describe(Entity::Definition(id));
        let diagnostic = match why {
            Incomplete::BeingDefined => Diagnostic::error(
                DiagnosticCode::Recursion,
                format!("the {what} `{name}` contains itself"),
                span,
            )
            .also(definition.span, "defined here")
            .help(format!("`sequence<{name}>` can stand in its place")),
            Incomplete::Declared => Diagnostic::error(
                DiagnosticCode::Incomplete,
                format!("the {what} `{name}` is used before it is defined"),
                span,
            )
            .also(definition.span, "only declared here")
            .help(format!(
                "until it is defined, only `sequence<{name}>` can be used"
            )),
        };
        self.diagnostics.push(diagnostic);
    }

    /// Returns the type that is left when all typedefs are followed.
    pub(super) fn unaliased(&self, ty: &Type) -> Type {
        match ty {
            Type::Named(id) => match &self.model.get(self.last_alias(*id)).kind {
                DefinitionKind::Typedef(typedef) => typedef.ty.clone(),
                _ => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// The definition that stands behind all typedefs, if there is one.
    pub(super) fn unaliased_definition(&self, id: DefinitionId) -> DefinitionId {
        match self.unaliased(&Type::Named(id)) {
            Type::Named(id) => id,
            _ => id,
        }
    }

    /// The last of the typedefs that lead from one to the other, so that there
    /// is one step only from a typedef to what it stands for.
    pub(super) fn last_alias(&self, id: DefinitionId) -> DefinitionId {
        self.aliases.get(&id).copied().unwrap_or(id)
    }
}

/// The integer types that IDL 4.2 names by their size. The names are no
/// keywords: older sources define them.
fn sized_integer(name: &str) -> Option<Primitive> {
    Some(match name {
        "int8" => Primitive::Int8,
        "uint8" => Primitive::UInt8,
        "int16" => Primitive::Short,
        "uint16" => Primitive::UShort,
        "int32" => Primitive::Long,
        "uint32" => Primitive::ULong,
        "int64" => Primitive::LongLong,
        "uint64" => Primitive::ULongLong,
        _ => return None,
    })
}
