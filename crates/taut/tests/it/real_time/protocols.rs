//! The protocols that servers offer and clients prefer, with their properties.

use taut::policy::{
    ClientProtocolPolicy, ConnectionOptions, Policy, PolicyOverrideError, PolicyType, Protocol,
    ProtocolProperties, ServerProtocolPolicy, SetOverrideType, TcpProtocolProperties,
    UnixDomainProtocolProperties,
};
use taut::real_time::RealTime;
use taut::{Ior, Orb, Poa, PoaError, SystemExceptionKind};
use taut_giop::ior::profile::tag;
use taut_sys::socket_options::{self, NumberOption};

use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, Server, orb_and_client};
use taut::Reference;

/// A server with a TCP address and a socket, in this order.
fn both() -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    Mode::tcp().server_from(builder.listen("uiop://").unwrap())
}

fn offer(tags: &[u32]) -> Policy {
    ServerProtocolPolicy::of(tags.iter().copied()).into()
}

/// A child whose references tell these policies.
fn telling(server: &Server, name: &str, told: &[Policy]) -> Result<Poa, PoaError> {
    let manager = server.poa.manager();
    server
        .poa
        .create_poa_telling(name, Some(manager), &[], told)
}

/// The tags of the profiles of a POA's references.
fn profiles(poa: &Poa) -> Vec<u32> {
    let reference = poa.create_reference("IDL:test/Echo:1.0").unwrap();
    let ior: Ior = reference.to_string().parse().unwrap();
    ior.profiles.iter().map(|profile| profile.tag).collect()
}

#[test]
fn references_have_the_profiles_that_their_poa_offers_in_its_order() {
    let server = both();
    let (tcp, unix) = (tag::INTERNET_IOP, tag::TAO_UIOP);
    assert_eq!(profiles(&server.poa), [tcp, unix]);
    for (name, offered, expected) in [
        ("only TCP", vec![tcp], vec![tcp]),
        ("only the socket", vec![unix], vec![unix]),
        ("the socket first", vec![unix, tcp], vec![unix, tcp]),
        ("an unknown one first", vec![0x4d59_0001, tcp], vec![tcp]),
    ] {
        let poa = telling(&server, name, &[offer(&offered)]).unwrap();
        assert_eq!(profiles(&poa), expected, "{name}");
        // References tell the list.
        let reference = poa.create_reference("IDL:test/Echo:1.0").unwrap();
        let told = reference.get_policy(PolicyType::SERVER_PROTOCOL).unwrap();
        assert_eq!(told, Some(offer(&offered)), "{name}");
    }
    // A POA that says nothing has what its ORB says when it is made.
    let manager = server.orb.policy_manager();
    let how = SetOverrideType::Set;
    manager
        .set_policy_overrides(&[offer(&[unix])], how)
        .unwrap();
    let poa = server.poa.create_poa("as the ORB", None, &[]).unwrap();
    assert_eq!(profiles(&poa), [unix]);
    assert_eq!(profiles(&server.poa), [tcp, unix]);
    let poa = telling(&server, "unlike the ORB", &[offer(&[tcp])]).unwrap();
    assert_eq!(profiles(&poa), [tcp]);
}

#[test]
fn objects_are_called_by_what_is_offered() {
    let server = both();
    let poa = telling(&server, "socket", &[offer(&[tag::TAO_UIOP])]).unwrap();
    let echo = poa.activate(crate::common::EchoSkeleton(std::sync::Arc::clone(
        &server.servant,
    )));
    let echo = echo.unwrap().as_object().to_string();
    let (_, by_socket) = orb_and_client(&echo, |_| ());
    by_socket.ping().unwrap();
    // The server's list says nothing against the client's: a call takes what both have.
    let prefers = |tags: &[u32]| {
        let policy = ClientProtocolPolicy::of(tags.iter().copied()).into();
        let object = by_socket
            .as_object()
            .set_policy_overrides(&[policy], SetOverrideType::Add);
        object.unwrap().unchecked_narrow::<EchoRef>().ping()
    };
    prefers(&[tag::INTERNET_IOP, tag::TAO_UIOP]).unwrap();
    let exception = prefers(&[tag::INTERNET_IOP]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::InvPolicy);
}

