// page: use taut::{ObjectRef, Orb};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use taut::{Poa, Reference, SystemException, SystemExceptionKind};
use taut_naming::naming_context::{
    AlreadyBound, BindContextError, BindError, DestroyError, NotFound, RebindContextError,
    ResolveError, UnbindError,
};
use taut_naming::{BindingIteratorRef, BindingList, NamingContextSkeleton};

use crate::support::{Outcome, orb};

/// Binds the branch as the page does.
fn serve(orb: Orb, poa: &Poa, branch: &impl Reference) -> Outcome {
    // page: poa.manager().activate()?;
    Ok(())
}

/// The objects that names stand for: contexts have no object.
type Bindings = Arc<Mutex<BTreeMap<Vec<String>, Option<ObjectRef>>>>;

/// A root context that keeps the names of all contexts below it.
struct Context(Bindings);

fn ids(name: &[NameComponent]) -> Vec<String> {
    name.iter().map(|component| component.id.clone()).collect()
}

fn not_here() -> SystemException {
    let kind = SystemExceptionKind::NoImplement;
    SystemException::new(kind, 0, taut::CompletionStatus::No)
}

impl NamingContext for Context {
    fn bind(&self, _: &[NameComponent], _: Option<&ObjectRef>) -> Result<(), BindError> {
        Err(not_here().into())
    }

    fn rebind(&self, name: &[NameComponent], object: Option<&ObjectRef>) -> Result<(), RebindError> {
        let name = ids(name);
        let mut bindings = self.0.lock().unwrap();
        let context = &name[..name.len() - 1];
        if !context.is_empty() && !matches!(bindings.get(context), Some(None)) {
            return Err(NotFound::default().into());
        }
        bindings.insert(name, object.cloned());
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

    fn resolve(&self, _: &[NameComponent]) -> Result<Option<ObjectRef>, ResolveError> {
        Err(not_here().into())
    }

    fn unbind(&self, _: &[NameComponent]) -> Result<(), UnbindError> {
        Err(not_here().into())
    }

    fn new_context(&self) -> taut::Result<Option<NamingContextRef>> {
        Err(not_here())
    }

    fn bind_new_context(
        &self,
        name: &[NameComponent],
    ) -> Result<Option<NamingContextRef>, BindNewContextError> {
        let mut bindings = self.0.lock().unwrap();
        if bindings.contains_key(&ids(name)) {
            return Err(AlreadyBound.into());
        }
        bindings.insert(ids(name), None);
        Ok(None)
    }

    fn destroy(&self) -> Result<(), DestroyError> {
        Err(not_here().into())
    }

    fn list(&self, _: u32) -> taut::Result<(BindingList, Option<BindingIteratorRef>)> {
        Err(not_here())
    }
}

#[test]
fn names_are_bound_with_the_contexts_in_front_of_them() -> Outcome {
    let service = orb();
    let bindings = Bindings::default();
    let root = service.root_poa()?;
    let context = root.activate(NamingContextSkeleton::new(Context(Arc::clone(&bindings))))?;
    root.manager().activate()?;

    let server = Orb::builder().listen("127.0.0.1:0")?;
    let url = context.as_object().to_string();
    let server = server.initial_reference("NameService", url).build()?;
    let poa = server.root_poa()?;
    // Any reference will do.
    let branch = poa.create_reference(NamingContextRef::INTERFACE.repository_id)?;
    let branch: NamingContextRef = branch.unchecked_narrow();
    // A server that comes again finds the contexts, and replaces its name.
    for _ in 0..2 {
        serve(server.clone(), &poa, &branch)?;
    }
    let bound = bindings.lock().unwrap().clone();
    let bank = vec!["bank".to_owned()];
    let main = vec!["bank".to_owned(), "main".to_owned()];
    assert_eq!(bound, BTreeMap::from([(bank, None), (main, Some(branch.as_object().clone()))]));

    // An object is no context.
    let error = bind(&server, &["bank", "main", "more"], branch.as_object()).unwrap_err();
    assert!(error.to_string().contains("no context"), "{error}");
    Ok(())
}
