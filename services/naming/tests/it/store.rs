//! The conformance suite of stores. Each store has to pass every test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use taut_naming::NameComponent;
use taut_naming::store::etcd::{EtcdSettings, Reads};
use taut_naming::store::{
    Answer, Bound, Change, ContextId, Done, Entry, EtcdStore, FileStore, Key, MemoryStore, Refusal,
    Store, StoreLimits, Totals, Why, resolve,
};
use tempfile::TempDir;
use test_tools::EtcdCluster;

use crate::store_leases::{
    a_lease_ends_and_its_names_with_it, a_lease_that_is_renewed_goes_on,
    a_name_that_is_bound_anew_is_parted_from_its_lease,
};

/// A store that is being tested, and the directory in which it may have a file.
pub(crate) struct Tested {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) limits: StoreLimits,
    _cluster: Option<EtcdCluster>,
    _directory: Option<TempDir>,
}

fn memory() -> Tested {
    tested(Arc::new(MemoryStore::new()), None)
}

fn file() -> Tested {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::open(directory.path().join("names")).unwrap();
    tested(Arc::new(store), Some(directory))
}

fn etcd(reads: Reads) -> Option<Tested> {
    let directory = tempfile::tempdir().unwrap();
    let cluster = EtcdCluster::start(directory.path(), 1).unwrap()?;
    let mut settings = EtcdSettings::parse(&format!("etcd://{}", cluster.addresses())).unwrap();
    settings.reads = reads;
    settings.timeout = Duration::from_secs(60);
    let store = EtcdStore::open(settings).unwrap();
    Some(Tested {
        _cluster: Some(cluster),
        ..tested(Arc::new(store), Some(directory))
    })
}

fn tested(store: Arc<dyn Store>, directory: Option<TempDir>) -> Tested {
    let limits = StoreLimits {
        max_contexts: 1000,
        max_bindings: 100_000,
        max_leases: 1000,
    };
    Tested {
        store,
        limits,
        _cluster: None,
        _directory: directory,
    }
}

/// Makes a test of a function for each store.
macro_rules! for_each_store {
    ($($test:ident),* $(,)?) => {
        mod in_memory {
            $(#[test] fn $test() { super::$test(&super::memory()); })*
        }
        mod in_a_file {
            $(#[test] fn $test() { super::$test(&super::file()); })*
        }
        mod in_etcd {
            $(#[test] fn $test() {
                if let Some(tested) = super::etcd(super::Reads::Linearizable) {
                    super::$test(&tested);
                }
            })*
        }
        mod in_etcd_with_a_copy {
            $(#[test] fn $test() {
                if let Some(tested) = super::etcd(super::Reads::Watched) {
                    super::$test(&tested);
                }
            })*
        }
    };
}

for_each_store!(
    names_are_bound_replaced_and_unbound,
    names_lead_through_contexts,
    refusals_say_where_the_name_ends,
    contexts_are_ended_when_they_are_empty,
    entries_come_in_order_and_in_pieces,
    limits_are_kept,
    what_is_refused_leaves_no_trace,
    changes_of_many_threads_are_all_there,
    of_many_that_bind_one_name_one_succeeds,
    a_lease_ends_and_its_names_with_it,
    a_lease_that_is_renewed_goes_on,
    a_name_that_is_bound_anew_is_parted_from_its_lease,
    a_look_that_begins_behind_a_change_sees_it,
);

/// A path of ids and kinds, `id` or `id.kind`, divided by `/`.
pub(crate) fn path(text: &str) -> Vec<Key> {
    let component = |text: &str| {
        let (id, kind) = text.split_once('.').unwrap_or((text, ""));
        Key::new(&NameComponent {
            id: id.to_owned(),
            kind: kind.to_owned(),
        })
    };
    text.split('/').map(component).collect()
}

pub(crate) fn object(text: &str) -> Bound {
    Bound::Object(text.as_bytes().to_vec())
}

impl Tested {
    pub(crate) fn change(&self, change: Change) -> Answer {
        self.store.change(change, self.limits).unwrap()
    }

    fn bind_in(&self, start: ContextId, name: &str, bound: Bound) -> Answer {
        self.change(Change::Bind {
            start,
            path: path(name),
            bound,
            replaces: false,
            lease: None,
        })
    }

    pub(crate) fn bind(&self, name: &str, bound: Bound) -> Answer {
        self.bind_in(ContextId::ROOT, name, bound)
    }

    pub(crate) fn rebind(&self, name: &str, bound: Bound) -> Answer {
        self.change(Change::Bind {
            start: ContextId::ROOT,
            path: path(name),
            bound,
            replaces: true,
            lease: None,
        })
    }

