//! Lists of many names, and the iterators behind them.

use std::sync::Arc;
use std::time::Duration;

use taut::{ObjectRef, Orb, Reference, SystemExceptionKind, minor};
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::MemoryStore;
use taut_naming::{
    Binding, BindingIterator, BindingIteratorRef, NameComponent, NamingContext, NamingContextRef,
};

/// A service, and an object to be bound.
pub(crate) struct Service {
    orb: Orb,
    pub(crate) root: NamingContextRef,
    object: ObjectRef,
}

impl Service {
    pub(crate) fn start(settings: ServiceSettings) -> Self {
        let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
        let orb = orb.build().unwrap();
        let store = Arc::new(MemoryStore::new());
        let service = NamingService::start(&orb, store, settings).unwrap();
        let object = orb.string_to_object("corbaloc::127.0.0.1:9/Object");
        Self {
            root: service.root().unchecked_narrow(),
            object: object.unwrap(),
            orb,
        }
    }

    pub(crate) fn bind(&self, id: &str) {
        self.root.bind(&name(id), Some(&self.object)).unwrap();
    }

    pub(crate) fn iterator(&self) -> BindingIteratorRef {
        self.root.list(1).unwrap().1.unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

pub(crate) fn name(id: &str) -> Vec<NameComponent> {
    let kind = String::new();
    let id = id.to_owned();
    vec![NameComponent { id, kind }]
}

fn ids(bindings: &[Binding]) -> Vec<&str> {
    let ids = bindings.iter().map(|one| &*one.binding_name[0].id);
    ids.collect()
}

#[track_caller]
fn assert_ended(iterator: &BindingIteratorRef) {
    let exception = iterator.next_one().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ObjectNotExist);
    assert_eq!(exception.minor, minor::ITERATOR_ENDED);
    assert!(iterator.as_object().non_existent().unwrap());
}

#[test]
fn a_list_goes_on_while_names_come_and_go() {
    let service = Service::start(ServiceSettings::default());
    for id in ["b", "d", "f", "h"] {
        service.bind(id);
    }
    let (first, iterator) = service.root.list(2).unwrap();
    assert_eq!(ids(&first), ["b", "d"]);
    let iterator = iterator.unwrap();
    // Before the place, at it, and behind it.
    service.bind("a");
    service.root.unbind(&name("d")).unwrap();
    service.bind("e");
    service.root.unbind(&name("f")).unwrap();
    let (_, rest) = iterator.next_n(10).unwrap();
    assert_eq!(ids(&rest), ["e", "h"]);
    // A name behind the last one is there as well.
    service.bind("i");
    let (more, last) = iterator.next_one().unwrap();
    assert!(more);
    assert_eq!(ids(&[last]), ["i"]);
    assert!(!iterator.next_one().unwrap().0);
}

#[test]
fn a_reply_has_no_more_than_the_settings_allow() {
    let mut settings = ServiceSettings::default();
    settings.max_list_entries = 3;
    let service = Service::start(settings);
    for id in ["a", "b", "c", "d", "e", "f", "g"] {
        service.bind(id);
    }
    let (first, iterator) = service.root.list(u32::MAX).unwrap();
    assert_eq!(ids(&first), ["a", "b", "c"]);
    let iterator = iterator.unwrap();
    let (more, next) = iterator.next_n(u32::MAX).unwrap();
    assert!(more);
    assert_eq!(ids(&next), ["d", "e", "f"]);

    let mut settings = ServiceSettings::default();
    settings.max_list_octets = 10;
    let service = Service::start(settings);
    for id in ["aaaaaa", "bbbbbb", "cccccc"] {
        service.bind(id);
    }
    let (first, iterator) = service.root.list(100).unwrap();
    assert_eq!(ids(&first), ["aaaaaa", "bbbbbb"]);
    assert!(iterator.is_some());
}

#[test]
fn iterators_give_way_to_newer_ones() {
    let mut settings = ServiceSettings::default();
    settings.max_iterators = 2;
    let service = Service::start(settings);
    for id in ["a", "b", "c", "d"] {
        service.bind(id);
    }
    let (first, second) = (service.iterator(), service.iterator());
    // The first one has been used later than the second.
    first.next_one().unwrap();
    let third = service.iterator();
    assert_ended(&second);
    first.next_one().unwrap();
    third.next_one().unwrap();
}

#[test]
fn an_iterator_that_is_not_used_is_ended() {
    let mut settings = ServiceSettings::default();
    settings.iterator_timeout = Duration::ZERO;
    let service = Service::start(settings);
    service.bind("a");
    service.bind("b");
    assert_ended(&service.iterator());
}

#[test]
fn an_iterator_ends_with_its_context() {
    let service = Service::start(ServiceSettings::default());
    let room = service
        .root
        .bind_new_context(&name("room"))
        .unwrap()
        .unwrap();
    for id in ["a", "b"] {
        room.bind(&name(id), Some(&service.object)).unwrap();
    }
    let (_, iterator) = room.list(1).unwrap();
    let iterator = iterator.unwrap();
    room.unbind(&name("a")).unwrap();
    room.unbind(&name("b")).unwrap();
    assert!(!iterator.next_one().unwrap().0);
    room.destroy().unwrap();
    let exception = iterator.next_one().unwrap_err();
    assert_eq!(exception.minor, minor::CONTEXT_DESTROYED);
}

#[test]
fn an_orb_has_one_service() {
    let service = Service::start(ServiceSettings::default());
    let store = Arc::new(MemoryStore::new());
    let again = NamingService::start(&service.orb, store, ServiceSettings::default());
    let error = again.unwrap_err().to_string();
    assert_eq!(error, "the ORB has a naming service already");
}
