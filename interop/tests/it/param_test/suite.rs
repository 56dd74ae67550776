//! The tests, for whichever strategy [`strategy`] imports.

use std::process::Command;
use std::time::Duration;

use taut::{Orb, Reference, Version};
strategy!();
use taut_interop::{Check, Process, peers, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// The suffix of a version of GIOP where Taut cuts its messages into fragments.
const FRAGMENTS: &str = "+fragments";

fn number(version: &str) -> &str {
    version.trim_end_matches(FRAGMENTS)
}

/// An ORB that listens on the loopback and speaks up to this version of GIOP.
fn orb(version: &str) -> Orb {
    let mut arguments = [
        "-ORBListenEndpoints",
        "iiop://127.0.0.1:0",
        "-ORBmaxGIOPVersion",
        number(version),
    ]
    .map(str::to_owned)
    .to_vec();
    let builder = taut_interop::over_the_wire()
        .arguments(&mut arguments)
        .unwrap();
    builder
        .settings(|settings| {
            if version.ends_with(FRAGMENTS) {
                // Small, so that most messages have some.
                settings.wire.fragment_size = 1_024;
            }
        })
        .build()
        .unwrap()
}

/// Calls everything that there is to be called, and ends the server.
fn run_taut_client(version: &str, reference: String) -> Vec<Check> {
    let orb = orb(version);
    within(TIME_OUT, move || {
        let object = orb.string_to_object(&reference).unwrap();
        let target: ParamTestRef = object.narrow().unwrap();
        let callback = serve_callback(&orb, target.clone()).unwrap();
        let mut checks = check_object(&object);
        checks.extend(check_operations(&target, &target, &callback));
        checks.push(check_shutdown(&target));
        orb.shutdown(true).unwrap();
        checks
    })
    .unwrap()
}

/// The version of GIOP that a reference offers.
fn offered_version(reference: &str) -> Version {
    let ior = taut_interop::over_the_wire().build().unwrap();
    let object = ior.string_to_object(reference).unwrap();
    object
        .ior()
        .iiop_profiles()
        .next()
        .unwrap()
        .unwrap()
        .version
}

fn taut_calls_taut(version: &str) {
    let server = orb(version);
    let reference = serve(&server).unwrap().into_object().to_string();
    assert_eq!(offered_version(&reference).to_string(), number(version));
    let checks = run_taut_client(version, reference);
    compare_with_known_gaps("taut", "taut", version, &checks).unwrap();
    server.run();
}

fn taut_calls_omniorb(version: &str) {
    let Some(program) = peers::omniorb("param_server") else {
        return;
    };
    let mut command = Command::new(program);
    command.args(["-ORBmaxGIOPVersion", number(version), "-ORBtraceLevel", "0"]);
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    assert_eq!(offered_version(&reference).to_string(), number(version));
    let checks = run_taut_client(version, reference);
    compare_with_known_gaps("taut", "omniorb", version, &checks).unwrap();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

fn omniorb_calls_taut(version: &str) {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    let server = orb(version);
    let reference = serve(&server).unwrap().into_object().to_string();
    let mut command = Command::new(program);
    command.args(["--shutdown", &reference]);
    command.args(["-ORBmaxGIOPVersion", number(version), "-ORBtraceLevel", "0"]);
    let mut client = Process::start(&mut command).unwrap();
    let (lines, _) = client.finish(TIME_OUT).unwrap();
    let checks: Vec<_> = lines
        .iter()
        .map(|line| Check::parse(line).unwrap())
        .collect();
    compare_with_known_gaps("omniorb", "taut", version, &checks).unwrap();
    server.run();
}

/// An ORB that speaks GIOPlite, with these arguments besides.
fn lite_orb(endpoint: &str, more: &str) -> Orb {
    let line = format!("-ORBgioplite -ORBListenEndpoints {endpoint} {more}");
    let mut arguments = line.split_whitespace().map(str::to_owned).collect();
    let builder = taut_interop::over_the_wire().arguments(&mut arguments);
    builder.unwrap().build().unwrap()
}

/// All calls between two ORBs that speak GIOPlite and have these arguments besides.
fn taut_calls_taut_in_lite(endpoint: &str, more: &str) {
    let server = lite_orb(endpoint, more);
    let reference = serve(&server).unwrap().into_object().to_string();
    let client = lite_orb(endpoint, more);
    let checks = within(TIME_OUT, move || {
        let object = client.string_to_object(&reference).unwrap();
        let target: ParamTestRef = object.narrow().unwrap();
        let callback = serve_callback(&client, target.clone()).unwrap();
        let mut checks = check_object(&object);
        checks.extend(check_operations(&target, &target, &callback));
        checks.push(check_shutdown(&target));
        client.shutdown(true).unwrap();
        checks
    });
    let checks = checks.unwrap();
    let failed: Vec<_> = (checks.iter())
        .filter(|check| check.outcome.is_err())
        .collect();
    assert!(checks.len() > 40 && failed.is_empty(), "{failed:#?}");
    server.run();
}

/// Arguments with which GIOPlite is tried, over TCP and over Unix-domain sockets.
const MANNERS: [&str; 5] = [
    "",
    "-ORBFragmentSize 1024",
    "-ORBConnectionSharing shared -ORBFragmentSize 200",
    "-ORBConnectionThreads 0",
    "-ORBByteOrder big -ORBConnectionSharing shared -ORBConnectionThreads 0",
];

#[test]
fn gioplite_over_tcp() {
    for manner in MANNERS {
        taut_calls_taut_in_lite("iiop://127.0.0.1:0", manner);
    }
}

#[test]
fn gioplite_over_unix_sockets() {
    for manner in MANNERS {
        taut_calls_taut_in_lite("uiop://", manner);
    }
}

macro_rules! in_every_version {
    ($(
        $pairing:ident: $v1_0:ident, $v1_1:ident, $v1_2:ident, $cut1_2:ident;
    )*) => {$(
        #[test]
        fn $v1_0() {
            $pairing("1.0");
        }

        #[test]
        fn $v1_1() {
            $pairing("1.1");
        }

        #[test]
        fn $v1_2() {
            $pairing("1.2");
        }

        #[test]
        fn $cut1_2() {
            $pairing("1.2+fragments");
        }
    )*};
}

in_every_version! {
    taut_calls_taut: taut_to_taut_1_0, taut_to_taut_1_1, taut_to_taut_1_2, taut_to_taut_fragments_1_2;
    taut_calls_omniorb: taut_to_omniorb_1_0, taut_to_omniorb_1_1, taut_to_omniorb_1_2, taut_to_omniorb_fragments_1_2;
    omniorb_calls_taut: omniorb_to_taut_1_0, omniorb_to_taut_1_1, omniorb_to_taut_1_2, omniorb_to_taut_fragments_1_2;
}
