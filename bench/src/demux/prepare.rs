//! From a case to its look-ups.

use std::collections::HashMap;
use std::rc::Rc;

use taut::codegen::{
    HashedOperationTable, LinearOperationTable, OperationTable, SortedOperationTable,
};
use taut::measure::{Demultiplexer, has_object, has_servant};
use taut_giop::perfect_hash;

use super::case::{Case, Strategy, Subject};
use super::servants;
use super::visits::{LookUps, Shuffle, Visits, Walk};
use super::world::{self, Ids, Made, World};

/// The worlds of objects that several cases look into.
#[derive(Default)]
pub(crate) struct Worlds {
    plain: HashMap<(Strategy, Ids, usize), Rc<World>>,
}

impl Worlds {
    /// Objects that nothing has happened to.
    fn plain(&mut self, case: Case, ids: Ids) -> Made<Rc<World>> {
        let (strategy, count) = (case.strategy, case.count);
        if let Some(world) = self.plain.get(&(strategy, ids, count)) {
            return Ok(Rc::clone(world));
        }
        let world = Rc::new(World::new(strategy, ids, count)?);
        self.plain.insert((strategy, ids, count), Rc::clone(&world));
        Ok(world)
    }
}

/// All that a case needs, ready to be looked up.
///
/// # Errors
///
/// When a POA refuses what is made here.
pub(crate) fn prepare(case: Case, worlds: &mut Worlds) -> Made<Box<dyn LookUps>> {
    use Subject as S;
    match case.subject {
        S::Nothing => Ok(Walk::boxed(
            case.visit_keys(&[b"what is looked for nowhere".to_vec()]),
            |_, _| true,
        )),
        S::ObjectSystemId => Ok(objects(case, worlds.plain(case, Ids::System)?, |_| None)),
        S::ObjectUserId => Ok(objects(case, worlds.plain(case, Ids::User)?, |_| None)),
        S::ObjectNoHint => {
            let world = worlds.plain(case, Ids::User)?;
            let keys = world.keys_without_hint()?;
            Ok(objects(case, world, |_| Some(keys)))
        }
        S::ObjectStaleHint => {
            let world = World::new(case.strategy, Ids::User, case.count)?;
            world.move_objects()?;
            Ok(objects(case, Rc::new(world), |_| None))
        }
        S::ObjectForgedHint => {
            let world = worlds.plain(case, Ids::User)?;
            Ok(objects(case, world, |world| {
                Some(world.keys_with_forged_hints())
            }))
        }
        S::PoaDepth => poa_depth(case),
        S::Poa => poas(case),
        S::Operation => operations(case),
        S::Servant => Ok(servant(case, worlds.plain(case, Ids::System)?)),
        S::DispatchObjects => Ok(dispatch(case, worlds.plain(case, Ids::System)?, None)),
        S::DispatchUserId => Ok(dispatch(case, worlds.plain(case, Ids::User)?, None)),
        S::DispatchDepth => dispatch_depth(case, true),
        S::DispatchTransientDepth => dispatch_depth(case, false),
        S::DispatchOperations => dispatch_operations(case),
        S::DispatchStale => {
            let world = World::new(case.strategy, Ids::System, case.count)?;
            world.renew()?;
            Ok(dispatch(case, Rc::new(world), None))
        }
        S::DispatchForgedPlace => {
            let world = worlds.plain(case, Ids::System)?;
            let keys = world.keys_with_forged_places();
            Ok(dispatch(case, world, Some(keys)))
        }
        S::DispatchForged => {
            let world = worlds.plain(case, Ids::System)?;
            let keys = world.keys_of_another_process();
            Ok(dispatch(case, world, Some(keys)))
        }
        S::DispatchForeign => {
            let world = worlds.plain(case, Ids::System)?;
            let keys = vec![b"NameService".to_vec(); case.count];
            Ok(dispatch(case, world, Some(keys)))
        }
    }
}

impl Case {
    /// Visits of these keys in the case's order.
    fn visit_keys(self, keys: &[Vec<u8>]) -> Visits {
        let chosen = self.choose(&mut Shuffle::new());
        Visits::of(chosen.into_iter().map(|index| (&*keys[index], &[][..])))
    }
}

fn objects(
    case: Case,
    world: Rc<World>,
    keys: impl FnOnce(&World) -> Option<Vec<Vec<u8>>>,
) -> Box<dyn LookUps> {
    let visits = case.visit_keys(keys(&world).as_ref().unwrap_or(&world.keys));
    Walk::boxed(visits, move |key, _| has_object(&world.poa, key))
}

/// The POA at the end of a way from the root.
fn poa_depth(case: Case) -> Made<Box<dyn LookUps>> {
    let demultiplexer = world::demultiplexer(case.strategy)?;
    let poa = world::deep_poa(demultiplexer.root(), case.count, true)?;
    let key = world::any_key(&poa)?;
    let visits = case.visit_keys(&vec![key; case.count]);
    Ok(Walk::boxed(visits, move |key, _| {
        demultiplexer.has_poa(key)
    }))
}

