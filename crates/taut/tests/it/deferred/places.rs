//! Requests that come in other ways than most: over a client's own connection, to the main
//! thread, to servants that are found on demand.

use std::sync::Arc;
use std::thread;

use taut::{
    BidirectionalPolicy, Cookie, IdAssignmentPolicy, ObjectId, Poa, Policy, Reference as _,
    RequestProcessingPolicy, Servant, ServantLocator, ServantManager, ServantManagerError,
    ServantRetentionPolicy, Settings, ThreadPolicy,
};
use test_tools::free_port;

use super::{Asked, Desk, LaterSkeleton, PATIENCE, later};
use crate::common::mode::{Mode, for_each_mode};
use crate::common::volley::Player;
use crate::common::{Echo, EchoRef};

for_each_mode! {
    [tcp, unix, reactor, shared] {
        a_call_back_over_the_clients_own_connection_is_answered_later,
        the_main_thread_defers_requests,
        servants_on_demand_answer_later,
    }
}

fn both(settings: &mut Settings) {
    settings.wire.bidirectional = BidirectionalPolicy::Both;
}

fn a_call_back_over_the_clients_own_connection_is_answered_later(mode: Mode) {
    let endpoint = format!("127.0.0.1:0/publish=127.0.0.1:{}", free_port().unwrap());
    let (client, server) = (Player::at(mode, &endpoint, both), Player::new(mode, both));
    client.plays_with(&server);
    server.plays_with(&client);
    // The first request tells the server the client's end point.
    assert_eq!(client.servant.echo(">").unwrap(), "<");
    let (servant, requests) = later();
    let back = client.orb.root_poa().unwrap().activate(servant).unwrap();
    let back = back.as_object().to_string();
    let back: EchoRef = server
        .orb
        .string_to_object(&back)
        .unwrap()
        .unchecked_narrow();
    thread::scope(|scope| {
        let calls = ["one", "two", "three"].map(|text| {
            let back = &back;
            scope.spawn(move || (back.echo(text).unwrap(), text))
        });
        let asked = calls
            .iter()
            .map(|_| requests.recv_timeout(PATIENCE).unwrap());
        let asked: Vec<_> = asked.collect();
        // The client's own calls go on.
        assert_eq!(client.servant.echo(">>").unwrap(), "<<");
        asked.into_iter().rev().for_each(Asked::reply);
        for call in calls {
            let (answer, text) = call.join().unwrap();
            assert_eq!(answer, text);
        }
    });
}

fn the_main_thread_defers_requests(mode: Mode) {
    let desk = Desk::new(mode);
    let policies = [ThreadPolicy::MainThread.into()];
    let manager = desk.poa.manager();
    let poa = desk.poa.create_poa("main", Some(manager), &policies);
    let poa = poa.unwrap();
    let (servant, requests) = later();
    let echo = poa.activate(servant).unwrap();
    let client = mode.client(&echo.as_object().to_string());
    thread::scope(|scope| {
        let calls = ["one", "two"].map(|text| {
            let client = client.clone();
            scope.spawn(move || (client.echo(text).unwrap(), text))
        });
        let asked = [(); 2].map(|()| {
            crate::common::eventually("a request comes", || desk.orb.work_pending().unwrap());
            desk.orb.perform_work().unwrap();
            requests.recv_timeout(PATIENCE).unwrap()
        });
        asked.into_iter().rev().for_each(Asked::reply);
        for call in calls {
            let (answer, text) = call.join().unwrap();
            assert_eq!(answer, text);
        }
    });
}

/// Gives each request the same servant.
struct Locator(LaterSkeleton);

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        Ok((Arc::new(self.0.clone()), None))
    }
}

fn servants_on_demand_answer_later(mode: Mode) {
    let desk = Desk::new(mode);
    let create = |name, policies: &[Policy]| {
        let manager = desk.poa.manager();
        desk.poa.create_poa(name, Some(manager), policies).unwrap()
    };
    let (servant, requests) = later();
    let with_default = create(
        "default servant",
        &[
            RequestProcessingPolicy::UseDefaultServant.into(),
            IdAssignmentPolicy::UserId.into(),
            taut::IdUniquenessPolicy::MultipleId.into(),
        ],
    );
    with_default.set_servant(servant.clone()).unwrap();
    let with_locator = create(
        "locator",
        &[
            RequestProcessingPolicy::UseServantManager.into(),
            ServantRetentionPolicy::NonRetain.into(),
            IdAssignmentPolicy::UserId.into(),
        ],
    );
    let locator = ServantManager::Locator(Arc::new(Locator(servant)));
    with_locator.set_servant_manager(locator).unwrap();
    for poa in [with_default, with_locator] {
        let id = ObjectId::new(b"an object");
        let type_id = EchoRef::INTERFACE.repository_id;
        let object = poa.create_reference_with_id(&id, type_id).unwrap();
        let client = mode.client(&object.to_string());
        thread::scope(|scope| {
            let called = scope.spawn(|| client.echo("on demand"));
            let asked = requests.recv_timeout(PATIENCE).unwrap();
            assert_eq!(asked.request.object_id(), id);
            assert_eq!(asked.request.poa().name(), poa.name());
            assert!(asked.request.reference().is_equivalent(&object));
            asked.reply();
            assert_eq!(called.join().unwrap().unwrap(), "on demand");
        });
    }
}
