//! Calls with priorities do not allocate in the client, whatever policies decide about their
//! way. The server is one that allocates nothing, so that the client alone is counted.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use counting_allocator::every_thread::in_steady_state;
use taut::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    PrivateConnectionPolicy, SetOverrideType,
};
use taut::real_time::{Priority, RealTime};
use taut::{ByteOrder, ConnectionSharing, Ior, ObjectRef, Orb, Version};
use taut_giop::ExposedPolicy;
use taut_giop::ior::IiopProfile;
use taut_giop::message::HEADER_SIZE;
use test_tools::in_own_process;

/// Calls that are counted at once.
const CALLS: u64 = 200;

/// Threads of an ORB that end, and buffers that grow because a busy machine lets more come
/// together.
const BESIDE: u64 = 8;

/// Answers all requests of GIOP 1.2 that expect it, without results and without allocating.
fn answer(mut stream: TcpStream) {
    let mut request = [0; 4_096];
    // GIOP 1.2, in this machine's order, a Reply of 12 octets: id, status, no contexts.
    let order = u8::from(ByteOrder::NATIVE == ByteOrder::Little);
    let mut reply = [0; HEADER_SIZE + 12];
    reply[..8].copy_from_slice(&[b'G', b'I', b'O', b'P', 1, 2, order, 1]);
    reply[8..12].copy_from_slice(&12_u32.to_ne_bytes());
    while stream.read_exact(&mut request[..HEADER_SIZE]).is_ok() {
        let size = u32::from_ne_bytes(request[8..12].try_into().unwrap()) as usize;
        let body = &mut request[HEADER_SIZE..HEADER_SIZE + size];
        stream.read_exact(body).unwrap();
        reply[HEADER_SIZE..HEADER_SIZE + 4].copy_from_slice(&body[..4]);
        // The response flags.
        if body[4] != 0 && stream.write_all(&reply).is_err() {
            return;
        }
    }
}

fn start() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            thread::spawn(move || answer(stream));
        }
    });
    port
}

fn reference(orb: &Orb, port: u16, told: &[Policy]) -> ObjectRef {
    let exposed = |policy: &Policy| ExposedPolicy {
        policy_type: policy.policy_type().0,
        value: policy.to_encapsulation().unwrap(),
    };
    let told: Vec<_> = told.iter().map(exposed).collect();
    let profile = IiopProfile {
        version: Version::V1_2,
        host: "127.0.0.1".to_owned(),
        port,
        object_key: b"key".to_vec(),
        components: vec![ExposedPolicy::to_component(&told).unwrap()],
    };
    let ior = Ior {
        type_id: String::new(),
        profiles: vec![profile.to_profile().unwrap()],
    };
    orb.string_to_object(&ior.to_string()).unwrap()
}

fn model(priority_model: PriorityModel) -> Policy {
    PriorityModelPolicy {
        priority_model,
        server_priority: priority(5),
    }
    .into()
}

fn priority(number: i16) -> Priority {
    Priority::new(number).unwrap()
}

fn bands() -> Policy {
    let band = |low, high| PriorityBand::new(priority(low), priority(high));
    PriorityBandedConnectionPolicy(vec![band(0, 9), band(10, 19)]).into()
}

#[test]
fn calls_with_priorities_do_not_allocate() {
    in_own_process(calls_with_priorities_do_not_allocate, || {
        let port = start();
        for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
            let builder = Orb::builder().real_time(RealTime::new());
            let builder = builder.settings(|settings| {
                settings.client.connection_sharing = sharing;
            });
            let orb = builder.build().unwrap();
            count(&orb, port, sharing);
        }
    });
}

fn count(orb: &Orb, port: u16, sharing: ConnectionSharing) {
    let current = orb.real_time().unwrap().current();
    let (propagated, declared) = (
        model(PriorityModel::ClientPropagated),
        model(PriorityModel::ServerDeclared),
    );
    let object = |told: &[Policy]| reference(orb, port, told);
    let with = |own: Policy| {
        let base = object(std::slice::from_ref(&propagated));
        base.set_policy_overrides(&[own], SetOverrideType::Add)
            .unwrap()
    };
    let ways = [
        ("propagated", object(std::slice::from_ref(&propagated))),
        ("declared", object(std::slice::from_ref(&declared))),
        ("in bands", object(&[propagated.clone(), bands()])),
        ("in a declared band", object(&[declared, bands()])),
        ("in bands of its own", with(bands())),
        (
            "over a private connection",
            with(PrivateConnectionPolicy.into()),
        ),
    ];
    let manager = orb.policy_manager();
    for of_orb in [vec![], vec![propagated.clone()], vec![bands()]] {
        manager
            .set_policy_overrides(&of_orb, SetOverrideType::Set)
            .unwrap();
        for (way, object) in &ways {
            let mut number = 0;
            let allocations = in_steady_state(CALLS, || {
                // Bands and native priorities change all the time.
                number = (number + 7) % 20;
                current.set_the_priority(number).unwrap();
                object.invoke("ping", |_| Ok(())).map(drop).unwrap();
                object.invoke_oneway("note", |_| Ok(())).unwrap();
            });
            assert!(
                allocations <= BESIDE,
                "{allocations} for {CALLS} calls {way}, {sharing:?}, {of_orb:?}"
            );
        }
    }
}
