//! The examples of the guides to the POA, to persistence and to the context of calls,
//! `docs/poa.md`, `docs/persistence.md` and `docs/contexts.md`: they compile, and do what the
//! guides say.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and the guides use a part"
)]
mod generated {
    include!("../../../taut-build/tests/data/demo.rs");
}

use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use generated::demo::{Shape, ShapeRef, ShapeSkeleton};
use taut::{
    AdapterActivator, CallContext, Cookie, Current, IdAssignmentPolicy, IdUniquenessPolicy,
    LifespanPolicy, ObjectId, Orb, Poa, Policy, Reference, RequestContext, RequestProcessingPolicy,
    Servant, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
    ServantRetentionPolicy, SystemException, ThreadPolicy,
};
use test_tools::code_blocks;

/// The result of a test of an example.
type Outcome = Result<(), Box<dyn Error>>;

fn orb() -> Orb {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    builder.build().unwrap()
}

/// Makes a child of the root POA with these policies.
fn create(orb: &Orb, name: &str, policies: &[Policy]) -> Result<Poa, Box<dyn Error>> {
    let root = orb.root_poa()?;
    root.manager().activate()?;
    Ok(root.create_poa(name, Some(root.manager()), policies)?)
}

/// The name that a client gets from the object with this id.
fn name_of(poa: &Poa, id: &str) -> taut::Result<String> {
    let reference = poa.create_reference_with_id(&id.into(), "IDL:demo/Shape:1.0")?;
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
    let root = orb.root_poa()?;
    let disc = root.activate(ShapeSkeleton::new(Named("disc".into())))?; // a ShapeRef
    root.manager().activate()?; // until then, requests wait
    println!("{}", disc.as_object()); // IOR:…
    assert_eq!(disc.name()?, "disc");
    Ok(())
}

#[test]
fn a_poa_with_other_policies() -> Outcome {
    let orb = orb();
    let root = orb.root_poa()?;
    root.manager().activate()?;
    let shapes = root.create_poa(
        "shapes",
        Some(root.manager()), // None: one of its own, which holds requests
        &[
            LifespanPolicy::Persistent.into(),
            IdAssignmentPolicy::UserId.into(),
        ],
    )?;
    let servant = ShapeSkeleton::new(Named("disc".into()));
    let disc = shapes.activate_with_id(&"disc".into(), servant)?;
    assert_eq!(disc.name()?, "disc");
    assert_eq!(name_of(&shapes, "disc")?, "disc");
    Ok(())
}

struct Any;

impl Shape for Any {
    fn name(&self) -> taut::Result<String> {
        let id = Current::object_id()?;
        Ok(String::from_utf8_lossy(id.as_octets()).into_owned())
    }
}

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
    shapes.set_servant(ShapeSkeleton::new(Any))?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    Ok(())
}

struct Loader;

impl ServantActivator for Loader {
    fn incarnate(&self, id: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        let name = String::from_utf8_lossy(id.as_octets()).into_owned(); // or from a database
        Ok(Arc::new(ShapeSkeleton::new(Named(name))))
    }
}

#[test]
fn an_activator() -> Outcome {
    let orb = orb();
    let policies = [
        IdAssignmentPolicy::UserId.into(),
        RequestProcessingPolicy::UseServantManager.into(),
    ];
    let shapes = create(&orb, "shapes", &policies)?;
    shapes.set_servant_manager(ServantManager::activator(Loader))?;
    assert_eq!(name_of(&shapes, "square")?, "square");
    assert!(shapes.id_to_servant(&"square".into()).is_ok());
    Ok(())
}

/// As many servants as are in use, and no more.
struct Pool(Mutex<HashMap<ObjectId, Arc<dyn Servant>>>);

