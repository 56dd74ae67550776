//! The texts of system exceptions: what was called, each address tried and why it failed,
//! and which side raised the exception.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use taut::{
    CompletionStatus, ObjectRef, Orb, Reference, Settings, SystemException, SystemExceptionKind,
};
use taut_cdr::Encode;
use taut_giop::message::ReplyStatus;
use taut_giop::{ConnectFailure, RaisedBy, minor};
use test_tools::free_port;

use crate::common::Server;
use crate::common::raw::{Message, empty_reply, reply, url_at};
use crate::common::wire::unique_path;

/// The part of the text about a call on an object that a `corbaloc` names.
const CALLED: &str = "COMPLETED_NO; calling ping";

/// The beginning of the text of a failed connection.
const NO_CONNECTION: &str =
    "TRANSIENT: no address of the reference accepted a connection (Taut minor 32)";

fn orb(adjust: impl FnOnce(&mut Settings)) -> Orb {
    Orb::builder().settings(adjust).build().unwrap()
}

fn quick(settings: &mut Settings) {
    settings.client.connect_timeout = Duration::from_millis(300);
    settings.client.call_timeout = Some(Duration::from_millis(300));
}

fn failure_of(object: &ObjectRef) -> SystemException {
    object.invoke("ping", |_| Ok(())).unwrap_err()
}

fn failure_at(url: &str) -> SystemException {
    failure_of(&orb(quick).string_to_object(url).unwrap())
}

/// A server of which a test writes every octet, for one connection.
fn answering(
    answer: impl Fn(&Message, &mut TcpStream) -> std::io::Result<()> + Send + 'static,
) -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It ends with its client.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while let Ok(request) = Message::read(&mut stream) {
                if answer(&request, &mut stream).is_err() {
                    break;
                }
            }
        }
    });
    port
}

/// A server that raises this system exception.
fn raising(kind: SystemExceptionKind, minor: u32) -> u16 {
    answering(move |request, stream| {
        let exception = SystemException::new(kind, minor, CompletionStatus::No);
        stream.write_all(&reply(
            request.request_id(),
            ReplyStatus::SystemException,
            |out| exception.encode(out).unwrap(),
        ))
    })
}

#[test]
fn each_address_that_gives_no_connection_has_its_reason() {
    let [missing, deserted, plain] = [(); 3].map(|()| unique_path().to_str().unwrap().to_owned());
    drop(UnixListener::bind(&deserted).unwrap());
    std::fs::write(&plain, b"").unwrap();
    let port = free_port().unwrap();
    for (addresses, tried) in [
        (
            format!("iiop:1.2@127.0.0.1:{port}"),
            format!("127.0.0.1:{port}: refused"),
        ),
        (
            format!("iiop:1.2@[::1]:{port}"),
            format!("[::1]:{port}: refused"),
        ),
        // Linux connects nobody to a broadcast address.
        (
            "iiop:1.2@255.255.255.255:9".to_owned(),
            "255.255.255.255:9: unreachable".to_owned(),
        ),
        (
            format!("uiop:{missing}|"),
            format!("uiop://{missing}: no such socket file"),
        ),
        (
            format!("uiop:{deserted}|"),
            format!("uiop://{deserted}: refused"),
        ),
        (format!("uiop:{plain}|"), format!("uiop://{plain}: refused")),
        (
            format!("iiop:1.2@127.0.0.1:{port},iiop:1.2@127.0.0.2:{port},uiop:{deserted}|"),
            format!(
                "uiop://{deserted}: refused, 127.0.0.1:{port}: refused, \
                 127.0.0.2:{port}: refused"
            ),
        ),
    ] {
        let failure = failure_at(&format!("corbaloc:{addresses}/key"));
        assert_eq!(
            failure.to_string(),
            format!("{NO_CONNECTION}, {CALLED}; tried {tried}")
        );
        assert_eq!(failure.minor, minor::CONNECT_FAILED);
    }
}

