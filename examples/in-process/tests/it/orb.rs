//! `Param_Test` over the transport, and what the ORB says of its addresses.

use std::sync::Arc;
use std::time::Duration;

use taut::transport_api::Protocols;
use taut::{ConnectionSharing, Orb, OrbBuilder, Reference, Settings};
use taut_explain::{Content, Fact, Value};
use taut_in_process::InProcess;
use taut_interop::{param_test, param_test_interpretive, within};
use taut_transport_conformance::{Faults, Faulty};

const TIME_OUT: Duration = Duration::from_secs(60);

/// An ORB to be that speaks the protocol, also to objects of its own.
fn builder(network: &InProcess, adjust: impl FnOnce(&mut Settings)) -> OrbBuilder {
    let builder = taut_interop::over_the_wire().protocol(network.clone());
    builder.unwrap().settings(adjust)
}

/// Runs all cases of `Param_Test` between two ORBs.
macro_rules! run {
    ($cases:ident, $server:expr, $client:expr) => {
        let (server, client): (Orb, Orb) = ($server.build().unwrap(), $client.build().unwrap());
        let reference = $cases::serve(&server).unwrap().into_object().to_string();
        let checks = within(TIME_OUT, move || {
            let object = client.string_to_object(&reference).unwrap();
            let target: $cases::ParamTestRef = object.narrow().unwrap();
            let callback = $cases::serve_callback(&client, target.clone()).unwrap();
            let mut checks = $cases::check_object(&object);
            checks.extend($cases::check_operations(&target, &target, &callback));
            checks.push($cases::check_shutdown(&target));
            client.shutdown(true).unwrap();
            checks
        });
        $cases::compare_with_known_gaps("taut", "taut", "1.2", &checks.unwrap()).unwrap();
        server.run();
    };
}

/// Runs them with these settings on both sides, compiled and interpreted.
fn run_with(adjust: impl Fn(&mut Settings) + Copy) {
    let network = InProcess::new();
    let orb = || builder(&network, adjust).listen("inproc://").unwrap();
    run!(param_test, orb(), orb());
    run!(param_test_interpretive, orb(), orb());
}

#[test]
fn all_cases_pass_with_a_thread_for_each_connection() {
    run_with(|_| {});
}

#[test]
fn all_cases_pass_with_the_reactor() {
    run_with(|settings| settings.server.connection_threads = 0);
}

#[test]
fn all_cases_pass_over_shared_connections() {
    run_with(|settings| settings.client.connection_sharing = ConnectionSharing::Shared);
}

#[test]
fn all_cases_pass_in_fragments() {
    run_with(|settings| settings.wire.fragment_size = 1024);
}

#[test]
fn all_cases_pass_in_gioplite() {
    run_with(|settings| settings.wire.giop_lite = true);
    run_with(|settings| {
        settings.wire.giop_lite = true;
        settings.wire.fragment_size = 1_024;
        settings.client.connection_sharing = ConnectionSharing::Shared;
    });
}

#[test]
fn all_cases_pass_with_short_sends_and_receives() {
    for adjust in [(|_| {}) as fn(&mut Settings), |settings| {
        settings.server.connection_threads = 0
    }] {
        let network: Arc<dyn taut_transport::Protocol> = Arc::new(InProcess::new());
        let faulty = || Faulty::new(Arc::clone(&network), Faults::default());
        let orb = || {
            let builder = taut_interop::over_the_wire().protocol(faulty()).unwrap();
            builder.settings(adjust).listen("inproc://").unwrap()
        };
        run!(param_test, orb(), orb());
    }
}

#[test]
fn a_server_may_have_it_beside_tcp_and_clients_without_it_take_tcp() {
    let network = InProcess::new();
    let server = || {
        let builder = builder(&network, |_| {}).listen("inproc://both").unwrap();
        builder.listen("127.0.0.1:0").unwrap()
    };
    run!(
        param_test,
        server(),
        taut_interop::over_the_wire().listen("127.0.0.1:0").unwrap()
    );
    run!(
        param_test,
        server(),
        builder(&network, |_| {}).listen("inproc://").unwrap()
    );
}

#[test]
fn a_reference_without_another_address_says_what_is_missing() {
    let network = InProcess::new();
    let server = builder(&network, |_| {}).listen("inproc://alone").unwrap();
    let server = server.build().unwrap();
    let reference = param_test::serve(&server)
        .unwrap()
        .into_object()
        .to_string();
    let client = taut_interop::over_the_wire().build().unwrap();
    let object = client.string_to_object(&reference).unwrap();
    let error = object.is_a("IDL:x:1.0").unwrap_err();
    assert!(error.to_string().contains("TRANSIENT"), "{error}");

    // As a URL, which is read by the protocol.
    server.bind_object_key("Test", &object);
    let url = server.corbaloc("Test").unwrap();
    assert_eq!(url, "corbaloc:inproc:alone/Test");
    let unknown = client.string_to_object(&url).unwrap_err();
    assert!(unknown.to_string().contains("\"inproc\""), "{unknown}");
    let other = builder(&network, |_| {}).build().unwrap();
    let mistaken = other.string_to_object("corbaloc:h:2809/Test").unwrap_err();
    let known = "speaks iiop, uiop and inproc only; if it is a host, write :h:2809";
    assert!(mistaken.to_string().ends_with(known), "{mistaken}");
    let found = other.string_to_object(&url).unwrap();
    assert_eq!(
        found
            .narrow::<param_test::ParamTestRef>()
            .map(drop)
            .err()
            .map(|e| e.to_string()),
        None
    );
    server.shutdown(true).unwrap();
    // Nobody is there any more.
    let error = other
        .string_to_object(&url)
        .unwrap()
        .is_a("IDL:x:1.0")
        .unwrap_err();
    assert!(
        error.to_string().contains("inproc://alone: refused"),
        "{error}"
    );
}

/// The registry of the ORB's protocols reads what the crate that explains cannot know.
#[test]
fn the_address_in_a_reference_is_explained() {
    let network = InProcess::new();
    let orb = builder(&network, |_| {}).listen("inproc://bank").unwrap();
    let orb = orb.build().unwrap();
    let reference = param_test::serve(&orb).unwrap().into_object();
    let protocols = Protocols::default().with(Arc::new(network)).unwrap();
    let read = |protocols: Protocols| {
        let facts = taut_explain::reference_with(reference.ior(), &|tag, data| {
            protocols.read_address(tag, data)
        });
        let Some(Value::List(profiles)) = facts.into_iter().nth(1).map(|fact| fact.value) else {
            panic!("a reference has profiles");
        };
        let Some(Value::Tagged(profile)) = profiles.into_iter().next() else {
            panic!("the object is somewhere");
        };
        profile.content
    };
    let Content::Known(facts) = read(protocols) else {
        panic!("the protocol was asked");
    };
    assert_eq!(facts[1], Fact::text("address", "inproc://bank"));
    assert_eq!(read(Protocols::default()), Content::Unknown);
    orb.shutdown(true).unwrap();
}
