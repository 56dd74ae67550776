//! A server whose POA has a priority model, and a client that writes the octets of requests
//! itself, for tests that count what the server does for one.
//!
//! ```text
//! told_requests server MODEL             prints its reference
//! told_requests client REFERENCE TOLD CALLS
//!                                        calls so many times, prints "done"
//! ```
//!
//! MODEL is `none`, `clients` (CLIENT_PROPAGATED) or `server` (SERVER_DECLARED). TOLD is what a
//! request tells: `nothing`, `priority`, or `both` a priority and a deadline. The threads of the
//! server have the native priority of the requests, so that it is set for none.
//!
//! Both then do nothing more, until their input ends and they end without taking leave.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::{env, io, process};

use bench::{Pinger, PingerSkeleton};
use taut::policy::{PriorityModel, PriorityModelPolicy};
use taut::real_time::{Priority, RealTime};
use taut::{Ior, Orb, Reference};
use taut_cdr::{ByteOrder, Encoder};
use taut_giop::deadline_context::DeadlineContext;
use taut_giop::message::{
    HEADER_SIZE, MessageHeader, MessageType, RequestHeader, ResponseFlags, TargetAddress,
    begin_message, finish_message, priority_context,
};
use taut_giop::service_context::{ServiceContext, ServiceContexts, id};

taut::include_idl!("ping");

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The priority of the requests, and of the server's threads.
const PRIORITY: i16 = 10_000;

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", model] => run_server(model),
        ["client", reference, told, calls] => run_client(reference, told, calls.parse()?),
        _ => Err(
            "usage: told_requests server none|clients|server | client REFERENCE \
                  nothing|priority|both CALLS"
                .into(),
        ),
    }
}

fn run_server(model: &str) -> Outcome<()> {
    let first = Orb::builder().real_time(RealTime::new()).build()?;
    // The threads that this one starts have its native priority.
    first.real_time()?.current().set_the_priority(PRIORITY)?;
    let builder = Orb::builder().listen("127.0.0.1:0")?;
    let orb = builder.real_time(RealTime::new()).build()?;
    let root = orb.root_poa()?;
    root.manager().activate()?;
    let policy = |priority_model| -> Outcome<_> {
        let server_priority = Priority::new(PRIORITY)?;
        Ok(PriorityModelPolicy {
            priority_model,
            server_priority,
        })
    };
    let told = match model {
        "none" => vec![],
        "clients" => vec![policy(PriorityModel::ClientPropagated)?.into()],
        "server" => vec![policy(PriorityModel::ServerDeclared)?.into()],
        _ => return Err(format!("{model} is no model: none, clients or server").into()),
    };
    let poa = root.create_poa_telling("child", Some(root.manager()), &[], &told)?;
    println!(
        "{}",
        poa.activate(PingerSkeleton::new(Servant))?.as_object()
    );
    wait_and_end()
}

fn run_client(reference: &str, told: &str, calls: u32) -> Outcome<()> {
    let ior: Ior = reference.parse()?;
    let profile = ior.iiop_profiles().next().ok_or("no profile of IIOP")??;
    let stream = TcpStream::connect((profile.host.as_str(), profile.port))?;
    stream.set_nodelay(true)?;
    let mut request = request(&profile.object_key, told)?;
    let mut reply = [0; 128];
    for id in 1..=calls {
        request[HEADER_SIZE..HEADER_SIZE + 4].copy_from_slice(&id.to_ne_bytes());
        (&stream).write_all(&request)?;
        (&stream).read_exact(&mut reply[..HEADER_SIZE])?;
        let header = reply.first_chunk().map(MessageHeader::parse);
        let header = header.ok_or("a reply without a header")??;
        let rest = reply.get_mut(HEADER_SIZE..header.total_size());
        (&stream).read_exact(rest.ok_or("the reply is too long")?)?;
        if reply[HEADER_SIZE..HEADER_SIZE + 8] != [id.to_ne_bytes(), [0; 4]].concat() {
            return Err(format!("call {id} ended with {reply:?}").into());
        }
    }
    println!("done");
    wait_and_end()
}

/// The octets of a request that tells this.
fn request(object_key: &[u8], told: &str) -> Outcome<Vec<u8>> {
    let priority = priority_context(ByteOrder::NATIVE, PRIORITY);
    let deadline = DeadlineContext {
        operation: 0,
        // An hour.
        time_left: 36_000_000_000,
        sent_at: 1,
    };
    let deadline = deadline.to_context_data();
    let contexts = [
        (id::RT_CORBA_PRIORITY, &priority[..]),
        (id::TAUT_DEADLINE, &deadline),
    ];
    let contexts = contexts.map(|(id, data)| ServiceContext { id, data });
    let told = match told {
        "nothing" => 0,
        "priority" => 1,
        "both" => 2,
        _ => return Err(format!("{told} is not told: nothing, priority or both").into()),
    };
    let mut out = Encoder::new(ByteOrder::NATIVE);
    begin_message(&mut out, taut::Version::V1_2, MessageType::Request);
    let header = RequestHeader {
        request_id: 0,
        response: ResponseFlags::Expected,
        target: TargetAddress::Key(object_key),
        operation: b"ping",
        service_contexts: ServiceContexts::new(&contexts[..told]),
    };
    header.encode(taut::Version::V1_2, &mut out)?;
    finish_message(&mut out)?;
    Ok(out.into_buffer())
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
