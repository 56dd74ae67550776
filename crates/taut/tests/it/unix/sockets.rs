//! The files of sockets: when they are there, whose they are, and what stands in the way.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::{env, fs, process};

use taut::{Orb, SystemExceptionKind};

use super::MODE;
use crate::common::wire::unique_path;
use crate::common::{Echo, Server};

/// Returns the error of an endpoint when the ORB begins to listen.
fn refusal(endpoint: &str) -> String {
    let orb = Orb::builder().listen(endpoint).unwrap().build().unwrap();
    orb.root_poa().err().unwrap().to_string()
}

fn server_at(path: &Path) -> Server {
    let endpoint = format!("uiop://{}", path.display());
    MODE.server_from(Orb::builder().listen(&endpoint).unwrap())
}

#[test]
fn the_socket_file_is_gone_after_shutdown() {
    let server = MODE.server();
    let path = Path::new(server.address().path().unwrap()).to_owned();
    // Without a path, it is one that nobody else has.
    assert!(path.starts_with(env::temp_dir()));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with(&format!("taut-{}-", process::id())),
        "{name}"
    );
    assert!(path.exists());
    server.client().ping().unwrap();
    server.orb.shutdown(true).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_stale_socket_is_replaced() {
    let path = unique_path();
    // The standard library leaves the file behind, as a process does that is killed.
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let server = server_at(&path);
    server.client().ping().unwrap();
    server.orb.shutdown(true).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_live_socket_is_an_error_that_names_it() {
    let path = unique_path();
    let server = server_at(&path);
    let path = path.display();
    let expected = format!("cannot listen at uiop://{path}: {path}: another process listens there");
    assert_eq!(refusal(&format!("uiop://{path}")), expected);
    server.client().ping().unwrap();
}

#[test]
fn a_path_that_is_too_long_is_an_error_that_says_how_long_it_may_be() {
    let path = format!("/tmp/{}", "x".repeat(200));
    assert_eq!(
        refusal(&format!("uiop://{path}")),
        format!(
            "cannot listen at uiop://{path}: the path of the socket has 205 octets, of which the \
             system takes 107: choose a shorter one"
        )
    );
    let refused = MODE
        .client(&format!("corbaloc:uiop:{path}|/key"))
        .ping()
        .unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
}

#[test]
fn a_relative_path_is_published_from_the_root_on() {
    let name = unique_path();
    let name = name.file_name().unwrap();
    let server = server_at(Path::new(name));
    let path = env::current_dir().unwrap().join(name);
    assert_eq!(server.address().path(), path.to_str());
    server.client().ping().unwrap();
    server.orb.shutdown(true).unwrap();
    assert!(!path.exists());
}

#[test]
fn the_permissions_are_what_is_set() {
    let mode = |server: &Server| {
        let file = fs::metadata(server.address().path().unwrap()).unwrap();
        file.permissions().mode() & 0o777
    };
    assert_eq!(mode(&MODE.server()), 0o600);
    let open = MODE.server_with(|settings| settings.server.unix_socket_mode = 0o666);
    assert_eq!(mode(&open), 0o666);
}

#[test]
fn nothing_is_left_of_a_server_that_cannot_listen_at_all_its_endpoints() {
    let path = unique_path();
    let endpoint = format!("uiop://{}", path.display());
    let builder = Orb::builder().listen(&endpoint).unwrap();
    let builder = builder.listen("uiop:///no/such/directory/x").unwrap();
    let orb = builder
        .settings(|settings| MODE.adjust(settings))
        .build()
        .unwrap();
    assert!(orb.root_poa().is_err());
    assert!(!path.exists());
}

#[test]
fn keep_alive_is_for_networks() {
    let server = MODE.server();
    let echo = MODE.client_with(&server.ior(), |settings| {
        settings.wire.keep_alive = Some(std::time::Duration::from_secs(1));
    });
    echo.ping().unwrap();
}
