//! References that tell a priority model, as clients of other ORBs get them: these know nothing
//! of priorities, and their calls are carried out at the priority that the server says.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use taut::interceptors::{Interruption, ServerRequestInfo, ServerRequestInterceptor};
use taut::policy::{PriorityModel, PriorityModelPolicy, SetOverrideType};
use taut::real_time::{Priority, RealTime, RtCurrent};
use taut::{Orb, Reference, Version};
use taut_interop::param_test::{compare_with_known_gaps, serve};
use taut_interop::{JacorbClient, over_the_wire, peers};

use super::policies::check_by_omniorb;

/// The priority that the server says.
const SERVER_PRIORITY: i16 = 12_345;

const MODELS: [PriorityModel; 2] = [
    PriorityModel::ClientPropagated,
    PriorityModel::ServerDeclared,
];

const VERSIONS: [Version; 2] = [Version::V1_1, Version::V1_2];

/// The priorities of the threads in which requests are carried out.
type Seen = Arc<Mutex<BTreeSet<Option<i16>>>>;

/// Notes the priority of each request.
struct Noting {
    current: RtCurrent,
    seen: Seen,
}

impl ServerRequestInterceptor for Noting {
    fn name(&self) -> &str {
        "noting"
    }

    fn receive_request(&self, _: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        self.seen.lock().insert(self.current.the_priority().ok());
        Ok(())
    }
}

/// A server whose references tell a model, and the reference of its object. With `seen`, the
/// priorities of requests are noted, by an interceptor.
fn telling(version: Version, model: PriorityModel, seen: Option<&Seen>) -> (Orb, String) {
    let builder = over_the_wire().listen("127.0.0.1:0").unwrap();
    let builder = builder.settings(|settings| settings.wire.giop_version = version);
    let mut builder = builder.real_time(RealTime::new());
    if let Some(seen) = seen {
        let asked = Orb::builder().real_time(RealTime::new()).build().unwrap();
        builder = builder.server_interceptor(Noting {
            current: asked.real_time().unwrap().current(),
            seen: Arc::clone(seen),
        });
    }
    let orb = builder.build().unwrap();
    let policy = PriorityModelPolicy {
        priority_model: model,
        server_priority: Priority::new(SERVER_PRIORITY).unwrap(),
    };
    let manager = orb.policy_manager();
    manager
        .set_policy_overrides(&[policy.into()], SetOverrideType::Set)
        .unwrap();
    let reference = serve(&orb).unwrap().into_object().to_string();
    (orb, reference)
}

/// Runs a check with each version and model, with requests that are noted and without.
fn each(check: impl Fn(Version, Orb, &str)) {
    for (version, model) in VERSIONS
        .iter()
        .flat_map(|of| MODELS.map(|model| (*of, model)))
    {
        let seen = Seen::default();
        for noting in [None, Some(&seen)] {
            let (server, reference) = telling(version, model, noting);
            check(version, server, &reference);
        }
        let expected = BTreeSet::from([Some(SERVER_PRIORITY)]);
        assert_eq!(*seen.lock(), expected, "{version}, {model:?}");
    }
}

#[test]
fn calls_of_omniorb_run_at_the_priority_that_the_server_says() {
    let Some(program) = peers::omniorb("param_client") else {
        return;
    };
    each(|version, server, reference| {
        check_by_omniorb(&program, version, reference);
        server.run();
    });
}

#[test]
fn calls_of_jacorb_run_at_the_priority_that_the_server_says() {
    let Some(client) = JacorbClient::start("ParamClient").unwrap() else {
        return;
    };
    let client = Mutex::new(client);
    each(|version, server, reference| {
        let checks = client.lock().check(version, reference).unwrap();
        compare_with_known_gaps("jacorb", "taut", &version.to_string(), &checks).unwrap();
        // The client has done it, unless it failed before.
        let _ = server.shutdown(true);
    });
    assert!(client.into_inner().end().unwrap().success());
}
