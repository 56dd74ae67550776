//! `Param_Test` between Taut and JacORB both ways, in every version of GIOP, with
//! fragments, forwards and servers that come back. Java starts slowly, so each
//! test has one process for all versions.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::thread;
use std::time::Duration;

use taut::{Orb, Reference, Version};
use taut_interop::param_test::{
    Check, ParamTest, ParamTestRef, check_object, check_operations, check_shutdown,
    compare_with_known_gaps, serve, serve_callback,
};
use taut_interop::{HarnessError, Process, free_port, peers, record, within};

const TIME_OUT: Duration = Duration::from_secs(60);

/// How long a call may take. What takes longer fails by itself, so that the
/// other checks go on.
const PATIENCE: Duration = Duration::from_secs(8);

/// A version of GIOP, and whether Taut cuts its messages into fragments.
#[derive(Clone, Copy)]
struct Speech {
    version: Version,
    fragments: bool,
}

const SPEECHES: [Speech; 4] = [
    speech(Version::V1_0, false),
    speech(Version::V1_1, false),
    speech(Version::V1_2, false),
    speech(Version::V1_2, true),
];

const fn speech(version: Version, fragments: bool) -> Speech {
    Speech { version, fragments }
}

impl Speech {
    /// As lists of known gaps name it.
    fn name(self) -> String {
        let suffix = if self.fragments { "+fragments" } else { "" };
        format!("{}{suffix}", self.version)
    }

    /// An ORB that listens on the loopback and speaks so.
    fn orb(self) -> Orb {
        let builder = taut_interop::over_the_wire().listen("127.0.0.1:0").unwrap();
        builder
            .settings(|settings| {
                settings.giop_version = self.version;
                settings.call_timeout = Some(PATIENCE);
                if self.fragments {
                    // Small, so that most messages have some.
                    settings.fragment_size = 1_024;
                }
            })
            .build()
            .unwrap()
    }
}

/// JacORB's server, with a reference for each version of GIOP.
fn start_server(arguments: &[&str], versions: &[String]) -> Option<(Process, Vec<String>)> {
    let mut command = peers::jacorb("ParamServer")?;
    let mut server = Process::start(command.args(arguments).args(versions)).unwrap();
    let references = versions
        .iter()
        .map(|_| server.read_line(TIME_OUT).unwrap())
        .collect();
    Some((server, references))
}

/// JacORB's client, which waits to be told what to do.
struct Client(Process);

impl Client {
    fn start() -> Option<Self> {
        Some(Self(
            Process::start(&mut peers::jacorb("ParamClient")?).unwrap(),
        ))
    }

    /// Calls everything that there is to be called, and ends the server.
    fn check(&mut self, version: Version, reference: &str) -> Vec<Check> {
        self.0
            .write_line(&format!("check {version} {reference}"))
            .unwrap();
        let mut checks = Vec::new();
        loop {
            let line = self.0.read_line(TIME_OUT).unwrap();
            if line == "done" {
                return checks;
            }
            let check = Check::parse(&line);
            checks.push(check.unwrap_or_else(|| panic!("strange line: {line}")));
        }
    }

    /// Calls one operation; `done` or the exception.
    fn call(&mut self, version: Version, reference: &str) -> String {
        self.0
            .write_line(&format!("call {version} {reference}"))
            .unwrap();
        self.0.read_line(TIME_OUT).unwrap()
    }

    fn end(mut self) {
        self.0.close_input();
        assert!(self.0.wait(TIME_OUT).unwrap().success());
    }
}

