//! Replies that are polled for.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use taut::ami::{AlreadyInSet, PollError, Pollable, PollableSet, ReplyHandlerRef, UnknownPollable};
use taut::interceptors::{ClientRequestInfo, ClientRequestInterceptor};
use taut::{Orb, Reference, SystemException, SystemExceptionKind, minor};
use taut_giop::message::MessageType;

use super::generated::desks::clerk::FileError;
use super::generated::desks::{AmiClerkHandlerRef, AmiClerkPoller};
use super::{ClerkRef, FAILURE, PATIENCE, Refused, Serving, next};
use crate::common::eventually;
use crate::common::raw::{Message, url_at};

/// The kind and minor code of an exception.
fn kind(exception: &SystemException) -> (SystemExceptionKind, u32) {
    (exception.kind, exception.minor)
}

const NOW: Option<Duration> = Some(Duration::ZERO);
const SOON: Option<Duration> = Some(Duration::from_millis(20));

#[test]
fn a_poller_has_results_and_exceptions() {
    let (server, client) = (Serving::new(|_| ()), Orb::builder().build().unwrap());
    let (_, clerk) = server.desk(&client);
    let filed = clerk.sendp_file("text", &[1, 2, 3]).unwrap();
    assert_eq!(filed.file(None), Ok(6));
    let shifted = clerk.sendp_shift(0.5, 1.25).unwrap();
    assert_eq!(shifted.shift(None), Ok((1.75, "1.25".to_owned())));
    let set = clerk.sendp_set_balance(3).unwrap();
    set.set_balance(None).unwrap();
    assert_eq!(
        clerk.sendp_get_name().unwrap().get_name(None).unwrap(),
        "desk"
    );
    let refused = clerk.sendp_file("refuse", &[]).unwrap();
    let why = Refused {
        why: "asked for".to_owned(),
        how_much: 0.5,
    };
    assert_eq!(refused.file(None), Err(FileError::Refused(why)));
    let failed = clerk.sendp_file("fail", &[]).unwrap();
    assert_eq!(failed.file(None), Err(FileError::System(FAILURE)));
    let colleague = clerk.sendp_colleague(Some(&clerk)).unwrap();
    assert!(colleague.colleague(None).unwrap().is_some());
    client.shutdown(true).unwrap();
}

#[test]
fn a_reply_is_there_when_it_has_come_and_is_taken_once() {
    let (server, client) = (Serving::new(|_| ()), Orb::builder().build().unwrap());
    let (desk, clerk) = server.desk(&client);
    let poller = clerk.sendp_wait(0).unwrap();
    assert_eq!(poller.operation_name(), "wait");
    assert_eq!(poller.operation_target(), clerk.as_object());
    assert!(poller.is_from_poller());
    assert!(!poller.is_ready(NOW).unwrap());
    assert!(!poller.is_ready(SOON).unwrap());
    let no_response = (SystemExceptionKind::NoResponse, minor::omg(1));
    assert_eq!(kind(&poller.wait(NOW).unwrap_err()), no_response);
    let timeout = (SystemExceptionKind::Timeout, minor::omg(1));
    assert_eq!(kind(&poller.wait(SOON).unwrap_err()), timeout);
    let other = poller.get_balance(NOW).unwrap_err();
    let bad_operation = (SystemExceptionKind::BadOperation, minor::POLLED_OPERATION);
    assert_eq!(kind(&other), bad_operation);
    desk.open();
    let same = poller.clone();
    assert!(same.is_ready(None).unwrap());
    assert!(poller.is_ready(NOW).unwrap());
    poller.wait(NOW).unwrap();
    let gone = (SystemExceptionKind::ObjectNotExist, minor::omg(5));
    assert_eq!(kind(&same.wait(None).unwrap_err()), gone);
    assert_eq!(kind(&same.is_ready(None).unwrap_err()), gone);
    client.shutdown(true).unwrap();
}