#[test]
fn offers_that_cannot_be_kept_are_refused() {
    let server = both();
    let unknown = offer(&[0x4d59_0001]);
    let index = |error: PoaError| match error {
        PoaError::InvalidPolicy { index } => index,
        other => panic!("{other}"),
    };
    let refused = telling(&server, "unknown", std::slice::from_ref(&unknown)).unwrap_err();
    assert_eq!(index(refused), 0);
    // Connections belong to listeners, which POAs share.
    let with_properties = ServerProtocolPolicy(vec![Protocol {
        protocol_type: tag::INTERNET_IOP,
        transport_protocol_properties: Some(TcpProtocolProperties::default().into()),
    }]);
    let refused = telling(&server, "properties", &[with_properties.into()]).unwrap_err();
    assert_eq!(index(refused), 0);
    telling(&server, "nothing", &[offer(&[])])
        .map(drop)
        .unwrap_err();

    let how = SetOverrideType::Set;
    let manager = server.orb.policy_manager();
    manager
        .set_policy_overrides(std::slice::from_ref(&unknown), how)
        .unwrap();
    let refused = server.poa.create_poa("child", None, &[]).unwrap_err();
    assert!(
        refused.to_string().contains("ServerProtocolPolicy names"),
        "{refused}"
    );
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    orb.policy_manager()
        .set_policy_overrides(&[unknown], how)
        .unwrap();
    let refused = orb.root_poa().map(drop).unwrap_err();
    assert!(
        refused.to_string().contains("ServerProtocolPolicy names"),
        "{refused}"
    );
    // Properties are those of their protocol.
    let mixed = |protocol_type, properties: ProtocolProperties| {
        let protocol = Protocol {
            protocol_type,
            transport_protocol_properties: Some(properties),
        };
        let policies = [
            Policy::from(ServerProtocolPolicy(vec![protocol.clone()])),
            ClientProtocolPolicy(vec![protocol]).into(),
        ];
        policies.map(|policy| {
            let set = orb.policy_manager().set_policy_overrides(&[policy], how);
            orb.policy_manager().set_policy_overrides(&[], how).unwrap();
            set
        })
    };
    let (tcp, unix) = (tag::INTERNET_IOP, tag::TAO_UIOP);
    for set in [
        mixed(tcp, UnixDomainProtocolProperties::default().into()),
        mixed(unix, TcpProtocolProperties::default().into()),
    ] {
        for set in set {
            let error = set.unwrap_err();
            assert!(
                matches!(error, PolicyOverrideError::InvalidValue { .. }),
                "{error}"
            );
        }
    }
    // A connection that comes in has no priority.
    let marked = TcpProtocolProperties {
        enable_network_priority: true,
        ..TcpProtocolProperties::default()
    };
    let [of_server, of_client] = mixed(tcp, marked.into());
    let error = of_server.unwrap_err().to_string();
    assert!(error.contains("UNSUPPORTED_POLICY_VALUE"), "{error}");
    assert_eq!(of_client, Ok(()));
    for set in [
        mixed(tcp, TcpProtocolProperties::default().into()),
        mixed(unix, UnixDomainProtocolProperties::default().into()),
        mixed(unix, ConnectionOptions::default().into()),
    ] {
        assert_eq!(set, [Ok(()), Ok(())]);
    }
}

#[test]
fn properties_as_the_standard_makes_them_are_on_the_sockets() {
    let server = Server::start();
    let orb = Orb::builder().real_time(RealTime::new()).build().unwrap();
    let real_time = orb.real_time().unwrap();
    let properties = real_time
        .create_tcp_protocol_properties(30_000, 20_000, false, true, false, false)
        .unwrap();
    let protocol = Protocol {
        protocol_type: tag::INTERNET_IOP,
        transport_protocol_properties: Some(properties.into()),
    };
    let policy = ClientProtocolPolicy(vec![protocol]).into();
    orb.policy_manager()
        .set_policy_overrides(&[policy], SetOverrideType::Set)
        .unwrap();
    let echo: EchoRef = orb
        .string_to_object(&server.ior())
        .unwrap()
        .unchecked_narrow();
    echo.ping().unwrap();
    let ends = test_tools::connections(server.port()).unwrap();
    let [client] = &ends.clients[..] else {
        panic!("{ends:?}");
    };
    for (option, value) in [
        (NumberOption::SendBuffer, 60_000),
        (NumberOption::ReceiveBuffer, 40_000),
        (NumberOption::KeepAlive, 0),
        (NumberOption::DontRoute, 1),
        (NumberOption::NoDelay, 0),
    ] {
        assert_eq!(
            socket_options::get(client, option).unwrap(),
            value,
            "{option:?}"
        );
    }
    let unix = real_time
        .create_unix_domain_protocol_properties(30_000, 0)
        .unwrap();
    let options = ProtocolProperties::from(unix).options();
    assert_eq!(options.to_string(), "send-buffer=30000");
    for refused in [
        real_time
            .create_tcp_protocol_properties(-1, 0, true, false, true, false)
            .map(drop),
        real_time
            .create_tcp_protocol_properties(0, -1, true, false, true, false)
            .map(drop),
        real_time
            .create_unix_domain_protocol_properties(0, -1)
            .map(drop),
    ] {
        assert_eq!(refused.unwrap_err().kind, SystemExceptionKind::BadParam);
    }
}
