//! Sequences that are sent from where they lie arrive as if they had been copied into
//! the message, whatever goes before them or cuts them into pieces.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use taut::codegen::{self, Decode};
use taut::{
    ByteOrder, ObjectRef, Orb, Reference, Reply, SequenceView, Settings, SyncScope, Version,
};

use crate::common::mode::{Mode, for_each_mode};
use crate::common::{eventually, wire};

for_each_mode! {
    [tcp, unix, reactor, shared] {
        they_arrive_in_all_versions_and_byte_orders,
        they_arrive_in_fragments,
        #[cfg(feature = "full")]
        they_arrive_behind_oneways_that_waited,
        #[cfg(feature = "full")]
        they_arrive_without_a_copy_in_the_system,
        oneways_of_all_scopes_carry_them,
        views_copy_only_what_cannot_be_read_in_place,
    }
}

/// The servant counts the sequence that it is sent, or turns it around.
///
/// ```idl
/// interface Store {
///   LongSeq reversed (in octet before, in LongSeq values);
///   oneway void drop (in OctetSeq values);
/// };
/// ```
struct Store(Arc<AtomicUsize>);

impl codegen::Servant for Store {
    fn interface(&self) -> &'static codegen::Interface {
        StoreRef::INTERFACE
    }

    fn identity(&self) -> codegen::ServantIdentity {
        codegen::ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        if request.operation() == b"drop" {
            let values = request.arguments(|input| input.read_sequence::<u8>())?;
            self.0.fetch_add(values.len(), Ordering::SeqCst);
            return request.reply(|_| Ok(()));
        }
        let (before, values) =
            request.arguments(|input| Ok((u8::decode(input)?, input.read_sequence::<i32>()?)))?;
        assert_eq!(before, 9);
        let reversed: Vec<i32> = values.iter().rev().copied().collect();
        request.reply(|out| out.give(reversed))
    }
}

impl codegen::Skeleton for Store {
    type Reference = StoreRef;
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct StoreRef(ObjectRef);

codegen::reference! { StoreRef: "IDL:test/Store:1.0", bases: [] }

impl StoreRef {
    fn reversed(&self, values: &[i32]) -> taut::Result<Vec<i32>> {
        self.call_reversed(codegen::operation!("reversed", [i32]), values)?
            .results(Vec::decode)
    }

    fn reversed_view(&self, values: &[i32]) -> taut::Result<SequenceView<i32>> {
        self.call_reversed(codegen::operation!("reversed"), values)?
            .into_sequence()
    }

    fn call_reversed(
        &self,
        operation: &'static codegen::CalledOperation<'static>,
        values: &[i32],
    ) -> taut::Result<Reply<'_>> {
        self.0.call(operation, |out| {
            out.write(9_u8);
            out.lend(values)
        })
    }

    fn drop(&self, values: &[u8]) -> taut::Result<()> {
        self.0
            .send(codegen::operation!("drop"), |out| out.lend(values))
    }
}

/// A store, and an ORB that calls it.
struct Pair {
    server: Orb,
    client: Orb,
    store: StoreRef,
    dropped: Arc<AtomicUsize>,
    _sockets: wire::SocketFiles,
}

impl Pair {
    fn with(mode: Mode, adapt: impl Fn(&mut Settings)) -> Self {
        let builder = || {
            Orb::builder()
                .settings(|settings| mode.adjust(settings))
                .settings(|settings| adapt(settings))
        };
        let server = builder().listen(mode.endpoint()).unwrap().build().unwrap();
        let poa = server.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let dropped = Arc::default();
        let object = poa.activate(Store(Arc::clone(&dropped))).unwrap();
        let client = builder().build().unwrap();
        let url = object.into_object().to_string();
        Self {
            _sockets: wire::SocketFiles::of(&server),
            store: client.string_to_object(&url).unwrap().unchecked_narrow(),
            server,
            client,
            dropped,
        }
    }