#[test]
fn one_thread_at_a_time_waits_to_take_a_reply() {
    let (server, client) = (Serving::new(|_| ()), Orb::builder().build().unwrap());
    let (desk, clerk) = server.desk(&client);
    let poller = clerk.sendp_wait(0).unwrap();
    let same = poller.clone();
    let waiting = thread::spawn(move || same.wait(None));
    let busy = (SystemExceptionKind::BadInvOrder, minor::omg(22));
    eventually("the thread that waits", || {
        kind(&poller.wait(NOW).unwrap_err()) == busy
    });
    desk.open();
    waiting.join().unwrap().unwrap();
    client.shutdown(true).unwrap();
}

#[test]
fn a_poller_that_is_dropped_cancels_its_call() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let client = Orb::builder().build().unwrap();
    let clerk: ClerkRef = client.string_to_object(&url).unwrap().unchecked_narrow();
    let poller = clerk.sendp_get_balance().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let request = Message::read(&mut stream).unwrap();
    let same = poller.clone();
    drop(poller);
    assert!(!same.is_ready(SOON).unwrap());
    drop(same);
    let cancel = Message::read(&mut stream).unwrap();
    assert_eq!(cancel.message_type(), MessageType::CancelRequest);
    assert_eq!(cancel.request_id(), request.request_id());
    client.shutdown(true).unwrap();
}

#[test]
fn the_end_of_the_orb_is_an_exception_for_those_who_poll() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (desk, clerk) = server.desk(&client.0);
    let poller = clerk.sendp_wait(0).unwrap();
    eventually("the call", || desk.calls.load(Ordering::SeqCst) == 1);
    drop(client);
    assert!(poller.wait(None).is_err());
    desk.open();
}

#[test]
fn a_reply_goes_to_the_handler_that_is_associated() {
    let (server, client) = (Serving::new(|_| ()), Serving::new(|_| ()));
    let (desk, clerk) = server.desk(&client.0);
    let (handler, heard) = client.handler();
    // Before the reply comes, though the poller is dropped then.
    let poller = clerk.sendp_wait(0).unwrap();
    assert!(poller.associated_handler::<ReplyHandlerRef>().is_none());
    poller.set_associated_handler(Some(&handler)).unwrap();
    assert!(!poller.is_from_poller());
    let associated = poller.associated_handler::<AmiClerkHandlerRef>();
    assert_eq!(associated.as_ref(), Some(&handler));
    drop(poller);
    desk.open();
    assert_eq!(next(&heard), "wait");
    // When it is there already.
    let poller = clerk.sendp_file("text", &[4]).unwrap();
    assert!(poller.is_ready(None).unwrap());
    poller.set_associated_handler(Some(&handler)).unwrap();
    assert_eq!(next(&heard), "file 4");
    let gone = SystemExceptionKind::ObjectNotExist;
    assert_eq!(poller.is_ready(NOW).unwrap_err().kind, gone);
    let again = poller.set_associated_handler(Some(&handler)).unwrap_err();
    assert_eq!(again.kind, gone);
}

