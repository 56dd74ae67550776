//! Ends that wait for requests which are answered later, and clients that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use taut::{
    ObjectId, Poa, Policy, Reference, RequestProcessingPolicy, Servant, ServantActivator,
    ServantManager, ServantManagerError,
};
use taut_giop::message::MessageType;

use super::{Desk, LaterSkeleton, PATIENCE, later};
use crate::common::mode::{Mode, for_each_mode};
use crate::common::raw::{RawClient, Request};
use crate::common::{Echo, EchoRef, eventually, octets};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning] {
        the_end_of_the_orb_waits_for_requests_that_are_answered_later,
        the_end_of_a_poa_waits_for_them_and_so_does_its_manager,
        an_object_is_etherealized_when_its_last_answer_is_given,
        a_request_is_told_that_its_client_has_cancelled_it,
        a_request_is_told_that_its_client_has_gone,
        a_connection_says_goodbye_behind_the_last_answer,
    }
}

/// A short time in which something that must not happen would mostly have happened.
const A_WHILE: Duration = Duration::from_millis(100);

fn the_end_of_the_orb_waits_for_requests_that_are_answered_later(mode: Mode) {
    let desk = Desk::new(mode);
    let client = desk.client();
    thread::scope(|scope| {
        let called = scope.spawn(|| client.echo("last words"));
        let asked = desk.next();
        let (ended, has_ended) = channel();
        let orb = desk.orb.clone();
        scope.spawn(move || {
            orb.shutdown(true).unwrap();
            ended.send(()).unwrap();
        });
        eventually("the end of the ORB begins", || desk.orb.root_poa().is_err());
        assert!(has_ended.recv_timeout(A_WHILE).is_err());
        asked.reply();
        assert_eq!(called.join().unwrap().unwrap(), "last words");
        has_ended.recv_timeout(PATIENCE).unwrap();
    });
}

fn the_end_of_a_poa_waits_for_them_and_so_does_its_manager(mode: Mode) {
    let desk = Desk::new(mode);
    let poa = desk.poa.create_poa("child", None, &[]).unwrap();
    let (servant, requests) = later();
    let echo = poa.activate(servant).unwrap();
    poa.manager().activate().unwrap();
    let client = desk.mode.client(&echo.as_object().to_string());
    thread::scope(|scope| {
        let called = scope.spawn(|| client.echo("held"));
        let asked = requests.recv_timeout(PATIENCE).unwrap();
        let (ended, has_ended) = channel();
        let (manager, hold_ended) = (poa.manager().clone(), ended.clone());
        scope.spawn(move || {
            manager.hold_requests(true).unwrap();
            hold_ended.send("held").unwrap();
        });
        assert!(has_ended.recv_timeout(A_WHILE).is_err());
        asked.reply();
        assert_eq!(called.join().unwrap().unwrap(), "held");
        assert_eq!(has_ended.recv_timeout(PATIENCE).unwrap(), "held");
        poa.manager().activate().unwrap();

        let called = scope.spawn(|| client.echo("destroyed"));
        let asked = requests.recv_timeout(PATIENCE).unwrap();
        let doomed = poa.clone();
        scope.spawn(move || {
            doomed.destroy(true, true).unwrap();
            ended.send("destroyed").unwrap();
        });
        assert!(has_ended.recv_timeout(A_WHILE).is_err());
        asked.reply();
        assert_eq!(called.join().unwrap().unwrap(), "destroyed");
        assert_eq!(has_ended.recv_timeout(PATIENCE).unwrap(), "destroyed");
    });
}

/// Incarnates objects with one servant, and notes when one is etherealized.
struct Activator {
    servant: LaterSkeleton,
    is_etherealized: Arc<AtomicBool>,
}

impl ServantActivator for Activator {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<Arc<dyn Servant>, ServantManagerError> {
        Ok(Arc::new(self.servant.clone()))
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: &Arc<dyn Servant>, _: bool, _: bool) {
        self.is_etherealized.store(true, Ordering::SeqCst);
    }
}

fn an_object_is_etherealized_when_its_last_answer_is_given(mode: Mode) {
    let desk = Desk::new(mode);
    let policies: [Policy; 2] = [
        RequestProcessingPolicy::UseServantManager.into(),
        taut::IdAssignmentPolicy::UserId.into(),
    ];
    let manager = desk.poa.manager();
    let poa = desk.poa.create_poa("on demand", Some(manager), &policies);
    let poa = poa.unwrap();
    let (servant, requests) = later();
    let is_etherealized = Arc::new(AtomicBool::new(false));
    let activator = Activator {
        servant,
        is_etherealized: Arc::clone(&is_etherealized),
    };
    let activator = ServantManager::Activator(Arc::new(activator));
    poa.set_servant_manager(activator).unwrap();
    let id = ObjectId::new(b"object");
    let type_id = EchoRef::INTERFACE.repository_id;
    let echo = poa.create_reference_with_id(&id, type_id).unwrap();
    let client = desk.mode.client(&echo.to_string());
    thread::scope(|scope| {
        let called = scope.spawn(|| client.echo("still there"));
        let asked = requests.recv_timeout(PATIENCE).unwrap();
        assert_eq!(asked.request.object_id(), id);
        poa.deactivate_object(&id).unwrap();
        thread::sleep(A_WHILE);
        assert!(!is_etherealized.load(Ordering::SeqCst));
        asked.reply();
        assert_eq!(called.join().unwrap().unwrap(), "still there");
        eventually("the object is etherealized", || {
            is_etherealized.load(Ordering::SeqCst)
        });
    });
}

fn a_request_is_told_that_its_client_has_cancelled_it(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let ping = |id| Request::new(id, "ping").to(desk.echo.as_object(), |_| ());
    client.send(&ping(1));
    let first = desk.next();
    client.send(&ping(2));
    let second = desk.next();
    client.send(&octets::cancel(2));
    eventually("the cancellation arrives", || second.request.is_cancelled());
    assert!(!first.request.is_cancelled());
    // An answer goes out all the same, as that of a servant which was running.
    first.request.reply(|_| Ok(()));
    client.receive_reply(1);
    second.request.reply(|_| Ok(()));
    client.receive_reply(2);
}

fn a_request_is_told_that_its_client_has_gone(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    client.send(&Request::new(1, "ping").to(desk.echo.as_object(), |_| ()));
    let asked = desk.next();
    drop(client);
    eventually("the end of the connection is noted", || {
        asked.request.is_cancelled()
    });
    asked.request.reply(|_| Ok(()));
    // The server goes on.
    let mut client = RawClient::connect(&desk.orb);
    client.send(&Request::new(1, "ping").to(desk.echo.as_object(), |_| ()));
    desk.next().request.reply(|_| Ok(()));
    client.receive_reply(1);
}

fn a_connection_says_goodbye_behind_the_last_answer(mode: Mode) {
    let desk = Desk::new(mode);
    let mut client = RawClient::connect(&desk.orb);
    let ping = |id| Request::new(id, "ping").to(desk.echo.as_object(), |_| ());
    client.send(&ping(1));
    let first = desk.next();
    client.send(&ping(2));
    let second = desk.next();
    desk.orb.shutdown(false).unwrap();
    first.request.reply(|_| Ok(()));
    client.receive_reply(1);
    second.request.reply(|_| Ok(()));
    client.receive_reply(2);
    assert_eq!(client.receive_type(), Some(MessageType::CloseConnection));
    assert_eq!(client.receive_type(), None);
}