    pub(crate) fn unbind(&self, name: &str) -> Answer {
        let (start, path) = (ContextId::ROOT, path(name));
        self.change(Change::Unbind { start, path })
    }

    pub(crate) fn context(&self, name: &str) -> ContextId {
        let (start, path) = (ContextId::ROOT, path(name));
        match self.change(Change::BindNewContext { start, path }) {
            Ok(Done::Created(context)) => context,
            answer => panic!("{name}: {answer:?}"),
        }
    }

    fn resolve_in(&self, start: ContextId, name: &str) -> Result<Bound, Refusal> {
        let mut found = None;
        self.store
            .read(&mut |view| {
                found = Some(resolve(view, start, &path(name))?);
                Ok(())
            })
            .unwrap();
        found.unwrap()
    }

    pub(crate) fn resolve(&self, name: &str) -> Result<Bound, Refusal> {
        self.resolve_in(ContextId::ROOT, name)
    }

    fn entries(&self, after: Option<&str>, max_entries: usize, max_octets: usize) -> Vec<Entry> {
        let after = after.map(|name| path(name).remove(0));
        let mut found = Vec::new();
        self.store
            .read(&mut |view| {
                let root = ContextId::ROOT;
                found = view.entries(root, after.as_ref(), max_entries, max_octets)?;
                Ok(())
            })
            .unwrap();
        found
    }

    pub(crate) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.store
            .read(&mut |view| {
                totals = view.totals()?;
                Ok(())
            })
            .unwrap();
        totals
    }
}

pub(crate) fn not_found(why: Why, at: usize) -> Refusal {
    Refusal::NotFound { why, at }
}

fn names_are_bound_replaced_and_unbound(tested: &Tested) {
    assert_eq!(tested.resolve("a.k"), Err(not_found(Why::MissingNode, 0)));
    assert_eq!(tested.bind("a.k", object("1")), Ok(Done::Plain));
    assert_eq!(tested.resolve("a.k"), Ok(object("1")));
    // The kind is a part of the name.
    assert_eq!(tested.resolve("a"), Err(not_found(Why::MissingNode, 0)));
    assert_eq!(tested.bind("a.k", object("2")), Err(Refusal::AlreadyBound));
    assert_eq!(tested.rebind("a.k", object("2")), Ok(Done::Plain));
    assert_eq!(tested.rebind("new", object("3")), Ok(Done::Plain));
    assert_eq!(tested.resolve("a.k"), Ok(object("2")));
    assert_eq!(tested.totals().bindings, 2);
    assert_eq!(tested.unbind("a.k"), Ok(Done::Plain));
    assert_eq!(tested.unbind("a.k"), Err(not_found(Why::MissingNode, 0)));
    assert_eq!(tested.totals().bindings, 1);
}

fn names_lead_through_contexts(tested: &Tested) {
    let outer = tested.context("outer");
    let inner = tested.context("outer/inner.k");
    assert_ne!(outer, inner);
    assert_eq!(tested.resolve("outer/inner.k"), Ok(Bound::Context(inner)));
    assert_eq!(tested.bind("outer/inner.k/x", object("1")), Ok(Done::Plain));
    assert_eq!(tested.resolve("outer/inner.k/x"), Ok(object("1")));
    assert_eq!(tested.resolve_in(outer, "inner.k/x"), Ok(object("1")));
    assert_eq!(tested.resolve_in(inner, "x"), Ok(object("1")));
    // A context may have several names, and be bound within itself.
    let again = tested.bind_in(inner, "up", Bound::Context(outer));
    assert_eq!(again, Ok(Done::Plain));
    assert_eq!(
        tested.resolve("outer/inner.k/up/inner.k/up/inner.k/x"),
        Ok(object("1"))
    );
    assert_eq!(tested.unbind("outer/inner.k/x"), Ok(Done::Plain));
    assert_eq!(
        tested.resolve("outer/inner.k/x"),
        Err(not_found(Why::MissingNode, 2))
    );
}

