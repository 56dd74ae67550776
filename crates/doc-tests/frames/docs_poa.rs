taut::include_idl!("demo");

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use demo::{Shape, ShapeRef, ShapeSkeleton};
use taut::{
    AdapterActivator, Cookie, Current, IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy,
    ObjectId, Poa, Reference, RequestProcessingPolicy, Servant, ServantActivator, ServantLocator,
    ServantManager, ServantManagerError, ServantRetentionPolicy, SystemException, ThreadPolicy,
};

use crate::support::{Outcome, create, orb};

/// The name that a client gets from the object with this id.
fn name_of(poa: &Poa, id: &str) -> taut::Result<String> {
    let reference = poa.create_reference_with_id(&id.into(), ShapeRef::INTERFACE.repository_id)?;
    reference.unchecked_narrow::<ShapeRef>().name()
}

struct Named(String);

impl Shape for Named {
    fn name(&self) -> taut::Result<String> {
        Ok(self.0.clone())
    }
}

#[test]
fn the_shortest_server() -> Outcome {
    let orb = orb();
    // page: let root = orb.root_poa()?;
    assert_eq!(disc.name()?, "disc");
    Ok(())
}

#[test]
fn a_poa_with_other_policies() -> Outcome {
    let orb = orb();
    let root = orb.root_poa()?;
    root.manager().activate()?;
    // page: let shapes = root.create_poa(
    assert_eq!(disc.name()?, "disc");
    assert_eq!(name_of(&shapes, "disc")?, "disc");
    Ok(())
}

struct Any;

// page: impl Shape for Any {

#[test]
fn a_default_servant() -> Outcome {
    let orb = orb();
    let policies = [
        IdAssignmentPolicy::UserId.into(),
        IdUniquenessPolicy::MultipleId.into(),
        ServantRetentionPolicy::NonRetain.into(),
        RequestProcessingPolicy::UseDefaultServant.into(),
    ];
    let shapes = create(&orb, "shapes", &policies)?;
    // page: shapes.set_servant(ShapeSkeleton::new(Any))?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    Ok(())
}

struct Loader;

// page: impl ServantActivator for Loader {

#[test]
fn an_activator() -> Outcome {
    let orb = orb();
    let policies = [
        IdAssignmentPolicy::UserId.into(),
        RequestProcessingPolicy::UseServantManager.into(),
    ];
    let shapes = create(&orb, "shapes", &policies)?;
    // page: shapes.set_servant_manager(ServantManager::activator(Loader))?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    assert!(shapes.id_to_servant(&"square".into()).is_ok());
    Ok(())
}

/// As many servants as are in use, and no more.
struct Pool(Mutex<HashMap<ObjectId, Arc<dyn Servant>>>);

// page: impl ServantLocator for Pool {

    fn postinvoke(&self, id: &ObjectId, _: &Poa, _: &str, _: Cookie, servant: &Arc<dyn Servant>) {
        let mut kept = self.0.lock().unwrap();
        kept.insert(id.clone(), Arc::clone(servant));
    }
}

#[test]
fn a_locator() -> Outcome {
    let orb = orb();
    let policies = [
        IdAssignmentPolicy::UserId.into(),
        ServantRetentionPolicy::NonRetain.into(),
        RequestProcessingPolicy::UseServantManager.into(),
    ];
    let shapes = create(&orb, "shapes", &policies)?;
    shapes.set_servant_manager(ServantManager::locator(Pool(Mutex::default())))?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    assert_eq!(name_of(&shapes, "square")?, "square");
    Ok(())
}

struct Rooms;

// page: impl AdapterActivator for Rooms {
        let policies = [
            LifespanPolicy::Persistent.into(),
            IdAssignmentPolicy::UserId.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let shapes = parent.create_poa(name, Some(parent.manager()), &policies)?;
        shapes.set_servant_manager(ServantManager::activator(Loader))?;
        Ok(true)
    }
}

#[test]
fn an_adapter_activator() -> Outcome {
    let orb = orb();
    let root = orb.root_poa()?;
    root.set_adapter_activator(Some(Arc::new(Rooms))).unwrap();
    root.manager().activate()?;
    let shapes = root.find_poa("shapes", true)?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    Ok(())
}

#[test]
fn references_without_servants() -> Outcome {
    let orb = orb();
    let shapes = create(&orb, "shapes", &[IdAssignmentPolicy::UserId.into()])?;
    // page: let interface = ShapeRef::INTERFACE.repository_id;
    let disc: ShapeRef = disc.unchecked_narrow();
    assert!(disc.name().is_err()); // OBJECT_NOT_EXIST: nobody is there yet
    shapes.activate_object_with_id(&"disc".into(), ShapeSkeleton::new(Any))?;
    assert_eq!(disc.name()?, "disc");
    Ok(())
}

#[test]
fn managers() -> Outcome {
    let orb = orb();
    let shapes = create(&orb, "shapes", &[])?;
    let manager = shapes.manager();
    // page: manager.hold_requests(true)?; // those that run have ended when it returns
    Ok(())
}

#[test]
fn the_main_thread() -> Outcome {
    let orb = orb();
    let is_open = AtomicBool::new(true);
    let widgets = create(&orb, "widgets", &[ThreadPolicy::MainThread.into()])?;
    let widget = widgets.activate(ShapeSkeleton::new(Named("button".into())))?;
    let call = std::thread::spawn(move || widget.name());
    while is_open.load(Ordering::Relaxed) {
        // page: while orb.work_pending()? {
        // … whatever else the thread has to do …
        std::thread::sleep(Duration::from_millis(1));
        is_open.store(!call.is_finished(), Ordering::Relaxed);
    }
    assert_eq!(call.join().unwrap()?, "button");
    Ok(())
}

