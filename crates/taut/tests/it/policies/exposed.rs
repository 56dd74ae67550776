//! Policies that references tell, and those of clients that contradict them.

use std::sync::Arc;

use taut::codegen::{CdrResult, Decode, Decoder, Encode, Encoder, Typed};
use taut::policy::{
    MaxForwardsPolicy, Policy, PolicyLevels, PolicyType, PolicyValue, PriorityRange,
    ReplyPriorityPolicy, RequestPriorityPolicy, SetOverrideType,
};
use taut::{
    CollocationStrategy, ObjectRef, Orb, PoaError, Reference, SystemExceptionKind, TypeCode, minor,
};
use taut_giop::component::{TaggedComponent, tag};
use taut_giop::ior::IiopProfile;
use taut_giop::{ExposedPolicy, Ior};

use super::{LEVELS, Level, Witness, with};
use crate::common::mode::Mode;
use crate::common::{Echo, EchoRef, EchoSkeleton, Server, orb_and_client};

/// A type of an application's own: how much of a link a client may take.
#[derive(Debug, Clone, PartialEq)]
struct BandwidthPolicy(u32);

impl PolicyValue for BandwidthPolicy {
    const TYPE: PolicyType = PolicyType(0x4d59_0001);
    const NAME: &'static str = "BandwidthPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT.and(PolicyLevels::EXPOSED);

    fn type_code() -> TypeCode {
        u32::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        u32::decode(input).map(Self)
    }

    fn reconcile(&self, exposed: &Self) -> Option<Self> {
        (self.0 <= exposed.0).then(|| self.clone())
    }
}

fn request(min: i16, max: i16) -> Policy {
    RequestPriorityPolicy(PriorityRange { min, max }).into()
}

fn reply(min: i16, max: i16) -> Policy {
    ReplyPriorityPolicy(PriorityRange { min, max }).into()
}

/// A reference of a POA with these policies.
fn told_by(server: &Server, name: &str, told: &[Policy]) -> EchoRef {
    let manager = Some(server.poa.manager());
    let poa = server.poa.create_poa_telling(name, manager, &[], told);
    let poa = poa.unwrap();
    poa.activate(EchoSkeleton(Arc::new(Witness::default())))
        .unwrap()
}

/// The types of the policies that the first profile of a reference tells.
fn told(object: &ObjectRef) -> Vec<u32> {
    let profile = IiopProfile::parse(&object.ior().profiles[0].data).unwrap();
    let mut components = profile.components.iter();
    let component = components.find(|one| one.tag == tag::POLICIES);
    let policies = component.map(|one| ExposedPolicy::read_all(one, &taut_giop::Limits::DEFAULT));
    let policies = policies.transpose().unwrap().unwrap_or_default();
    policies.iter().map(|policy| policy.policy_type).collect()
}

#[test]
fn references_tell_the_policies_of_their_poa_and_those_of_the_orb() {
    let server = Server::start();
    assert!(told(server.echo.as_object()).is_empty());
    let one = told_by(&server, "one", &[request(1, 5)]);
    assert_eq!(told(one.as_object()), [25]);
    let manager = server.orb.policy_manager();
    let of_orb = [reply(0, 9), request(7, 7), MaxForwardsPolicy(1).into()];
    manager
        .set_policy_overrides(&of_orb, SetOverrideType::Set)
        .unwrap();
    let two = told_by(&server, "two", &[request(1, 5)]);
    let mut types = told(two.as_object());
    types.sort_unstable();
    assert_eq!(types, [25, 26]);
    manager
        .set_policy_overrides(&[], SetOverrideType::Set)
        .unwrap();
    let (_, two) = orb_and_client(&two.as_object().to_string(), |_| ());
    let get = |policy_type| two.as_object().get_policy(policy_type).unwrap();
    // The POA's own comes before the ORB's.
    assert_eq!(get(PolicyType::REQUEST_PRIORITY), Some(request(1, 5)));
    assert_eq!(get(PolicyType::REPLY_PRIORITY), Some(reply(0, 9)));
    assert_eq!(
        two.as_object()
            .get_client_policy(PolicyType::REQUEST_PRIORITY),
        None
    );
    two.ping().unwrap();
}

