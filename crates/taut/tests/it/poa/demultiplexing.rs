//! Objects, POAs and servants are found in several ways, with the same result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use taut::{
    DemultiplexingStrategy, IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy, ObjectId,
    ObjectRef, Poa, PoaError, Policy, Reference, ReverseDemultiplexing,
};

use crate::common::mode::Mode;
use crate::poa::house::{
    ECHO, House, NO_SUCH_POA, Probe, UNKNOWN_OBJECT, call, named, shared, skeleton,
};

const STRATEGIES: [DemultiplexingStrategy; 3] = [
    DemultiplexingStrategy::Active,
    DemultiplexingStrategy::DynamicHash,
    DemultiplexingStrategy::Linear,
];

fn house(strategy: DemultiplexingStrategy, reverse: ReverseDemultiplexing) -> House {
    House::with(Mode::tcp(), |settings| {
        settings.server.object_demultiplexing = strategy;
        settings.server.poa_demultiplexing = strategy;
        settings.server.servant_demultiplexing = reverse;
    })
}

fn pairs() -> impl Iterator<Item = (DemultiplexingStrategy, ReverseDemultiplexing)> {
    let reverse = [
        ReverseDemultiplexing::DynamicHash,
        ReverseDemultiplexing::Linear,
    ];
    let all = STRATEGIES
        .into_iter()
        .cycle()
        .zip(reverse.into_iter().cycle());
    all.take(6)
}

/// Numbers in no order, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// The state that a POA should have.
struct Model {
    poa: Poa,
    is_system: bool,
    is_unique: bool,
    /// Which servant incarnates which object.
    active: BTreeMap<ObjectId, usize>,
    /// All ids that were ever seen, and a reference to each.
    known: Vec<(ObjectId, ObjectRef)>,
}

impl Model {
    fn has(&self, servant: usize) -> bool {
        self.active.values().any(|other| *other == servant)
    }

    fn step(&mut self, chance: &mut Chance, servants: &[Arc<Probe>]) {
        let number = chance.below(servants.len());
        let servant = &servants[number];
        let (id, object) = self.known[chance.below(self.known.len())].clone();
        let expected = self.active.get(&id).copied();
        match chance.below(8) {
            0 if self.is_system => {
                let activated = self.poa.activate_object(skeleton(servant));
                if self.is_unique && self.has(number) {
                    assert_eq!(activated, Err(PoaError::ServantAlreadyActive));
                    return;
                }
                let id = activated.unwrap();
                assert!(self.known.iter().all(|(known, _)| *known != id));
                self.know(id.clone());
                self.active.insert(id, number);
            }
            0 | 1 => {
                let activated = self.poa.activate_object_with_id(&id, skeleton(servant));
                if expected.is_some() {
                    assert_eq!(activated, Err(PoaError::ObjectAlreadyActive));
                } else if self.is_unique && self.has(number) {
                    assert_eq!(activated, Err(PoaError::ServantAlreadyActive));
                } else {
                    assert_eq!(activated, Ok(()));
                    self.active.insert(id, number);
                }
            }
            2 => {
                let deactivated = self.poa.deactivate_object(&id);
                let was_active = self.active.remove(&id).is_some();
                assert_eq!(deactivated.is_ok(), was_active);
            }
            3 => {
                let servant = self
                    .poa
                    .id_to_servant(&id)
                    .map(|servant| servant.identity());
                let expected = expected.map(|number| shared(&servants[number]).identity());
                assert_eq!(servant, expected.ok_or(PoaError::ObjectNotActive));
                let reference = self.poa.id_to_reference(&id);
                assert_eq!(reference.is_ok(), expected.is_some());
            }
            4 if self.is_unique => {
                let found = self.poa.servant_to_id(skeleton(servant));
                let own = self.active.iter().find(|(_, other)| **other == number);
                let own = own.map(|(id, _)| id.clone());
                assert_eq!(found, own.ok_or(PoaError::ServantNotActive));
            }
            5 => {
                let found = self.poa.reference_to_servant(&object);
                let expected = expected.map(|number| shared(&servants[number]).identity());
                let found = found.map(|servant| servant.identity());
                assert_eq!(found, expected.ok_or(PoaError::ObjectNotActive));
            }
            6 if chance.below(20) == 0 => {
                let expected = expected.map(|number| number.to_string());
                assert_eq!(call(&object, ""), expected.ok_or(UNKNOWN_OBJECT));
            }
            7 if self.is_system && chance.below(100) == 0 => {
                let object = self.poa.create_reference(ECHO).unwrap();
                let id = self.poa.reference_to_id(&object).unwrap();
                assert!(self.known.iter().all(|(known, _)| *known != id));
                self.know(id);
            }
            _ => {
                assert_eq!(self.poa.reference_to_id(&object).as_ref(), Ok(&id));
            }
        }
    }

