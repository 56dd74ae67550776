//! JacORB's clients on the services of Taut and of others, and names that lead from each to JacORB's.

use std::time::Duration;

use taut::{ObjectRef, Orb, Reference};
use taut_interop::{JacorbNames, OmniNames, Process, peers};
use taut_naming::{NamingContext, NamingContextExtRef};

use super::cases::name;
use super::federation::every_operation_goes_through;
use super::services::{Ours, orb};

const TIME_OUT: Duration = Duration::from_secs(60);

/// A client of JacORB's with the root contexts of some services.
struct Client {
    process: Process,
    orb: Orb,
}

impl Client {
    /// None where JacORB is not there.
    fn start(references: &[&str]) -> Option<Self> {
        let mut command = peers::jacorb("NamingClient")?;
        let process = Process::start(command.args(references)).unwrap();
        let orb = Orb::builder().build().unwrap();
        Some(Self { process, orb })
    }

    fn ask(&mut self, line: &str) -> String {
        self.process.write_line(line).unwrap();
        self.process.read_line(TIME_OUT).unwrap()
    }

    #[track_caller]
    fn expect(&mut self, line: &str, answer: &str) {
        assert_eq!(self.ask(line), answer, "{line}");
    }

    /// The answer is a reference to the object at this URL.
    #[track_caller]
    fn expect_object(&mut self, line: &str, url: &str) {
        let answer = self.ask(line);
        let found = self.orb.string_to_object(&answer);
        let found = found.unwrap_or_else(|error| panic!("{line}: {answer}: {error}"));
        // JacORB writes a reference anew, with a type id and components of its own.
        let leads_to = |object: &ObjectRef| {
            let mut profiles = object.ior().iiop_profiles();
            let profile = profiles.next().unwrap().unwrap();
            (profile.host, profile.port, profile.object_key)
        };
        let expected = self.orb.string_to_object(url).unwrap();
        assert_eq!(leads_to(&found), leads_to(&expected), "{line}: {answer}");
    }
}

const BANK: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Bank";
const SHOP: &str = "corbaloc:iiop:1.2@127.0.0.1:9/Shop";

#[test]
fn jacorbs_client_has_every_operation_of_ours() {
    let ours = Ours::start();
    let Some(mut client) = Client::start(&[&ours.corbaloc()]) else {
        return;
    };
    client.expect("bind_new_context 0 room", "done");
    client.expect(&format!("bind 0 room/x.kind {BANK}"), "done");
    client.expect(&format!("bind 0 room/x.kind {BANK}"), "AlreadyBound");
    client.expect_object("resolve 0 room/x.kind", BANK);
    client.expect(&format!("rebind 0 room/x.kind {SHOP}"), "done");
    client.expect_object("resolve_str 0 room/x.kind", SHOP);
    client.expect("resolve 0 room/y/z", "NotFound missing_node y/z");
    client.expect("resolve 0 room/x.kind/z", "NotFound not_context x.kind/z");
    client.expect("destroy 0 room", "NotEmpty");
    client.expect("bind_context 0 self 0", "done");
    client.expect_object("resolve 0 self/self/room/x.kind", SHOP);
    for id in ["a", "b", "c"] {
        client.expect(&format!("bind 0 {id} {BANK}"), "done");
    }
    client.expect("list 0", "a b c room/ self/");
    client.expect("to_string 0 room/x.kind", "room/x.kind");
    client.expect("to_url 0 room/x.kind h:99", "corbaname:h:99#room/x.kind");
    client.expect("unbind 0 room/x.kind", "done");
    client.expect("destroy 0 room", "done");
    client.expect("resolve 0 room/x", "CannotProceed x");
    client.expect("unbind 0 room", "done");
    client.expect("unbind 0 room", "NotFound missing_node room");
    client.expect("list 0", "a b c self/");
}

