//! Sequences that come back are the caller's as the server has sent them, whether the
//! reply is as large as the last one, which is received where its elements stay, or
//! something else altogether; and however it is cut on its way.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::common::client_with;
use crate::common::raw::{Message, reply, url_at};
use taut::codegen::{CalledOperation, Decode, Encode};
use taut::{
    ByteOrder, CompletionStatus, Reference, Settings, SystemException, SystemExceptionKind,
    WaitStrategy,
};
use taut_cdr::uniform::PlainData;
use taut_cdr::{ElementForm, Encoder, LongDouble};
use taut_giop::message::{
    self, HEADER_SIZE, MessageType, ReplyHeader, ReplyStatus, begin_body, begin_message,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts};

/// The pieces that a server sends, each a while behind the one before, for it knows the
/// request's id.
type Answer = Box<dyn FnOnce(u32) -> Vec<Vec<u8>> + Send>;

/// A client of a server that answers one call after the other with what it is told to.
struct Scene {
    object: taut::ObjectRef,
    answers: Sender<Answer>,
}

impl Scene {
    fn new(adjust: impl FnOnce(&mut Settings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (answers, script) = channel::<Answer>();
        thread::spawn(move || {
            let connections = listener.incoming().map_while(Result::ok);
            for mut stream in connections {
                stream.set_nodelay(true).unwrap();
                while let Ok(request) = Message::read(&mut stream) {
                    let Ok(answer) = script.recv() else {
                        return;
                    };
                    if send(&mut stream, answer(request.request_id())).is_err() {
                        break;
                    }
                }
            }
        });
        let object = client_with(&url_at(port), adjust).as_object().clone();
        Self { object, answers }
    }

    /// Calls, and is answered so.
    fn call<T: PlainData + for<'m> Decode<'m>>(
        &self,
        answer: impl FnOnce(u32) -> Vec<Vec<u8>> + Send + 'static,
    ) -> Result<Vec<T>, SystemException> {
        self.answers.send(Box::new(answer)).unwrap();
        self.object
            .call(operation::<T>(), |_| Ok(()))?
            .results(Vec::decode)
    }

    /// Calls until the reply is expected to be as large as this one.
    fn expect<T>(&self, items: &[T])
    where
        T: PlainData + Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug + Send,
    {
        for _ in 0..3 {
            let octets = items.to_vec();
            let back = self.call::<T>(move |id| vec![sequence(id, &octets)]);
            assert_eq!(back.unwrap(), items);
        }
    }
}

fn send(stream: &mut TcpStream, pieces: Vec<Vec<u8>>) -> std::io::Result<()> {
    for (index, piece) in pieces.iter().enumerate() {
        if piece.is_empty() {
            return Err(std::io::Error::other("this is the end of it"));
        }
        if index != 0 {
            thread::sleep(Duration::from_millis(2));
        }
        stream.write_all(piece)?;
    }
    Ok(())
}

/// An operation from which nothing comes back but a sequence of such elements.
fn operation<T: PlainData>() -> &'static CalledOperation<'static> {
    const { &CalledOperation::by_name("get").returning(ElementForm::of::<T>()) }
}

/// A reply as most servers send it.
fn sequence<T: PlainData + Encode>(request_id: u32, items: &[T]) -> Vec<u8> {
    reply_in(ByteOrder::NATIVE, request_id, &[], items)
}

fn reply_in<T: PlainData + Encode>(
    order: ByteOrder,
    request_id: u32,
    contexts: &[ServiceContext<'_>],
    items: &[T],
) -> Vec<u8> {
    let header = ReplyHeader {
        request_id,
        status: ReplyStatus::NoException,
        service_contexts: ServiceContexts::new(contexts),
    };
    let mut out = Encoder::new(order);
    begin_message(&mut out, taut::Version::V1_2, MessageType::Reply);
    header.encode(taut::Version::V1_2, &mut out).unwrap();
    let body = begin_body(taut::Version::V1_2, &mut out);
    items.encode(&mut out).unwrap();
    body.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    out.into_buffer()
}

fn octets(count: usize) -> Vec<u8> {
    (0..count).map(|place| (place * 31 % 251) as u8).collect()
}

const LARGE: usize = 50_000;

/// The strategies of waiting that a client may have.
const STRATEGIES: [WaitStrategy; 3] = [
    WaitStrategy::Block,
    WaitStrategy::Adaptive,
    WaitStrategy::Spin,
];

#[test]
fn elements_of_each_size_come_back_however_the_reply_is_cut() {
    fn check<T>(items: &[T])
    where
        T: PlainData + Encode + for<'m> Decode<'m> + PartialEq + std::fmt::Debug + Send,
    {
        for strategy in STRATEGIES {
            let scene = Scene::new(|settings| settings.wire.wait_strategy = strategy);
            scene.expect(items);
            let whole = sequence(0, items).len();
            let cuts = (1..=61).chain([4_096, whole / 2, whole - 1]);
            for cut in cuts {
                let sent = items.to_vec();
                let back = scene.call::<T>(move |id| {
                    let reply = sequence(id, &sent);
                    vec![reply[..cut].to_vec(), reply[cut..].to_vec()]
                });
                assert_eq!(back.unwrap(), items, "cut at {cut}");
                // The next one is expected again.
                scene.expect(items);
            }
        }
    }
    let octets = octets(LARGE);
    check(&octets);
    check(
        &octets
            .iter()
            .map(|&it| i16::from(it) << 7)
            .collect::<Vec<_>>(),
    );
    check(
        &octets
            .iter()
            .map(|&it| i32::from(it) << 23)
            .collect::<Vec<_>>(),
    );
    let doubles: Vec<f64> = octets.iter().map(|&it| f64::from(it) / 7.0).collect();
    check(&doubles);
    let wide: Vec<_> = doubles.iter().map(|&it| LongDouble::from_f64(it)).collect();
    check(&wide);
    check(&octets.iter().map(|&it| point(it)).collect::<Vec<_>>());
    check(&octets.iter().map(|&it| sample(it)).collect::<Vec<_>>());
}

/// Of which all lie on the wire as in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Point {
    y: i16,
    x: f32,
}
taut_cdr::uniform_structure! { plain Point { y: i16, x: f32 } }

/// Of which the first lies otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Sample {
    id: u8,
    value: f64,
}
taut_cdr::uniform_structure! { plain Sample { id: u8, value: f64 } }