/// Whether the machine has a name service or not, the host is named and is not taken for
/// one that refuses.
#[test]
fn a_host_that_does_not_exist_is_told_from_one_that_refuses() {
    let failure = failure_at("corbaloc:iiop:1.2@no-such-host.invalid:2809/key");
    let attempts = &failure.report().unwrap().attempts;
    assert_eq!(attempts.len(), 1);
    assert_eq!(&*attempts[0].address, "no-such-host.invalid:2809");
    assert!(
        matches!(
            attempts[0].failure,
            ConnectFailure::UnknownHost | ConnectFailure::Unresolved(_)
        ),
        "{failure}"
    );
}

#[test]
fn a_socket_file_that_may_not_be_written_is_forbidden() {
    use std::os::unix::fs::PermissionsExt;
    let path = unique_path();
    let _listener = UnixListener::bind(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::os::unix::net::UnixStream::connect(&path).is_ok() {
        // The superuser may write to everything.
        return;
    }
    let failure = failure_at(&format!("corbaloc:uiop:{}|/key", path.display()));
    assert!(
        failure.to_string().ends_with(": permission denied"),
        "{failure}"
    );
}

#[test]
fn a_silent_address_says_how_long_it_was_waited_for() {
    // Nobody accepts, and what waits to be accepted fills the queue.
    let path = unique_path();
    let listener = taut_sys::unix::UnixListener::bind(&path, 0o600, 0).unwrap();
    let _first = std::os::unix::net::UnixStream::connect(&path).unwrap();
    let url = format!("corbaloc:uiop:{}|/key", path.display());
    let patient = orb(|settings| settings.client.connect_timeout = Duration::from_millis(300));
    let failure = failure_of(&patient.string_to_object(&url).unwrap());
    drop(listener);
    assert_eq!(
        failure.to_string(),
        format!(
            "{NO_CONNECTION}, {CALLED}; tried uiop://{}: timed out after 300 ms",
            path.display()
        )
    );
}

#[test]
fn a_reply_that_does_not_come_names_the_peer_and_the_setting() {
    let silent = answering(|_, _| Ok(()));
    let failure = failure_at(&url_at(silent));
    assert_eq!(
        failure.to_string(),
        format!(
            "TIMEOUT: the reply did not come in time (Taut minor 38), COMPLETED_MAYBE; \
             calling ping; the limit is client.call_timeout = 300 ms; the connection to \
             127.0.0.1:{silent}: the peer did not answer in time"
        )
    );
    assert_eq!(failure.report().unwrap().raised_by, Some(RaisedBy::ThisOrb));
}

#[test]
fn an_exception_that_a_peer_raised_names_the_peer_and_whose_minor_code_it_is() {
    use SystemExceptionKind as Kind;
    for (kind, minor, text) in [
        // omniORB's, for a key that it does not know.
        (
            Kind::ObjectNotExist,
            minor::omg(1),
            "OBJECT_NOT_EXIST: the server has no such object (OMG minor 1)",
        ),
        (
            Kind::ObjectNotExist,
            minor::omg(2),
            "OBJECT_NOT_EXIST: the POA could not be found or created (OMG minor 2)",
        ),
        (
            Kind::ObjectNotExist,
            1,
            "OBJECT_NOT_EXIST (minor 1 of an unknown vendor)",
        ),
        (Kind::ObjectNotExist, 0, "OBJECT_NOT_EXIST"),
        (
            Kind::ObjectNotExist,
            0x4154_0035,
            "OBJECT_NOT_EXIST: there is no POA, or not this one (omniORB minor 53)",
        ),
        (
            Kind::ObjectNotExist,
            0x4154_0001,
            "OBJECT_NOT_EXIST (omniORB minor 1)",
        ),
        (Kind::Internal, 0x4a43_0001, "INTERNAL (JacORB minor 1)"),
        (
            Kind::NoPermission,
            0x4a43_0001,
            "NO_PERMISSION: security (CSIv2): the client side failed (JacORB minor 1)",
        ),
        (
            Kind::BadOperation,
            minor::OBJECT_NOT_ACTIVE,
            "BAD_OPERATION (Taut minor 42)",
        ),
        (
            Kind::Timeout,
            0xdead_b001,
            "TIMEOUT (minor 0xdeadb001 of an unknown vendor)",
        ),
    ] {
        let port = raising(kind, minor);
        let failure = failure_at(&url_at(port));
        assert_eq!(failure.kind, kind);
        assert_eq!(
            failure.to_string(),
            format!("{text}, {CALLED}; raised by 127.0.0.1:{port}")
        );
    }
}

#[test]
fn a_message_that_answers_something_else_is_the_peers_fault() {
    for sharing in [
        taut::ConnectionSharing::Exclusive,
        taut::ConnectionSharing::Shared,
    ] {
        let locate = answering(|request, stream| {
            let mut octets = empty_reply(request.request_id());
            // A LocateReply that says that the object is here.
            octets.truncate(12 + 8);
            octets[7] = 4;
            octets[8..12].copy_from_slice(&8_u32.to_le_bytes());
            octets[16..20].copy_from_slice(&1_u32.to_le_bytes());
            stream.write_all(&octets)
        });
        let orb = orb(|settings| {
            quick(settings);
            settings.client.connection_sharing = sharing;
        });
        let object = orb.string_to_object(&url_at(locate)).unwrap();
        let failure = failure_of(&object);
        assert_eq!(
            failure.to_string(),
            format!(
                "COMM_FAILURE: the peer broke the rules of GIOP, or a limit of ours (Taut minor \
                 35), COMPLETED_MAYBE; calling ping; 127.0.0.1:{locate}: LocateReply came in \
                 answer to a Request"
            )
        );
        // And a Reply is no answer to a LocateRequest.
        let reply =
            answering(|request, stream| stream.write_all(&empty_reply(request.request_id())));
        let object = orb.string_to_object(&url_at(reply)).unwrap();
        let failure = object.locate().unwrap_err();
        assert_eq!(failure.kind, SystemExceptionKind::CommFailure, "{failure}");
        assert!(
            failure
                .to_string()
                .ends_with("Reply came in answer to a LocateRequest"),
            "{failure}"
        );
    }
}

#[test]
fn a_forward_to_nobody_and_the_reference_it_came_from_are_told_apart() {
    let gone = free_port().unwrap();
    let orb = orb(quick);
    let target = orb.string_to_object(&url_at(gone)).unwrap().ior().clone();
    let first = std::sync::atomic::AtomicBool::new(true);
    let forwarder = answering(move |request, stream| {
        let target = target.clone();
        if first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            return stream.write_all(&reply(
                request.request_id(),
                ReplyStatus::LocationForward,
                |out| target.encode(out).unwrap(),
            ));
        }
        let exception =
            SystemException::omg(SystemExceptionKind::Transient, 1, CompletionStatus::No);
        stream.write_all(&reply(
            request.request_id(),
            ReplyStatus::SystemException,
            |out| exception.encode(out).unwrap(),
        ))
    });
    let object = orb.string_to_object(&url_at(forwarder)).unwrap();
    assert_eq!(
        failure_of(&object).to_string(),
        format!(
            "TRANSIENT: the POA's manager discards requests at the moment, or holds as many as \
             may wait (OMG minor 1), {CALLED}; raised by 127.0.0.1:{forwarder}; tried 127.0.0.1:{gone} (forwarded to): \
             refused"
        )
    );
}