fn refusals_say_where_the_name_ends(tested: &Tested) {
    tested.context("room");
    tested.bind("room/object", object("1")).unwrap();
    let foreign = Bound::Elsewhere(b"there".to_vec());
    tested.bind("room/far", foreign.clone()).unwrap();
    let elsewhere = |at| Refusal::Elsewhere {
        reference: b"there".to_vec(),
        at,
    };
    for (name, refusal) in [
        ("nobody/x", not_found(Why::MissingNode, 0)),
        ("room/nobody", not_found(Why::MissingNode, 1)),
        ("room/nobody/x/y", not_found(Why::MissingNode, 1)),
        ("room/object/x", not_found(Why::NotContext, 1)),
        ("room/object/x/y", not_found(Why::NotContext, 1)),
        ("room/far/x", elsewhere(2)),
        ("room/far/x/y", elsewhere(2)),
    ] {
        assert_eq!(tested.resolve(name), Err(refusal.clone()), "{name}");
        assert_eq!(tested.unbind(name), Err(refusal.clone()), "{name}");
        let start = ContextId::ROOT;
        let made = tested.change(Change::BindNewContext {
            start,
            path: path(name),
        });
        // The last component need not be there to be bound.
        if name != "room/nobody" {
            assert_eq!(tested.bind(name, object("2")), Err(refusal.clone()));
            assert_eq!(tested.rebind(name, object("2")), Err(refusal.clone()));
            assert_eq!(made, Err(refusal), "{name}");
        } else {
            tested.unbind(name).unwrap();
        }
    }
    assert_eq!(tested.resolve("room/far"), Ok(foreign.clone()));
    // Only the same sort of thing is replaced.
    let not_object = Err(not_found(Why::NotObject, 1));
    assert_eq!(tested.rebind("room/far", object("2")), not_object);
    let not_context = Err(not_found(Why::NotContext, 1));
    assert_eq!(tested.rebind("room/object", foreign), not_context);
}

fn contexts_are_ended_when_they_are_empty(tested: &Tested) {
    let context = tested.context("room");
    tested.bind("room/x", object("1")).unwrap();
    let destroy = |context| tested.change(Change::Destroy { context });
    assert_eq!(destroy(context), Err(Refusal::NotEmpty));
    assert_eq!(destroy(ContextId::ROOT), Err(Refusal::NotEmpty));
    tested.unbind("room/x").unwrap();
    assert_eq!(tested.totals().contexts, 1);
    assert_eq!(destroy(context), Ok(Done::Plain));
    assert_eq!(tested.totals().contexts, 0);
    assert_eq!(destroy(context), Err(Refusal::Gone));

    // The name is still there, and leads to a context that is no more.
    assert_eq!(tested.resolve("room"), Ok(Bound::Context(context)));
    let ended = Refusal::Ended { context, at: 1 };
    assert_eq!(tested.resolve("room/x"), Err(ended.clone()));
    assert_eq!(tested.bind("room/x", object("1")), Err(ended.clone()));
    assert_eq!(tested.unbind("room/x"), Err(ended));
    assert_eq!(tested.resolve_in(context, "x"), Err(Refusal::Gone));
    let bound = tested.bind_in(context, "x", object("1"));
    assert_eq!(bound, Err(Refusal::Gone));
    let made = tested.change(Change::NewContext { start: context });
    assert_eq!(made, Err(Refusal::Gone));

    tested.unbind("room").unwrap();
    assert_eq!(destroy(ContextId::ROOT), Err(Refusal::Root));
    // A number is not given again.
    assert_ne!(tested.context("room"), context);
}

fn entries_come_in_order_and_in_pieces(tested: &Tested) {
    tested.context("b");
    for name in ["c", "a.2", "a", "aa", "a.1", "b/within"] {
        tested.bind(name, object("1")).unwrap();
    }
    let names = ["a", "a.1", "a.2", "aa", "b", "c"];
    let expected: Vec<_> = names
        .iter()
        .map(|name| Entry {
            key: path(name).remove(0),
            is_context: *name == "b",
        })
        .collect();
    assert_eq!(tested.entries(None, 100, 1000), expected);
    assert_eq!(tested.entries(None, 2, 1000), expected[..2]);
    assert_eq!(tested.entries(Some("a.1"), 2, 1000), expected[2..4]);
    assert_eq!(tested.entries(Some("c"), 2, 1000), []);
    // The place of a name that has been unbound is still a place to go on from.
    assert_eq!(tested.entries(Some("a.11"), 100, 1000), expected[2..]);
    assert_eq!(tested.entries(None, 100, 3), expected[..2]);
    assert_eq!(tested.entries(None, 0, 1000), []);
}

fn limits_are_kept(tested: &Tested) {
    let limits = StoreLimits {
        max_contexts: 1,
        max_bindings: 2,
        max_leases: 0,
    };
    let start = ContextId::ROOT;
    let change = |change| tested.store.change(change, limits).unwrap();
    let bind = |name: &str, replaces| {
        change(Change::Bind {
            start,
            path: path(name),
            bound: object("1"),
            replaces,
            lease: None,
        })
    };
    let bind_context = |name: &str| {
        let path = path(name);
        change(Change::BindNewContext { start, path })
    };
    bind_context("room").unwrap();
    assert_eq!(bind_context("other"), Err(Refusal::TooManyContexts));
    let made = change(Change::NewContext { start });
    assert_eq!(made, Err(Refusal::TooManyContexts));
    bind("a", false).unwrap();
    assert_eq!(bind("room/b", false), Err(Refusal::TooManyBindings));
    assert_eq!(bind("b", true), Err(Refusal::TooManyBindings));
    assert_eq!(bind_context("b"), Err(Refusal::TooManyBindings));
    // A replacement takes no room.
    bind("a", true).unwrap();
}

