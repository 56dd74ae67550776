//! POAs and objects to look for.

use std::error::Error;

use taut::measure::{Demultiplexer, object_key};
use taut::{
    DemultiplexingStrategy, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Poa, Policy,
    ReverseDemultiplexing, Servant, ServantIdentity, Settings,
};

use super::case::Strategy;
use super::servants;

/// The result of making a part of the ORB; an unfit address or policy cannot occur here,
/// and would be reported.
pub(crate) type Made<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The interface of objects that do nothing.
const OBJECT: &str = "IDL:omg.org/CORBA/Object:1.0";

/// Where a key says in which place the object lies.
const PLACE: std::ops::Range<usize> = 28..36;

/// Whether the POA assigns ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Ids {
    System,
    User,
}

/// Objects of one POA and their keys.
pub(crate) struct World {
    pub(crate) demultiplexer: Demultiplexer,
    pub(crate) poa: Poa,
    pub(crate) ids: Vec<ObjectId>,
    /// In the order of the objects.
    pub(crate) keys: Vec<Vec<u8>>,
    pub(crate) identities: Vec<ServantIdentity>,
}

/// The settings with these strategies.
fn settings(strategy: Strategy) -> Settings {
    let mut settings = Settings::default();
    let by_key = match strategy {
        Strategy::DynamicHash => DemultiplexingStrategy::DynamicHash,
        Strategy::Linear => DemultiplexingStrategy::Linear,
        _ => DemultiplexingStrategy::Active,
    };
    settings.server.object_demultiplexing = by_key;
    settings.server.poa_demultiplexing = by_key;
    settings.server.servant_demultiplexing = match strategy {
        Strategy::Linear => ReverseDemultiplexing::Linear,
        _ => ReverseDemultiplexing::DynamicHash,
    };
    settings
}

/// The policies of a child POA.
fn policies(ids: Ids, is_persistent: bool) -> Vec<Policy> {
    let mut policies = Vec::new();
    if ids == Ids::User {
        policies.push(IdAssignmentPolicy::UserId.into());
    }
    if is_persistent {
        policies.push(LifespanPolicy::Persistent.into());
    }
    policies
}

/// An active root POA. The incarnation, which tells this process from others, is the same
/// each time, so that nothing is different from run to run.
pub(crate) fn demultiplexer(strategy: Strategy) -> Made<Demultiplexer> {
    let demultiplexer = Demultiplexer::new(*b"taut-bench demux", settings(strategy))?;
    demultiplexer.root().manager().activate()?;
    Ok(demultiplexer)
}

/// A child that lets requests in when its parent does.
pub(crate) fn child(parent: &Poa, name: &str, ids: Ids, is_persistent: bool) -> Made<Poa> {
    let policies = policies(ids, is_persistent);
    Ok(parent.create_poa(name, Some(parent.manager()), &policies)?)
}

/// A POA as deep as this, all above it like it; of depth 1 is a child of the root.
pub(crate) fn deep_poa(root: &Poa, depth: usize, is_persistent: bool) -> Made<Poa> {
    let mut poa = root.clone();
    for level in 0..depth {
        poa = child(&poa, &format!("level_{level:02}"), Ids::User, is_persistent)?;
    }
    Ok(poa)
}

/// The key of a reference.
pub(crate) fn key(reference: &ObjectRef) -> Made<Vec<u8>> {
    object_key(reference).ok_or_else(|| "a reference without a key".into())
}

/// The key of an object of a POA, active or not.
pub(crate) fn any_key(poa: &Poa) -> Made<Vec<u8>> {
    key(&poa.create_reference_with_id(&chosen_id(0), OBJECT)?)
}

/// The id of an object by its number, where the user chooses it.
fn chosen_id(number: usize) -> ObjectId {
    ObjectId::from(&*format!("account-{number:07}"))
}

impl World {
    /// So many objects, whose servants have one operation.
    pub(crate) fn new(strategy: Strategy, ids: Ids, count: usize) -> Made<Self> {
        let demultiplexer = demultiplexer(strategy)?;
        let poa = child(demultiplexer.root(), "accounts", ids, false)?;
        let mut world = Self {
            demultiplexer,
            poa,
            ids: Vec::with_capacity(count),
            keys: Vec::with_capacity(count),
            identities: Vec::with_capacity(count),
        };
        for number in 0..count {
            let servant = servants::one();
            world.identities.push(servant.identity());
            let id = match ids {
                Ids::System => world.poa.activate_object(servant)?,
                Ids::User => {
                    let id = chosen_id(number);
                    world.poa.activate_object_with_id(&id, servant)?;
                    id
                }
            };
            world.keys.push(key(&world.poa.id_to_reference(&id)?)?);
            world.ids.push(id);
        }
        Ok(world)
    }

    /// Deactivates all objects, and activates as many others in their places.
    pub(crate) fn renew(&self) -> Made<()> {
        for id in &self.ids {
            self.poa.deactivate_object(id)?;
        }
        for _ in &self.ids {
            self.poa.activate_object(servants::one())?;
        }
        Ok(())
    }

    /// Activates all objects once more, each in another place or as another that lies
    /// there, so that the keys name places where the objects were.
    pub(crate) fn move_objects(&self) -> Made<()> {
        for id in &self.ids {
            self.poa.deactivate_object(id)?;
        }
        for id in &self.ids {
            let servant = servants::one();
            self.poa.activate_object_with_id(id, servant)?;
        }
        Ok(())
    }

    /// The keys as they are before the objects are active, without places.
    pub(crate) fn keys_without_hint(&self) -> Made<Vec<Vec<u8>>> {
        let other = demultiplexer(Strategy::Active)?;
        let poa = child(other.root(), "accounts", Ids::User, false)?;
        let reference = |id| poa.create_reference_with_id(id, OBJECT);
        self.ids.iter().map(|id| key(&reference(id)?)).collect()
    }

    /// The keys, each with the place of the next object.
    pub(crate) fn keys_with_forged_hints(&self) -> Vec<Vec<u8>> {
        let next = self.keys.iter().cycle().skip(1);
        let forge = |(key, next): (&Vec<u8>, &Vec<u8>)| {
            let mut key = key.clone();
            key[PLACE].copy_from_slice(&next[PLACE]);
            key
        };
        self.keys.iter().zip(next).map(forge).collect()
    }

    /// The keys, each with a place where no object ever was.
    pub(crate) fn keys_with_forged_places(&self) -> Vec<Vec<u8>> {
        let forge = |key: &Vec<u8>| {
            let mut key = key.clone();
            // The place in the table, before its generation.
            key[PLACE.start] ^= 0x40;
            key
        };
        self.keys.iter().map(forge).collect()
    }

    /// The keys as another process would make them.
    pub(crate) fn keys_of_another_process(&self) -> Vec<Vec<u8>> {
        let forge = |key: &Vec<u8>| {
            let mut key = key.clone();
            key[4] ^= 1;
            key
        };
        self.keys.iter().map(forge).collect()
    }
}
