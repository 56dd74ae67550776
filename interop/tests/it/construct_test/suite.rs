//! The tests, for whichever strategy [`strategy`] imports.

use std::process::Command;
use std::time::Duration;

use taut::{ByteOrder, Orb, Reference, Version};
strategy!();
use taut_interop::{Check, HarnessError, Process, loopback_orb, peers, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// An ORB that listens on the loopback, speaks up to this version of GIOP, and
/// in this byte order.
fn orb(version: Version, order: ByteOrder) -> Orb {
    let orb = loopback_orb(|settings| {
        settings.wire.giop_version = version;
        settings.wire.byte_order = order;
    });
    orb.unwrap()
}

/// Calls everything that there is to be called, and ends the server.
fn run_taut_client(version: Version, order: ByteOrder, reference: String) -> Vec<Check> {
    let orb = orb(version, order);
    within(TIME_OUT, move || {
        let object = orb.string_to_object(&reference).unwrap();
        let target: ConstructTestRef = object.narrow().unwrap();
        let checks = check_constructs(&target);
        orb.shutdown(true).unwrap();
        checks
    })
    .unwrap()
}

/// The faults that the list of known gaps does not have.
type Faults = Result<(), HarnessError>;

fn compare(client: &str, server: &str, version: Version, checks: &[Check]) -> Faults {
    compare_constructs_with_known_gaps(client, server, &version.to_string(), checks)
}

/// Runs a test in every version of GIOP, and then fails if one failed.
fn in_every_version(test: impl Fn(Version) -> Faults) {
    let versions = [Version::V1_0, Version::V1_1, Version::V1_2];
    let faults: Vec<_> = versions
        .into_iter()
        .filter_map(|version| test(version).err())
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn taut_calls_taut(version: Version, order: ByteOrder) -> Faults {
    let server = orb(version, order);
    let reference = serve_constructs(&server).unwrap().into_object().to_string();
    let checks = run_taut_client(version, order, reference);
    let faults = compare("taut", "taut", version, &checks);
    // The client has done it, unless it failed before.
    let _ = server.shutdown(true);
    faults
}

fn omniorb(program: &str, version: Version) -> Option<Command> {
    let mut command = Command::new(peers::omniorb(program)?);
    command.args(["-ORBtraceLevel", "0", "-ORBmaxGIOPVersion"]);
    command.arg(version.to_string());
    Some(command)
}

fn taut_calls_omniorb(version: Version, order: ByteOrder) -> Faults {
    let Some(mut command) = omniorb("construct_server", version) else {
        return Ok(());
    };
    let mut server = Process::start(&mut command).unwrap();
    let reference = server.read_line(TIME_OUT).unwrap();
    let checks = run_taut_client(version, order, reference);
    assert!(server.wait(TIME_OUT).unwrap().success());
    compare("taut", "omniorb", version, &checks)
}

fn checks_of(command: &mut Command) -> Vec<Check> {
    let (lines, _) = Process::start(command).unwrap().finish(TIME_OUT).unwrap();
    lines
        .iter()
        .map(|line| Check::parse(line).unwrap())
        .collect()
}

fn omniorb_calls_taut(version: Version, order: ByteOrder) -> Faults {
    let Some(mut command) = omniorb("construct_client", version) else {
        return Ok(());
    };
    let server = orb(version, order);
    let reference = serve_constructs(&server).unwrap().into_object().to_string();
    let checks = checks_of(command.args(["--shutdown", &reference]));
    let faults = compare("omniorb", "taut", version, &checks);
    // The client has done it, unless it failed before.
    let _ = server.shutdown(true);
    faults
}

#[test]
fn omniorb_to_omniorb() {
    in_every_version(|version| {
        let (Some(mut server), Some(mut client)) = (
            omniorb("construct_server", version),
            omniorb("construct_client", version),
        ) else {
            return Ok(());
        };
        let mut server = Process::start(&mut server)?;
        let reference = server.read_line(TIME_OUT)?;
        let checks = checks_of(client.args(["--shutdown", &reference]));
        assert!(server.wait(TIME_OUT)?.success());
        compare("omniorb", "omniorb", version, &checks)
    });
}

macro_rules! in_either_order {
    ($($pairing:ident: $little:ident, $big:ident;)*) => {$(
        #[test]
        fn $little() {
            in_every_version(|version| $pairing(version, ByteOrder::Little));
        }

        #[test]
        fn $big() {
            in_every_version(|version| $pairing(version, ByteOrder::Big));
        }
    )*};
}

in_either_order! {
    taut_calls_taut: taut_to_taut_little, taut_to_taut_big;
    taut_calls_omniorb: taut_to_omniorb_little, taut_to_omniorb_big;
    omniorb_calls_taut: omniorb_to_taut_little, omniorb_to_taut_big;
}