/// The same with the services of others, so that it is no test of the client.
#[test]
fn jacorbs_client_does_the_same_with_other_services() {
    let (Some(theirs), Some(omni)) = (JacorbNames::start().unwrap(), OmniNames::start().unwrap())
    else {
        return;
    };
    let Some(mut client) = Client::start(&[&theirs.reference, &omni.corbaloc()]) else {
        return;
    };
    for service in [0, 1] {
        client.expect(&format!("bind_new_context {service} room"), "done");
        client.expect(&format!("bind {service} room/x.kind {BANK}"), "done");
        client.expect_object(&format!("resolve {service} room/x.kind"), BANK);
        client.expect(&format!("bind {service} y {BANK}"), "done");
        client.expect(&format!("list {service}"), "room/ y");
        client.expect(&format!("unbind {service} y"), "done");
    }
}

#[test]
fn jacorbs_client_follows_a_ring_of_three_services() {
    let (Some(theirs), Some(omni)) = (JacorbNames::start().unwrap(), OmniNames::start().unwrap())
    else {
        return;
    };
    let ours = Ours::start();
    let references = [&*ours.corbaloc(), &omni.corbaloc(), &theirs.reference];
    let Some(mut client) = Client::start(&references) else {
        return;
    };
    for (service, next) in [(0, 1), (1, 2), (2, 0)] {
        client.expect(&format!("bind_context {service} next {next}"), "done");
        client.expect(&format!("bind {service} own {BANK}"), "done");
    }
    // Around and around: each name ends, for each service takes a component off it.
    for rounds in [1, 2, 4, 7] {
        let around = "next/".repeat(rounds);
        for service in [0, 1, 2] {
            client.expect_object(&format!("resolve {service} {around}own"), BANK);
            let missing = "NotFound missing_node nobody";
            client.expect(&format!("resolve {service} {around}nobody"), missing);
        }
    }
}

#[test]
fn names_lead_from_taut_to_jacorb_and_back() {
    let Some(theirs) = JacorbNames::start().unwrap() else {
        return;
    };
    let ours = Ours::start();
    let client = orb();
    let root = |text: &str| -> NamingContextExtRef {
        client.string_to_object(text).unwrap().narrow().unwrap()
    };
    let (there, ours_from_there) = (root(&theirs.reference), root(&ours.corbaloc()));
    // Faults are left out: JacORB's service has its own, before it hands a name on as well
    // (differences.rs).
    every_operation_goes_through(&ours.root, &there);
    for bound in ["x", "same", "room"] {
        there.unbind(&name(bound)).unwrap();
    }
    every_operation_goes_through(&there, &ours_from_there);
    let found = ours.root.resolve(&name("far/far/room"));
    assert!(found.unwrap().is_some());
    assert!(there.as_object().non_existent().is_ok_and(|gone| !gone));
}

#[test]
fn names_lead_from_omniorb_to_jacorb_by_way_of_taut() {
    let (Some(theirs), Some(omni)) = (JacorbNames::start().unwrap(), OmniNames::start().unwrap())
    else {
        return;
    };
    let ours = Ours::start();
    let client = orb();
    let root = |text: &str| -> NamingContextExtRef {
        client.string_to_object(text).unwrap().narrow().unwrap()
    };
    let (omni, there) = (root(&omni.corbaloc()), root(&theirs.reference));
    let ours = root(&ours.corbaloc());
    let base = |context: &NamingContextExtRef| context.as_object().unchecked_narrow();
    omni.bind_context(&name("ours"), Some(&base(&ours)))
        .unwrap();
    ours.bind_context(&name("theirs"), Some(&base(&there)))
        .unwrap();
    let object = client.string_to_object(BANK).unwrap();
    omni.bind(&name("ours/theirs/x"), Some(&object)).unwrap();
    assert_eq!(there.resolve(&name("x")).unwrap(), Some(object.clone()));
    assert_eq!(omni.resolve(&name("ours/theirs/x")).unwrap(), Some(object));
}
