//! Options of connections: on the sockets of both sides, at each level, and what is said of
//! those that cannot be had.

use std::net::TcpStream;

use taut::codegen::Encode;
use taut::policy::{
    ClientProtocolPolicy, ConnectionOptions, ConnectionOptionsPolicy, OptionFault, Policy,
    Protocol, ServerProtocolPolicy, SetOverrideType, TcpProtocolProperties,
};
use taut::real_time::{Priority, RealTime};
use taut::{
    ConnectionSharing, ListenEndpoint, Orb, Reference, RefusedOptions, SyncScope,
    SystemExceptionKind, minor,
};
use taut_giop::ior::profile::tag;
use taut_sys::socket_options::{self, NumberOption};
use test_tools::connections;

use crate::asynchronous::executor::block_on;
use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, Server, events, eventually, orb_and_client};
use crate::policies::{LEVELS, Level, with};

fn options(text: &str) -> ConnectionOptions {
    text.parse().unwrap()
}

fn policy(text: &str) -> Policy {
    ConnectionOptionsPolicy(options(text)).into()
}

/// The number that a socket has for an option.
fn number(socket: &TcpStream, option: NumberOption) -> u32 {
    socket_options::get(socket, option).unwrap()
}

/// The marks of the connections that clients have to a server, in ascending order.
fn marks(port: u16) -> Vec<u8> {
    let sockets = connections(port).unwrap().clients;
    let mark = |socket: &TcpStream| socket_options::dscp(socket).unwrap();
    let mut marks: Vec<_> = sockets.iter().map(mark).collect();
    marks.sort_unstable();
    marks
}

/// Options that any process may set, each with another value than sockets have by themselves.
const ALL: &str = "keep-alive=77s&send-buffer=30000&receive-buffer=20000&no-delay=no&\
                   dont-route=yes&dscp=46&queue-priority=5&max-pacing-rate=8000000000&\
                   incoming-cpu=0&congestion-control=reno&not-sent-low-water=20480&\
                   zero-copy-from=65536";

/// Checks that a socket has them.
fn has_all(socket: &TcpStream) {
    assert_eq!(number(socket, NumberOption::KeepAlive), 1);
    assert_eq!(number(socket, NumberOption::SendBuffer), 60_000);
    assert_eq!(number(socket, NumberOption::ReceiveBuffer), 40_000);
    assert_eq!(number(socket, NumberOption::NoDelay), 0);
    assert_eq!(number(socket, NumberOption::DontRoute), 1);
    assert_eq!(socket_options::dscp(socket).unwrap(), 46);
    assert_eq!(number(socket, NumberOption::QueuePriority), 5);
    let rate = socket_options::max_pacing_rate(socket).unwrap();
    assert_eq!(rate, 8_000_000_000);
    // The system notes there which CPU has received last: any is right.
    assert!(number(socket, NumberOption::IncomingCpu) < 1_024);
    let algorithm = socket_options::congestion_control(socket).unwrap();
    assert_eq!(algorithm, "reno");
    assert_eq!(number(socket, NumberOption::NotSentLowWater), 20_480);
    assert_eq!(number(socket, NumberOption::ZeroCopy), 1);
}

/// Both ends of the only connection to a server.
fn only(port: u16) -> (TcpStream, TcpStream) {
    let mut found = connections(port).unwrap();
    assert_eq!((found.clients.len(), found.servers.len()), (1, 1));
    (found.clients.remove(0), found.servers.remove(0))
}

#[test]
fn each_option_of_the_settings_is_on_the_sockets_of_clients_and_servers() {
    let set = |settings: &mut taut::Settings| settings.wire.connection_options = options(ALL);
    let plain = Server::start();
    let (_, echo) = orb_and_client(&plain.ior(), set);
    echo.ping().unwrap();
    let (client, server) = only(plain.port());
    has_all(&client);
    assert_eq!(socket_options::dscp(&server).unwrap(), 0);
    let report = echo.as_object().connection_report().unwrap();
    assert!(report.is_complete(), "{report}");
    assert_eq!(report.outcomes().len(), options(ALL).each().count());

    let marked = Server::with(set);
    let (_, echo) = orb_and_client(&marked.ior(), |_| ());
    echo.ping().unwrap();
    let (client, server) = only(marked.port());
    has_all(&server);
    assert_eq!(socket_options::dscp(&client).unwrap(), 0);
    let report = echo.as_object().connection_report().unwrap();
    assert!(report.outcomes().is_empty());
}