    fn check(&self, what: &str) {
        for count in COUNTS {
            let values: Vec<i32> = (0..count).collect();
            let reversed = self.store.reversed(&values).unwrap();
            assert!(
                reversed.iter().rev().eq(&values),
                "{what}: {count} values come back as {}",
                reversed.len()
            );
            let view = self.store.reversed_view(&values).unwrap();
            assert_eq!(*view, reversed[..], "{what}: a view of {count} values");
            assert_eq!(view.into_vec(), reversed, "{what}");
        }
    }

    fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

/// From nothing to eight mebibytes, about the size from which a copy costs more, and
/// more than sockets have room for. A reply as large as the one before is received where it
/// stays.
const COUNTS: [i32; 9] = [0, 1, 8_000, 8_192, 8_192, 8_193, 100_003, 100_003, 2 << 20];

fn they_arrive_in_all_versions_and_byte_orders(mode: Mode) {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let pair = Pair::with(mode, |settings| {
                settings.wire.giop_version = version;
                settings.wire.byte_order = order;
            });
            pair.check(&format!("{version:?}, {order:?}"));
            pair.end();
        }
    }
}

#[cfg(feature = "full")]
fn they_arrive_without_a_copy_in_the_system(mode: Mode) {
    for from in [1, 100_000] {
        let pair = Pair::with(mode, |settings| {
            settings.wire.connection_options.zero_copy_from = Some(from);
        });
        pair.check(&format!("without a copy from {from} octets on"));
        pair.end();
    }
}

fn they_arrive_in_fragments(mode: Mode) {
    for size in [1_000, 16_384, 100_000] {
        let pair = Pair::with(mode, |settings| settings.wire.fragment_size = size);
        pair.check(&format!("fragments of {size}"));
        pair.end();
    }
}

#[cfg(feature = "full")]
fn they_arrive_behind_oneways_that_waited(mode: Mode) {
    let pair = Pair::with(mode, |_| ());
    let patient = pair.store.with_sync_scope(SyncScope::None);
    let octets = vec![7; 100_000];
    for round in 1..=3 {
        // The caller has the octets back before they are sent.
        patient.drop(&octets.clone()).unwrap();
        pair.check("behind a oneway");
        let dropped = || pair.dropped.load(Ordering::SeqCst);
        eventually("the oneway", || dropped() == round * octets.len());
    }
    pair.end();
}

fn oneways_of_all_scopes_carry_them(mode: Mode) {
    let scopes = [
        #[cfg(feature = "full")]
        SyncScope::None,
        SyncScope::WithTransport,
        SyncScope::WithServer,
        SyncScope::WithTarget,
    ];
    for (place, scope) in scopes.into_iter().enumerate() {
        let pair = Pair::with(mode, |_| ());
        let expected = 50_000 + place;
        let store = pair.store.with_sync_scope(scope);
        store.drop(&vec![7; expected]).unwrap();
        eventually("the oneway", || {
            pair.dropped.load(Ordering::SeqCst) == expected
        });
        pair.end();
    }
}

/// A view is of the message itself where that has this machine's byte order.
fn views_copy_only_what_cannot_be_read_in_place(mode: Mode) {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let pair = Pair::with(mode, |settings| settings.wire.byte_order = order);
        let view = pair.store.reversed_view(&[3, 2, 1]).unwrap();
        assert_eq!(*view, [1, 2, 3]);
        assert_eq!(view.as_ref().len(), 3);
        assert_eq!(view.is_in_message(), order == ByteOrder::NATIVE);
        assert_eq!(format!("{view:?}"), "[1, 2, 3]");
        // The next call has a buffer of its own.
        let next = pair.store.reversed_view(&[6, 5, 4]).unwrap();
        assert_eq!(
            (view.into_vec(), next.to_vec()),
            (vec![1, 2, 3], vec![4, 5, 6])
        );
        pair.end();
    }
}
