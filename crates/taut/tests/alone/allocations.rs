//! Design invariant: no heap allocation per call in steady state, on either
//! side, for calls whose arguments and results need no memory of their own.

use std::sync::Arc;

use crate::common::{Echo, EchoRef, EchoSkeleton, Server};
use counting_allocator::every_thread::in_steady_state;
use taut::{IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Poa, Policy, Reference};
use test_tools::in_own_process;

/// Returns how often all threads, client's and server's, allocate during `calls`, which have
/// been carried out once before.
fn allocations(calls: impl Fn()) -> u64 {
    in_steady_state(1, calls)
}

#[test]
fn calls_do_not_allocate() {
    in_own_process(calls_do_not_allocate, count_calls);
}

fn count_calls() {
    let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
    // No reactor that stands by, which allocates, when the machine is so busy
    // that a servant seems to keep its thread.
    #[cfg(feature = "full")]
    let builder = builder.settings(|settings| settings.server.max_requests_per_connection = 1);
    count(&Server::start_with(builder), 0);
    #[cfg(feature = "full")]
    count_with_reactor();
}

#[cfg(feature = "full")]
fn count_with_reactor() {
    let builder = taut::Orb::builder().listen("127.0.0.1:0").unwrap();
    let builder = builder.settings(|settings| {
        settings.server.connection_threads = 0;
        settings.server.reactor_threads = 2;
        // Not one more, which allocates, when the machine is so busy that none
        // of them gets on.
        settings.server.max_reactor_threads = 2;
        settings.server.max_requests_per_connection = 1;
    });
    // When a flood of oneways is cut in the middle of a message, a buffer goes
    // from one thread's pool to another's, until both have what they may keep.
    count(&Server::start_with(builder), 16);
}

/// Allocations that are not the calls' own: threads of an ORB that end, such as the one
/// that looks after batches, and buffers that grow because a busy machine lets more come
/// together than before.
const BESIDE: u64 = 8;

fn count(server: &Server, pool_growth: u64) {
    let echo = server.client();
    let text = "x".repeat(1_000);

    let void = allocations(|| (0..1_000).for_each(|_| echo.ping().unwrap()));
    assert!(void <= BESIDE, "{void} for 1,000 calls without arguments");

    // The servant borrows the text from the message.
    let oneway = allocations(|| {
        (0..1_000).for_each(|_| echo.note(&text).unwrap());
        assert!(echo.notes().unwrap() > 0);
    });
    assert!(
        oneway <= pool_growth + BESIDE,
        "{oneway} for 1,000 oneway calls with a string"
    );

    // In batches, which a thread of the ORB looks after.
    #[cfg(feature = "full")]
    {
        let patient = echo.with_sync_scope(taut::SyncScope::None);
        let batched = allocations(|| {
            for _ in 0..10 {
                (0..100).for_each(|_| patient.note(&text).unwrap());
                assert!(echo.notes().unwrap() > 0);
            }
        });
        assert!(
            batched <= pool_growth + BESIDE,
            "{batched} for 1,000 oneways that nobody waits for"
        );
    }

    // The counter counts: two strings are owned, the servant's result and ours.
    let owned = allocations(|| {
        (0..1_000).for_each(|_| assert_eq!(echo.echo(&text).unwrap().len(), text.len()));
    });
    assert!(
        (2_000..=2_000 + pool_growth + BESIDE).contains(&owned),
        "{owned} for 1,000 calls that return a string"
    );

    #[cfg(feature = "full")]
    contexts::count(server, pool_growth);

    for (kind, object) in objects(server) {
        let echo: EchoRef = crate::common::client(&object.to_string());
        let calls = allocations(|| (0..1_000).for_each(|_| echo.ping().unwrap()));
        assert!(calls <= BESIDE, "{calls} for 1,000 calls of {kind}");
    }
}

const USER_ID: Policy = Policy::IdAssignment(IdAssignmentPolicy::UserId);
const PERSISTENT: Policy = Policy::Lifespan(LifespanPolicy::Persistent);

/// Objects that are found in all the ways there are.
fn objects(server: &Server) -> Vec<(&'static str, ObjectRef)> {
    #[cfg_attr(not(feature = "full"), expect(unused_mut))]
    let mut objects = active_objects(server);
    #[cfg(feature = "full")]
    objects.extend(on_demand::objects(server));
    objects
}

/// A child of a POA, with the server's manager.
fn create(server: &Server, parent: &Poa, name: &str, policies: &[Policy]) -> Poa {
    let manager = Some(server.poa.manager());
    parent.create_poa(name, manager, policies).unwrap()
}

