//! Fragments without end, without content, and of too many messages.

use taut::Settings;

use crate::arena::{assert_told_of, attack, drain_briefly, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::octets::{first_piece, next_piece};

const ATTACKERS: usize = 16;

/// The limits of what each connection may make the server keep, in fragments and in its
/// buffers: limits small enough to be met.
const PARTIAL_BYTES: usize = 256 * 1024;
const MESSAGE_SIZE: usize = 64 * 1024;

fn modest(settings: &mut Settings) {
    settings.limits.framing.max_partial_bytes = PARTIAL_BYTES;
    settings.limits.framing.max_message_size = MESSAGE_SIZE;
    settings.limits.framing.max_reassembled_size = PARTIAL_BYTES / 2;
}

/// Growing doubles a buffer; while it is copied, both are there.
const CAP: usize = ATTACKERS * (3 * PARTIAL_BYTES + 4 * MESSAGE_SIZE);

/// Sends pieces until the server wants no more, and counts what came of it.
fn flood(why: &str, piece: impl Fn(u32) -> Vec<u8> + Sync) {
    let adjust = |settings: &mut Settings| {
        modest(settings);
        drain_briefly(settings);
    };
    attack(adjust, |arena| {
        with_memory_below(CAP, || {
            let mut attackers = Attacker::many(&arena.server, ATTACKERS);
            std::thread::scope(|scope| {
                for attacker in &mut attackers {
                    let piece = &piece;
                    attacker.give_up_soon();
                    scope.spawn(move || {
                        // The limit is met long before.
                        for number in 0..40_000 {
                            if !attacker.send(&piece(number)) {
                                break;
                            }
                        }
                    });
                }
            });
            for attacker in &mut attackers {
                let (replies, _) = attacker.end();
                assert_eq!(replies, 0);
            }
            assert_told_of(attackers.iter().map(|attacker| &*attacker.name), why);
        });
    });
}

#[test]
fn a_message_of_endless_fragments_is_refused_at_its_limit() {
    flood("max_reassembled_size", |number| match number {
        0 => first_piece(1, 8),
        _ => next_piece(1, 992),
    });
}

#[test]
fn fragments_that_carry_nothing_are_refused() {
    flood("max_empty_fragments", |number| match number {
        0 => first_piece(1, 8),
        _ => next_piece(1, 0),
    });
}

#[test]
fn many_messages_of_one_fragment_each_are_refused() {
    flood("max_partial_messages", |number| first_piece(number, 104));
}

#[test]
fn a_few_messages_of_large_fragments_are_refused() {
    flood("max_partial_bytes", |number| match number {
        0..8 => first_piece(number, 8),
        _ => next_piece(number % 8, 8 * 1024 - 16),
    });
}

#[test]
fn fragments_up_to_the_limits_are_kept_and_no_more() {
    attack(modest, |arena| {
        with_memory_below(CAP, || {
            let mut attackers = Attacker::many(&arena.server, ATTACKERS);
            for attacker in &mut attackers {
                for id in 0..16 {
                    assert!(attacker.send(&first_piece(id, 8 * 1024 - 16)));
                }
                assert!(attacker.send(&first_piece(16, 8)));
                assert_eq!(attacker.end(), (0, Outcome::MessageError));
            }
            let names = attackers.iter().map(|attacker| &*attacker.name);
            assert_told_of(names, "max_partial_messages");
        });
    });
}

#[test]
fn a_request_id_that_is_used_again_while_its_message_arrives_is_refused() {
    attack(modest, |arena| {
        let mut attackers = Attacker::many(&arena.server, ATTACKERS);
        for attacker in &mut attackers {
            attacker.send(&first_piece(7, 104));
            attacker.send(&first_piece(7, 104));
            assert_eq!(attacker.end(), (0, Outcome::MessageError));
        }
        let names = attackers.iter().map(|attacker| &*attacker.name);
        assert_told_of(names, "request 7 begins again");
    });
}
