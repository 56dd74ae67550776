//! The counters of the service, as the facade `metrics` shows them. A call of an object in the
//! caller's process is carried out by its thread, which has a recorder of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use parking_lot::Mutex;
use taut_naming::NamingContext;
use taut_naming::service::ServiceSettings;

use super::iterators::{Service, name};

/// Keeps all counters, by name and label.
#[derive(Default)]
struct Keeper(Mutex<BTreeMap<String, Arc<Count>>>);

#[derive(Default)]
struct Count(AtomicU64);

impl CounterFn for Count {
    fn increment(&self, value: u64) {
        self.0.fetch_add(value, Ordering::SeqCst);
    }

    fn absolute(&self, value: u64) {
        self.0.store(value, Ordering::SeqCst);
    }
}

impl Recorder for Keeper {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let mut name = key.name().to_owned();
        for label in key.labels() {
            name += &format!(" {}={}", label.key(), label.value());
        }
        Counter::from_arc(Arc::clone(self.0.lock().entry(name).or_default()))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[test]
fn what_the_service_does_is_counted() {
    let keeper = Keeper::default();
    let mut settings = ServiceSettings::default();
    settings.max_iterators = 1;
    let service = Service::start(settings);
    metrics::with_local_recorder(&keeper, || {
        for id in ["a", "b", "c"] {
            service.bind(id);
        }
        service.root.unbind(&name("c")).unwrap();
        assert!(service.root.unbind(&name("c")).is_err());
        service.root.resolve(&name("a")).unwrap();
        assert!(service.root.resolve(&name("c")).is_err());
        service.iterator();
        service.iterator();
    });
    let mut settings = ServiceSettings::default();
    settings.is_read_only = true;
    let read_only = Service::start(settings);
    metrics::with_local_recorder(&keeper, || {
        assert!(read_only.root.new_context().is_err());
    });
    let counted = keeper.0.lock();
    let counted = counted.iter().filter(|(name, _)| name.contains("naming"));
    let counted: Vec<_> = counted
        .map(|(name, count)| (name.as_str(), count.0.load(Ordering::SeqCst)))
        .collect();
    assert_eq!(
        counted,
        [
            ("taut_naming_changes_forbidden_total reason=is_read_only", 1),
            ("taut_naming_changes_total operation=bind", 3),
            ("taut_naming_changes_total operation=unbind", 1),
            ("taut_naming_iterators_ended_total reason=max_iterators", 1),
            ("taut_naming_resolves_total", 2),
        ]
    );
}
