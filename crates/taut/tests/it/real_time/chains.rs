//! Priorities from a thread through several servers: by every kind of call, along forwards, and
//! through references that tell other models.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use parking_lot::Mutex;
use taut::policy::PriorityModelPolicy;
use taut::real_time::{RealTime, RtOrb};
use taut::{Orb, Reference, SyncScope};

use super::served::Seen;
use super::{CLIENTS, PATIENCE, SERVERS, model};
use crate::asynchronous::executor::block_on;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, EchoError, EchoRef, EchoSkeleton, EndOfServer};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning] {
        calls_of_every_kind_have_the_priority_at_every_server,
        calls_that_are_forwarded_have_the_priority_that_their_target_says,
    }
}

/// A servant that tells what it sees, and calls the next.
struct Relay {
    name: &'static str,
    orb: RtOrb,
    seen: Mutex<Sender<(&'static str, Seen)>>,
    next: Option<EchoRef>,
}

impl Relay {
    fn tell(&self) {
        let mut seen = Seen::now(&self.orb);
        seen.contexts.clear();
        self.seen.lock().send((self.name, seen)).unwrap();
    }
}

impl Echo for Relay {
    fn ping(&self) -> taut::Result<()> {
        self.tell();
        self.next.as_ref().map_or(Ok(()), EchoRef::ping)
    }

    fn echo(&self, text: &str) -> Result<String, EchoError> {
        self.tell();
        match &self.next {
            Some(next) => next.echo(text),
            None => Ok(text.to_owned()),
        }
    }

    fn note(&self, text: &str) -> taut::Result<()> {
        self.tell();
        self.next.as_ref().map_or(Ok(()), |next| next.note(text))
    }
}

/// Servers that call each other, the first before the second, and a client.
struct Chain {
    mode: Mode,
    orb: RtOrb,
    seen: Mutex<Receiver<(&'static str, Seen)>>,
    client: EchoRef,
    _ends: Vec<(Orb, EndOfServer)>,
}

impl Chain {
    fn new(mode: Mode, links: &[(&'static str, PriorityModelPolicy)]) -> Self {
        let (sender, seen) = channel();
        let mut ends = Vec::new();
        let mut next: Option<String> = None;
        for &(name, model) in links.iter().rev() {
            let builder = mode.listening_builder().real_time(RealTime::new());
            let orb = builder.build().unwrap();
            let to_next = next.map(|next| orb.string_to_object(&next).unwrap());
            let relay = Relay {
                name,
                orb: orb.real_time().unwrap(),
                seen: Mutex::new(sender.clone()),
                next: to_next.map(|next| next.unchecked_narrow()),
            };
            let root = orb.root_poa().unwrap();
            root.manager().activate().unwrap();
            let manager = Some(root.manager());
            let poa = root
                .create_poa_telling(name, manager, &[], &[model.into()])
                .unwrap();
            let object = poa.activate(EchoSkeleton(Arc::new(relay))).unwrap();
            next = Some(object.as_object().to_string());
            let end = EndOfServer::of(&orb);
            ends.push((orb, end));
        }
        let builder = Orb::builder().real_time(RealTime::new());
        let builder = builder.settings(|settings| mode.adjust(settings));
        let orb = builder.build().unwrap();
        let client = orb.string_to_object(&next.unwrap()).unwrap();
        Self {
            mode,
            orb: orb.real_time().unwrap(),
            seen: Mutex::new(seen),
            client: client.unchecked_narrow(),
            _ends: ends,
        }
    }

    /// The next servants see these priorities.
    fn sees(&self, what: &str, expected: &[(&'static str, i16)]) {
        for (name, number) in expected {
            let seen = self.seen.lock();
            let seen = seen.recv_timeout(PATIENCE).unwrap();
            let case = format!("{what}, {:?}", self.mode);
            assert_eq!(seen, (*name, Seen::at(&self.orb, *number, &[])), "{case}");
        }
    }
}

type Call = (&'static str, fn(&EchoRef));

const CALLS: [Call; 6] = [
    ("two-way", |echo| echo.ping().unwrap()),
    ("with a result", |echo| {
        assert_eq!(echo.echo("text").unwrap(), "text")
    }),
    ("oneway", |echo| echo.note("text").unwrap()),
    ("oneway to the server", |echo| {
        echo.with_sync_scope(SyncScope::WithServer)
            .note("text")
            .unwrap();
    }),
    ("oneway to the target", |echo| {
        echo.with_sync_scope(SyncScope::WithTarget)
            .note("text")
            .unwrap();
    }),
    ("future", |echo| {
        block_on(echo.as_object().invoke_async("ping", |_| Ok(())))
            .map(drop)
            .unwrap();
    }),
];

fn calls_of_every_kind_have_the_priority_at_every_server(mode: Mode) {
    let chain = Chain::new(
        mode,
        &[
            ("first", model(CLIENTS, 7)),
            ("second", model(CLIENTS, 8)),
            ("declaring", model(SERVERS, 9_000)),
            ("last", model(CLIENTS, 10)),
        ],
    );
    let at = |number: i16| {
        [
            ("first", number),
            ("second", number),
            ("declaring", 9_000),
            ("last", 9_000),
        ]
    };
    thread::scope(|scope| {
        let run = || {
            let current = chain.orb.current();
            for (name, call) in CALLS {
                call(&chain.client);
                // A thread without a priority sends none: the first server's POA says it.
                chain.sees(name, &at(7));
            }
            for number in [20_000, 32_767, 0] {
                current.set_the_priority(number).unwrap();
                for (name, call) in CALLS {
                    call(&chain.client);
                    chain.sees(name, &at(number));
                }
            }
        };
        scope.spawn(run).join().unwrap();
    });
}

fn calls_that_are_forwarded_have_the_priority_that_their_target_says(mode: Mode) {
    for (of_target, number) in [(model(CLIENTS, 7), 20_000), (model(SERVERS, 9_000), 9_000)] {
        let chain = Chain::new(mode, &[("target", of_target)]);
        // A plain key of a server whose references tell nothing.
        let builder = mode.listening_builder();
        let forwarder = builder.build().unwrap();
        let _end = EndOfServer::of(&forwarder);
        let target = chain.client.as_object().to_string();
        let target = forwarder.string_to_object(&target).unwrap();
        forwarder.bind_object_key("target", &target);
        forwarder.root_poa().unwrap().manager().activate().unwrap();
        let url = crate::common::wire::url(&forwarder.published_addresses()[0], "1.2@", "target");
        thread::scope(|scope| {
            let run = || {
                chain.orb.current().set_the_priority(20_000).unwrap();
                for (name, call) in CALLS {
                    let forwarded = chain.forwarded(&url);
                    // Nobody waits for the forward of a oneway.
                    match name {
                        "oneway to the server" => continue,
                        "oneway" => {
                            forwarded.ping().unwrap();
                            chain.sees(name, &[("target", number)]);
                        }
                        _ => {}
                    }
                    for _ in 0..2 {
                        call(&forwarded);
                        chain.sees(name, &[("target", number)]);
                    }
                }
            };
            scope.spawn(run).join().unwrap();
        });
    }
}

impl Chain {
    /// A reference that leads to the forwarder.
    fn forwarded(&self, url: &str) -> EchoRef {
        let builder = Orb::builder().real_time(RealTime::new());
        let builder = builder.settings(|settings| self.mode.adjust(settings));
        let orb = builder.build().unwrap();
        orb.string_to_object(url).unwrap().unchecked_narrow()
    }
}
