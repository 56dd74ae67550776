//! `CORBA::AbstractBase`, the base of all abstract interfaces; CORBA 3.3 part 1,
//! 12.1.
//!
//! The compiler's own `orb.idl` defines it. Those of other ORBs may not, as their
//! compilers know it by themselves; it is defined then when it is first named.

use super::Resolver;
use super::entity::{Entity, ScopeId};
use super::scope::{Scope, ScopeKind};
use crate::model::{DefinitionKind, Interface, InterfaceKind, Path};
use crate::syntax::{Name, Preface};

const NAME: &str = "AbstractBase";

impl Resolver<'_> {
    /// Defines the interface in a scope that has no such name, if the scope is the
    /// module `CORBA` and the name that one.
    pub(super) fn abstract_base(&mut self, scope: ScopeId, name: &Name) -> Option<Entity> {
        let found = self.scope(scope);
        let is_corba = found.kind == ScopeKind::Module
            && found.name == "CORBA"
            && found.parent == Some(ScopeId(0));
        let module = found.definition.filter(|_| is_corba && name.text == NAME)?;
        let module = self.model.get(module);
        let path = Path::within(module.repository_id.path.clone(), module.name.clone());
        let name = Name {
            text: name.text.clone(),
            span: module.span,
        };
        let interface = Interface {
            kind: InterfaceKind::Abstract,
            ..Interface::default()
        };
        let id = self.within_existing(scope, |resolver| {
            let kind = DefinitionKind::Interface(Box::new(interface));
            let id = resolver.define(&name, &Preface::default(), kind);
            let inner: Scope = resolver.inner(ScopeKind::Interface, &name, Some(id));
            resolver.within(inner, |_| ());
            id
        });
        self.model.definitions[id.0 as usize].repository_id.path = Some(path);
        Some(Entity::Definition(id))
    }
}
