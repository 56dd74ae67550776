//! `taut name serve` with its names in etcd: several replicas, which are killed one by one, and so
//! are the members of etcd. `TAUT_REPLICA_ROUNDS` says how often each, once unless it is set.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taut::{CompletionStatus, ObjectRef, Orb, Reference, SystemException};
use taut_naming::naming_context::{BindError, RebindError, ResolveError, UnbindError};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};
use tempfile::TempDir;
use test_tools::EtcdCluster;

use super::linearizability::{Action, Operation, is_linearizable};
use super::served::{Served, TIME_OUT};

const REPLICAS: usize = 3;
const CLIENTS: usize = 4;
const NAMES: u64 = 3;
/// The time in which clients work between a death and the next one.
const LULL: Duration = Duration::from_millis(500);
/// A busy machine may be slow, and that is no error.
const PATIENT: [&str; 2] = ["--etcd-timeout", "60"];

/// Replicas and the etcd that they share.
struct Replicated {
    replicas: Vec<Served>,
    etcd: EtcdCluster,
    _directory: TempDir,
}

impl Replicated {
    /// `None` where there is no etcd.
    fn start(members: usize, arguments: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let etcd = EtcdCluster::start(directory.path(), members).unwrap()?;
        let store = format!("etcd://{}/test", etcd.addresses());
        let arguments = [&PATIENT[..], arguments].concat();
        let start = |_| Served::start_with(Path::new(&store), &arguments);
        Some(Self {
            replicas: (0..REPLICAS).map(start).collect(),
            etcd,
            _directory: directory,
        })
    }

    /// The URL of all replicas, that with this number first.
    fn url(&self, first: usize) -> String {
        let address = |index: usize| {
            let port = self.replicas[(first + index) % REPLICAS].port;
            format!("iiop:1.2@127.0.0.1:{port}")
        };
        let addresses: Vec<_> = (0..REPLICAS).map(address).collect();
        format!("corbaloc:{}/NameService", addresses.join(","))
    }

    /// Kills a replica, and starts it again at its address.
    fn kill_replica(&mut self, index: usize) {
        let port = self.replicas[index].port;
        let store = format!("etcd://{}/test", self.etcd.addresses());
        self.replicas[index].kill();
        thread::sleep(LULL);
        self.replicas[index] = Served::start_at(Path::new(&store), port, &PATIENT);
    }

    /// Kills a member of etcd, and starts it again.
    fn kill_member(&mut self, index: usize) {
        self.etcd.kill(index);
        thread::sleep(LULL);
        self.etcd.start_member(index).unwrap();
        assert!(self.etcd.wait(index, TIME_OUT), "member {index} stays away");
    }
}

fn name(id: &str) -> Vec<NameComponent> {
    let kind = String::new();
    let id = id.to_owned();
    vec![NameComponent { id, kind }]
}

fn object(orb: &Orb, number: u64) -> ObjectRef {
    let url = format!("corbaloc::127.0.0.1:9/{number}");
    orb.string_to_object(&url).unwrap()
}

/// The number of an object, which is its key.
fn number(object: &ObjectRef) -> u64 {
    let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
    let key = String::from_utf8(profile.object_key).unwrap();
    key.parse().unwrap()
}

fn root(orb: &Orb, url: &str) -> NamingContextRef {
    orb.string_to_object(url).unwrap().unchecked_narrow()
}

#[test]
fn replicas_serve_one_tree_and_references_lead_to_each() {
    let Some(mut replicated) = Replicated::start(1, &[]) else {
        return;
    };
    let orb = Orb::builder().build().unwrap();
    let roots: Vec<_> = replicated
        .replicas
        .iter()
        .map(|replica| root(&orb, &replica.url))
        .collect();
    // The last replica knows all from its beginning.
    let room = roots[2].bind_new_context(&name("room")).unwrap().unwrap();
    assert_eq!(room.as_object().ior().profiles.len(), REPLICAS);
    room.bind(&name("x"), Some(&object(&orb, 1))).unwrap();
    for root in &roots {
        let found = root.resolve(&[name("room"), name("x")].concat()).unwrap();
        assert_eq!(number(&found.unwrap()), 1);
    }
    // The same context of another replica is no context of another service.
    roots[0].bind_context(&name("same"), Some(&room)).unwrap();
    let found = roots[1].resolve(&[name("same"), name("x")].concat());
    assert_eq!(number(&found.unwrap().unwrap()), 1);

    for index in [2, 1] {
        replicated.replicas[index].kill();
        let found = room.resolve(&name("x")).unwrap();
        assert_eq!(number(&found.unwrap()), 1);
    }
}

#[test]
fn replicas_with_a_copy_show_their_own_changes_at_once_and_others_soon() {
    let Some(replicated) = Replicated::start(1, &["--reads", "watched"]) else {
        return;
    };
    let orb = Orb::builder().build().unwrap();
    let own = root(&orb, &replicated.replicas[0].url);
    let other = root(&orb, &replicated.replicas[1].url);
    for round in 0..20 {
        own.rebind(&name("x"), Some(&object(&orb, round))).unwrap();
        let found = own.resolve(&name("x")).unwrap().unwrap();
        assert_eq!(number(&found), round);
    }
    let started = Instant::now();
    loop {
        let found = other.resolve(&name("x"));
        if found.is_ok_and(|found| found.is_some_and(|it| number(&it) == 19)) {
            return;
        }
        assert!(started.elapsed() < TIME_OUT);
        thread::sleep(Duration::from_millis(10));
    }
}