/// Those that are active.
fn active_objects(server: &Server) -> Vec<(&'static str, ObjectRef)> {
    let child =
        |parent: &Poa, name: &str, policies: &[Policy]| create(server, parent, name, policies);
    let skeleton = || EchoSkeleton(Arc::clone(&server.servant));
    let id = ObjectId::new("as long as it may be ...");
    let active = |poa: &Poa| {
        let echo = poa.activate_with_id(&id, skeleton()).unwrap();
        echo.into_object()
    };

    let mut deep = server.poa.clone();
    for _ in 0..4 {
        deep = child(&deep, "level", &[]);
    }
    let of_child = deep.activate(skeleton()).unwrap().into_object();
    let of_user = active(&child(&server.poa, "user", &[USER_ID]));
    let persistent = [USER_ID, PERSISTENT];
    let fresh = active(&child(&server.poa, "fresh", &persistent));

    let stale_poa = child(&server.poa, "stale", &persistent);
    let stale = active(&stale_poa);
    stale_poa.destroy(true, true).unwrap();
    child(&server.poa, "in its place", &[]);
    active(&child(&server.poa, "stale", &persistent));

    let old_poa = child(&server.poa, "old", &[PERSISTENT]);
    let old = old_poa.activate(skeleton()).unwrap().into_object();
    let old_id = old_poa.reference_to_id(&old).unwrap();
    old_poa.destroy(true, true).unwrap();
    let new_poa = child(&server.poa, "old", &[PERSISTENT]);
    new_poa
        .activate_object_with_id(&old_id, skeleton())
        .unwrap();

    vec![
        ("an object four POAs below the root", of_child),
        ("an object with an id of the user's", of_user),
        ("a persistent object", fresh),
        ("a persistent object that lay elsewhere", stale),
        ("a persistent object with the id of an earlier life", old),
    ]
}

/// Objects whose servants somebody provides.
#[cfg(feature = "full")]
mod on_demand {
    use taut::{
        Cookie, IdUniquenessPolicy, RequestProcessingPolicy, Servant, ServantLocator,
        ServantManager, ServantManagerError, ServantRetentionPolicy,
    };

    use super::*;
    use crate::common::Parrot;

    pub(super) fn objects(server: &Server) -> Vec<(&'static str, ObjectRef)> {
        let skeleton = || EchoSkeleton(Arc::clone(&server.servant));
        let by_default = [
            USER_ID,
            IdUniquenessPolicy::MultipleId.into(),
            RequestProcessingPolicy::UseDefaultServant.into(),
        ];
        let default = create(server, &server.poa, "default", &by_default);
        default.set_servant(skeleton()).unwrap();

        let by_locator = [
            USER_ID,
            ServantRetentionPolicy::NonRetain.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let located = create(server, &server.poa, "located", &by_locator);
        let locator = Locator(Arc::new(skeleton()));
        located
            .set_servant_manager(ServantManager::locator(locator))
            .unwrap();

        let id = ObjectId::new("as long as it may be ...");
        let inactive = |poa: &Poa| poa.create_reference_with_id(&id, "").unwrap();
        vec![
            ("a default servant", inactive(&default)),
            ("a servant that a locator finds", inactive(&located)),
        ]
    }

    /// Finds one servant for all requests.
    struct Locator(Arc<EchoSkeleton<Parrot>>);

    impl ServantLocator for Locator {
        fn preinvoke(
            &self,
            _: &ObjectId,
            _: &Poa,
            _: &str,
        ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
            Ok((Arc::clone(&self.0) as _, None))
        }
    }
}

/// Service contexts of user code.
#[cfg(feature = "full")]
mod contexts {
    use taut::{CallContext, RequestContext};

    use super::*;

    pub(super) fn count(server: &Server, pool_growth: u64) {
        let echo = server.client();
        let text = "x".repeat(1_000);
        // Nobody looks at them here, for that gives the user octets of their own.
        let context = CallContext::new().with_service_context(0x4d59_0001, [7; 100]);
        let calls = allocations(|| {
            (0..1_000).for_each(|_| context.within(|| echo.ping().unwrap()));
            (0..1_000).for_each(|_| context.within(|| echo.note(&text).unwrap()));
            assert!(echo.notes().unwrap() > 0);
        });
        assert!(
            calls <= pool_growth + BESIDE,
            "{calls} for 2,000 calls with a service context"
        );

        let answering = crate::common::serve(&server.orb, &Arc::new(Answering));
        let answering: EchoRef = crate::common::client(&answering.as_object().to_string());
        let calls = allocations(|| {
            (0..1_000).for_each(|_| context.within(|| answering.ping().unwrap()));
        });
        assert!(
            calls <= pool_growth + BESIDE,
            "{calls} for 1,000 calls with a service context each way"
        );
    }

    /// A servant whose replies have a service context.
    struct Answering;

    impl Echo for Answering {
        fn ping(&self) -> taut::Result<()> {
            RequestContext::add_to_reply(0x4d59_0002, [7; 100])
        }
    }
}
