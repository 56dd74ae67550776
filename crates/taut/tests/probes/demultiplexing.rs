//! The cost of getting from an object key to the servant's operation depends neither on the
//! number of objects, nor on how deep their POA lies, nor on the number of operations; nor
//! does it allocate. Instructions are counted by valgrind; without it that part is left
//! out.

use std::hint::black_box;
use std::sync::Arc;

use counting_allocator::peak;
use taut::codegen::OperationTable;
use taut::measure::{Demultiplexer, object_key};
use taut::{
    IdAssignmentPolicy, Interface, LifespanPolicy, ObjectId, Poa, Policy, Servant, ServantIdentity,
    ServerRequest, Settings, SystemException,
};
use taut_giop::perfect_hash::generate;
use test_tools::{InstructionCounter, ignored_test};

/// So many look-ups are counted.
const LOOK_UPS: usize = 1_000;

/// Of so many objects' keys, spread over all objects.
const VISITED: usize = 100;

/// One look-up costs at most so many percent more or less than another.
const TOLERANCE_PERCENT: u64 = 2;

const INTERFACE: Interface = Interface::new("IDL:taut.test/Nothing:1.0", &[], &[]);

/// Has operations that do nothing, each of them in its own way.
struct Nothing {
    table: OperationTable,
    /// Tells it from others.
    own: Arc<u8>,
}

impl Servant for Nothing {
    fn interface(&self) -> &'static Interface {
        &INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.own)
    }

    fn dispatch(&self, request: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        match self.table.find(request.operation()) {
            Some(index) => {
                black_box(index);
                Ok(())
            }
            None => request.implicit_operation(&INTERFACE),
        }
    }
}

/// The subject of a look-up, and the number of entries.
#[derive(Debug, Clone, Copy)]
struct World {
    objects: usize,
    /// How many POAs lie between the root and the objects, with them.
    depth: usize,
    operations: usize,
    policies: &'static [Policy],
}

const TRANSIENT: &[Policy] = &[];
const WITH_IDS: &[Policy] = &[Policy::IdAssignment(IdAssignmentPolicy::UserId)];
const PERSISTENT: &[Policy] = &[
    Policy::IdAssignment(IdAssignmentPolicy::UserId),
    Policy::Lifespan(LifespanPolicy::Persistent),
];

/// The differences that may not matter: each of the second should cost what the first
/// costs.
const COMPARISONS: &[(&str, World, World)] = &[
    (
        "objects",
        world(1, 1, 1, TRANSIENT),
        world(100_000, 1, 1, TRANSIENT),
    ),
    (
        "objects_with_ids",
        world(1, 1, 1, WITH_IDS),
        world(10_000, 1, 1, WITH_IDS),
    ),
    (
        "depth",
        world(1, 1, 1, TRANSIENT),
        world(1, 25, 1, TRANSIENT),
    ),
    (
        "persistent_depth",
        world(1, 1, 1, PERSISTENT),
        world(1, 25, 1, PERSISTENT),
    ),
    (
        "operations",
        world(1, 1, 1, TRANSIENT),
        world(1, 1, 1_000, TRANSIENT),
    ),
    (
        "everything",
        world(1, 1, 1, PERSISTENT),
        world(10_000, 25, 1_000, PERSISTENT),
    ),
];

const fn world(
    objects: usize,
    depth: usize,
    operations: usize,
    policies: &'static [Policy],
) -> World {
    World {
        objects,
        depth,
        operations,
        policies,
    }
}

/// A servant's way from keys in hand to operations.
struct Way {
    demultiplexer: Demultiplexer,
    keys: Vec<Vec<u8>>,
    operations: Vec<String>,
}

