//! Attackers that take their time: what they begin must end.

use std::thread;
use std::time::{Duration, Instant};

use taut::Settings;

use crate::arena::{Arena, assert_told_of, attack, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::eventually;
use crate::common::{events, octets};

const ATTACKERS: usize = 50;
const TOO_LONG: &str = "a message took too long";

fn impatient(settings: &mut Settings) {
    settings.server.header_timeout = Duration::from_millis(150);
    settings.limits.message_timeout = Duration::from_millis(300);
}

/// Every attacker gets CloseConnection, and an event says why.
fn assert_sent_away(attackers: &mut [Attacker], why: &str) {
    let outcomes: Vec<_> = attackers.iter_mut().map(Attacker::end).collect();
    let all = vec![(0, Outcome::CloseConnection); attackers.len()];
    assert_eq!(outcomes, all);
    assert_told_of(attackers.iter().map(|attacker| &*attacker.name), why);
}

#[test]
fn headers_that_come_octet_by_octet_end_their_connections() {
    attack(impatient, |arena: &Arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        with_memory_below(ATTACKERS * 32 * 1024, || {
            for octet in b"GIOP\x01\x02\x01" {
                for attacker in &mut attackers {
                    if !events::tell_of(&attacker.name, TOO_LONG) {
                        attacker.send(&[*octet]);
                    }
                }
                thread::sleep(Duration::from_millis(10));
            }
            assert_sent_away(&mut attackers, TOO_LONG);
        });
    });
}

#[test]
fn messages_that_do_not_go_on_end_their_connections() {
    attack(impatient, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        let whole = octets::echo(&arena.server, 1, "never to be answered");
        // Cut anywhere behind the header.
        for (number, attacker) in attackers.iter_mut().enumerate() {
            attacker.send(&whole[..12 + number % (whole.len() - 12)]);
        }
        assert_sent_away(&mut attackers, TOO_LONG);
    });
}

/// A reply that is larger than what sockets hold.
const LARGE: usize = 8 << 20;

/// Of which little lies in the server's socket.
fn with_small_buffers(settings: &mut Settings) {
    settings.wire.send_buffer = Some(64 << 10);
}

fn ask_for_large_reply(arena: &Arena, attackers: &mut [Attacker]) {
    let request = octets::echo(&arena.server, 1, &"x".repeat(LARGE));
    for attacker in attackers {
        assert!(attacker.send(&request));
    }
}

/// Found with connections that have a thread of their own: each octet that was taken gave
/// the reply as much time again.
#[test]
fn replies_that_are_sipped_are_given_up_as_are_those_that_nobody_takes() {
    let adjust = |settings: &mut Settings| {
        with_small_buffers(settings);
        settings.limits.message_timeout = Duration::from_millis(1_000);
    };
    attack(adjust, |arena| {
        let mut attackers = Attacker::many(&arena.server, 2);
        ask_for_large_reply(arena, &mut attackers);
        let start = Instant::now();
        let [sipping, silent] = &mut attackers[..] else {
            unreachable!("there are two");
        };
        while ![&*sipping, silent]
            .iter()
            .all(|it| events::tell_of(&it.name, TOO_LONG))
        {
            sipping.sip(1_000);
            thread::sleep(Duration::from_millis(10));
            let patience = Duration::from_secs(20);
            assert!(start.elapsed() < patience, "replies may drip for ever");
        }
        for attacker in &mut attackers {
            attacker.drain();
        }
    });
}

#[test]
fn connections_are_closed_while_more_waits_to_be_sent_than_may() {
    const AT_ONCE: usize = 3;
    let adjust = |settings: &mut Settings| {
        with_small_buffers(settings);
        settings.server.max_pending_output = AT_ONCE * LARGE;
    };
    attack(adjust, |arena| {
        let attackers = &mut Attacker::many(&arena.server, 2 * AT_ONCE);
        for attacker in &mut *attackers {
            ask_for_large_reply(arena, std::slice::from_mut(attacker));
        }
        // Before all are closed that will be, nothing is taken: a connection is whole that is
        // emptied while it is being closed.
        let told = || events::with("max_pending_output");
        eventually("connections that are closed", || told().len() >= AT_ONCE);
        let replies = attackers.iter_mut().filter_map(Attacker::receive);
        assert_eq!(replies.count(), AT_ONCE);
        assert_eq!(told().len(), AT_ONCE);
    });
}

#[test]
fn fragments_that_do_not_go_on_end_their_connections() {
    attack(impatient, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        for attacker in &mut attackers {
            attacker.send(&octets::first_piece(1, 104));
        }
        assert_sent_away(&mut attackers, TOO_LONG);
    });
}

