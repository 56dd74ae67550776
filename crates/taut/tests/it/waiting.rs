//! Calls with each strategy of waiting: on connections of one call at a time, on shared
//! ones, with threads of their own and with the reactor's, over each transport. That all
//! else holds for threads that spin, too, is shown by the mode `spinning` of other tests.

use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Echo, Misbehaviour, Server, client_with};
use taut::{
    CompletionStatus, ConnectionSharing, Orb, Reference, Settings, SystemExceptionKind,
    WaitStrategy,
};

const STRATEGIES: [WaitStrategy; 3] = [
    WaitStrategy::Block,
    WaitStrategy::Adaptive,
    WaitStrategy::Spin,
];

/// A limit for tests that would otherwise wait for ever.
const LONG: Duration = Duration::from_secs(60);

/// Several threads of two sizes of messages, and pauses that are longer than any spin.
fn call(server: &Server, change: impl Fn(&mut Settings)) {
    let echo = client_with(&server.ior(), &change);
    let large = "x".repeat(300_000);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for round in 0..250 {
                    echo.ping().unwrap();
                    assert_eq!(echo.echo("refused?").unwrap(), "refused?");
                    if round % 50 == 0 {
                        assert_eq!(echo.echo(&large).unwrap(), large);
                        thread::sleep(Duration::from_millis(3));
                    }
                }
                echo.echo("refuse").unwrap_err();
            });
        }
    });
}

#[test]
fn calls_come_back_whatever_the_strategies_of_both_sides() {
    for at_server in STRATEGIES {
        for connection_threads in [0, 64] {
            let server = Server::with(|settings| {
                settings.server.wait_strategy = Some(at_server);
                settings.server.connection_threads = connection_threads;
            });
            for at_client in STRATEGIES {
                for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
                    call(&server, |settings| {
                        settings.wire.wait_strategy = at_client;
                        settings.client.connection_sharing = sharing;
                    });
                }
            }
        }
    }
}

#[test]
fn so_they_do_over_unix_domain_sockets() {
    for strategy in STRATEGIES {
        let builder = Orb::builder().listen("uiop://").unwrap();
        let server =
            Server::start_with(builder.settings(|settings| settings.wire.wait_strategy = strategy));
        call(&server, |settings| settings.wire.wait_strategy = strategy);
    }
}

#[test]
fn a_reference_has_a_strategy_of_its_own() {
    let server = Server::start();
    let echo = client_with(&server.ior(), |settings| {
        settings.wire.wait_strategy = WaitStrategy::Adaptive;
    });
    assert_eq!(echo.as_object().wait_strategy(), WaitStrategy::Adaptive);
    for strategy in STRATEGIES {
        let other = echo.with_wait_strategy(strategy);
        assert_eq!(other.as_object().wait_strategy(), strategy);
        assert_eq!(other, echo);
        other.ping().unwrap();
        // It goes with the other policies.
        let scope = taut::SyncScope::WithServer;
        let both = other.with_sync_scope(scope);
        assert_eq!(both.as_object().wait_strategy(), strategy);
        assert_eq!(both.as_object().sync_scope(), scope);
    }
    assert_eq!(echo.as_object().wait_strategy(), WaitStrategy::Adaptive);
}

#[test]
fn a_call_ends_by_its_time_out_in_each_strategy() {
    for strategy in STRATEGIES {
        for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
            let server = Server::start();
            let echo = client_with(&server.ior(), |settings| {
                settings.wire.wait_strategy = strategy;
                settings.client.connection_sharing = sharing;
                settings.client.call_timeout = Some(Duration::from_millis(30));
                // Not much longer than the time-out.
                settings.wire.spin_time = Duration::from_millis(20);
            });
            // On a busy machine the time may be over before the request has left.
            let late = loop {
                let late = echo.misbehave(Misbehaviour::Blocks).unwrap_err();
                assert_eq!(late.kind, SystemExceptionKind::Timeout);
                if late.completed != CompletionStatus::No {
                    break late;
                }
            };
            assert_eq!(late.completed, CompletionStatus::Maybe);
            server.entered.recv_timeout(LONG).unwrap();
            server.release.send(()).unwrap();
            echo.with_call_timeout(None).ping().unwrap();
        }
    }
}

#[test]
fn a_server_that_spins_for_ever_ends_when_it_is_told_to() {
    for connection_threads in [0, 64] {
        let server = Server::with(|settings| {
            settings.wire.wait_strategy = WaitStrategy::Spin;
            settings.wire.spin_time = Duration::MAX;
            settings.server.connection_threads = connection_threads;
        });
        let echo = client_with(&server.ior(), |settings| {
            settings.wire.wait_strategy = WaitStrategy::Spin;
            settings.wire.spin_time = Duration::MAX;
        });
        echo.ping().unwrap();
        let start = Instant::now();
        server.orb.shutdown(true).unwrap();
        assert!(start.elapsed() < LONG, "it has waited for something else");
        echo.ping().unwrap_err();
    }
}
