//! Thousands of connections, one wave after the other.

use taut::Settings;
use taut_sys::descriptors;

use crate::arena::{Arena, attack, with_memory_below};
use crate::attacker::{Attacker, Outcome};
use crate::common::eventually;
use crate::common::raw::PATIENCE;
use crate::common::{events, octets};

const WAVES: usize = 8;
const CONNECTIONS: usize = 500;
/// One of them is the bystander's.
const LIMIT: usize = 101;

fn waves(arena: &Arena, setting: &str) {
    let mut refused = 0;
    for _ in 0..WAVES {
        let mut attackers = Attacker::many(&arena.server, LIMIT - 1);
        for (id, attacker) in attackers.iter_mut().enumerate() {
            attacker.send(&octets::blocks(&arena.server, id as u32));
            arena.server.entered.recv_timeout(PATIENCE).unwrap();
        }
        let one_too_many = Attacker::many(&arena.server, CONNECTIONS + 1 - LIMIT);
        for mut attacker in one_too_many {
            assert_eq!(attacker.end(), (0, Outcome::CloseConnection));
            assert!(events::tell_of(&attacker.name, setting));
            refused += 1;
        }
        for _ in &attackers {
            arena.server.release.send(()).unwrap();
        }
        attackers.iter_mut().for_each(Attacker::receive_reply);
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
    let adjust = |settings: &mut Settings| {
        settings.server.max_connections = LIMIT;
        settings.server.max_reactor_threads = LIMIT + 1;
    };
    attack(adjust, |arena| {
        with_memory_below(24 << 20, || waves(arena, "server.max_connections"));
    });
}

#[test]
fn connections_beyond_the_limit_of_one_address_are_refused_one_by_one() {
    descriptors::raise_limit().unwrap();
    let adjust = |settings: &mut Settings| {
        settings.server.max_connections_per_peer = LIMIT;
        settings.server.max_reactor_threads = LIMIT + 1;
    };
    attack(adjust, |arena| {
        with_memory_below(24 << 20, || waves(arena, "server.max_connections_per_peer"));
    });
}

/// Connections that lie idle do not keep others out.
fn idle_ones_give_way(arena: &Arena, setting: &str) {
    const GIVE_WAY: &str = "idle while there is no room";
    let mut idle = Attacker::many(&arena.server, CONNECTIONS);
    let mut newcomer = Attacker::connect(&arena.server);
    newcomer.send(&octets::ping(&arena.server, 1));
    newcomer.receive_reply();
    // The bystander and the newcomer are none of them.
    let displaced = idle.drain(..CONNECTIONS + 2 - LIMIT);
    for mut attacker in displaced {
        assert_eq!(attacker.end(), (0, Outcome::CloseConnection));
        assert!(events::tell_of(&attacker.name, GIVE_WAY));
        assert!(events::tell_of(&attacker.name, setting));
    }
    for mut attacker in idle {
        attacker.send(&octets::ping(&arena.server, 1));
        attacker.receive_reply();
    }
    assert!(events::with("refused a connection").is_empty());
}

#[test]
fn idle_connections_give_way_to_newcomers_where_all_are_limited() {
    descriptors::raise_limit().unwrap();
    let adjust = |settings: &mut Settings| settings.server.max_connections = LIMIT;
    attack(adjust, |arena| {
        idle_ones_give_way(arena, "server.max_connections");
    });
}

#[test]
fn idle_connections_give_way_to_newcomers_where_those_of_one_address_are_limited() {
    descriptors::raise_limit().unwrap();
    let adjust = |settings: &mut Settings| settings.server.max_connections_per_peer = LIMIT;
    attack(adjust, |arena| {
        idle_ones_give_way(arena, "server.max_connections_per_peer");
    });
}

#[test]
fn clients_that_connect_faster_than_allowed_have_to_wait_and_are_served() {
    let adjust = |settings: &mut Settings| settings.server.max_accepts_per_second = 20;
    attack(adjust, |arena| {
        // A busy machine may accept no faster than it is allowed to.
        eventually("a client that has to wait", || {
            let mut attackers = Attacker::many(&arena.server, 10);
            for attacker in &mut attackers {
                attacker.send(&octets::ping(&arena.server, 1));
                attacker.receive_reply();
            }
            !events::with("max_accepts_per_second").is_empty()
        });
    });
}
