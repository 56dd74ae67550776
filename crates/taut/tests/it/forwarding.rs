//! Finding objects elsewhere: plain keys, forwards, alternate addresses.

use crate::common;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, Server, wire};
use taut::{Located, Orb, Reference, SystemExceptionKind, UrlError};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning] {
        a_plain_key_forwards_to_its_object,
        an_object_that_is_no_longer_where_a_forward_led_is_located_anew,
        servers_that_forward_to_each_other_end_the_call,
        the_next_address_is_tried_when_one_is_dead,
        a_server_publishes_what_it_is_told_to,
        ipv6_serves_as_well,
        initial_references_are_found_where_they_are_configured,
    }
}

fn a_plain_key_forwards_to_its_object(mode: Mode) {
    let server = mode.server();
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let url = |version, key| wire::url(server.address(), version, key);
    for version in ["", "1.0@", "1.1@", "1.2@"] {
        let echo = mode.client(&url(version, "Echo"));
        assert_eq!(echo.echo("hello").unwrap(), "hello");
        assert_eq!(echo.as_object().locate().unwrap(), Located::Here);
        let located = mode.client(&url(version, "Echo"));
        assert_eq!(located.as_object().locate().unwrap(), Located::Here);
        located.ping().unwrap();
        let unknown = mode.client(&url(version, "Fly"));
        assert_eq!(
            unknown.ping().unwrap_err().kind,
            SystemExceptionKind::ObjectNotExist
        );
        assert_eq!(unknown.as_object().locate().unwrap(), Located::Unknown);
    }
    assert_eq!(server.orb.corbaloc("Echo"), Some(server.url("Echo")));
}

/// A LocateRequest to the target of a forward that was there once said "unknown",
/// while a call went back to the original reference.
fn an_object_that_is_no_longer_where_a_forward_led_is_located_anew(mode: Mode) {
    let (forwarder, first, second) = (mode.server(), mode.server(), mode.server());
    let to = |server: &Server| {
        let target = server.client();
        forwarder.orb.bind_object_key("Moved", target.as_object());
    };
    let echo = mode.client(&forwarder.url("Moved"));
    to(&first);
    echo.ping().unwrap();
    to(&second);
    let id = first.poa.reference_to_id(first.echo.as_object()).unwrap();
    first.poa.deactivate_object(&id).unwrap();
    assert_eq!(echo.as_object().locate().unwrap(), Located::Here);
    echo.ping().unwrap();

    let id = second.poa.reference_to_id(second.echo.as_object()).unwrap();
    second.poa.deactivate_object(&id).unwrap();
    assert_eq!(echo.as_object().locate().unwrap(), Located::Unknown);
}

fn servers_that_forward_to_each_other_end_the_call(mode: Mode) {
    let (one, two) = (mode.server(), mode.server());
    let to = |server: &Server| mode.client(&server.url("Loop"));
    let (to_one, to_two) = (to(&one), to(&two));
    one.orb.bind_object_key("Loop", to_two.as_object());
    two.orb.bind_object_key("Loop", to_one.as_object());
    let error = to_one.ping().unwrap_err().to_string();
    assert!(
        error.starts_with(
            "TRANSIENT: the call was forwarded too often (Taut minor 36), COMPLETED_NO; calling \
             ping; the limit is client.max_forwards = 8; the last forward came from "
        ),
        "{error}"
    );
}

fn the_next_address_is_tried_when_one_is_dead(mode: Mode) {
    let server = mode.server();
    server.orb.bind_object_key("Echo", server.echo.as_object());
    // Port 1 refuses connections.
    let url = server.url("Echo");
    let address = url.strip_prefix("corbaloc:").unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:1,{address}");
    mode.client(&url).ping().unwrap();

    let published = mode.server_from(
        Orb::builder()
            .listen("127.0.0.1:0/publish=127.0.0.1:1,127.0.0.1")
            .unwrap(),
    );
    assert_eq!(published.echo.as_object().ior().profiles.len(), 1);
    published.client().ping().unwrap();
}

fn a_server_publishes_what_it_is_told_to(mode: Mode) {
    let server = mode.server_from(
        Orb::builder()
            .listen("127.0.0.1:0/publish=orb.example.com:4000")
            .unwrap(),
    );
    let addresses = server.orb.published_addresses();
    assert_eq!(addresses[0].to_string(), "orb.example.com:4000");
    let profile = server
        .echo
        .as_object()
        .ior()
        .iiop_profiles()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(
        (profile.host.as_str(), profile.port),
        ("orb.example.com", 4000)
    );
}

