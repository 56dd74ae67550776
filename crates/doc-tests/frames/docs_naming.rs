// page: use taut::{ObjectRef, Orb};

// page: use taut_naming::Registration;

use std::sync::Arc;

use taut::{Poa, Reference};
use taut_naming::naming_context::ResolveError;
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;

use crate::support::{Outcome, orb};

/// Binds the branch as the page does.
fn serve(orb: Orb, poa: &Poa, branch: &impl Reference) -> Outcome {
    // page: poa.manager().activate()?;
    Ok(())
}

/// An ORB that finds a naming service, which is empty.
fn server() -> Result<(Orb, NamingContextRef), Box<dyn std::error::Error>> {
    let store = Arc::new(MemoryStore::new());
    let service = NamingService::start(&orb(), store, ServiceSettings::default())?;
    let server = Orb::builder().listen("127.0.0.1:0")?;
    let url = service.root().to_string();
    let server = server.initial_reference("NameService", url).build()?;
    let root = server.resolve_initial_references("NameService")?.narrow()?;
    Ok((server, root))
}

#[test]
fn names_are_bound_with_the_contexts_in_front_of_them() -> Outcome {
    let (server, root) = server()?;
    let poa = server.root_poa()?;
    // Any reference will do.
    let branch = poa.create_reference(NamingContextRef::INTERFACE.repository_id)?;
    let branch: NamingContextRef = branch.unchecked_narrow();
    // A server that comes again finds the contexts, and replaces its name.
    for _ in 0..2 {
        serve(server.clone(), &poa, &branch)?;
    }
    let bound = root.resolve(&name(&["bank", "main"]))?;
    assert_eq!(bound.as_ref(), Some(branch.as_object()));

    // An object is no context.
    let error = bind(&server, &["bank", "main", "more"], branch.as_object()).unwrap_err();
    assert!(error.to_string().contains("no context"), "{error}");
    Ok(())
}

#[test]
fn a_registration_binds_a_name_for_its_time() -> Outcome {
    let (server, root) = server()?;
    let poa = server.root_poa()?;
    let branch = poa.create_reference(NamingContextRef::INTERFACE.repository_id)?;
    let main = name(&["bank", "main"]);
    serve_named(&server, &branch, || {
        assert_eq!(root.resolve(&main).unwrap().as_ref(), Some(&branch));
    })?;
    let after = root.resolve(&main);
    assert!(matches!(after, Err(ResolveError::NotFound(_))), "{after:?}");

    // Another server has taken the name over.
    let other = poa.create_reference(NamingContextRef::INTERFACE.repository_id)?;
    serve_named(&server, &branch, || root.rebind(&main, Some(&other)).unwrap())?;
    assert_eq!(root.resolve(&main)?.as_ref(), Some(&other));
    Ok(())
}
