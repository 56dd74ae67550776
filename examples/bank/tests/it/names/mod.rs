//! A naming service with one context and one name.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::{Arc, Mutex};

use taut::{ObjectRef, Orb, Reference, SystemException, SystemExceptionKind};
use taut_naming::naming_context::{
    BindContextError, BindError, BindNewContextError, DestroyError, NotFound, RebindContextError,
    RebindError, ResolveError, UnbindError,
};
use taut_naming::{
    BindingIteratorRef, BindingList, NameComponent, NamingContext, NamingContextRef,
    NamingContextSkeleton,
};

/// A naming service, which ends when this is dropped.
pub(crate) struct Names {
    orb: Orb,
    binding: Arc<Mutex<Option<ObjectRef>>>,
}

impl Names {
    pub(crate) fn start() -> Self {
        let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = orb.build().unwrap();
        let poa = orb.root_poa().unwrap();
        let binding = Arc::new(Mutex::new(None));
        let context = Context(Arc::clone(&binding));
        let context = poa.activate(NamingContextSkeleton::new(context)).unwrap();
        poa.manager().activate().unwrap();
        orb.bind_object_key("NameService", context.as_object());
        Self { orb, binding }
    }

    pub(crate) fn corbaloc(&self) -> String {
        self.orb.corbaloc("NameService").unwrap()
    }

    pub(crate) fn has_bindings(&self) -> bool {
        self.binding.lock().unwrap().is_some()
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// The servant: one object, whatever the name.
struct Context(Arc<Mutex<Option<ObjectRef>>>);

fn not_here() -> SystemException {
    SystemException::new(
        SystemExceptionKind::NoImplement,
        0,
        taut::CompletionStatus::No,
    )
}

impl NamingContext for Context {
    fn bind(&self, _: &[NameComponent], _: Option<&ObjectRef>) -> Result<(), BindError> {
        Err(not_here().into())
    }

    fn rebind(&self, _: &[NameComponent], object: Option<&ObjectRef>) -> Result<(), RebindError> {
        *self.0.lock().unwrap() = object.cloned();
        Ok(())
    }

    fn bind_context(
        &self,
        _: &[NameComponent],
        _: Option<&NamingContextRef>,
    ) -> Result<(), BindContextError> {
        Err(not_here().into())
    }

    fn rebind_context(
        &self,
        _: &[NameComponent],
        _: Option<&NamingContextRef>,
    ) -> Result<(), RebindContextError> {
        Err(not_here().into())
    }

    fn resolve(&self, name: &[NameComponent]) -> Result<Option<ObjectRef>, ResolveError> {
        let object = self.0.lock().unwrap().clone();
        let missing = || NotFound {
            rest_of_name: name.to_vec(),
            ..NotFound::default()
        };
        object.map(Some).ok_or_else(|| missing().into())
    }

    fn unbind(&self, _: &[NameComponent]) -> Result<(), UnbindError> {
        *self.0.lock().unwrap() = None;
        Ok(())
    }

    fn new_context(&self) -> taut::Result<Option<NamingContextRef>> {
        Err(not_here())
    }

    fn bind_new_context(
        &self,
        _: &[NameComponent],
    ) -> Result<Option<NamingContextRef>, BindNewContextError> {
        Err(not_here().into())
    }

    fn destroy(&self) -> Result<(), DestroyError> {
        Err(not_here().into())
    }

    fn list(&self, _: u32) -> taut::Result<(BindingList, Option<BindingIteratorRef>)> {
        Err(not_here())
    }
}