#[test]
fn busy_polling_is_set_or_what_the_system_says_is_told() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |_| ());
    with(
        &[(Level::Thread, policy("busy-poll=50us"))],
        &orb,
        &echo,
        |echo| {
            echo.ping().unwrap();
            let report = echo.as_object().connection_report().unwrap();
            let (client, _) = only(server.port());
            match &report.outcomes()[0].result {
                Ok(()) => assert_eq!(number(&client, NumberOption::BusyPoll), 50),
                Err(OptionFault::Refused(reason)) => assert!(!reason.is_empty()),
                Err(fault) => panic!("{fault}"),
            }
        },
    );
}

/// Makes calls in each way.
type Call = fn(&EchoRef);

const CALLS: [Call; 4] = [
    |echo| echo.ping().unwrap(),
    |echo| {
        let reply = echo.as_object().invoke_async("ping", |_| Ok(()));
        block_on(reply).unwrap();
    },
    |echo| send_oneway(echo, SyncScope::WithServer),
    |echo| send_oneway(echo, SyncScope::None),
];

fn send_oneway(echo: &EchoRef, scope: SyncScope) {
    let scope = taut::policy::SyncScopePolicy(scope).into();
    let echo = echo.as_object();
    let echo = echo
        .set_policy_overrides(&[scope], SetOverrideType::Add)
        .unwrap();
    echo.invoke_oneway("note", |out| "oneway".encode(out))
        .unwrap();
}

#[test]
fn calls_of_every_kind_share_connections_with_those_of_the_same_options_alone() {
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        for level in LEVELS {
            for (kind, call) in CALLS.into_iter().enumerate() {
                let server = Server::start();
                let (orb, echo) = orb_and_client(&server.ior(), |settings| {
                    settings.client.connection_sharing = sharing;
                });
                echo.ping().unwrap();
                let urgent = [(level, policy("dscp=46"))];
                let bulk = [(level, policy("dscp=10&no-delay=no"))];
                for _ in 0..2 {
                    with(&urgent, &orb, &echo, call);
                    with(&bulk, &orb, &echo, call);
                    eventually("their connections", || {
                        let now = marks(server.port());
                        now.contains(&10) && now.contains(&46)
                    });
                }
                let now = marks(server.port());
                assert_eq!(now, [0, 10, 46], "{sharing:?}, {level:?}, call {kind}");
                // Without the policy, the first connection serves.
                echo.ping().unwrap();
                assert_eq!(marks(server.port()), now);
            }
        }
    }
}

#[test]
fn the_nearer_level_comes_first_and_then_protocols_and_settings() {
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |settings| {
        settings.wire.connection_options =
            options("dscp=8&queue-priority=1&max-pacing-rate=9000000");
    });
    let of_protocol = Protocol {
        protocol_type: tag::INTERNET_IOP,
        transport_protocol_properties: Some(options("queue-priority=4&dscp=20").into()),
    };
    let set = [
        (Level::Orb, policy("dscp=10")),
        (Level::Thread, policy("dscp=12&no-delay=no")),
        (Level::Call, policy("dscp=46")),
        (
            Level::Reference,
            ClientProtocolPolicy(vec![of_protocol]).into(),
        ),
    ];
    with(&set, &orb, &echo, |echo| echo.ping()).unwrap();
    let (client, _) = only(server.port());
    assert_eq!(socket_options::dscp(&client).unwrap(), 46);
    // A policy is one value: that of a farther level is not looked at.
    assert_eq!(number(&client, NumberOption::NoDelay), 1);
    assert_eq!(number(&client, NumberOption::QueuePriority), 4);
    let rate = socket_options::max_pacing_rate(&client).unwrap();
    assert_eq!(rate, 9_000_000);
}

