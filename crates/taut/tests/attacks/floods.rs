//! Too much of what is allowed now and then.

use std::thread;
use std::time::Duration;

use taut::{BidirectionalPolicy, Reference, Settings};
use taut_giop::bidirectional::{ListenPoint, to_context_data};
use taut_giop::service_context::{self, ServiceContext};

use crate::arena::{assert_told_of, attack, drain_briefly, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::events;
use crate::common::eventually;
use crate::common::octets::{self, cancel, echo, ping};
use crate::common::raw::{PATIENCE, Request};
use crate::memory;

const ATTACKERS: usize = 20;

fn few_cancels(settings: &mut Settings) {
    settings.server.max_cancels_per_second = 100;
}

#[test]
fn cancels_without_end_end_the_connection() {
    attack(few_cancels, |arena| {
        let flood: Vec<u8> = (0..5_000).flat_map(cancel).collect();
        with_memory_below(ATTACKERS * 256 * 1024, || {
            let mut attackers = Attacker::many(&arena.server, ATTACKERS);
            for attacker in &mut attackers {
                attacker.send(&flood);
                assert_eq!(attacker.end(), (0, Outcome::CloseConnection));
            }
            let names = attackers.iter().map(|attacker| &*attacker.name);
            assert_told_of(names, "max_cancels_per_second");
        });
    });
}

#[test]
fn requests_that_are_cancelled_at_once_end_the_connection() {
    attack(few_cancels, |arena| {
        let pair = |id| [ping(&arena.server, id), cancel(id)].concat();
        let pairs: Vec<_> = (0..2_000).map(pair).collect();
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        with_memory_below(ATTACKERS * 512 * 1024, || {
            thread::scope(|scope| {
                for attacker in &mut attackers {
                    let mut sending = attacker.another();
                    let pairs = &pairs;
                    scope.spawn(move || pairs.iter().all(|pair| sending.send(pair)));
                    scope.spawn(move || {
                        let (replies, outcome) = attacker.end();
                        attacker.fall_silent();
                        // One reply to each at most, and no further request
                        // begun once there were too many cancels.
                        assert!(replies <= 2_000, "{replies}");
                        assert_eq!(outcome, Outcome::CloseConnection);
                    });
                }
            });
        });
        let names = attackers.iter().map(|attacker| &*attacker.name);
        assert_told_of(names, "max_cancels_per_second");
    });
}

/// Found beside busy processors: the connection was half-closed at once, and neither the
/// reply nor CloseConnection was sent.
#[test]
fn a_connection_that_a_flood_ends_answers_what_is_under_way_and_says_goodbye() {
    attack(few_cancels, |arena| {
        let mut attacker = Attacker::connect(&arena.server);
        attacker.send(&octets::blocks(&arena.server, 1));
        arena.server.entered.recv_timeout(PATIENCE).unwrap();
        // Another thread reads these while the servant keeps the first.
        let flood: Vec<u8> = (2..5_000).flat_map(cancel).collect();
        attacker.send(&flood);
        eventually("the refusal of the flood", || {
            events::tell_of(&attacker.name, "max_cancels_per_second")
        });
        arena.server.release.send(()).unwrap();
        assert_eq!(attacker.end(), (1, Outcome::CloseConnection));
    });
}

#[test]
fn replies_that_nobody_takes_cost_their_client_only() {
    let adjust = |settings: &mut Settings| {
        settings.limits.message_timeout = Duration::from_millis(300);
        drain_briefly(settings);
    };
    attack(adjust, |arena| {
        let text = "x".repeat(60_000);
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        let request = echo(&arena.server, 1, &text);
        // Each connection: an input buffer, and one reply that waits.
        with_memory_below(ATTACKERS * 8 * 64 * 1024, || {
            thread::scope(|scope| {
                for attacker in &mut attackers {
                    let request = &request;
                    attacker.give_up_soon();
                    scope.spawn(move || while attacker.send(request) {});
                }
            });
        });
    });
}

#[test]
fn messages_that_no_client_may_send_are_message_errors() {
    use taut_giop::message::MessageType;
    attack(few_cancels, |arena| {
        let to_nobody = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        for (number, attacker) in attackers.iter_mut().enumerate() {
            let reply = match number % 2 {
                0 => octets::whole(MessageType::Reply, &to_nobody),
                _ => octets::whole(MessageType::LocateReply, &to_nobody[..8]),
            };
            attacker.send(&reply.repeat(100));
            assert_eq!(attacker.end(), (0, Outcome::MessageError));
        }
        let names = attackers.iter().map(|attacker| &*attacker.name);
        assert_told_of(names, "unreadable message");
    });
}

/// Found by this test: each new end point stayed in the connection cache.
#[test]
fn end_points_without_end_are_refused() {
    const REQUESTS: u32 = 1_000;
    let adjust = |settings: &mut Settings| {
        settings.wire.bidirectional = BidirectionalPolicy::Both;
    };
    attack(adjust, |arena| {
        let naming = |id: u32| {
            let point = |number| ListenPoint {
                host: "127.0.0.1".to_owned(),
                port: (10_000 + 10 * id + number) as u16,
            };
            let points: Vec<_> = (0..10).map(point).collect();
            let context = ServiceContext {
                id: service_context::id::BI_DIR_IIOP,
                data: &to_context_data(&points).unwrap(),
            };
            let request = Request {
                contexts: &[context],
                ..Request::new(id, "ping")
            };
            request.to(arena.server.echo.as_object(), |_| ())
        };
        let requests: Vec<_> = (0..REQUESTS).map(naming).collect();
        events::restart();
        let mut attacker = Attacker::connect(&arena.server);
        let live = memory::live();
        for request in &requests {
            attacker.send(request);
            attacker.receive_reply();
        }
        // 16 end points, and the events that this test keeps.
        let refused = events::with("max_listen_points").len();
        assert_eq!(refused, 10 * REQUESTS as usize - 16);
        events::restart();
        let kept = memory::live() - live;
        // Those 16 have some 8 KiB each; all of them would have 80 MB.
        assert!(kept < 160 * 1024, "{kept} octets");
    });
}