/// A client, the operations that it has carried out by name, and how often an end was not known.
struct Client {
    orb: Orb,
    root: NamingContextRef,
    history: BTreeMap<u64, Vec<Operation>>,
    doubts: usize,
}

impl Client {
    fn new(url: &str) -> Self {
        let orb = Orb::builder().build().unwrap();
        let root = root(&orb, url);
        Self {
            orb,
            root,
            history: BTreeMap::new(),
            doubts: 0,
        }
    }

    /// Notes an operation whose outcome is an action, or an exception and the action that may have
    /// been carried out.
    fn note(
        &mut self,
        id: u64,
        begin: Instant,
        outcome: Result<Action, (SystemException, Action)>,
    ) {
        let (action, end) = match outcome {
            Ok(action) => (action, Some(Instant::now())),
            Err((exception, action)) => {
                // The service that has the request dies: that is the sole error, and a client
                // cannot know more.
                let expected = CompletionStatus::Maybe;
                assert_eq!(exception.completed, expected, "{exception}");
                self.doubts += 1;
                (action, None)
            }
        };
        let operation = Operation { action, begin, end };
        self.history.entry(id).or_default().push(operation);
    }

    fn work(&mut self) {
        let random = RandomState::new().hash_one(0);
        let (id, object_number) = (random % NAMES, random >> 8);
        let name = name(&id.to_string());
        let object = object(&self.orb, object_number);
        let begin = Instant::now();
        let bind = |is_done| Action::Bind {
            object: object_number,
            is_done,
        };
        let unbind = |is_done| Action::Unbind { is_done };
        let rebind = Action::Rebind {
            object: object_number,
        };
        let outcome = match random / NAMES % 5 {
            0 => match self.root.bind(&name, Some(&object)) {
                Ok(()) => Ok(bind(true)),
                Err(BindError::AlreadyBound(_)) => Ok(bind(false)),
                Err(BindError::System(exception)) => Err((exception, bind(true))),
                Err(error) => panic!("{error}"),
            },
            1 => match self.root.rebind(&name, Some(&object)) {
                Ok(()) => Ok(rebind),
                Err(RebindError::System(exception)) => Err((exception, rebind)),
                Err(error) => panic!("{error}"),
            },
            2 => match self.root.unbind(&name) {
                Ok(()) => Ok(unbind(true)),
                Err(UnbindError::NotFound(_)) => Ok(unbind(false)),
                Err(UnbindError::System(exception)) => Err((exception, unbind(true))),
                Err(error) => panic!("{error}"),
            },
            _ => match self.root.resolve(&name) {
                Ok(found) => Ok(Action::Resolve {
                    found: found.map(|found| number(&found)),
                }),
                Err(ResolveError::NotFound(_)) => Ok(Action::Resolve { found: None }),
                Err(ResolveError::System(exception)) => {
                    // It changes nothing, so nothing is in doubt.
                    assert_eq!(exception.completed, CompletionStatus::Maybe, "{exception}");
                    self.doubts += 1;
                    return;
                }
                Err(error) => panic!("{error}"),
            },
        };
        self.note(id, begin, outcome);
    }
}

#[test]
fn deaths_of_replicas_and_of_etcd_cost_clients_a_delay_and_histories_are_linearizable() {
    let rounds = env::var("TAUT_REPLICA_ROUNDS").map_or(1, |text| text.parse().unwrap());
    let Some(mut replicated) = Replicated::start(3, &[]) else {
        return;
    };
    let urls: Vec<_> = (0..CLIENTS).map(|first| replicated.url(first)).collect();
    let is_over = AtomicBool::new(false);
    let clients = thread::scope(|scope| {
        let working: Vec<_> = urls
            .iter()
            .map(|url| {
                scope.spawn(|| {
                    let mut client = Client::new(url);
                    while !is_over.load(Ordering::Relaxed) {
                        client.work();
                    }
                    client
                })
            })
            .collect();
        // The clients end even when a kill panics.
        struct Over<'f>(&'f AtomicBool);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let over = Over(&is_over);
        for _ in 0..rounds {
            for index in 0..REPLICAS {
                thread::sleep(LULL);
                replicated.kill_replica(index);
                thread::sleep(LULL);
                replicated.kill_member(index);
            }
        }
        thread::sleep(LULL);
        drop(over);
        let clients = working.into_iter().map(|client| client.join().unwrap());
        clients.collect::<Vec<_>>()
    });

    let doubts: usize = clients.iter().map(|client| client.doubts).sum();
    let kills = rounds * REPLICAS;
    assert!(
        doubts <= kills * CLIENTS,
        "{doubts} doubts of {kills} kills"
    );
    let mut operations = 0;
    for id in 0..NAMES {
        let history = clients.iter().filter_map(|client| client.history.get(&id));
        let history: Vec<_> = history.flatten().copied().collect();
        operations += history.len();
        assert!(is_linearizable(&history), "name {id}: {history:#?}");
    }
    println!("{operations} operations, {doubts} in doubt after {kills} kills of replicas");
    assert!(operations > 10 * CLIENTS, "{operations} operations");
}
