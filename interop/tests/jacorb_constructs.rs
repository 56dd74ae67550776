//! `Construct_Test` between Taut and JacORB both ways, in every version of GIOP.
//! Java starts slowly, so each test has one process for all versions.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::time::Duration;

use taut::{Orb, Reference, Version};
use taut_interop::construct_test::{
    ConstructTestRef, check_constructs, compare_constructs_with_known_gaps, serve_constructs,
};
use taut_interop::param_test::Check;
use taut_interop::{HarnessError, Process, peers, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call may take. What takes longer fails by itself, so that the
/// other checks go on.
const PATIENCE: Duration = Duration::from_secs(8);

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

fn orb(version: Version) -> Orb {
    let builder = taut_interop::over_the_wire().listen("127.0.0.1:0").unwrap();
    builder
        .settings(|settings| {
            settings.giop_version = version;
            settings.call_timeout = Some(PATIENCE);
        })
        .build()
        .unwrap()
}

/// JacORB's server, with a reference for each version of GIOP.
fn start_server() -> Option<(Process, Vec<String>)> {
    let mut command = peers::jacorb("ConstructServer")?;
    command.args(VERSIONS.map(|version| version.to_string()));
    let mut server = Process::start(&mut command).unwrap();
    let references = VERSIONS.map(|_| server.read_line(TIME_OUT).unwrap());
    Some((server, references.to_vec()))
}

fn start_client() -> Option<Process> {
    let mut command = peers::jacorb("ConstructClient")?;
    Some(Process::start(&mut command).unwrap())
}

/// Has JacORB's client call everything and end the server.
fn check(client: &mut Process, version: Version, reference: &str) -> Vec<Check> {
    let command = format!("check {version} {reference}");
    client.write_line(&command).unwrap();
    let mut checks = Vec::new();
    loop {
        let line = client.read_line(TIME_OUT).unwrap();
        if line == "done" {
            return checks;
        }
        let check = Check::parse(&line);
        checks.push(check.unwrap_or_else(|| panic!("strange line: {line}")));
    }
}

fn end(mut process: Process) {
    process.close_input();
    assert!(process.wait(TIME_OUT).unwrap().success());
}

/// What went wrong otherwise than the list of known gaps says.
fn compare(
    client: &str,
    server: &str,
    version: Version,
    checks: &[Check],
) -> Result<(), HarnessError> {
    compare_constructs_with_known_gaps(client, server, &version.to_string(), checks)
}

fn assert_none(faults: &[HarnessError]) {
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn taut_to_jacorb() {
    let Some((server, references)) = start_server() else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in VERSIONS.into_iter().zip(references) {
        let orb = orb(version);
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let target: ConstructTestRef = object.narrow().unwrap();
            let checks = check_constructs(&target);
            orb.shutdown(true).unwrap();
            checks
        })
        .unwrap();
        faults.extend(compare("taut", "jacorb", version, &checks).err());
    }
    assert_none(&faults);
    end(server);
}

#[test]
fn jacorb_to_taut() {
    let Some(mut client) = start_client() else {
        return;
    };
    let mut faults = Vec::new();
    for version in VERSIONS {
        let server = orb(version);
        let reference = serve_constructs(&server).unwrap().into_object().to_string();
        let checks = check(&mut client, version, &reference);
        faults.extend(compare("jacorb", "taut", version, &checks).err());
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert_none(&faults);
    end(client);
}

#[test]
fn jacorb_to_jacorb() {
    let (Some((server, references)), Some(mut client)) = (start_server(), start_client()) else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in VERSIONS.into_iter().zip(references) {
        let checks = check(&mut client, version, &reference);
        faults.extend(compare("jacorb", "jacorb", version, &checks).err());
    }
    assert_none(&faults);
    end(client);
    end(server);
}
