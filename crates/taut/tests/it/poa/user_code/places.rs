//! Where the ORB calls the application's code, and how it comes to do so.

use std::sync::Arc;
use std::thread;

use taut::codegen::Servant;
use taut::{
    AdapterActivator, Cookie, IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy, ObjectId,
    Orb, Poa, Policy, RequestProcessingPolicy, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, ServantRetentionPolicy, SystemException, ThreadPolicy,
};

use super::world::{Act, GRIM, World};
use crate::common::{Echo, EchoError, Refused};
use crate::poa::house::{ECHO, abroad};

/// Where the application's code is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Request,
    MainThreadRequest,
    DropAfterRequest,
    DropAtDeactivation,
    DropAtDestruction,
    DropAtShutdown,
    DropOfDefaultServant,
    DropOfLocatedServant,
    Incarnate,
    EtherealizeAtDeactivation,
    EtherealizeAfterRequest,
    EtherealizeAtDestruction,
    EtherealizeAtShutdown,
    EtherealizeByManager,
    Preinvoke,
    Postinvoke,
    UnknownAdapter,
    UnknownAdapterForRequest,
    DropOfAdapterActivator,
    ObjectKeyLocator,
    DropOfObjectKeyLocator,
}

impl Place {
    pub(crate) const ALL: [Self; 21] = [
        Self::Request,
        Self::MainThreadRequest,
        Self::DropAfterRequest,
        Self::DropAtDeactivation,
        Self::DropAtDestruction,
        Self::DropAtShutdown,
        Self::DropOfDefaultServant,
        Self::DropOfLocatedServant,
        Self::Incarnate,
        Self::EtherealizeAtDeactivation,
        Self::EtherealizeAfterRequest,
        Self::EtherealizeAtDestruction,
        Self::EtherealizeAtShutdown,
        Self::EtherealizeByManager,
        Self::Preinvoke,
        Self::Postinvoke,
        Self::UnknownAdapter,
        Self::UnknownAdapterForRequest,
        Self::DropOfAdapterActivator,
        Self::ObjectKeyLocator,
        Self::DropOfObjectKeyLocator,
    ];

    /// The part of the event of a panic here besides its text.
    pub(crate) fn told(self) -> &'static str {
        match self {
            Self::Request | Self::MainThreadRequest => "object=grim of the POA deeds ",
            Self::DropAfterRequest
            | Self::DropAtDeactivation
            | Self::DropAtDestruction
            | Self::DropAtShutdown
            | Self::DropOfDefaultServant
            | Self::DropOfLocatedServant => "place=Drop of a servant",
            Self::Incarnate => "place=incarnate object=a ",
            Self::EtherealizeAtDeactivation
            | Self::EtherealizeAfterRequest
            | Self::EtherealizeAtDestruction
            | Self::EtherealizeAtShutdown
            | Self::EtherealizeByManager => "place=etherealize object=grim ",
            Self::Preinvoke => "place=preinvoke object=grim ",
            Self::Postinvoke => "place=postinvoke object=grim ",
            Self::UnknownAdapter | Self::UnknownAdapterForRequest => {
                "place=unknown_adapter object=child "
            }
            Self::DropOfAdapterActivator => "place=Drop of an adapter activator object=deeds ",
            Self::ObjectKeyLocator => "place=the object key locator object=Nowhere ",
            Self::DropOfObjectKeyLocator => "place=Drop of the object key locator",
        }
    }
}

/// Servant managers and adapter activators that do the deed where `place` says.
pub(crate) struct Doer(Arc<World>, Place);

impl Doer {
    pub(crate) fn act_at(&self, places: &[Place]) {
        if places.contains(&self.1) {
            self.0.act();
        }
    }
}