#[test]
fn forwards_keep_the_options_of_the_call() {
    let (first, second) = (Server::start(), Server::start());
    let target = second.client().as_object().clone();
    first.orb.bind_object_key("Echo", &target);
    let (orb, echo) = orb_and_client(&first.url("Echo"), |_| ());
    let urgent = [(Level::Call, policy("dscp=46"))];
    for _ in 0..2 {
        with(&urgent, &orb, &echo, |echo| echo.ping()).unwrap();
    }
    assert_eq!(marks(first.port()), [46]);
    assert_eq!(marks(second.port()), [46]);
    echo.ping().unwrap();
    assert_eq!(marks(second.port()), [0, 46]);
}

#[test]
fn connections_that_come_in_have_the_options_of_their_listener_then_of_their_protocol() {
    let marked: ListenEndpoint = "127.0.0.1:0/dscp=46".parse().unwrap();
    let plain = ListenEndpoint::any().connection_options(options("keep-alive=0s"));
    let builder = Orb::builder().listen_at(marked).listen_at(plain);
    let builder = builder.settings(|settings| {
        settings.wire.connection_options = options("queue-priority=1&dscp=8");
    });
    let server = Mode::tcp().server_from(builder);
    let addresses = server.orb.published_addresses().iter();
    let ports: Vec<_> = addresses.filter_map(taut::Address::port).collect();
    let connect = |port: u16| {
        let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut ends = Vec::new();
        eventually("an accepted connection", || {
            ends = connections(port).unwrap().servers;
            // It has its options once it is served: both are set before.
            ends.iter()
                .any(|end| number(end, NumberOption::QueuePriority) > 0)
        });
        drop(client);
        ends.pop().unwrap()
    };
    let end = connect(ports[0]);
    eventually("the mark of the listener", || {
        socket_options::dscp(&end).unwrap() == 46
    });
    let end = connect(ports[1]);
    eventually("the end of keep-alive", || {
        number(&end, NumberOption::KeepAlive) == 0
    });
    let of_protocol = Protocol {
        protocol_type: tag::INTERNET_IOP,
        transport_protocol_properties: Some(options("queue-priority=3&dscp=10").into()),
    };
    let offered = ServerProtocolPolicy(vec![of_protocol]).into();
    let manager = server.orb.policy_manager();
    manager
        .set_policy_overrides(&[offered], SetOverrideType::Set)
        .unwrap();
    let end = connect(ports[0]);
    eventually("the queue of the protocol", || {
        number(&end, NumberOption::QueuePriority) == 3 && socket_options::dscp(&end).unwrap() == 46
    });
}

#[test]
fn an_option_that_a_transport_lacks_or_the_system_refuses_is_said() {
    test_tools::in_own_process(
        an_option_that_a_transport_lacks_or_the_system_refuses_is_said,
        || {
            events::keep();
            let said = "a connection cannot have all of its options";
            let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
            let server = Mode::tcp().server_from(builder.listen("uiop://").unwrap());
            let (orb, echo) = orb_and_client(&server.ior(), |_| ());
            // It goes by the socket of this machine, where there are no packets to mark.
            let unknown = [(Level::Thread, policy("dscp=46&send-buffer=30000"))];
            with(&unknown, &orb, &echo, |echo| {
                assert_eq!(echo.as_object().connection_report(), None);
                echo.ping().unwrap();
                let report = echo.as_object().connection_report().unwrap();
                let missing: Vec<_> = report.missing().collect();
                assert_eq!(missing.len(), 1);
                assert_eq!(missing[0].0.to_string(), "dscp=46");
                assert_eq!(missing[0].1, &OptionFault::Unknown);
            });
            let told = events::with(said);
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(
                told[0]
                    .text
                    .contains("dscp=46: the transport has no such option")
            );

            let tcp = ClientProtocolPolicy::of([tag::INTERNET_IOP]).into();
            let refused = policy("congestion-control=no-such&dscp=12");
            let refused = [(Level::Thread, refused), (Level::Reference, tcp)];
            with(&refused, &orb, &echo, |echo| {
                echo.ping().unwrap();
                let report = echo.as_object().connection_report().unwrap();
                let missing: Vec<_> = report.missing().collect();
                assert!(
                    matches!(&missing[..], [(_, OptionFault::Refused(_))]),
                    "{report}"
                );
            });
            assert_eq!(marks(server.port()), [12]);
            assert_eq!(
                events::with("congestion-control=no-such: the system refuses it").len(),
                1
            );

            // So a server says it.
            let with_fault = "127.0.0.1:0/congestion-control=no-such";
            let builder = Orb::builder().listen(with_fault).unwrap();
            let server = Mode::tcp().server_from(builder);
            server.client().ping().unwrap();
            assert_eq!(events::with("is_refused=false").len(), 1);
        },
    );
}