#[test]
fn a_poa_refuses_policies_that_are_not_for_its_clients() {
    let server = Server::start();
    let refused = |told: &[Policy]| {
        let own = [taut::LifespanPolicy::Transient.into()];
        server.poa.create_poa_telling("x", None, &own, told)
    };
    let fine = request(1, 5);
    let index = |outcome: Result<taut::Poa, PoaError>| match outcome {
        Err(PoaError::InvalidPolicy { index }) => index,
        other => panic!("{other:?}"),
    };
    let not_told = Policy::from(MaxForwardsPolicy(1));
    assert_eq!(index(refused(&[fine.clone(), not_told])), 2);
    assert_eq!(index(refused(&[request(5, 1)])), 1);
    assert_eq!(index(refused(&[fine.clone(), request(2, 3)])), 2);
    refused(&[fine, reply(1, 1)]).unwrap();
}

#[test]
fn calls_that_a_reference_contradicts_end_with_the_names_of_their_policies() {
    let server = Server::start();
    let told = [request(3, 5), reply(0, 2), BandwidthPolicy(64).into()];
    let local = told_by(&server, "told", &told);
    let url = local.as_object().to_string();
    for sharing in [
        taut::ConnectionSharing::Exclusive,
        taut::ConnectionSharing::Shared,
    ] {
        let (orb, remote) = orb_and_client(&url, |settings| {
            settings.client.connection_sharing = sharing;
        });
        let local: EchoRef = local
            .as_object()
            .with_collocation(CollocationStrategy::ThroughPoa)
            .unchecked_narrow();
        for (orb, echo) in [(&orb, &remote), (&server.orb, &local)] {
            each_level_is_contradicted(orb, echo);
        }
    }
}

fn each_level_is_contradicted(orb: &Orb, echo: &EchoRef) {
    for level in LEVELS {
        let set = |policies: &[Policy]| -> Vec<_> {
            let policies = policies.iter().cloned();
            policies.map(|policy| (level, policy)).collect()
        };
        let validate = |echo: &EchoRef| echo.as_object().validate_connection().unwrap();
        let fine = set(&[request(4, 9), BandwidthPolicy(64).into()]);
        with(&fine, orb, echo, |echo| {
            echo.ping().unwrap();
            assert!(echo.as_object().non_existent().is_ok_and(|gone| !gone));
            if level != Level::Call {
                let object = echo.as_object();
                let found = object.get_policy(PolicyType::REQUEST_PRIORITY);
                assert_eq!(found.unwrap(), Some(request(4, 5)));
                let own = object.get_client_policy(PolicyType::REQUEST_PRIORITY);
                assert_eq!(own, Some(request(4, 9)));
            }
            assert!(validate(echo).is_valid);
        });
        let bad = [request(0, 2), BandwidthPolicy(65).into()];
        let more = set(&[bad[0].clone(), bad[1].clone(), reply(2, 2)]);
        with(&more, orb, echo, |echo| {
            let object = echo.as_object();
            for exception in [
                echo.ping().unwrap_err(),
                echo.note("oneway").unwrap_err(),
                object.locate().unwrap_err(),
                object.non_existent().unwrap_err(),
            ] {
                assert_eq!(
                    exception.kind,
                    SystemExceptionKind::InvPolicy,
                    "{exception}"
                );
                assert_eq!(exception.minor, minor::omg(1), "{exception}");
                let text = exception.to_string();
                assert!(text.contains("RequestPriorityPolicy (25)"), "{text}");
                assert!(text.contains("BandwidthPolicy (1297678337)"), "{text}");
                assert!(!text.contains("ReplyPriorityPolicy"), "{text}");
            }
            let validity = validate(echo);
            assert!(!validity.is_valid);
            assert_eq!(validity.inconsistent_policies, bad);
            if level != Level::Call {
                let conflict = object.get_policy(PolicyType::REQUEST_PRIORITY);
                assert_eq!(conflict.unwrap_err().minor, minor::omg(1));
            }
        });
        // A nearer one that fits hides a farther one that does not.
        let nearer = match level {
            Level::Orb => Level::Thread,
            Level::Thread => Level::Reference,
            _ => Level::Call,
        };
        if nearer != level {
            let both = [(level, request(0, 2)), (nearer, request(5, 9))];
            with(&both, orb, echo, |echo| echo.ping()).unwrap();
        }
        echo.ping().unwrap();
    }
}