fn point(it: u8) -> Point {
    Point {
        y: i16::from(it),
        x: f32::from(it) / 3.0,
    }
}

fn sample(id: u8) -> Sample {
    Sample {
        id,
        value: f64::from(id) / 3.0,
    }
}

#[test]
fn structs_may_be_more_or_fewer_than_were_expected() {
    let scene = Scene::new(|_| ());
    for count in [
        5_000, 5_000, 5_001, 5_001, 4_999, 4_999, 0, 5_000, 1, 5_000, 2_400,
    ] {
        let items: Vec<_> = octets(count).into_iter().map(sample).collect();
        scene.expect(&items[..count / 2]);
        scene.expect(&items);
    }
}

#[test]
fn replies_that_grow_and_shrink_come_back_whole() {
    let scene = Scene::new(|_| ());
    let counts = [
        40_000, 40_000, 40_000, 40_001, 50_000, 50_000, 50_000, 49_999, 26_000, 26_000, 8_000,
        50_000, 0, 50_000, 50_000, 50_000, 3_000_000, 3_000_000, 3_000_000, 2_000_000, 1, 100,
        3_000_000, 3_000_000,
    ];
    for count in counts {
        let (sent, items) = (octets(count), octets(count));
        let back = scene
            .call::<u8>(move |id| vec![sequence(id, &sent)])
            .unwrap();
        assert!(back == items, "{} instead of {count}", back.len());
        // Nobody has to keep far more memory than there are elements.
        assert!(back.capacity() <= 2 * count + 64, "{}", back.capacity());
    }
}