impl ServantLocator for Pool {
    fn preinvoke(
        &self,
        id: &ObjectId,
        _: &Poa,
        _operation: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        let kept = self.0.lock().unwrap().remove(id);
        let servant = kept.unwrap_or_else(|| Arc::new(ShapeSkeleton::new(Any)));
        Ok((servant, None))
    }

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

impl AdapterActivator for Rooms {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        if name != "shapes" {
            return Ok(false);
        }
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
    let interface = ShapeRef::INTERFACE.repository_id;
    let disc = shapes.create_reference_with_id(&"disc".into(), interface)?;
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
    manager.hold_requests(true)?; // those that run have ended when it returns
    // … change what they need …
    manager.activate()?;
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
        while orb.work_pending()? {
            orb.perform_work()?;
        }
        // … whatever else the thread has to do …
        std::thread::sleep(Duration::from_millis(1));
        is_open.store(!call.is_finished(), Ordering::Relaxed);
    }
    assert_eq!(call.join().unwrap()?, "button");
    Ok(())
}

/// A servant that tells which trace it was called for.
struct Traced;

/// Ids that both sides have agreed on.
mod ids {
    pub(super) const TRACE: u32 = 0x4d59_0001;
    pub(super) const TENANT: u32 = 0x4d59_0002;
}

mod traced {
    use super::ids::TRACE;
    use super::{RequestContext, Shape, Traced};

    impl Shape for Traced {
        fn name(&self) -> taut::Result<String> {
            let trace = RequestContext::service_context(TRACE)?;
            RequestContext::add_to_reply(TRACE, trace.unwrap_or_default())?;
            Ok("disc".to_owned())
        }
    }
}

fn traced() -> Result<(Orb, ShapeRef), Box<dyn Error>> {
    let orb = orb();
    let root = orb.root_poa()?;
    let shape = root.activate(ShapeSkeleton::new(Traced))?;
    root.manager().activate()?;
    Ok((orb, shape))
}

#[test]
fn a_context_for_a_part_of_a_program() -> Outcome {
    let (_orb, shape) = traced()?;
    const TRACE: u32 = 0x4d59_0001; // an id that both sides have agreed on

    let context = CallContext::new()
        .with_timeout(Duration::from_secs(2))
        .with_service_context(TRACE, b"4f1c");
    let name = context.within(|| shape.name())?;
    let spent = context.reply_service_context(TRACE); // what the servant has answered with
    assert_eq!(name, "disc");
    assert_eq!(spent, Some(b"4f1c".to_vec()));
    Ok(())
}

#[test]
fn a_context_that_is_extended() -> Outcome {
    use ids::{TENANT, TRACE};

    let (_orb, shape) = traced()?;
    let outer = CallContext::new().with_service_context(TRACE, "outer");
    outer.within(|| -> Outcome {
        let context = CallContext::of_thread().unwrap_or_default();
        let context = context.with_service_context(TENANT, "north");
        context.within(|| shape.name())?;
        let trace = context.reply_service_context(TRACE);
        assert_eq!(trace, Some(b"outer".to_vec()));
        Ok(())
    })
}

/// The lines of a text, without indentation; an empty line is none.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_block_of_the_guides_is_compiled() {
    const POA: &str = include_str!("../../../../docs/poa.md");
    const PERSISTENCE: &str = include_str!("../../../../docs/persistence.md");
    const CONTEXTS: &str = include_str!("../../../../docs/contexts.md");
    let sources = [
        include_str!("poa_guide.rs"),
        include_str!("../../../../examples/persistence/src/forwarder.rs"),
        include_str!("../../../../examples/persistence/src/server.rs"),
    ];
    let sources = sources.map(lines);
    let blocks = [POA, PERSISTENCE, CONTEXTS]
        .into_iter()
        .flat_map(code_blocks);
    let blocks: Vec<_> = blocks.filter(|block| block.language == "rust").collect();
    assert!(blocks.len() > 10);
    for block in blocks {
        let block = lines(block.text);
        let is_in = |source: &Vec<&str>| source.windows(block.len()).any(|part| part == block);
        assert!(sources.iter().any(is_in), "not compiled: {block:#?}");
    }
}
