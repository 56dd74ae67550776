//! Attackers that take their time: what they begin must end.

use std::thread;
use std::time::{Duration, Instant};

use taut::Settings;

use crate::arena::{Arena, assert_told_of, attack, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::eventually;
use crate::{events, octets};

const ATTACKERS: usize = 50;
const TOO_LONG: &str = "a message took too long";

fn impatient(settings: &mut Settings) {
    settings.header_timeout = Duration::from_millis(150);
    settings.message_timeout = Duration::from_millis(300);
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
    settings.send_buffer = Some(64 << 10);
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
        settings.message_timeout = Duration::from_millis(1_000);
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
        settings.max_pending_output = AT_ONCE * LARGE;
    };
    attack(adjust, |arena| {
        let attackers = &mut Attacker::many(&arena.server, 2 * AT_ONCE);
        for attacker in &mut *attackers {
            ask_for_large_reply(arena, std::slice::from_mut(attacker));
        }
        let told = || events::with("max_pending_output");
        eventually("connections that are closed", || {
            told().len() >= AT_ONCE - 1
        });
        let replies = attackers.iter_mut().filter_map(Attacker::receive);
        let whole = replies.count();
        // Sockets hold a part of each reply.
        assert!(
            (AT_ONCE..=AT_ONCE + 1).contains(&whole),
            "{whole} are whole"
        );
        assert_eq!(told().len(), 2 * AT_ONCE - whole);
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

/// Found by this test: each fragment gave its message as much time again.
#[test]
fn a_message_whose_fragments_drip_is_given_up() {
    attack(impatient, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        for attacker in &mut attackers {
            attacker.send(&octets::first_piece(1, 8));
        }
        let unknown = "protocol error";
        let start = Instant::now();
        while events::with(unknown).len() < ATTACKERS {
            for attacker in &mut attackers {
                if !events::tell_of(&attacker.name, unknown) {
                    attacker.send(&octets::next_piece(1, 8));
                }
            }
            thread::sleep(Duration::from_millis(10));
            let patience = Duration::from_secs(20);
            assert!(start.elapsed() < patience, "they may drip for ever");
        }
        let outcomes: Vec<_> = attackers.iter_mut().map(Attacker::end).collect();
        assert_eq!(outcomes, vec![(0, Outcome::MessageError); ATTACKERS]);
        assert_told_of(attackers.iter().map(|attacker| &*attacker.name), unknown);
    });
}

/// Found by this test: whole requests in between let fragments lie for ever.
#[test]
fn fragments_do_not_lie_behind_requests_for_ever() {
    attack(impatient, |arena| {
        let mut attacker = Attacker::connect(&arena.server);
        attacker.send(&octets::first_piece(1, 8));
        let start = Instant::now();
        // Once the message has been given up, going on with it is an error.
        let mut id = 2;
        loop {
            attacker.send(&octets::ping(&arena.server, id));
            attacker.receive_reply();
            id += 2;
            if start.elapsed() > Duration::from_millis(1_000) {
                break;
            }
        }
        attacker.send(&octets::next_piece(1, 8));
        assert_eq!(attacker.end(), (0, Outcome::MessageError));
        assert_told_of([&*attacker.name], "protocol error");
    });
}

#[test]
fn connections_that_say_nothing_are_closed() {
    let adjust = |settings: &mut Settings| {
        settings.idle_timeout = Some(Duration::from_millis(200));
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
            // What was asked for in full is answered to who still listens.
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
