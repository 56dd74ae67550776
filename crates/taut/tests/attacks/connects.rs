//! Ten thousand connections, one wave after the other.

use taut::Settings;
use taut_sys::descriptors;

use crate::arena::{Arena, attack, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::{events, octets};

const WAVES: usize = 20;
const CONNECTIONS: usize = 500;
/// One of them is the bystander's.
const LIMIT: usize = 101;

fn waves(arena: &Arena, setting: &str) {
    let mut refused = 0;
    for _ in 0..WAVES {
        let mut attackers = Attacker::many(&arena.server, CONNECTIONS);
        let one_too_many = attackers.split_off(LIMIT - 1);
        for (id, attacker) in attackers.iter_mut().enumerate() {
            attacker.send(&octets::ping(&arena.server, id as u32));
            attacker.receive_reply();
        }
        for mut attacker in one_too_many {
            assert_eq!(attacker.end(), (0, Outcome::CloseConnection));
            assert!(events::tell_of(&attacker.name, setting));
            refused += 1;
        }
        drop(attackers);
        let told = events::with("refused a connection").len();
        assert_eq!(told, refused, "one event for each");
        arena.wait_until_all_are_gone();
    }
    assert_eq!(refused, WAVES * (CONNECTIONS + 1 - LIMIT));
}

#[test]
fn connections_beyond_the_limit_in_all_are_refused_one_by_one() {
    descriptors::raise_limit().unwrap();
    let adjust = |settings: &mut Settings| settings.max_server_connections = LIMIT;
    attack(adjust, |arena| {
        with_memory_below(8 << 20, || waves(arena, "max_server_connections"));
    });
}

#[test]
fn connections_beyond_the_limit_of_one_address_are_refused_one_by_one() {
    descriptors::raise_limit().unwrap();
    let adjust = |settings: &mut Settings| settings.max_connections_per_peer = LIMIT;
    attack(adjust, |arena| {
        with_memory_below(8 << 20, || waves(arena, "max_connections_per_peer"));
    });
}

#[test]
fn clients_that_connect_faster_than_allowed_have_to_wait_and_are_served() {
    let adjust = |settings: &mut Settings| settings.max_accepts_per_second = 20;
    attack(adjust, |arena| {
        let mut attackers = Attacker::many(&arena.server, 10);
        for attacker in &mut attackers {
            attacker.send(&octets::ping(&arena.server, 1));
            attacker.receive_reply();
        }
        assert!(!events::with("max_accepts_per_second").is_empty());
    });
}