#[test]
fn a_set_yields_its_pollers_as_their_replies_come() {
    let (server, client) = (Serving::new(|_| ()), Orb::builder().build().unwrap());
    let (desk, clerk) = server.desk(&client);
    let set: PollableSet<AmiClerkPoller> = PollableSet::new();
    let empty = set.get_ready_pollable(NOW).unwrap_err();
    assert_eq!(empty, PollError::NoPossiblePollable);
    let waiting = clerk.sendp_wait(0).unwrap();
    set.add_pollable(waiting.clone()).unwrap();
    assert_eq!(set.add_pollable(waiting.clone()), Err(AlreadyInSet));
    let Err(PollError::System(none)) = set.get_ready_pollable(NOW) else {
        panic!("there is no reply");
    };
    let no_response = (SystemExceptionKind::NoResponse, minor::omg(1));
    assert_eq!(kind(&none), no_response);
    let Err(PollError::System(none)) = set.get_ready_pollable(SOON) else {
        panic!("there is no reply");
    };
    assert_eq!(none.kind, SystemExceptionKind::Timeout);
    let filed = clerk.sendp_file("text", &[1]).unwrap();
    set.add_pollable(filed.clone()).unwrap();
    assert_eq!(set.number_left(), 2);
    let first = set.get_ready_pollable(Some(PATIENCE)).unwrap();
    assert_eq!(first.operation_name(), "file");
    assert_eq!(first.file(NOW), Ok(1));
    assert!(matches!(set.remove(&filed), Err(UnknownPollable)));
    desk.open();
    let second = set.get_ready_pollable(None).unwrap();
    assert_eq!(second.operation_name(), "wait");
    assert_eq!(set.number_left(), 0);
    // A poller that was removed may go into a set again, and several kinds into one.
    let several: PollableSet<Box<dyn Pollable>> = PollableSet::new();
    several.add_pollable(Box::new(second)).unwrap();
    several
        .add_pollable(Box::new(clerk.sendp_get_name().unwrap()))
        .unwrap();
    for _ in 0..2 {
        several.get_ready_pollable(Some(PATIENCE)).unwrap();
    }
    drop(several);
    client.shutdown(true).unwrap();
}

#[test]
fn removing_the_last_poller_ends_the_wait_for_it() {
    let (server, client) = (Serving::new(|_| ()), Orb::builder().build().unwrap());
    let (desk, clerk) = server.desk(&client);
    let set: Arc<PollableSet<AmiClerkPoller>> = Arc::default();
    let poller = clerk.sendp_wait(0).unwrap();
    set.add_pollable(poller.clone()).unwrap();
    let of_thread = Arc::clone(&set);
    let waiting = thread::spawn(move || of_thread.get_ready_pollable(None).map(drop));
    set.remove(&poller).unwrap();
    let ended = waiting.join().unwrap();
    assert_eq!(ended, Err(PollError::NoPossiblePollable));
    desk.open();
    client.shutdown(true).unwrap();
}

/// Counts the points of pollers' calls.
#[derive(Default)]
struct Counting {
    sent: AtomicUsize,
    polled: AtomicUsize,
    received: AtomicUsize,
}

struct Counter(Arc<Counting>);

impl ClientRequestInterceptor for Counter {
    fn send_request(
        &self,
        _: &mut ClientRequestInfo<'_>,
    ) -> Result<(), taut::interceptors::Interruption> {
        self.0.sent.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn send_poll(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(info.operation(), "wait");
        // The third poll is refused.
        match self.0.polled.fetch_add(1, Ordering::SeqCst) {
            2 => Err(FAILURE),
            _ => Ok(()),
        }
    }

    fn receive_reply(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.received.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn interceptors_see_each_poll_between_the_request_and_its_reply() {
    let counting = Arc::new(Counting::default());
    let server = Serving::new(|_| ());
    let counter = Counter(Arc::clone(&counting));
    let client = Orb::builder().client_interceptor(counter);
    let client = client.build().unwrap();
    let (desk, clerk) = server.desk(&client);
    let poller = clerk.sendp_wait(0).unwrap();
    eventually("the call", || desk.calls.load(Ordering::SeqCst) == 1);
    let no_response = SystemExceptionKind::NoResponse;
    for _ in 0..2 {
        assert_eq!(poller.wait(NOW).unwrap_err().kind, no_response);
    }
    assert_eq!(poller.wait(NOW).unwrap_err(), FAILURE);
    let counts = || {
        let Counting {
            sent,
            polled,
            received,
        } = &*counting;
        [sent, polled, received].map(|count| count.load(Ordering::SeqCst))
    };
    assert_eq!(counts(), [1, 3, 0]);
    desk.open();
    poller.wait(None).unwrap();
    assert_eq!(counts()[2], 1);
    client.shutdown(true).unwrap();
}