impl ServantActivator for Doer {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        self.act_at(&[Place::Incarnate]);
        Ok(Arc::new(self.0.servant(None, None)))
    }

    fn etherealize(&self, id: &ObjectId, _: &Poa, _: &Arc<dyn Servant>, _: bool, _: bool) {
        if *id == GRIM.into() && self.1 != Place::Incarnate {
            self.0.act();
        }
    }
}

impl ServantLocator for Doer {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.act_at(&[Place::Preinvoke]);
        let at_drop = self
            .0
            .deed()
            .filter(|_| self.1 == Place::DropOfLocatedServant);
        Ok((Arc::new(self.0.servant(None, at_drop)), None))
    }

    fn postinvoke(&self, _: &ObjectId, _: &Poa, _: &str, _: Cookie, _: &Arc<dyn Servant>) {
        self.act_at(&[Place::Postinvoke]);
    }
}

impl AdapterActivator for Doer {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.act_at(&[Place::UnknownAdapter, Place::UnknownAdapterForRequest]);
        let manager = Some(self.0.root.manager());
        let policies = [LifespanPolicy::Persistent.into()];
        Ok(parent.create_poa(name, manager, &policies).is_ok())
    }
}

/// Does the deed at its own end.
pub(crate) struct AtEnd(Act);

impl Drop for AtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl AdapterActivator for AtEnd {
    fn unknown_adapter(&self, _: &Poa, _: &str) -> Result<bool, SystemException> {
        Ok(false)
    }
}

impl Place {
    pub(crate) fn policies(self) -> Vec<Policy> {
        let mut policies: Vec<Policy> = vec![IdAssignmentPolicy::UserId.into()];
        let on_demand = RequestProcessingPolicy::UseServantManager.into();
        match self {
            Self::MainThreadRequest => policies.push(ThreadPolicy::MainThread.into()),
            Self::Incarnate
            | Self::EtherealizeAtDeactivation
            | Self::EtherealizeAfterRequest
            | Self::EtherealizeAtDestruction
            | Self::EtherealizeAtShutdown
            | Self::EtherealizeByManager => policies.push(on_demand),
            Self::Preinvoke | Self::Postinvoke | Self::DropOfLocatedServant => {
                policies.extend([on_demand, ServantRetentionPolicy::NonRetain.into()]);
            }
            Self::DropOfDefaultServant => {
                policies.push(RequestProcessingPolicy::UseDefaultServant.into());
                policies.push(IdUniquenessPolicy::MultipleId.into());
            }
            Self::UnknownAdapterForRequest => policies.push(LifespanPolicy::Persistent.into()),
            _ => {}
        }
        policies
    }

    /// Sees that the world's deed is done here.
    pub(crate) fn visit(self, world: &Arc<World>) {
        match self {
            Self::Request
            | Self::MainThreadRequest
            | Self::DropAfterRequest
            | Self::DropAtDeactivation
            | Self::DropAtDestruction
            | Self::DropAtShutdown
            | Self::DropOfDefaultServant => self.visit_servants(world),
            Self::Incarnate
            | Self::EtherealizeAtDeactivation
            | Self::EtherealizeAfterRequest
            | Self::EtherealizeAtDestruction
            | Self::EtherealizeAtShutdown
            | Self::EtherealizeByManager => self.visit_activators(world),
            Self::Preinvoke | Self::Postinvoke | Self::DropOfLocatedServant => {
                let locator = ServantManager::locator(Doer(Arc::clone(world), self));
                world.poa.set_servant_manager(locator).unwrap();
                world.call(GRIM);
            }
            _ => self.visit_the_orb(world),
        }
    }

