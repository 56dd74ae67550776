//! A server, and a client that makes so many small calls, for tests that count what
//! both of them do for one.
//!
//! ```text
//! small_calls server CALL ENDPOINT           prints its reference
//! small_calls client CALL REFERENCE CALLS    calls so many times, prints "done"
//! ```
//!
//! CALL is `empty`, without arguments and result; `urgent`, the same with the priority of its
//! thread, for ORBs that have priorities; `short`, with a short each way; `oneways`, each time a
//! batch of 32, sent for their number, and behind each 20 batches a call that waits for them; or
//! `pipelined`, each time 16 empty calls whose requests are sent at once, by a client that is no
//! ORB.
//!
//! Both then do nothing more, until their input ends and they end without
//! taking leave: how they part is not the same each time.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use std::{env, io, process};

use bench::{Pinger, PingerRef, PingerSkeleton};
use taut::policy::{PriorityModel, PriorityModelPolicy};
use taut::real_time::{Priority, RealTime};
use taut::{ByteOrder, Ior, ObjectRef, Orb, Reference, SyncScope, Version};
use taut_cdr::Encoder;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{self, MessageType, RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::service_context::ServiceContexts;
use taut_interop::param_test::{ParamTest, ParamTestRef, serve};

taut::include_idl!("ping");

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How many oneways are sent together.
const BATCH: usize = 32;

/// How many requests are sent at once.
const PIPELINED: u32 = 16;

/// The octets of the reply to an empty call.
const EMPTY_REPLY: usize = 24;

/// How many batches may be under way.
const PACE: usize = 20;

/// The priority of urgent calls.
const URGENT: i16 = 1_000;

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

/// The operation that is called.
#[derive(Clone, Copy)]
enum Call {
    Empty,
    Urgent,
    Short,
    Oneways,
    Pipelined,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", call, endpoint] => run_server(Call::named(call)?, endpoint),
        ["client", call, reference, calls] => {
            run_client(Call::named(call)?, reference, calls.parse()?)
        }
        _ => Err(
            "usage: small_calls server CALL ENDPOINT | client CALL REFERENCE CALLS, \
             where CALL is empty, urgent, short, oneways or pipelined"
                .into(),
        ),
    }
}

impl Call {
    fn named(name: &str) -> Outcome<Self> {
        match name {
            "empty" => Ok(Self::Empty),
            "urgent" => Ok(Self::Urgent),
            "short" => Ok(Self::Short),
            "oneways" => Ok(Self::Oneways),
            "pipelined" => Ok(Self::Pipelined),
            _ => {
                Err(format!("{name} is no call: empty, urgent, short, oneways or pipelined").into())
            }
        }
    }
}

fn run_server(call: Call, endpoint: &str) -> Outcome<()> {
    if let Call::Urgent = call {
        // The threads of the ORB that is made next have the native priority of the calls.
        let first = Orb::builder().real_time(RealTime::new()).build()?;
        first.real_time()?.current().set_the_priority(URGENT)?;
    }
    let orb = Orb::builder().listen(endpoint)?.build()?;
    let object: ObjectRef = match call {
        Call::Empty | Call::Pipelined => {
            let poa = orb.root_poa()?;
            poa.manager().activate()?;
            poa.activate(PingerSkeleton::new(Servant))?.into_object()
        }
        Call::Urgent => {
            let root = orb.root_poa()?;
            root.manager().activate()?;
            let told = [PriorityModelPolicy {
                priority_model: PriorityModel::ClientPropagated,
                server_priority: Priority::MIN,
            }
            .into()];
            let poa = root.create_poa_telling("urgent", Some(root.manager()), &[], &told)?;
            poa.activate(PingerSkeleton::new(Servant))?.into_object()
        }
        Call::Short | Call::Oneways => serve(&orb)?.into_object(),
    };
    println!("{object}");
    wait_and_end()
}

fn run_client(call: Call, reference: &str, calls: usize) -> Outcome<()> {
    if matches!(call, Call::Pipelined) {
        return call_at_once(reference, calls);
    }
    // Nothing but their number is to end a batch, and no thread to look at the time.
    let builder = Orb::builder().settings(|settings| {
        settings.client.oneway_batch_messages = BATCH;
        settings.client.oneway_batch_timeout = Duration::from_secs(3_600);
    });
    let orb = builder.build()?;
    let object = orb.string_to_object(reference)?;
    match call {
        Call::Empty | Call::Urgent | Call::Pipelined => {
            if let Call::Urgent = call {
                orb.real_time()?.current().set_the_priority(URGENT)?;
            }
            let target: PingerRef = object.unchecked_narrow();
            (0..calls).try_for_each(|_| target.ping())?;
        }
        Call::Short => {
            let target: ParamTestRef = object.unchecked_narrow();
            (0..calls).try_for_each(|_| target.test_short(0, &mut 1).map(drop))?;
        }
        Call::Oneways => {
            let target: ParamTestRef = object.unchecked_narrow();
            target.test_short(0, &mut 1)?;
            let patient = target.with_sync_scope(SyncScope::None);
            for batch in 1..=calls {
                (0..BATCH).try_for_each(|_| patient.notify("a oneway"))?;
                // Where the server gets no CPU for long, batches would wait and be sent
                // together.
                if batch % PACE == 0 {
                    target.test_short(0, &mut 1)?;
                }
            }
        }
    }
    println!("done");
    wait_and_end()
}

/// Sends so many times the requests of several empty calls, and reads their replies.
fn call_at_once(reference: &str, times: usize) -> Outcome<()> {
    let ior: Ior = reference.parse()?;
    let profile = ior.profiles.first().ok_or("the reference has no profile")?;
    let profile = IiopProfile::parse(&profile.data)?;
    let mut requests = Vec::new();
    for request_id in 0..PIPELINED {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        message::begin_message(&mut out, Version::V1_2, MessageType::Request);
        RequestHeader {
            request_id,
            response: ResponseFlags::Expected,
            target: TargetAddress::Key(&profile.object_key),
            operation: b"ping",
            service_contexts: ServiceContexts::EMPTY,
        }
        .encode(Version::V1_2, &mut out)?;
        message::finish_message(&mut out)?;
        requests.extend_from_slice(out.as_bytes());
    }
    let mut stream = TcpStream::connect((&*profile.host, profile.port))?;
    let mut replies = vec![0; PIPELINED as usize * EMPTY_REPLY];
    for _ in 0..times {
        stream.write_all(&requests)?;
        stream.read_exact(&mut replies)?;
    }
    println!("done");
    wait_and_end()
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