#[test]
fn a_naming_service_that_is_down_is_told_from_an_object_that_it_names() {
    let gone = free_port().unwrap();
    let orb = orb(quick);
    let url = format!("corbaname:iiop:1.2@127.0.0.1:{gone}#bank/main");
    let failure = orb.string_to_object(&url).unwrap_err();
    assert_eq!(
        failure.to_string(),
        format!(
            "{NO_CONNECTION}, COMPLETED_NO; calling resolve on the naming service at \
             127.0.0.1:{gone}; tried 127.0.0.1:{gone}: refused"
        )
    );
    // The naming service is there, the object is not.
    let target = orb.string_to_object(&url_at(gone)).unwrap().ior().clone();
    let naming = answering(move |request, stream| {
        stream.write_all(&reply(
            request.request_id(),
            ReplyStatus::NoException,
            |out| target.encode(out).unwrap(),
        ))
    });
    let url = format!("corbaname:iiop:1.2@127.0.0.1:{naming}#bank/main");
    let object = orb.string_to_object(&url).unwrap();
    assert_eq!(
        failure_of(&object).to_string(),
        format!("{NO_CONNECTION}, {CALLED}; tried 127.0.0.1:{gone}: refused")
    );
}

#[test]
fn an_initial_reference_that_is_down_is_named() {
    let gone = free_port().unwrap();
    let orb = Orb::builder()
        .initial_reference(
            "NameService",
            format!("corbaloc:iiop:1.2@127.0.0.1:{gone}/NameService"),
        )
        .settings(quick)
        .build()
        .unwrap();
    let failure = orb.string_to_object("corbaname:rir:#bank").unwrap_err();
    assert_eq!(
        failure.to_string(),
        format!(
            "{NO_CONNECTION}, COMPLETED_NO; calling resolve on the naming service at \
             127.0.0.1:{gone} (initial reference NameService); tried 127.0.0.1:{gone}: refused"
        )
    );
}

