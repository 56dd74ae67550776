//! Many calls in flight.

use std::collections::HashSet;
use std::io::Write;
use std::net::TcpListener;
use std::thread;

use taut::codegen::Encode;
use taut_giop::message::{MessageType, ReplyStatus};

use super::super::many::numbers;
use super::generated::desks::AmiClerkHandlerRef;
use super::{OfficeRef, Serving, next};
use crate::common::process::threads_named;
use crate::common::raw::{Message, reply, url_at};

#[test]
fn ten_thousand_calls_wait_at_once_without_threads_and_each_reply_reaches_the_handler() {
    const CALLS: usize = 10_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_at(listener.local_addr().unwrap().port());
    let (all_there, are_all_there) = std::sync::mpsc::channel::<()>();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
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
    let office: OfficeRef = client.0.string_to_object(&url).unwrap().unchecked_narrow();
    let (handler, heard) = client.handler();
    let handler: AmiClerkHandlerRef = handler.into();
    for _ in 0..CALLS {
        office.sendc_get_balance(Some(&handler)).unwrap();
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

#[test]
fn handlers_may_make_calls_of_their_own_and_wait_for_them() {
    use std::sync::mpsc::channel;

    use parking_lot::Mutex;

    // As many handlers wait at once as there are threads for them, each for a reply.
    let server = Serving::new(|_| ());
    let client = Serving::new(|settings| settings.client.reply_threads = 1);
    let (_, office) = server.desk(&client.0);
    let (told, heard) = channel();
    let asking = Asking {
        office: office.clone(),
        told: Mutex::new(told),
    };
    let poa = client.0.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let skeleton = super::generated::desks::AmiNamedHandlerSkeleton::new(asking);
    let handler = poa.activate(skeleton).unwrap();
    for _ in 0..5 {
        office.sendc_get_name(Some(&handler)).unwrap();
    }
    for _ in 0..5 {
        assert_eq!(next(&heard), "desk 42");
    }
}

/// A handler that polls for another reply.
struct Asking {
    office: OfficeRef,
    told: parking_lot::Mutex<std::sync::mpsc::Sender<String>>,
}

impl taut::ami::ReplyHandler for Asking {}

impl super::AmiNamedHandler for Asking {
    fn get_name(&self, name: &str) -> taut::Result<()> {
        let poller = self.office.sendp_get_balance()?;
        let balance = poller.get_balance(None)?;
        let _ = self.told.lock().send(format!("{name} {balance}"));
        Ok(())
    }

    fn get_name_excep(&self, _: super::Held<'_>) -> taut::Result<()> {
        Ok(())
    }
}