#[test]
fn a_type_of_the_application_is_read_out_of_references_by_orbs_that_know_it() {
    let server = Server::start();
    let echo = told_by(&server, "told", &[BandwidthPolicy(64).into()]);
    let url = echo.as_object().to_string();
    let knowing = Orb::builder().policy_type::<BandwidthPolicy>().unwrap();
    let knowing = knowing.settings(|settings| Mode::tcp().adjust(settings));
    let knowing = knowing.build().unwrap();
    let policy_type = BandwidthPolicy::TYPE;
    let object = knowing.string_to_object(&url).unwrap();
    let policy = object.get_policy(policy_type).unwrap().unwrap();
    assert_eq!(policy.value(), Some(&BandwidthPolicy(64)));
    object.invoke("ping", |_| Ok(())).unwrap();
    // Others call the object all the same, but cannot say what it is.
    let (_, echo) = orb_and_client(&url, |_| ());
    echo.ping().unwrap();
    let exception = echo.as_object().get_policy(policy_type).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::InvPolicy);
    assert_eq!(exception.minor, minor::omg(3), "{exception}");
}

#[test]
fn policies_that_are_malformed_harm_those_alone_who_have_some_of_their_type() {
    let server = Server::start();
    let mut profile = IiopProfile::parse(&server.echo.as_object().ior().profiles[0].data).unwrap();
    let malformed = |octets: Vec<u8>| TaggedComponent {
        tag: tag::POLICIES,
        data: octets,
    };
    let policy = |value| ExposedPolicy {
        policy_type: 25,
        value,
    };
    let components = [
        malformed(Vec::new()),
        malformed(vec![0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
        ExposedPolicy::to_component(&[policy(Vec::new())]).unwrap(),
        ExposedPolicy::to_component(&[policy(vec![0, 0, 0])]).unwrap(),
    ];
    for component in components {
        profile.components.retain(|one| one.tag != tag::POLICIES);
        profile.components.push(component);
        let ior = Ior {
            type_id: String::new(),
            profiles: vec![profile.to_profile().unwrap()],
        };
        let (orb, echo) = orb_and_client(&ior.to_string(), |_| ());
        echo.ping().unwrap();
        let other = [(Level::Orb, MaxForwardsPolicy(1).into())];
        with(&other, &orb, &echo, |echo| echo.ping()).unwrap();
        let set = [(Level::Thread, request(1, 2))];
        let exception = with(&set, &orb, &echo, |echo| echo.ping().unwrap_err());
        assert_eq!(exception.kind, SystemExceptionKind::Marshal, "{exception}");
    }
}

#[test]
fn an_object_that_is_not_there_cannot_be_validated() {
    let server = Server::start();
    let absent = server.poa.create_reference("IDL:test/Echo:1.0").unwrap();
    let (_, remote) = orb_and_client(&absent.to_string(), |_| ());
    let local = absent.with_collocation(CollocationStrategy::ThroughPoa);
    for object in [remote.as_object(), &local] {
        let exception = object.validate_connection().unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::ObjectNotExist);
    }
    let nobody = test_tools::free_port().unwrap();
    let echo = crate::common::client(&crate::common::raw::url_at(nobody));
    let exception = echo.as_object().validate_connection().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
}