/// Found by this test: each fragment gave its message as much time again. An attacker that
/// a busy machine keeps from going on in time is sent away for that.
#[test]
fn a_message_whose_fragments_drip_is_given_up() {
    const GOES_ON: &str = "protocol error";
    let is_given_up = |it: &Attacker| [GOES_ON, TOO_LONG].map(|why| events::tell_of(&it.name, why));
    attack(impatient, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        for attacker in &mut attackers {
            attacker.send(&octets::first_piece(1, 8));
        }
        eventually("the end of messages that drip", || {
            let mut all = true;
            for attacker in &mut attackers {
                if is_given_up(attacker) == [false, false] {
                    attacker.send(&octets::next_piece(1, 8));
                    all = false;
                }
            }
            all
        });
        for attacker in &mut attackers {
            let (replies, outcome) = attacker.end();
            assert_eq!(replies, 0);
            assert_ne!(outcome, Outcome::Silence);
        }
    });
}

/// Found by this test: whole requests in between let fragments lie for ever.
#[test]
fn fragments_do_not_lie_behind_requests_for_ever() {
    let adjust = |settings: &mut Settings| settings.limits.message_timeout = ROUND_MAX * 4;
    attack(adjust, |arena| {
        let mut attempts = (0..100).filter_map(|_| begin_and_send_requests(arena));
        // A client that a busy machine keeps from going on is sent away for that.
        let mut attacker = attempts.next().expect("one that goes on in time");
        // The message has been given up: going on with it is an error.
        attacker.send(&octets::next_piece(1, 8));
        assert_eq!(attacker.end(), (0, Outcome::MessageError));
        assert_told_of([&*attacker.name], "protocol error");
    });
}

/// The longest time that a client may take between two requests.
const ROUND_MAX: Duration = Duration::from_millis(75);

/// Begins a message, and sends requests until it must have been given up. None when the
/// client was too slow.
fn begin_and_send_requests(arena: &Arena) -> Option<Attacker> {
    let mut attacker = Attacker::connect(&arena.server);
    let start = Instant::now();
    attacker.send(&octets::first_piece(1, 8));
    // Dropped when it is twice as old as a message may be, and one round older.
    while start.elapsed() < ROUND_MAX * 12 {
        let round = Instant::now();
        attacker.send(&octets::ping(&arena.server, 2));
        attacker.receive()?;
        if round.elapsed() > ROUND_MAX {
            return None;
        }
    }
    Some(attacker)
}

/// The time that a message had to arrive went on while its servant was at work.
#[test]
fn a_servant_may_take_longer_than_its_request_had_to_arrive() {
    attack(impatient, |arena| {
        let whole = octets::blocks(&arena.server, 1);
        let (beginning, rest) = whole.split_at(20);
        let attempt = || {
            let start = Instant::now();
            let mut client = Attacker::connect(&arena.server);
            client.send(beginning);
            thread::sleep(Duration::from_millis(20));
            client.send(rest);
            let mut has_entered = false;
            eventually("the request or its end", || {
                has_entered = arena.server.entered.try_recv().is_ok();
                has_entered || events::tell_of(&client.name, TOO_LONG)
            });
            if has_entered && start.elapsed() > Duration::from_millis(200) {
                arena.server.release.send(()).unwrap();
                return None;
            }
            has_entered.then_some(client)
        };
        // On a busy machine, the rest may come too late.
        let mut client = (0..100).find_map(|_| attempt()).expect("one in time");
        // A connection that is closed for this began later. The second was looked at after
        // the client had been, which its time would have been over for.
        for _ in 0..2 {
            let mut late = Attacker::connect(&arena.server);
            late.send(beginning);
            eventually("the end of a message that does not go on", || {
                events::tell_of(&late.name, TOO_LONG)
            });
        }
        assert!(!events::tell_of(&client.name, TOO_LONG));
        arena.server.release.send(()).unwrap();
        client.receive_reply();
        client.send(&octets::ping(&arena.server, 2));
        client.receive_reply();
    });
}

#[test]
fn connections_that_say_nothing_are_closed() {
    let adjust = |settings: &mut Settings| {
        settings.server.idle_timeout = Some(Duration::from_millis(200));
    };
    attack(adjust, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        with_memory_below(ATTACKERS * 16 * 1024, || {
            assert_sent_away(&mut attackers, "idle for too long");
        });
    });
}

#[test]
fn half_open_connections_end() {
    attack(impatient, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        let whole = octets::ping(&arena.server, 1);
        for (number, attacker) in attackers.iter_mut().enumerate() {
            match number % 3 {
                0 => {}
                1 => _ = attacker.send(&whole[..20]),
                _ => _ = attacker.send(&whole),
            }
            attacker.fall_silent();
        }
        for (number, attacker) in attackers.iter_mut().enumerate() {
            // A request that was asked in full is answered to an attacker that still
            // listens.
            let replies = usize::from(number % 3 == 2);
            assert_eq!(attacker.end(), (replies, Outcome::Silence), "{number}");
        }
    });
}

#[test]
fn clients_that_vanish_without_a_word_leave_nothing_behind() {
    attack(impatient, |arena| {
        for round in 0..20 {
            let mut attackers = Attacker::many(&arena.server, ATTACKERS);
            for attacker in &mut attackers {
                attacker.send(&octets::ping(&arena.server, round));
            }
            // Replies that nobody reads make of this a reset.
            drop(attackers);
        }
    });
}
