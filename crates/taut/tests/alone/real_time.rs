//! Real-time calls behind `prepare`, and the threads of an ORB that has priorities.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, EchoSkeleton, Misbehaviour, eventually};
use counting_allocator::every_thread::in_steady_state;
use parking_lot::Mutex;
use taut::policy::{PriorityModel, PriorityModelPolicy, ThreadpoolPolicy};
use taut::real_time::{Priority, RealTime, RtOrb, Threadpool, ThreadpoolLane};
use taut::{Orb, OrbBuilder, Poa, Reference};
use taut_sys::usage::Usage;
use test_tools::in_own_process;

/// A servant that does as little as can be.
#[derive(Default)]
struct Counter(AtomicU32);

impl Echo for Counter {
    fn ping(&self) -> taut::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A servant that waits.
struct Blocker(Mutex<(Sender<()>, Receiver<()>)>);

impl Echo for Blocker {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    fn note(&self, _: &str) -> taut::Result<()> {
        Ok(())
    }

    fn misbehave(&self, _: Misbehaviour) -> taut::Result<()> {
        let (entered, release) = &*self.0.lock();
        entered.send(()).unwrap();
        release.recv().unwrap();
        Ok(())
    }
}

fn builder() -> OrbBuilder {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    builder.real_time(RealTime::new()).settings(|settings| {
        Mode::tcp().adjust(settings);
        settings.real_time.highest_native = Some(9);
    })
}

/// An object of a POA that is bound to this pool, and to whose requests clients propagate their
/// priorities.
fn serve(orb: &Orb, pool: &Threadpool) -> (EchoRef, Arc<Counter>) {
    let pool = orb.real_time().unwrap().create(pool).unwrap();
    let root = orb.root_poa().unwrap();
    let model = PriorityModelPolicy {
        priority_model: PriorityModel::ClientPropagated,
        server_priority: Priority::MIN,
    };
    let (policies, told) = ([ThreadpoolPolicy(pool).into()], [model.into()]);
    let poa = create(&root, &policies, &told);
    root.manager().activate().unwrap();
    let servant = Arc::new(Counter::default());
    let object = poa.activate(EchoSkeleton(Arc::clone(&servant))).unwrap();
    (object, servant)
}

fn create(root: &Poa, policies: &[taut::Policy], told: &[taut::policy::Policy]) -> Poa {
    let manager = Some(root.manager());
    root.create_poa_telling("lanes", manager, policies, told)
        .unwrap()
}

#[test]
fn prepared_calls_meet_nothing_but_their_wait() {
    in_own_process(
        prepared_calls_meet_nothing_but_their_wait,
        count_prepared_calls,
    );
}

/// A thread of this process, as the system describes it.
struct Task {
    number: u64,
    name: String,
    status: String,
    stat: String,
}

impl Task {
    /// `None` if the thread has ended meanwhile.
    fn read(path: &Path) -> Option<Self> {
        let read = |file: &str| fs::read_to_string(path.join(file)).ok();
        Some(Self {
            number: path.file_name()?.to_str()?.parse().ok()?,
            name: read("comm")?.trim().to_owned(),
            status: read("status")?,
            stat: read("stat")?,
        })
    }

    /// A field of the status, by its name.
    fn status(&self, field: &str) -> &str {
        let mut lines = self.status.lines();
        let value = lines.find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        value.unwrap().trim()
    }
}

fn tasks() -> Vec<Task> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let tasks = tasks.filter_map(|task| Task::read(&task.ok()?.path()));
    tasks.collect()
}

/// How often each thread of this process has given its CPU away, by their numbers and names.
fn switches() -> BTreeMap<u64, (String, u64)> {
    let of_task = |task: Task| {
        let voluntary = task.status("voluntary_ctxt_switches").parse().unwrap();
        (task.number, (task.name, voluntary))
    };
    tasks().into_iter().map(of_task).collect()
}

