//! Every strategy by which a skeleton finds operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use taut::{Reference as _, SystemExceptionKind};

use super::dispatch::look_up;
use super::serve;

/// Notes which operation was called last.
#[derive(Default, Clone)]
struct Note(Arc<AtomicU8>);

impl Note {
    fn set(&self, name: u8) -> taut::Result<()> {
        self.0.store(name, Ordering::Relaxed);
        Ok(())
    }
}

macro_rules! finds {
    ($test:ident: $($module:ident)::+, $interface:ident, $skeleton:ident, $($operation:ident)*) => {
        impl $($module)::+::$interface for Note {
            $(fn $operation(&self) -> taut::Result<()> {
                self.set(stringify!($operation).as_bytes()[0])
            })*
        }

        #[test]
        fn $test() {
            use $($module)::+::$interface as _;
            let note = Note::default();
            let (_server, _client, peer) = serve($($module)::+::$skeleton::new(note.clone()));
            $(
                peer.$operation().unwrap();
                let called = note.0.load(Ordering::Relaxed);
                assert_eq!(called, stringify!($operation).as_bytes()[0]);
            )*
            for stranger in ["", "aa", "d", "B"] {
                let outcome = peer.as_object().invoke(stranger, |_| Ok(()));
                let reply = outcome.and_then(|reply| reply.results(|_| Ok(())));
                assert_eq!(reply.unwrap_err().kind, SystemExceptionKind::BadOperation);
            }
        }
    };
}

finds!(by_binary_search: look_up, Ordered, OrderedSkeleton, b a c);
finds!(by_linear_search: look_up, Unordered, UnorderedSkeleton, b a);
finds!(by_dynamic_hash: look_up, Hashed, HashedSkeleton, b a);
finds!(by_perfect_hash: look_up::inner, Perfect, PerfectSkeleton, b a);