#[test]
fn a_connection_that_may_not_go_without_an_option_is_not_used() {
    let refused = "congestion-control=no-such";
    let server = Server::start();
    let (orb, echo) = orb_and_client(&server.ior(), |settings| {
        settings.wire.refused_options = RefusedOptions::Error;
    });
    echo.ping().unwrap();
    for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
        let (orb, echo) = orb_and_client(&server.ior(), |settings| {
            settings.wire.refused_options = RefusedOptions::Error;
            settings.client.connection_sharing = sharing;
        });
        for call in [0, 1] {
            let set = [(Level::Call, policy(refused))];
            let exception = with(&set, &orb, &echo, |echo| match call {
                0 => echo.ping().unwrap_err(),
                _ => {
                    let reply = echo.as_object().invoke_async("ping", |_| Ok(()));
                    block_on(reply).map(drop).unwrap_err()
                }
            });
            assert_eq!(exception.kind, SystemExceptionKind::InvPolicy);
            assert_eq!(exception.minor, minor::CONNECTION_OPTION_REFUSED);
            assert!(exception.to_string().contains(refused), "{exception}");
        }
    }
    with(&[(Level::Call, policy("dscp=46"))], &orb, &echo, |echo| {
        echo.ping()
    })
    .unwrap();

    let closing = Server::with(|settings| {
        settings.wire.refused_options = RefusedOptions::Error;
        settings.wire.connection_options = options(refused);
    });
    closing.client().ping().unwrap_err();
    let peer = TcpStream::connect(("127.0.0.1", closing.port())).unwrap();
    assert_eq!(std::io::Read::read(&mut &peer, &mut [0]).unwrap(), 0);
}

#[test]
fn a_protocol_may_mark_packets_with_the_priority_of_calls() {
    let server = Server::start();
    let port = server.port();
    let builder = Orb::builder().real_time(RealTime::new());
    let builder = builder.settings(|settings| {
        // The priorities of this test are none of the system's.
        settings.real_time.scheduling_class = taut::real_time::SchedulingClass::Other;
    });
    let orb = builder.build().unwrap();
    let echo: EchoRef = orb
        .string_to_object(&server.ior())
        .unwrap()
        .unchecked_narrow();
    let protocol = |enable_network_priority| {
        let properties = TcpProtocolProperties {
            enable_network_priority,
            ..TcpProtocolProperties::default()
        };
        let protocol = Protocol {
            protocol_type: tag::INTERNET_IOP,
            transport_protocol_properties: Some(properties.into()),
        };
        [(
            Level::Reference,
            ClientProtocolPolicy(vec![protocol]).into(),
        )]
    };
    let current = orb.real_time().unwrap().current();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            with(&protocol(true), &orb, &echo, |echo| echo.ping()).unwrap();
            assert_eq!(marks(port), [0]);
            current.set_the_priority(Priority::MAX.get()).unwrap();
            with(&protocol(true), &orb, &echo, |echo| echo.ping()).unwrap();
            assert_eq!(marks(port), [0, 46]);
            with(&protocol(false), &orb, &echo, |echo| echo.ping()).unwrap();
            assert_eq!(marks(port), [0, 46]);
            current.set_the_priority(20_000).unwrap();
            with(&protocol(true), &orb, &echo, |echo| echo.ping()).unwrap();
            assert_eq!(marks(port), [0, 26, 46]);
        });
    });
}