/// What went wrong otherwise than the list of known gaps says.
fn assert_none(faults: Vec<HarnessError>) {
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn taut_to_jacorb() {
    let versions = SPEECHES.map(|speech| speech.version.to_string());
    let Some((mut server, references)) = start_server(&[], &versions) else {
        return;
    };
    let mut faults = Vec::new();
    for (speech, reference) in SPEECHES.into_iter().zip(references) {
        let orb = speech.orb();
        let checks = within(TIME_OUT, move || {
            let object = orb.string_to_object(&reference).unwrap();
            let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
            assert_eq!(profile.version, speech.version);
            let target: ParamTestRef = object.narrow().unwrap();
            let callback = serve_callback(&orb, target.clone()).unwrap();
            let mut checks = check_object(&object);
            checks.extend(check_operations(&target, &target, &callback));
            checks.push(check_shutdown(&target));
            orb.shutdown(true).unwrap();
            checks
        })
        .unwrap();
        faults.extend(compare_with_known_gaps("taut", "jacorb", &speech.name(), &checks).err());
    }
    assert_none(faults);
    assert!(server.wait(TIME_OUT).unwrap().success());
}

#[test]
fn jacorb_to_taut() {
    let Some(mut client) = Client::start() else {
        return;
    };
    let mut faults = Vec::new();
    for speech in SPEECHES {
        let server = speech.orb();
        let reference = serve(&server).unwrap().into_object().to_string();
        let checks = client.check(speech.version, &reference);
        faults.extend(compare_with_known_gaps("jacorb", "taut", &speech.name(), &checks).err());
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    }
    assert_none(faults);
    client.end();
}

#[test]
fn jacorb_to_jacorb() {
    let versions = ["1.0", "1.1", "1.2"].map(str::to_owned);
    let (Some((mut server, references)), Some(mut client)) =
        (start_server(&[], &versions), Client::start())
    else {
        return;
    };
    let mut faults = Vec::new();
    for (version, reference) in [Version::V1_0, Version::V1_1, Version::V1_2]
        .into_iter()
        .zip(references)
    {
        let checks = client.check(version, &reference);
        let name = version.to_string();
        faults.extend(compare_with_known_gaps("jacorb", "jacorb", &name, &checks).err());
    }
    assert_none(faults);
    client.end();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

/// Longer than a connection may be idle before a Taut client looks whether it
/// is still open.
const IDLE: Duration = Duration::from_millis(60);

#[test]
fn a_taut_client_finds_a_jacorb_server_that_was_restarted() {
    let port = free_port().unwrap().to_string();
    let start = || start_server(&["--port", &port], &["1.2".to_owned()]);
    let Some((mut server, references)) = start() else {
        return;
    };
    let orb = taut_interop::over_the_wire().build().unwrap();
    let object = orb.string_to_object(&references[0]).unwrap();
    let target: ParamTestRef = object.unchecked_narrow();
    let call = || {
        let target = target.clone();
        within(TIME_OUT, move || target.test_long(0, &mut 1)).unwrap()
    };
    assert_eq!(call(), Ok((0, 1)));

    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
    thread::sleep(IDLE);
    server = start().unwrap().0;
    assert_eq!(call(), Ok((0, 1)), "after an orderly end");

    drop(server);
    thread::sleep(IDLE);
    server = start().unwrap().0;
    assert_eq!(call(), Ok((0, 1)), "after a sudden end");
    drop(server);
    record("restart", "taut", "jacorb", "1.2").unwrap();
}

/// A Taut server on a port, whose object also has the plain key `Param_Test`.
fn restartable(port: u16) -> Orb {
    let builder = taut_interop::over_the_wire().listen(&format!("127.0.0.1:{port}"));
    let orb = builder.unwrap().build().unwrap();
    let reference = serve(&orb).unwrap();
    orb.bind_object_key("Param_Test", reference.as_object());
    orb
}

#[test]
fn a_jacorb_client_follows_forwards_and_finds_a_taut_server_that_was_restarted() {
    let Some(mut client) = Client::start() else {
        return;
    };
    let port = free_port().unwrap();
    let mut server = restartable(port);
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let url = format!("corbaloc:iiop:{version}@127.0.0.1:{port}/Param_Test");
        assert_eq!(client.call(version, &url), "done", "GIOP {version}");
        server.shutdown(true).unwrap();
        server = restartable(port);
        assert_eq!(client.call(version, &url), "done", "GIOP {version}");
        for scenario in ["forward", "restart"] {
            record(scenario, "jacorb", "taut", &version.to_string()).unwrap();
        }
    }
    client.end();
    server.shutdown(true).unwrap();
}