/// POAs beside one another.
fn poas(case: Case) -> Made<Box<dyn LookUps>> {
    let demultiplexer = world::demultiplexer(case.strategy)?;
    let key = |number| {
        let name = format!("branch-{number:04}");
        let poa = world::child(demultiplexer.root(), &name, Ids::User, true)?;
        world::any_key(&poa)
    };
    let keys: Vec<Vec<u8>> = (0..case.count).map(key).collect::<Made<_>>()?;
    let visits = case.visit_keys(&keys);
    Ok(Walk::boxed(visits, move |key, _| {
        demultiplexer.has_poa(key)
    }))
}

/// The tables that the compiler of IDL makes, of names like those of operations. They
/// are part of the program there, and last as long here.
fn operations(case: Case) -> Made<Box<dyn LookUps>> {
    let mut names: Vec<String> = (0..case.count).map(servants::operation).collect();
    // For who goes through all the worst is the last; for who halves them, one at an
    // end. By hash it is any of them.
    let visits = case.visit_keys(
        &names
            .iter()
            .map(|name| name.clone().into())
            .collect::<Vec<_>>(),
    );
    let lasting = |names: Vec<String>| -> &'static [&'static str] {
        let names = names.into_iter().map(|name| &*name.leak());
        names.collect::<Vec<_>>().leak()
    };
    Ok(match case.strategy {
        Strategy::PerfectHash => {
            let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
            let hash = perfect_hash::generate(&borrowed)?;
            let order = hash.order.iter();
            let names = order.map(|&index| names[index].clone()).collect();
            let displacements = hash.displacements.leak();
            let table = OperationTable::new(lasting(names), hash.seed, displacements);
            Walk::boxed(visits, move |name, _| table.find(name).is_some())
        }
        Strategy::Binary => {
            names.sort_unstable();
            let table = SortedOperationTable::new(lasting(names));
            Walk::boxed(visits, move |name, _| table.find(name).is_some())
        }
        Strategy::Linear => {
            let table = LinearOperationTable::new(lasting(names));
            Walk::boxed(visits, move |name, _| table.find(name).is_some())
        }
        Strategy::DynamicHash | Strategy::Active => {
            let table = HashedOperationTable::new(lasting(names));
            Walk::boxed(visits, move |name, _| table.find(name).is_some())
        }
    })
}

/// The objects of servants. A servant is named by its number.
fn servant(case: Case, world: Rc<World>) -> Box<dyn LookUps> {
    let numbers: Vec<Vec<u8>> = (0..case.count).map(|n| n.to_ne_bytes().into()).collect();
    Walk::boxed(case.visit_keys(&numbers), move |number, _| {
        let number = number.try_into().map(usize::from_ne_bytes);
        number.is_ok_and(|number| has_servant(&world.poa, world.identities[number]))
    })
}

/// The whole way, to objects of one POA.
fn dispatch(case: Case, world: Rc<World>, keys: Option<Vec<Vec<u8>>>) -> Box<dyn LookUps> {
    let keys = keys.as_ref().unwrap_or(&world.keys);
    let operation = servants::operation(0);
    let chosen = case.choose(&mut Shuffle::new()).into_iter();
    let visits = Visits::of(chosen.map(|index| (&*keys[index], operation.as_bytes())));
    let is_there = case.subject.is_there();
    Walk::boxed(visits, move |key, operation| {
        world.demultiplexer.dispatch(key, operation).is_ok() == is_there
    })
}

/// The whole way, to an object deep down.
fn dispatch_depth(case: Case, is_persistent: bool) -> Made<Box<dyn LookUps>> {
    let demultiplexer = world::demultiplexer(case.strategy)?;
    let poa = world::deep_poa(demultiplexer.root(), case.count, is_persistent)?;
    let id = "account-0000000".into();
    poa.activate_object_with_id(&id, servants::one())?;
    let key = world::key(&poa.id_to_reference(&id)?)?;
    Ok(dispatch_one(case, demultiplexer, &key, 1))
}

/// The whole way, to one of many operations.
fn dispatch_operations(case: Case) -> Made<Box<dyn LookUps>> {
    let demultiplexer = world::demultiplexer(case.strategy)?;
    let poa = demultiplexer.root().clone();
    let id = servants::activate(&poa, case.count)?;
    let key = world::key(&poa.id_to_reference(&id)?)?;
    Ok(dispatch_one(case, demultiplexer, &key, case.count))
}

/// The whole way to one object.
fn dispatch_one(
    case: Case,
    demultiplexer: Demultiplexer,
    key: &[u8],
    operations: usize,
) -> Box<dyn LookUps> {
    let names: Vec<String> = (0..operations).map(servants::operation).collect();
    let chosen = case.choose(&mut Shuffle::new()).into_iter();
    let chosen = chosen.map(|index| names[index % operations].as_bytes());
    let visits = Visits::of(chosen.map(|name| (key, name)));
    Walk::boxed(visits, move |key, operation| {
        demultiplexer.dispatch(key, operation).is_ok()
    })
}