fn count_prepared_calls() {
    const CALLS: u64 = 100_000;
    let orb = builder().build().unwrap();
    let priority = Priority::new(20_000).unwrap();
    let pool = Threadpool::with_lanes([ThreadpoolLane::new(priority, 2)]);
    let (object, servant) = serve(&orb, &pool);
    let client = builder()
        .settings(|settings| {
            settings.real_time.lock_memory = true;
            settings.real_time.prepared_stack = 256 << 10;
        })
        .build()
        .unwrap();
    let rt = client.real_time().unwrap();
    if let Err(error) = rt.prepare() {
        eprintln!("LEFT OUT: the memory is not locked: {error}");
    }
    rt.current().set_the_priority(priority.get()).unwrap();
    let text = object.as_object().to_string();
    let object: EchoRef = client.string_to_object(&text).unwrap().unchecked_narrow();
    object.as_object().prepare().unwrap();

    let threads = switches();
    let faults = || {
        let usage = Usage::of_this_process().unwrap();
        (usage.minor_faults, usage.major_faults)
    };
    let (mut is_first, mut met) = (true, (0, 0));
    let allocations = in_steady_state(1, || {
        // There are no calls beforehand but those that prepare them.
        if std::mem::take(&mut is_first) {
            return;
        }
        let before = faults();
        (0..CALLS).for_each(|_| object.ping().unwrap());
        let after = faults();
        met = (after.0 - before.0, after.1 - before.1);
    });
    let threads_after = switches();

    assert_eq!(
        servant.0.load(Ordering::Relaxed),
        u32::try_from(CALLS).unwrap()
    );
    assert_eq!(allocations, 0, "allocations");
    assert_eq!(met, (0, 0), "page faults, minor and major");
    let numbers = |all: &BTreeMap<u64, _>| all.keys().copied().collect::<Vec<_>>();
    assert_eq!(numbers(&threads_after), numbers(&threads), "threads");
    for (number, (name, now)) in &threads_after {
        let more = now - threads[number].1;
        // The keeper and the watch look now and then; the others wait for each call once.
        let is_for_calls = !name.starts_with("taut keep") && !name.starts_with("taut watch");
        if is_for_calls {
            assert!(
                more <= CALLS + 8,
                "{name} has given its CPU away {more} times"
            );
        }
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn each_thread_has_the_priority_and_the_cpus_that_the_application_gives() {
    in_own_process(
        each_thread_has_the_priority_and_the_cpus_that_the_application_gives,
        look_at_threads,
    );
}

/// How the system schedules a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scheduled {
    /// 1: first in, first out.
    policy: u32,
    priority: u32,
    cpus: String,
}

/// The threads of this process that are the ORB's.
fn scheduled() -> Vec<(String, Scheduled)> {
    let of_task = |task: Task| {
        // The name, in parentheses, may be anything.
        let (_, fields) = task.stat.rsplit_once(") ").unwrap();
        let field = |place: usize| {
            fields
                .split(' ')
                .nth(place)
                .unwrap()
                .trim()
                .parse()
                .unwrap()
        };
        let scheduled = Scheduled {
            priority: field(37),
            policy: field(38),
            cpus: task.status("Cpus_allowed_list").to_owned(),
        };
        (task.name, scheduled)
    };
    let own = tasks().into_iter();
    let own = own.filter(|task| task.name.starts_with("taut "));
    own.map(of_task).collect()
}

fn look_at_threads() {
    let cpus = taut_sys::cpu::allowed().unwrap();
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    let internal = Priority::new(10_000).unwrap();
    let build = || {
        let builder = builder().settings(|settings| {
            settings.real_time.internal_priority = Some(internal);
            settings.real_time.internal_cpus = vec![first];
            settings.server.connection_threads = 1;
        });
        builder.build().unwrap()
    };
    let orb = build();
    let rt: RtOrb = orb.real_time().unwrap();
    if !rt.applies_native_priorities() {
        return eprintln!("LEFT OUT: native priorities are not allowed here");
    }
    let (low, high) = (Priority::MIN, Priority::MAX);
    let lanes = [
        ThreadpoolLane::new(low, 1).dynamic_threads(1).cpus([last]),
        ThreadpoolLane::new(high, 2)
            .cpus([first, last])
            .accept_priority(low),
    ];
    let (_object, _servant) = serve(&orb, &Threadpool::with_lanes(lanes));
    // Connections of the server itself: one with a thread of its own, one of the reactor.
    let root = orb.root_poa().unwrap();
    let (entered, has_entered) = channel();
    let (release, is_released) = channel();
    let blocker = Blocker(Mutex::new((entered, is_released)));
    let of_root = root.activate(EchoSkeleton(Arc::new(blocker))).unwrap();
    let text = of_root.as_object().to_string();
    let callers: Vec<Orb> = (0..2).map(|_| build()).collect();
    let clients: Vec<EchoRef> = callers
        .iter()
        .map(|orb| orb.string_to_object(&text).unwrap().unchecked_narrow())
        .collect();
    clients.iter().for_each(|client| client.ping().unwrap());
    // One that sends oneways together, and one that ends a servant which is held.
    let patient = clients[0].with_sync_scope(taut::SyncScope::None);
    patient.note("later").unwrap();
    let blocked = clients[1].clone();
    let blocked = std::thread::spawn(move || blocked.misbehave(Misbehaviour::Blocks));
    has_entered.recv().unwrap();
    let id = root.reference_to_id(of_root.as_object()).unwrap();
    root.deactivate_object(&id).unwrap();

    let native = |priority: Priority| {
        let native = rt.to_native(priority).unwrap().0;
        u32::try_from(native).unwrap()
    };
    let is = |priority, cpus: &str| Scheduled {
        policy: 1,
        priority: native(priority),
        cpus: cpus.to_owned(),
    };
    let list = |cpus: &[usize]| match *cpus {
        [one, other] if one + 1 == other => format!("{one}-{other}"),
        [one, other] if one != other => format!("{one},{other}"),
        _ => cpus[0].to_string(),
    };
    let both = list(&[first, last]);
    // The system knows the first 15 octets of a name.
    let expected = |name: &str, is_of_high: bool| match name {
        "taut lane 1:0" | "taut keep 1:0" => is(low, &list(&[last, last])),
        "taut lane 1:1" | "taut keep 1:1" => is(high, &both),
        _ if is_of_high => is(low, &both),
        _ => is(internal, &list(&[first, first])),
    };
    // Accepting: one for the ORB and one for each lane.
    let names = [
        "accept",
        "client",
        "connection",
        "keep 1:0",
        "keep 1:1",
        "lane 1:0",
        "lane 1:1",
        "oneways",
        "reactor",
        "reclaim",
        "supervisor",
        "watch",
    ];
    let mut threads = Vec::new();
    eventually("all threads", || {
        threads = scheduled();
        let all = &threads;
        let is_there = |name: &&str| {
            let name = format!("taut {name}");
            all.iter()
                .any(|(other, _)| name.starts_with(other) || other.starts_with(&name))
        };
        names.iter().all(is_there)
    });
    let mut acceptors: Vec<_> = Vec::new();
    for (name, scheduled) in &threads {
        if name.starts_with("taut accept") {
            acceptors.push(scheduled.clone());
            continue;
        }
        assert_eq!(
            *scheduled,
            expected(name, false),
            "{name} among {threads:?}"
        );
    }
    acceptors.sort_by_key(|scheduled| (scheduled.priority, scheduled.cpus.clone()));
    let mut expected: Vec<_> = vec![
        is(low, &both),
        is(internal, &list(&[first, first])),
        is(internal, &list(&[last, last])),
    ];
    expected.sort_by_key(|scheduled| (scheduled.priority, scheduled.cpus.clone()));
    assert_eq!(acceptors, expected);
    release.send(()).unwrap();
    blocked.join().unwrap().unwrap();
    callers.iter().for_each(|orb| orb.shutdown(true).unwrap());
    orb.shutdown(true).unwrap();
}