    pub(crate) fn visit_servants(self, world: &Arc<World>) {
        let World { orb, poa, .. } = &**world;
        match self {
            Self::Request => {
                world.activate(world.deed(), None);
                world.call(GRIM);
            }
            Self::MainThreadRequest => {
                world.activate(world.deed(), None);
                let runner = orb.clone();
                let runner = thread::spawn(move || runner.run());
                world.call(GRIM);
                world.call("a");
                orb.shutdown(true).unwrap();
                runner.join().unwrap();
            }
            Self::DropAfterRequest => {
                world.activate(world.deactivates_itself(), world.deed());
                world.call(GRIM);
            }
            Self::DropOfDefaultServant => {
                let grim = world.servant(None, world.deed());
                poa.set_servant(grim).unwrap();
                world.call("any");
                poa.set_servant(world.servant(None, None)).unwrap();
            }
            _ => {
                world.activate(None, world.deed());
                world.call(GRIM);
                self.end_objects(world);
            }
        }
    }

    pub(crate) fn visit_activators(self, world: &Arc<World>) {
        let activator = ServantManager::activator(Doer(Arc::clone(world), self));
        world.poa.set_servant_manager(activator).unwrap();
        match self {
            Self::Incarnate => {
                world.call("a");
                world.call(GRIM);
            }
            Self::EtherealizeAfterRequest => {
                world.activate(world.deactivates_itself(), None);
                world.call(GRIM);
            }
            _ => {
                world.activate(None, None);
                world.call(GRIM);
                self.end_objects(world);
            }
        }
    }

    pub(crate) fn end_objects(self, world: &World) {
        let World { orb, poa, .. } = world;
        match self {
            Self::DropAtDeactivation | Self::EtherealizeAtDeactivation => {
                poa.deactivate_object(&GRIM.into()).unwrap();
            }
            Self::DropAtDestruction | Self::EtherealizeAtDestruction => {
                assert_eq!(poa.destroy(true, true), Ok(()));
                assert_eq!(poa.destroy(true, true), Ok(()));
            }
            Self::EtherealizeByManager => {
                assert_eq!(poa.manager().deactivate(true, true), Ok(()));
            }
            _ => assert_eq!(orb.shutdown(true), Ok(())),
        }
    }

    pub(crate) fn visit_the_orb(self, world: &Arc<World>) {
        let World { orb, poa, .. } = &**world;
        let deed = world.deed().unwrap();
        let founder = || Some(Arc::new(Doer(Arc::clone(world), self)) as _);
        match self {
            Self::UnknownAdapter => {
                poa.set_adapter_activator(founder()).unwrap();
                let _ = poa.find_poa("child", true);
                let _ = poa.find_poa("child", true);
            }
            Self::UnknownAdapterForRequest => {
                let policies = [LifespanPolicy::Persistent.into()];
                let manager = Some(world.root.manager());
                let child = poa.create_poa("child", manager, &policies).unwrap();
                let object = child.create_reference(ECHO).unwrap();
                child.destroy(true, true).unwrap();
                poa.set_adapter_activator(founder()).unwrap();
                for _ in 0..2 {
                    drop(abroad(&object).echo(""));
                }
            }
            Self::DropOfAdapterActivator => {
                poa.set_adapter_activator(Some(Arc::new(AtEnd(deed))))
                    .unwrap();
                assert_eq!(poa.destroy(true, true), Ok(()));
            }
            Self::ObjectKeyLocator => {
                orb.set_object_key_locator(move |_| {
                    deed();
                    None
                });
                call_by_key(orb);
            }
            _ => {
                let at_end = AtEnd(deed);
                orb.set_object_key_locator(move |_| {
                    let _ = &at_end;
                    None
                });
                call_by_key(orb);
                assert_eq!(orb.shutdown(true), Ok(()));
            }
        }
    }
}

/// Calls an object whose key only a locator can know.
pub(crate) fn call_by_key(orb: &Orb) {
    let url = format!("corbaloc::{}/Nowhere", orb.published_addresses()[0]);
    let nowhere = abroad(&orb.string_to_object(&url).unwrap());
    let refused: Result<String, EchoError> = nowhere.echo("");
    assert!(!matches!(
        refused,
        Ok(_) | Err(EchoError::Refused(Refused { .. }))
    ));
}