    /// Remembers an id, instead of one that is not active when there are many.
    fn know(&mut self, id: ObjectId) {
        let object = self.poa.create_reference_with_id(&id, ECHO).unwrap();
        if self.known.len() >= 60
            && let Some(old) = self
                .known
                .iter()
                .position(|(id, _)| !self.active.contains_key(id))
        {
            self.known.swap_remove(old);
        }
        self.known.push((id, object));
    }
}

#[test]
fn a_hundred_thousand_operations_end_as_they_should_whatever_the_strategy() {
    let servants: Vec<_> = (0..30)
        .map(|number: usize| named(&number.to_string()))
        .collect();
    for (number, (strategy, reverse)) in pairs().enumerate() {
        let house = house(strategy, reverse);
        let mut chance = Chance(number as u64);
        let mut models = Vec::new();
        for sort in 0..8 {
            let is = |bit: usize| sort & bit != 0;
            let (is_system, is_unique) = (is(1), is(2));
            let policies: [Policy; 3] = [
                [LifespanPolicy::Transient, LifespanPolicy::Persistent][usize::from(is(4))].into(),
                [IdAssignmentPolicy::UserId, IdAssignmentPolicy::SystemId][usize::from(is_system)]
                    .into(),
                [IdUniquenessPolicy::MultipleId, IdUniquenessPolicy::UniqueId]
                    [usize::from(is_unique)]
                .into(),
            ];
            let poa = house.child(&sort.to_string(), &policies);
            let mut model = Model {
                poa,
                is_system,
                is_unique,
                active: BTreeMap::new(),
                known: Vec::new(),
            };
            for number in 0..20_usize {
                let id = match is_system {
                    true => {
                        let object = model.poa.create_reference(ECHO).unwrap();
                        model.poa.reference_to_id(&object).unwrap()
                    }
                    // Of all lengths, also as long as those that a POA assigns.
                    false => ObjectId::new(vec![number as u8; number]),
                };
                model.know(id);
            }
            models.push(model);
        }
        for _ in 0..100_000 / 6 {
            let sort = chance.below(models.len());
            models[sort].step(&mut chance, &servants);
        }
        for model in &models {
            for (id, object) in &model.known {
                let expected = model.active.get(id).map(usize::to_string);
                assert_eq!(call(object, ""), expected.ok_or(UNKNOWN_OBJECT));
            }
            model.poa.destroy(true, true).unwrap();
        }
    }
    assert!(
        servants
            .iter()
            .all(|servant| Arc::strong_count(servant) == 1)
    );
}

#[test]
fn poas_are_found_whatever_the_strategy() {
    for strategy in STRATEGIES {
        let house = house(strategy, ReverseDemultiplexing::DynamicHash);
        for lifespan in [LifespanPolicy::Transient, LifespanPolicy::Persistent] {
            let policies = [lifespan.into(), IdAssignmentPolicy::UserId.into()];
            let top = format!("{lifespan:?}");
            let mut objects = Vec::new();
            for round in 0..2 {
                let mut poa = house.child(&top, &policies);
                for depth in 0..6 {
                    let manager = Some(house.root.manager());
                    // Names that occur twice on the way.
                    let name = (depth % 2).to_string();
                    poa = poa.create_poa(&name, manager, &policies).unwrap();
                    let name = format!("{round}/{depth}");
                    let object = poa.activate_with_id(&"x".into(), skeleton(&named(&name)));
                    objects.push((round, depth, object.unwrap()));
                }
                for (made, depth, object) in &objects {
                    let expected = match (*made == round, lifespan) {
                        (false, LifespanPolicy::Transient) => Err(NO_SUCH_POA),
                        _ => Ok(format!("{round}/{depth}")),
                    };
                    assert_eq!(call(object.as_object(), ""), expected, "{strategy:?}");
                }
                let top = house.root.find_poa(&top, false).unwrap();
                top.destroy(true, true).unwrap();
            }
            for (_, _, object) in &objects {
                assert_eq!(call(object.as_object(), ""), Err(NO_SUCH_POA));
            }
        }
    }
}

#[test]
fn ids_are_unique_among_a_thousand_objects_whatever_the_strategy() {
    for (strategy, reverse) in pairs() {
        let house = house(strategy, reverse);
        let servants: Vec<_> = (0..1_000)
            .map(|number: usize| named(&number.to_string()))
            .collect();
        let mut ids = BTreeSet::new();
        for servant in &servants {
            let id = house.root.activate_object(skeleton(servant)).unwrap();
            assert_eq!(
                house.root.servant_to_id(skeleton(servant)).as_ref(),
                Ok(&id)
            );
            assert!(ids.insert(id));
        }
        for id in ids.iter().step_by(2) {
            house.root.deactivate_object(id).unwrap();
        }
        for (number, id) in ids.iter().enumerate() {
            assert_eq!(house.root.id_to_servant(id).is_ok(), number % 2 == 1);
        }
    }
}
