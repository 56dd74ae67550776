//! From a name to what it stands for; CORBA 3.3 part 1, 7.20.

use hashbrown::HashSet;

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::name_table::Entry;
use super::scope::{Scope, ScopeKind, with_article};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::keyword::Keyword;
use crate::syntax::{Name, ScopedName};

/// The outcome of looking for a name in one scope, with all that it inherits.
enum Outcome {
    Found(ScopeId),
    Missing {
        /// Whether it may be there all the same, a base being faulty.
        opaque: bool,
    },
    Ambiguous(Vec<ScopeId>),
}

impl Resolver<'_> {
    /// Finds the entity that a name stands for. None if that has been reported, now or when
    /// its definition was rejected.
    pub(super) fn lookup(&mut self, name: &ScopedName) -> Option<Entity> {
        let (first, rest) = name.parts.split_first()?;
        let mut entity = if name.absolute {
            self.member_of(ScopeId(0), first)?
        } else {
            self.unqualified(first, name)?
        };
        let mut qualifier = first;
        for part in rest {
            let scope = match entity {
                Entity::Poisoned => return None,
                Entity::Definition(id) => self.scope_of.get(&id).copied(),
                _ => None,
            };
            let Some(scope) = scope else {
                self.report_no_scope(qualifier, part, entity);
                return None;
            };
            entity = self.member_of(scope, part)?;
            qualifier = part;
        }
        (entity != Entity::Poisoned).then_some(entity)
    }

    fn unqualified(&mut self, first: &Name, whole: &ScopedName) -> Option<Entity> {
        let key = first.text.as_str();
        let mut opaque = false;
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            match self.find(id, key) {
                Outcome::Found(holder) => {
                    let entity = self.take(holder, first)?;
                    self.introduce(first, holder);
                    return Some(entity);
                }
                Outcome::Ambiguous(holders) => {
                    self.report_ambiguous(first, &holders);
                    return None;
                }
                Outcome::Missing { opaque: here } => opaque |= here,
            }
            scope = self.scope(id).parent;
        }
        if !opaque {
            self.report_unknown(first, whole);
        }
        None
    }

    /// Whether a name has a meaning in the current scope.
    pub(super) fn is_visible(&self, name: &str) -> bool {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            match self.find(id, name) {
                Outcome::Missing { opaque: false } => scope = self.scope(id).parent,
                _ => return true,
            }
        }
        false
    }

    fn member_of(&mut self, scope: ScopeId, name: &Name) -> Option<Entity> {
        match self.find(scope, &name.text) {
            Outcome::Found(holder) => self.take(holder, name),
            Outcome::Ambiguous(holders) => {
                self.report_ambiguous(name, &holders);
                None
            }
            Outcome::Missing { opaque: true } => None,
            Outcome::Missing { opaque: false } => {
                let abstract_base = self.abstract_base(scope, name);
                if abstract_base.is_none() {
                    self.report_missing(scope, name);
                }
                abstract_base
            }
        }
    }

    /// The entity of a name that was found, whose case must agree.
    fn take(&mut self, holder: ScopeId, name: &Name) -> Option<Entity> {
        let entry = self.scope(holder).names.get(&name.text)?.clone();
        if entry.spelling != name.text && entry.entity != Entity::Poisoned {
            let what = self.describe(entry.entity);
            self.diagnostics.push(
                Diagnostic::error(
                    DiagnosticCode::NameCase,
                    format!("the {what} `{}` is spelt differently", entry.spelling),
                    name.span,
                )
                .label("differs in case")
                .also(entry.span, "defined here")
                .help(format!("write `{}`", entry.spelling)),
            );
        }
        Some(entry.entity)
    }

    fn find(&self, scope: ScopeId, key: &str) -> Outcome {
        let found = self.scope(scope);
        if found.names.contains(key) {
            return Outcome::Found(scope);
        }
        let opaque = found.opaque;
        if found.bases.is_empty() || !self.inheritable.contains(key) {
            return Outcome::Missing { opaque };
        }
        let mut holders = Vec::new();
        self.visit_bases(scope, |base| {
            let holder = match self.scope(base).names.contains(key) {
                true => Some(Some(base)),
                false => self.used_in(base, key),
            };
            match holder {
                Some(Some(holder)) if !holders.contains(&holder) => holders.push(holder),
                _ => {}
            }
            holder.is_none()
        });
        match holders.as_slice() {
            [] => Outcome::Missing { opaque },
            [holder] => Outcome::Found(*holder),
            _ => Outcome::Ambiguous(holders),
        }
    }

    /// Where an interface inherits a name from, if it does so, as far as a use of
    /// the name in it has told: so no long chain of bases is gone through again
    /// and again.
    fn used_in(&self, interface: ScopeId, key: &str) -> Option<Option<ScopeId>> {
        let found = self.scope(interface);
        if found.kind != ScopeKind::Interface {
            return None;
        }
        let (holder, _) = found.introduced.get(key)?;
        match self.scope(holder).kind {
            ScopeKind::Interface => Some(Some(holder)),
            ScopeKind::File | ScopeKind::Module => Some(None),
            // Of a struct within the interface, perhaps.
            _ => None,
        }
    }

    /// Visits what a scope inherits from, each once. The visitor says whether
    /// to go on to the bases of what it saw.
    pub(super) fn visit_bases(&self, scope: ScopeId, mut visitor: impl FnMut(ScopeId) -> bool) {
        if self.scope(scope).bases.is_empty() {
            return;
        }
        let mut seen = HashSet::new();
        let mut pending: Vec<ScopeId> = self.scope(scope).bases.iter().rev().copied().collect();
        while let Some(base) = pending.pop() {
            if seen.insert(base) && visitor(base) {
                pending.extend(self.scope(base).bases.iter().rev());
            }
        }
    }

    /// The operation or attribute of this name that a scope inherits.
    pub(super) fn inherited_feature(&self, scope: ScopeId, key: &str) -> Option<(ScopeId, &Entry)> {
        if self.scope(scope).bases.is_empty() || !self.inheritable.contains(key) {
            return None;
        }
        let mut found = None;
        self.visit_bases(scope, |base| {
            if let Some(entry) = self.scope(base).names.get(key)
                && entry.entity.is_inherited_alone()
            {
                found = found.or(Some((base, entry)));
            }
            true
        });
        found
    }

    /// Notes that a name was used, so that it cannot be defined otherwise in
    /// the scopes that it was used in.
    fn introduce(&mut self, name: &Name, holder: ScopeId) {
        // Once there is an instance, the name is that of the argument.
        if self.scope(holder).kind == ScopeKind::Template {
            return;
        }
        let mut scope = self.current;
        while scope != holder {
            let (kind, parent) = (self.scope(scope).kind, self.scope(scope).parent);
            self.scopes[scope.index()]
                .introduced
                .note(&name.text, holder, name.span);
            match parent {
                Some(parent) if !matches!(kind, ScopeKind::Module | ScopeKind::File) => {
                    scope = parent;
                }
                _ => return,
            }
        }
    }

    fn report_no_scope(&mut self, qualifier: &Name, part: &Name, entity: Entity) {
        let what = self.describe(entity);
        let text = &qualifier.text;
        let message = format!("`{text}` is {}, which holds no names", with_article(what));
        let mut diagnostic = Diagnostic::error(DiagnosticCode::WrongKind, message, qualifier.span);
        if what == "enum" {
            diagnostic = diagnostic.help(format!(
                "an enumerator belongs to the scope around its enum: drop `{text}::` before `{}`",
                part.text
            ));
        } else if what == "template module" {
            diagnostic = diagnostic.help(format!(
                "make an instance of it: `module {text}<...> Name;`"
            ));
        } else if matches!(what, "interface" | "struct" | "union" | "value type") {
            diagnostic.message = format!("the {what} `{text}` is declared but not defined yet");
            diagnostic.code = DiagnosticCode::Incomplete;
        }
        self.diagnostics.push(diagnostic);
    }

    fn report_ambiguous(&mut self, name: &Name, holders: &[ScopeId]) {
        let text = &name.text;
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::AmbiguousName,
            format!("`{text}` is inherited with different meanings"),
            name.span,
        );
        let mut choices = Vec::new();
        for &holder in holders.iter().take(4) {
            let scope = self.scope(holder);
            if let Some(entry) = scope.names.get(text) {
                diagnostic = diagnostic.also(entry.span, format!("from `{}`", scope.name));
                choices.push(format!("`{}::{text}`", scope.name));
            }
        }
        self.diagnostics
            .push(diagnostic.help(format!("write {}", choices.join(" or "))));
    }

    fn report_unknown(&mut self, name: &Name, whole: &ScopedName) {
        // To look for what was meant takes time.
        if self.diagnostics.is_full() {
            return;
        }
        let text = &*name.text;
        // Names that are keywords but for their case were reported already.
        if Keyword::ignoring_case(text).is_some_and(|keyword| !keyword.is_late()) {
            return;
        }
        let mut candidates: Vec<&str> = Vec::new();
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            candidates.extend(self.visible(id));
            scope = self.scope(id).parent;
        }
        candidates.sort_unstable();
        let near = crate::spelling::nearest(text, candidates);
        let shown = String::from_utf8_lossy(self.sources.text(name.span));
        let label = if shown.trim_start_matches('_') == text || shown.contains('\\') {
            "unknown name".to_owned()
        } else {
            format!("the macro `{shown}` leads to this name")
        };
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::UnknownName,
            format!("`{text}` is not defined"),
            name.span,
        )
        .label(label);
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if text == "CORBA" && whole.parts.len() > 1 {
            diagnostic = diagnostic.help("`#include <orb.idl>` makes the module `CORBA` known");
        } else if crate::spelling::is_system_exception(text) {
            diagnostic = diagnostic.help(SYSTEM_EXCEPTION);
        } else if let Some(help) = crate::spelling::foreign_word(text) {
            diagnostic = diagnostic.help(help);
        }
        self.unknown
            .push((name.span, self.current, name.text.clone()));
        self.diagnostics.push(diagnostic);
    }

    /// Whether names are looked up in the module `CORBA`, which knows
    /// `TypeCode` without a definition.
    pub(super) fn in_corba_module(&self) -> bool {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            let found = self.scope(id);
            if &*found.name == "CORBA" && found.parent == Some(ScopeId(0)) {
                return true;
            }
            scope = found.parent;
        }
        false
    }

    fn report_missing(&mut self, scope: ScopeId, name: &Name) {
        if self.diagnostics.is_full() {
            return;
        }
        let text = &*name.text;
        let holder = match self.scope(scope).definition {
            None => "at file scope".to_owned(),
            Some(id) => {
                let what = self.describe(Entity::Definition(id));
                format!("in the {what} `{}`", self.scope(scope).name)
            }
        };
        let mut candidates = self.visible(scope);
        candidates.sort_unstable();
        let near = crate::spelling::nearest(text, candidates);
        let message = format!("`{text}` is not defined {holder}");
        let mut diagnostic = Diagnostic::error(DiagnosticCode::UnknownName, message, name.span)
            .label("unknown name");
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if holder.ends_with("`CORBA`") && crate::spelling::is_system_exception(text) {
            diagnostic = diagnostic.help(SYSTEM_EXCEPTION);
        }
        self.unknown.push((name.span, scope, name.text.clone()));
        self.diagnostics.push(diagnostic);
    }

    /// Says of unknown names that they are defined later, if they are.
    pub(super) fn report_defined_later(&mut self) {
        for (span, scope, key) in std::mem::take(&mut self.unknown) {
            let mut next = Some(scope);
            while let Some(scope) = next.and_then(|id| self.scopes.get(id.index())) {
                if let Some(entry) = scope.names.get(&key) {
                    let later = entry.span;
                    self.diagnostics
                        .amend(DiagnosticCode::UnknownName, span, |found| {
                            found
                                .also(later, "defined here, which is too late")
                                .help("IDL knows a name only after its definition or declaration")
                        });
                    break;
                }
                next = scope.parent;
            }
        }
    }

    /// The names in a scope and in what it inherits from.
    fn visible(&self, scope: ScopeId) -> Vec<&str> {
        fn names(scope: &Scope) -> impl Iterator<Item = &str> {
            scope.names.iter().map(|entry| &*entry.spelling)
        }
        let mut candidates: Vec<&str> = names(self.scope(scope)).collect();
        self.visit_bases(scope, |base| {
            candidates.extend(names(self.scope(base)));
            true
        });
        candidates
    }
}

const SYSTEM_EXCEPTION: &str =
    "system exceptions can come of every operation, and are never named in `raises`";