fn ipv6_serves_as_well(mode: Mode) {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("LEFT OUT: this machine has no IPv6");
        return;
    }
    let server = mode.server_from(Orb::builder().listen("[::1]:0").unwrap());
    server.client().ping().unwrap();
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let url = server.orb.corbaloc("Echo").unwrap();
    assert_eq!(
        url,
        format!("corbaloc:iiop:1.2@[::1]:{}/Echo", server.port())
    );
    mode.client(&url).ping().unwrap();
}

fn initial_references_are_found_where_they_are_configured(mode: Mode) {
    let server = mode.server();
    server.orb.bind_object_key("Echo", server.echo.as_object());
    let url = server.orb.corbaloc("Echo").unwrap();
    let prefix = url.strip_suffix("/Echo").unwrap();
    let mut arguments: Vec<String> = [
        "-ORBInitRef",
        &format!("Parrot={url}"),
        "-ORBDefaultInitRef",
        prefix,
    ]
    .map(str::to_owned)
    .to_vec();
    let orb = Orb::init(&mut arguments).unwrap();
    assert_eq!(orb.list_initial_services(), ["Parrot"]);
    for name in ["Parrot", "Echo"] {
        let echo: common::EchoRef = orb
            .resolve_initial_references(name)
            .unwrap()
            .unchecked_narrow();
        echo.ping().unwrap();
        let echo: common::EchoRef = orb
            .string_to_object(&format!("corbaloc:rir:/{name}"))
            .unwrap()
            .unchecked_narrow();
        echo.ping().unwrap();
    }
    let orb = Orb::builder().build().unwrap();
    assert_eq!(
        orb.resolve_initial_references("Other")
            .unwrap_err()
            .to_string(),
        "no initial reference is called \"Other\"; configure one with -ORBInitRef Other=URL"
    );
    let bad = Orb::builder().initial_reference("Bad", "corbaloc::[");
    assert_eq!(
        bad.build().unwrap_err().to_string(),
        "the initial reference \"Bad\": the address has a \"[\" without \"]\", at character 11"
    );
    orb.register_initial_reference("Other", server.client().as_object())
        .unwrap();
    assert!(orb.resolve_initial_references("Other").is_ok());
    assert!(
        orb.register_initial_reference("", server.client().as_object())
            .is_err()
    );
}

#[test]
fn the_names_of_local_objects_say_where_these_are_to_be_had() {
    // Nobody else is asked for them.
    let orb = Orb::builder().default_initial_reference("corbaloc::127.0.0.1:1");
    let orb = orb.build().unwrap();
    for (name, place) in [
        ("RootPOA", "Orb::root_poa"),
        ("POACurrent", "taut::Current"),
        ("POAManagerFactory", "Poa::manager_factory"),
    ] {
        let message =
            format!("{name:?} is a local object, which no reference leads to; use {place}");
        let error = orb.resolve_initial_references(name).unwrap_err();
        assert_eq!(error.to_string(), message);
        let url = format!("corbaloc:rir:/{name}");
        assert_eq!(orb.string_to_object(&url).unwrap_err().to_string(), message);
    }
    assert!(orb.resolve_initial_references("Other").is_ok());
}

#[test]
fn each_bad_url_is_refused_with_its_fault() {
    let orb = Orb::builder().build().unwrap();
    for (url, message) in [
        (
            "http://example.com",
            "the text begins with none of \"IOR:\", \"corbaloc:\", \"corbaname:\" and \"file://\"",
        ),
        (
            "corbaloc:shmiop:x/key",
            "\"shmiop\" was read as a protocol, and this ORB speaks iiop and uiop only",
        ),
        (
            "corbaloc:uiop:/tmp/x/key",
            "the path of the \"uiop\" address does not end with \"|\": write uiop:/path|/key, at \
             character 15",
        ),
        (
            "corbaloc::host:port/x",
            "the port is not a number up to 65535, at character 16",
        ),
        ("corbaname::h#a/b.c.d", "the name \"a/b.c.d\":"),
        (
            "IOR:00000000000000010000000000000000",
            "the reference is nil: it leads to no object",
        ),
    ] {
        let error = orb.string_to_object(url).unwrap_err().to_string();
        assert!(error.starts_with(message), "{url}: {error}");
    }
    assert!(matches!(
        orb.string_to_object("IOR:0"),
        Err(UrlError::Malformed(_))
    ));
}