#[test]
fn limits_on_connections_name_their_setting() {
    let (arrived, arrivals) = std::sync::mpsc::channel();
    let silent = answering(move |_, _| {
        arrived.send(()).unwrap();
        Ok(())
    });
    let orb = orb(|settings| {
        settings.client.call_timeout = Some(Duration::from_secs(1));
        settings.client.max_connections_per_endpoint = 1;
        settings.client.connection_wait = Duration::from_millis(20);
    });
    let object = orb.string_to_object(&url_at(silent)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| failure_of(&object));
        arrivals.recv().unwrap();
        assert_eq!(
            failure_of(&object).to_string(),
            format!(
                "TRANSIENT: all connections to the endpoint are in use (Taut minor 33), {CALLED}; \
                 tried 127.0.0.1:{silent}: all connections in use \
                 (client.max_connections_per_endpoint = 1)"
            )
        );
    });
}

#[test]
fn a_reference_of_which_nothing_can_be_used_says_why() {
    let server = Server::start();
    let mut ior = server.echo.as_object().ior().clone();
    ior.profiles[0].data.truncate(9);
    let orb = orb(quick);
    let failure = failure_of(&orb.string_to_object(&ior.to_string()).unwrap());
    assert_eq!(failure.kind, SystemExceptionKind::InvObjref);
    assert!(
        failure
            .to_string()
            .starts_with("INV_OBJREF: a profile of the reference is malformed (Taut minor 49)"),
        "{failure}"
    );
    ior.profiles[0].tag = 77;
    let failure = failure_of(&orb.string_to_object(&ior.to_string()).unwrap());
    assert_eq!(
        failure.to_string(),
        format!(
            "TRANSIENT: no usable profile in the reference (OMG minor 2), {CALLED} on \
             IDL:test/Echo:1.0; the reference has profiles with the tags [77] only"
        )
    );
}

#[test]
fn a_panic_of_a_servant_and_a_malformed_argument_say_whose_they_are() {
    let server = Server::start();
    let object = crate::common::client(&server.ior());
    let object = object.as_object();
    let failure = object.invoke("echo", |_| Ok(())).unwrap_err();
    assert_eq!(
        failure.to_string(),
        format!(
            "MARSHAL: the data ends before its last value does (Taut minor 2), COMPLETED_NO; \
             calling echo on IDL:test/Echo:1.0; raised by {}",
            server.address()
        )
    );
}