impl Way {
    fn new(world: World) -> Self {
        let demultiplexer = Demultiplexer::new([7; 16], Settings::default()).unwrap();
        let root = demultiplexer.root();
        root.manager().activate().unwrap();
        let poa = (0..world.depth).fold(root.clone(), |parent, level| {
            let name = format!("poa_{level:02}");
            let manager = Some(root.manager());
            parent.create_poa(&name, manager, world.policies).unwrap()
        });
        let operations = (0..world.operations).map(|number| format!("operation_{number:03}"));
        let operations: Vec<String> = operations.collect();
        let table = table(&operations);
        let assigns_ids = world.policies.is_empty();
        let ids: Vec<ObjectId> = (0..world.objects)
            .map(|number| activate(&poa, assigns_ids, number, table))
            .collect();
        let visited = ids.iter().step_by(ids.len().div_ceil(VISITED));
        let keys = visited.map(|id| object_key(&poa.id_to_reference(id).unwrap()).unwrap());
        let keys = keys.collect();
        Self {
            demultiplexer,
            keys,
            operations,
        }
    }

    /// Looks for objects and operations here and there.
    #[inline(never)]
    fn go(&self) {
        for number in 0..LOOK_UPS {
            let key = &self.keys[number * 7_919 % self.keys.len()];
            let operation = &self.operations[number * 7_919 % self.operations.len()];
            let outcome = self.demultiplexer.dispatch(key, operation.as_bytes());
            assert!(outcome.is_ok());
        }
    }
}

/// The id of a new object: its number, unless the POA assigns one.
fn activate(poa: &Poa, assigns_ids: bool, number: usize, table: OperationTable) -> ObjectId {
    let own = Arc::new(0);
    let servant = Nothing { table, own };
    if assigns_ids {
        return poa.activate_object(servant).unwrap();
    }
    let id = ObjectId::new(number.to_be_bytes());
    poa.activate_object_with_id(&id, servant).unwrap();
    id
}

/// The perfect hash of these names.
fn table(names: &[String]) -> OperationTable {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hash = generate(&names).unwrap();
    let order = hash.order.iter();
    let slots: Vec<&'static str> = order
        .map(|&index| &*Box::leak(Box::<str>::from(names[index])))
        .collect();
    OperationTable::new(slots.leak(), hash.seed, hash.displacements.leak())
}

const COMPARISON: &str = "TAUT_COMPARISON";
const SIDE: &str = "TAUT_SIDE";

#[test]
#[ignore = "what the other test counts the instructions of"]
fn work() {
    let comparison = std::env::var(COMPARISON).unwrap();
    let (_, first, second) = *COMPARISONS
        .iter()
        .find(|(name, ..)| *name == comparison)
        .unwrap();
    let is_first = std::env::var(SIDE).unwrap() == "first";
    let way = Way::new(if is_first { first } else { second });
    way.go();
}

/// How many instructions the way takes for all look-ups.
fn instructions(counter: &InstructionCounter, comparison: &str, side: &str) -> u64 {
    let mut program = ignored_test("demultiplexing::work");
    program.env(COMPARISON, comparison).env(SIDE, side);
    let counted = counter.count_in("probes::demultiplexing::Way::go*", &program);
    let instructions = counted.unwrap().instructions;
    assert!(
        instructions > LOOK_UPS as u64,
        "{instructions} instructions are not all look-ups"
    );
    instructions
}

#[test]
fn the_way_to_a_servant_costs_the_same_whatever_there_is_beside_it() {
    let counter = InstructionCounter::find();
    let mut faults = String::new();
    for &(name, first, second) in COMPARISONS {
        for world in [first, second] {
            let way = Way::new(world);
            way.go();
            assert_eq!(peak(|| way.go()), 0, "{name} allocates: {world:?}");
        }
        let Some(counter) = &counter else {
            continue;
        };
        let few = instructions(counter, name, "first");
        let many = instructions(counter, name, "second");
        let told = format!("{name}: {few} instructions for {LOOK_UPS} look-ups, and {many}\n");
        eprint!("{told}");
        if few.abs_diff(many) * 100 > few * TOLERANCE_PERCENT {
            faults += &told;
        }
    }
    assert!(faults.is_empty(), "{faults}");
}
