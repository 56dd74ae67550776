//! The servant of all contexts.

use std::sync::Arc;

use taut::{Current, ObjectRef, SystemException};

use super::faults::{Fault, context_destroyed};
use super::federation::Repeat;
use super::iterators::{Iterators, bindings};
use super::keeper::{Keeper, refusal_of_service};
use crate::naming_context::{
    BindContextError, BindError, BindNewContextError, DestroyError, NotEmpty, RebindContextError,
    RebindError, ResolveError, UnbindError,
};
use crate::store::{Bound, Change, ContextId, Done, Refusal};
use crate::{BindingIteratorRef, BindingList, NameComponent, NamingContext, NamingContextRef};

/// The servant that stands for each context; the object id of a request says for which.
pub(super) struct Contexts {
    pub(super) keeper: Arc<Keeper>,
    iterators: Arc<Iterators>,
}

impl Contexts {
    pub(super) fn new(keeper: Arc<Keeper>, iterators: Arc<Iterators>) -> Self {
        Self { keeper, iterators }
    }

    /// The context for which the servant is called.
    pub(super) fn own(&self) -> Result<ContextId, SystemException> {
        let id = Current::object_id()?;
        let context = self.keeper.references().context(&id);
        context.ok_or_else(context_destroyed)
    }

    fn bind_as(
        &self,
        name: &[NameComponent],
        bound: Bound,
        replaces: bool,
        call: impl FnOnce(&NamingContextRef, &[NameComponent]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let start = self.own()?;
        let outcome = self.keeper.change(name, |path| Change::Bind {
            start,
            path,
            bound,
            replaces,
            lease: None,
        })?;
        let keeper = &self.keeper;
        keeper.follow(name, outcome, Repeat::UnlessDone, |_| Ok(()), call)
    }

    pub(super) fn resolve_name(&self, name: &[NameComponent]) -> Result<Option<ObjectRef>, Fault> {
        let outcome = self.keeper.resolve(self.own()?, name)?;
        let keeper = &self.keeper;
        keeper.follow(name, outcome, Repeat::Always, Ok, |context, rest| {
            context.resolve(rest)
        })
    }

    fn unbind_name(&self, name: &[NameComponent]) -> Result<(), Fault> {
        let start = self.own()?;
        let change = |path| Change::Unbind { start, path };
        let outcome = self.keeper.change(name, change)?;
        let keeper = &self.keeper;
        keeper.follow(
            name,
            outcome,
            Repeat::UnlessDone,
            |_| Ok(()),
            |context, rest| context.unbind(rest),
        )
    }

    fn bind_created(&self, name: &[NameComponent]) -> Result<Option<NamingContextRef>, Fault> {
        let start = self.own()?;
        let change = |path| Change::BindNewContext { start, path };
        let outcome = self.keeper.change(name, change)?;
        let keeper = &self.keeper;
        keeper.follow(
            name,
            outcome,
            Repeat::UnlessDone,
            |done| Ok(self.created(done)?),
            |context, rest| context.bind_new_context(rest),
        )
    }

    fn created(&self, done: Done) -> Result<Option<NamingContextRef>, SystemException> {
        match done {
            Done::Created(context) => {
                let reference = self.keeper.reference(context)?;
                Ok(Some(reference.unchecked_narrow()))
            }
            Done::Plain | Done::Granted(_) => Ok(None),
        }
    }
}

impl NamingContext for Contexts {
    fn bind(&self, n: &[NameComponent], obj: Option<&ObjectRef>) -> Result<(), BindError> {
        let bound = self.keeper.object(obj)?;
        let call = |context: &NamingContextRef, rest: &[NameComponent]| {
            context.bind(rest, obj).map_err(Fault::from)
        };
        Ok(self.bind_as(n, bound, false, call)?)
    }

    fn rebind(&self, n: &[NameComponent], obj: Option<&ObjectRef>) -> Result<(), RebindError> {
        let bound = self.keeper.object(obj)?;
        let call = |context: &NamingContextRef, rest: &[NameComponent]| {
            context.rebind(rest, obj).map_err(Fault::from)
        };
        Ok(self.bind_as(n, bound, true, call)?)
    }

    fn bind_context(
        &self,
        n: &[NameComponent],
        nc: Option<&NamingContextRef>,
    ) -> Result<(), BindContextError> {
        let bound = self.keeper.context(nc)?;
        let call = |context: &NamingContextRef, rest: &[NameComponent]| {
            context.bind_context(rest, nc).map_err(Fault::from)
        };
        Ok(self.bind_as(n, bound, false, call)?)
    }

    fn rebind_context(
        &self,
        n: &[NameComponent],
        nc: Option<&NamingContextRef>,
    ) -> Result<(), RebindContextError> {
        let bound = self.keeper.context(nc)?;
        let call = |context: &NamingContextRef, rest: &[NameComponent]| {
            context.rebind_context(rest, nc).map_err(Fault::from)
        };
        Ok(self.bind_as(n, bound, true, call)?)
    }

    fn resolve(&self, n: &[NameComponent]) -> Result<Option<ObjectRef>, ResolveError> {
        Ok(self.resolve_name(n)?)
    }

    fn unbind(&self, n: &[NameComponent]) -> Result<(), UnbindError> {
        Ok(self.unbind_name(n)?)
    }

    fn new_context(&self) -> taut::Result<Option<NamingContextRef>> {
        let start = self.own()?;
        match self.keeper.carry_out(Change::NewContext { start })? {
            Ok(done) => self.created(done),
            Err(refusal) => Err(refusal_of_service(&refusal)),
        }
    }

    fn bind_new_context(
        &self,
        n: &[NameComponent],
    ) -> Result<Option<NamingContextRef>, BindNewContextError> {
        Ok(self.bind_created(n)?)
    }

    fn destroy(&self) -> Result<(), DestroyError> {
        let context = self.own()?;
        match self.keeper.carry_out(Change::Destroy { context })? {
            Ok(_) => Ok(()),
            Err(Refusal::NotEmpty) => Err(NotEmpty.into()),
            Err(refusal) => Err(refusal_of_service(&refusal).into()),
        }
    }

    fn list(&self, how_many: u32) -> taut::Result<(BindingList, Option<BindingIteratorRef>)> {
        let context = self.own()?;
        let page = self.keeper.page(context, None, how_many)?;
        let iterator = match page.has_more {
            true => Some(self.iterators.start(context, page.last)?),
            false => None,
        };
        Ok((bindings(page.entries), iterator))
    }
}