fn what_is_refused_leaves_no_trace(tested: &Tested) {
    let limits = StoreLimits {
        max_contexts: 0,
        max_bindings: 10,
        max_leases: 0,
    };
    let start = ContextId::ROOT;
    let change = Change::BindNewContext {
        start,
        path: path("room"),
    };
    let refused = tested.store.change(change, limits).unwrap();
    assert_eq!(refused, Err(Refusal::TooManyContexts));
    assert_eq!(tested.totals(), Totals::default());
    assert_eq!(tested.entries(None, 10, 1000), []);
}

fn changes_of_many_threads_are_all_there(tested: &Tested) {
    const THREADS: usize = 8;
    const NAMES: usize = 25;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                for number in 0..NAMES {
                    let name = format!("{thread}-{number}");
                    tested.bind(&name, object(&name)).unwrap();
                    assert_eq!(tested.resolve(&name), Ok(object(&name)));
                }
            });
        }
    });
    assert_eq!(tested.totals().bindings, (THREADS * NAMES) as u64);
}

fn of_many_that_bind_one_name_one_succeeds(tested: &Tested) {
    for round in 0..10 {
        let name = format!("name {round}");
        let bound: usize = thread::scope(|scope| {
            let binders: Vec<_> = (0..6)
                .map(|number| {
                    scope.spawn({
                        let name = &name;
                        move || tested.bind(name, object(&number.to_string())).is_ok()
                    })
                })
                .collect();
            let binders = binders.into_iter();
            binders.map(|one| usize::from(one.join().unwrap())).sum()
        });
        assert_eq!(bound, 1, "{name}");
    }
}

fn a_look_that_begins_behind_a_change_sees_it(tested: &Tested) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    tested.resolve("nobody").unwrap_err();
                }
            });
        }
        let changing: Vec<_> = (0..3)
            .map(|thread| {
                scope.spawn(move || {
                    let name = format!("name {thread}");
                    for round in 0..40 {
                        let bound = object(&round.to_string());
                        tested.rebind(&name, bound.clone()).unwrap();
                        assert_eq!(tested.resolve(&name), Ok(bound), "{round}");
                    }
                })
            })
            .collect();
        let ended: Vec<_> = changing.into_iter().map(|one| one.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        for one in ended {
            one.unwrap();
        }
    });
}

#[test]
fn trees_have_numbers_of_their_own() {
    assert_ne!(memory().store.tree(), memory().store.tree());
    assert_ne!(file().store.tree(), file().store.tree());
}

#[test]
fn a_file_keeps_its_names_and_its_number() {
    let directory = tempfile::tempdir().unwrap();
    let path_of_file = directory.path().join("names");
    let open = || tested(Arc::new(FileStore::open(&path_of_file).unwrap()), None);
    let first = open();
    let tree = first.store.tree();
    let context = first.context("room");
    first.bind("room/x", object("1")).unwrap();
    first.unbind("room/x").unwrap();
    first.bind("room/y", object("2")).unwrap();
    drop(first);

    let second = open();
    assert_eq!(second.store.tree(), tree);
    assert_eq!(second.resolve("room"), Ok(Bound::Context(context)));
    assert_eq!(second.resolve("room/y"), Ok(object("2")));
    let gone = Err(not_found(Why::MissingNode, 1));
    assert_eq!(second.resolve("room/x"), gone);
    assert_ne!(second.context("other"), context);
}

/// Each piece of a list costs its own entries and a look-up, however many there are: the store is
/// asked for the next ones behind the last.
#[test]
fn a_long_list_comes_in_pieces_of_bounded_length() {
    const NAMES: usize = 20_000;
    let tested = memory();
    for number in 0..NAMES {
        tested.bind(&format!("{number:08}"), object("1")).unwrap();
    }
    let mut last: Option<String> = None;
    let mut seen = 0;
    loop {
        let entries = tested.entries(last.as_deref(), 100, usize::MAX);
        let Some(end) = entries.last() else { break };
        assert!(entries.len() <= 100);
        last = Some(end.key.component().id);
        seen += entries.len();
    }
    assert_eq!(seen, NAMES);
}
