//! Many calls in flight.

use std::collections::HashSet;
use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, atomic::Ordering};
use std::thread;

use parking_lot::Mutex;
use taut::ami::ReplyHandler;
use taut::codegen::Encode;
use taut::{Result, SystemExceptionKind, minor};
use taut_giop::message::{MessageType, ReplyStatus};

use super::super::many::numbers;
use super::generated::desks::{AmiNamedHandlerRef, AmiNamedHandlerSkeleton};
use super::{AmiNamedHandler, Clerk, ClerkRef, Desk, Held, Serving, next};
use crate::common::eventually;
use crate::common::process::threads_named;
use crate::common::raw::{Message, reply, url_at};

#[test]
fn ten_thousand_calls_wait_at_once_without_threads_and_each_reply_reaches_the_handler() {
    const CALLS: usize = 10_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let (all_there, are_all_there) = channel::<()>();
    let (go_on, may_go_on) = channel::<()>();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = Vec::new();
        while requests.len() < CALLS {
            let message = Message::read(&mut stream).unwrap();
            assert_eq!(message.message_type(), MessageType::Request);
            requests.push(message.request_id());
        }
        all_there.send(()).unwrap();
        may_go_on.recv().unwrap();
        // All are there, and none has been answered.
        let mut below = numbers(3);
        let mut number = 0_i32;
        while !requests.is_empty() {
            let id = requests.swap_remove(below(requests.len()));
            let answer = reply(id, ReplyStatus::NoException, |out| {
                number.encode(out).unwrap();
            });
            number += 1;
            stream.write_all(&answer).unwrap();
        }
        stream
    });
    let client = Serving::new(|settings| {
        settings.client.max_requests_in_flight = CALLS;
        settings.client.reply_threads = 2;
    });
    let clerk: ClerkRef = client.0.string_to_object(&url).unwrap().unchecked_narrow();
    let (handler, heard) = client.handler();
    for _ in 0..CALLS {
        clerk.sendc_get_balance(Some(&handler)).unwrap();
    }
    are_all_there.recv().unwrap();
    // Tests beside this one may have some; a thread for each call would be far more.
    assert!(threads_named("taut future") + threads_named("taut reply") < 1_000);
    go_on.send(()).unwrap();
    let told: HashSet<String> = (0..CALLS).map(|_| next(&heard)).collect();
    let expected = (0..CALLS)
        .map(|number| format!("balance {number}"))
        .collect();
    assert!(told == expected);
    drop(server.join().unwrap());
}

/// Makes a servant the client's handler of the names of desks.
fn activate(client: &Serving, servant: impl AmiNamedHandler + 'static) -> AmiNamedHandlerRef {
    let poa = client.0.root_poa().unwrap();
    poa.manager().activate().unwrap();
    poa.activate(AmiNamedHandlerSkeleton::new(servant)).unwrap()
}

#[test]
fn handlers_may_make_calls_of_their_own_and_wait_for_them() {
    // As many handlers wait at once as there are threads for them, each for a reply.
    let server = Serving::new(|_| ());
    let client = Serving::new(|settings| settings.client.reply_threads = 1);
    let (_, clerk) = server.desk(&client.0);
    let (told, heard) = channel();
    let asking = Asking {
        clerk: clerk.clone(),
        told: Mutex::new(told),
    };
    let handler = activate(&client, asking);
    for _ in 0..5 {
        clerk.sendc_get_name(Some(&handler)).unwrap();
    }
    for _ in 0..5 {
        assert_eq!(next(&heard), "desk 42");
    }
}

/// A handler that polls for another reply.
struct Asking {
    clerk: ClerkRef,
    told: Mutex<Sender<String>>,
}

impl ReplyHandler for Asking {}

impl AmiNamedHandler for Asking {
    fn get_name(&self, name: &str) -> Result<()> {
        let poller = self.clerk.sendp_get_balance()?;
        let balance = poller.get_balance(None)?;
        let _ = self.told.lock().send(format!("{name} {balance}"));
        Ok(())
    }

    fn get_name_excep(&self, _: Held<'_>) -> Result<()> {
        Ok(())
    }
}

/// Calls were counted until their replies had come, so that replies to a handler that was slower
/// than the server piled up without a limit.
#[test]
fn replies_that_wait_for_a_slow_handler_are_counted() {
    let server = Serving::new(|_| ());
    let client = Serving::new(|settings| {
        settings.client.reply_threads = 1;
        settings.client.max_ami_calls = 2;
    });
    let (_, clerk) = server.desk(&client.0);
    let gate = Arc::new(Desk::default());
    let handler = activate(&client, Slow(Arc::clone(&gate)));
    clerk.sendc_get_name(Some(&handler)).unwrap();
    eventually("the reply", || gate.calls.load(Ordering::SeqCst) == 1);
    clerk.sendc_get_name(Some(&handler)).unwrap();
    let refused = clerk.sendc_get_name(Some(&handler)).unwrap_err();
    let kind = SystemExceptionKind::Transient;
    assert_eq!((refused.kind, refused.minor), (kind, minor::AMI_CALL_LIMIT));
    gate.open();
    eventually("room", || clerk.sendc_get_name(Some(&handler)).is_ok());
    eventually("the replies", || gate.calls.load(Ordering::SeqCst) == 3);
}

/// A handler that takes its time.
struct Slow(Arc<Desk>);

impl ReplyHandler for Slow {}

impl AmiNamedHandler for Slow {
    fn get_name(&self, _: &str) -> Result<()> {
        self.0.wait(0)
    }

    fn get_name_excep(&self, _: Held<'_>) -> Result<()> {
        Ok(())
    }
}
