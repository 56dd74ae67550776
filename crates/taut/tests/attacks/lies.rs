//! Lengths and counts that lie.

use std::collections::BTreeMap;
use std::time::Duration;

use taut::Settings;

use crate::arena::{attack, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::octets::echo;

const LIES: [u32; 6] = [u32::MAX, i32::MAX as u32, 1 << 24, 70_000, 200, 0];

/// Where a request says whether it wants a reply at all.
const RESPONSE_FLAGS: usize = 16;

/// The answer to the attacker: a reply, or the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Reply,
    End(Outcome),
}

fn impatient(settings: &mut Settings) {
    settings.limits.message_timeout = Duration::from_millis(200);
}

/// Every place where a length may stand gets every lie. Each is answered with a
/// reply (perhaps an exception), MessageError, or CloseConnection when the rest
/// never came; never with silence.
#[test]
fn lengths_that_lie_get_an_answer_and_no_memory() {
    attack(impatient, |arena| {
        let honest = echo(&arena.server, 1, "a text of some length");
        let mut answers: BTreeMap<Answer, usize> = BTreeMap::new();
        // 64 KiB for the claim's start, however large the claim.
        with_memory_below(4 << 20, || {
            let mut places: Vec<usize> = (8..honest.len() - 3).step_by(4).collect();
            places.retain(|place| *place != RESPONSE_FLAGS);
            for &place in &places {
                let mut attackers = Attacker::many(&arena.server, LIES.len());
                for (attacker, lie) in attackers.iter_mut().zip(LIES) {
                    let mut octets = honest.clone();
                    octets[place..place + 4].copy_from_slice(&lie.to_le_bytes());
                    attacker.send(&octets);
                }
                for attacker in &mut attackers {
                    let answer = match attacker.receive() {
                        Some(message) => Outcome::of(&message).map_or(Answer::Reply, Answer::End),
                        None => Answer::End(Outcome::Silence),
                    };
                    *answers.entry(answer).or_default() += 1;
                }
            }
            assert_eq!(answers.values().sum::<usize>(), places.len() * LIES.len());
        });
        assert_eq!(
            answers.get(&Answer::End(Outcome::Silence)),
            None,
            "{answers:?}"
        );
        assert!(answers.len() == 3, "{answers:?}");
    });
}

#[test]
fn a_promise_of_much_gets_no_memory_for_it() {
    const ATTACKERS: usize = 200;
    attack(impatient, |arena| {
        with_memory_below(ATTACKERS * 80 * 1024, || {
            let mut attackers = Attacker::many(&arena.server, ATTACKERS);
            for attacker in &mut attackers {
                attacker.send(b"GIOP\x01\x02\x01\x00\x00\x00\xff\x00");
            }
            for attacker in &mut attackers {
                assert_eq!(attacker.end(), (0, Outcome::CloseConnection));
            }
        });
    });
}

#[test]
fn a_promise_beyond_the_limit_is_refused_with_both_numbers() {
    attack(impatient, |arena| {
        let mut attacker = Attacker::connect(&arena.server);
        attacker.send(b"GIOP\x01\x02\x01\x00\xff\xff\xff\x7f");
        assert_eq!(attacker.end(), (0, Outcome::MessageError));
        for part in ["max_message_size", "2147483659", "16777216"] {
            crate::arena::assert_told_of([&*attacker.name], part);
        }
    });
}
