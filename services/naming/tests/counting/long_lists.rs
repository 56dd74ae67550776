//! A list of any length takes a bounded memory of service and client together.

use std::sync::Arc;

use counting_allocator::every_thread;
use taut::{CollocationStrategy, Orb};
use taut_naming::service::{NamingService, ServiceSettings};
use taut_naming::store::{FileStore, MemoryStore, Store};
use taut_naming::{BindingIterator, NamingContext, NamingContextRef};
use test_tools::in_own_process;

use super::{fill, many};

/// The names of a reply.
const PIECE: u32 = 1000;

/// Lists all names of a service with this store over a connection; returns how many there were, and
/// the most octets that were allocated meanwhile beyond those before.
fn listed(store: Arc<dyn Store>) -> (usize, usize) {
    let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = orb.build().unwrap();
    let service = NamingService::start(&orb, store, ServiceSettings::default()).unwrap();
    let client = Orb::builder().settings(|settings| {
        settings.client.collocation = CollocationStrategy::Off;
    });
    let client = client.build().unwrap();
    let root = client
        .string_to_object(&service.root().to_string())
        .unwrap();
    let root: NamingContextRef = root.unchecked_narrow();
    let mut names = 0;
    let peak = every_thread::peak(|| {
        let (first, iterator) = root.list(PIECE).unwrap();
        names += first.len();
        let iterator = iterator.unwrap();
        loop {
            let (has_more, piece) = iterator.next_n(PIECE).unwrap();
            names += piece.len();
            if !has_more {
                break;
            }
        }
    });
    orb.shutdown(true).unwrap();
    (names, peak)
}

#[test]
fn a_long_list_takes_as_much_memory_as_a_piece_of_it() {
    const MEMORY_MAX: usize = 2 << 20;
    in_own_process(a_long_list_takes_as_much_memory_as_a_piece_of_it, || {
        let many = many(50_000);
        let store = MemoryStore::new();
        fill(&store, many);
        let (names, peak) = listed(Arc::new(store));
        eprintln!("{names} names in memory were listed with {peak} octets");
        assert_eq!(names, many);
        assert!(peak <= MEMORY_MAX, "{peak}");
    });
}

/// The file has a cache, which is bounded itself.
#[test]
fn a_long_list_of_a_file_takes_its_cache_and_no_more() {
    const CACHE: usize = 64 << 20;
    const MEMORY_MAX: usize = CACHE + (8 << 20);
    in_own_process(a_long_list_of_a_file_takes_its_cache_and_no_more, || {
        let many = many(20_000);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("names");
        fill(&FileStore::open(&file).unwrap(), many);
        let (names, peak) = listed(Arc::new(FileStore::open(&file).unwrap()));
        eprintln!("{names} names in a file were listed with {peak} octets");
        assert_eq!(names, many);
        assert!(peak <= MEMORY_MAX, "{peak}");
    });
}