#[test]
fn what_comes_instead_is_read_as_ever() {
    let scene = Scene::new(|_| ());
    let items = octets(LARGE);
    let again = || scene.expect(&items);

    again();
    let swapped = match ByteOrder::NATIVE {
        ByteOrder::Little => ByteOrder::Big,
        ByteOrder::Big => ByteOrder::Little,
    };
    let sent = items.clone();
    let back = scene.call::<u8>(move |id| vec![reply_in(swapped, id, &[], &sent)]);
    assert_eq!(back.unwrap(), items);

    again();
    let sent = items.clone();
    let contexts = [ServiceContext { id: 1, data: b"c" }];
    let back = scene.call::<u8>(move |id| vec![reply_in(ByteOrder::NATIVE, id, &contexts, &sent)]);
    assert_eq!(back.unwrap(), items);

    again();
    let sent = items.clone();
    let back = scene.call::<u8>(move |id| {
        // Nobody has asked for the first.
        vec![[sequence(id + 2, &sent), sequence(id, &sent)].concat()]
    });
    assert_eq!(back.unwrap(), items);

    again();
    let refused = scene.call::<u8>(|id| {
        vec![reply(id, ReplyStatus::SystemException, |out| {
            "IDL:omg.org/CORBA/NO_RESOURCES:1.0".encode(out).unwrap();
            out.write(7_u32);
            out.write(1_u32);
        })]
    });
    assert_eq!(refused.unwrap_err().kind, SystemExceptionKind::NoResources);

    again();
    let unlisted = scene.call::<u8>(|id| {
        vec![reply(id, ReplyStatus::UserException, |out| {
            "IDL:X:1.0".encode(out).unwrap()
        })]
    });
    assert_eq!(unlisted.unwrap_err().kind, SystemExceptionKind::Unknown);

    again();
    let sent = items.clone();
    let back = scene.call::<u8>(move |id| {
        let reply = sequence(id, &sent);
        let pieces = taut_giop::framing::Fragments::new(&reply, 10_000).unwrap();
        vec![
            pieces
                .flat_map(|it| [it.head(), it.payload].concat())
                .collect(),
        ]
    });
    assert_eq!(back.unwrap(), items);
    again();
}

#[test]
fn a_count_that_lies_is_an_error_and_nothing_more() {
    let scene = Scene::new(|_| ());
    let items = octets(LARGE);
    for count in [1, LARGE - 1, LARGE + 1, u32::MAX as usize] {
        scene.expect(&items);
        let sent = items.clone();
        let back = scene.call::<u8>(move |id| {
            let mut reply = sequence(id, &sent);
            let at = HEADER_SIZE + 12;
            reply[at..at + 4].copy_from_slice(&(count as u32).to_ne_bytes());
            vec![reply]
        });
        match back {
            // Octets behind the results are not looked at.
            Ok(back) => assert_eq!(back, items[..count]),
            Err(error) => {
                assert!(count > LARGE);
                assert_eq!(error.kind, SystemExceptionKind::Marshal);
                assert_eq!(error.completed, CompletionStatus::Yes);
            }
        }
    }
}

#[test]
fn a_connection_that_ends_within_a_reply_fails_the_call_alone() {
    let scene = Scene::new(|_| ());
    let items = octets(LARGE);
    for cut in [0, 1, 27, 28, 29, 4_096, LARGE] {
        scene.expect(&items);
        let sent = items.clone();
        let lost = scene.call::<u8>(move |id| {
            let whole = sequence(id, &sent);
            match cut {
                0 => vec![Vec::new()],
                _ => vec![whole[..cut].to_vec(), Vec::new()],
            }
        });
        assert_eq!(
            lost.unwrap_err().kind,
            SystemExceptionKind::CommFailure,
            "{cut}"
        );
    }
}

#[test]
fn a_reply_may_take_as_long_as_the_time_out_says_and_no_longer() {
    let scene = Scene::new(|settings| settings.client.call_timeout = Some(Duration::from_secs(3)));
    let items = octets(LARGE);
    // One stops, the other goes on, but far too slowly.
    for (piece, pieces) in [(28, 1), (20_000, 1), (28, usize::MAX)] {
        scene.expect(&items);
        let sent = items.clone();
        let late = scene.call::<u8>(move |id| {
            let whole = sequence(id, &sent);
            let pieces = whole.chunks(piece).take(pieces);
            pieces.map(<[u8]>::to_vec).collect()
        });
        let kind = late.unwrap_err().kind;
        assert_eq!(kind, SystemExceptionKind::Timeout, "{piece}");
    }
    // The second call has all of its time again. On a busy machine either may come too
    // late, but not each time.
    let both_come_in_time = || {
        scene.expect(&items);
        let sent = items.clone();
        let slow = scene.call::<u8>(move |id| {
            let whole = sequence(id, &sent);
            whole.chunks(100).map(<[u8]>::to_vec).collect()
        });
        let sent = items.clone();
        let late = scene.call::<u8>(move |id| {
            thread::sleep(Duration::from_millis(2_400));
            vec![sequence(id, &sent)]
        });
        [slow, late].iter().all(|back| match back {
            Ok(back) => *back == items,
            Err(exception) => {
                assert_eq!(exception.kind, SystemExceptionKind::Timeout);
                false
            }
        })
    };
    assert!((0..10).any(|_| both_come_in_time()));
}
