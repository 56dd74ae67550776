//! A server with a lane for urgent calls and one for others, and clients of both, for tests that look
//! at what urgent calls meet beside a flood of others.
//!
//! ```text
//! lane_calls server                     prints its reference
//! lane_calls urgent REFERENCE CALLS     prepares, prints "ready", waits for a line, calls so many
//!                                       times, prints "done"
//! lane_calls flood REFERENCE CLIENTS    calls in so many threads, prints "ready" once all have
//! ```
//!
//! The threads that flood have no real-time priority: their calls go to the lower lane. All programs go
//! on until their input ends, and end without taking leave.

use std::error::Error;
use std::io::{self, BufRead, Read};
use std::sync::mpsc;
use std::{env, process, thread};

use bench::{Pinger, PingerRef, PingerSkeleton};
use taut::policy::{PriorityModel, PriorityModelPolicy, ThreadpoolPolicy};
use taut::real_time::{Priority, RealTime, RtOrb, Threadpool, ThreadpoolLane};
use taut::{Orb, OrbBuilder, Reference, Settings};

taut::include_idl!("ping");

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Servant;

impl Pinger for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server"] => run_server(),
        ["urgent", reference, calls] => run_urgent(reference, calls.parse()?),
        ["flood", reference, clients] => run_flood(reference, clients.parse()?),
        _ => {
            let usage = "server | urgent REFERENCE CALLS | flood REFERENCE CLIENTS";
            Err(format!("usage: lane_calls {usage}").into())
        }
    }
}

/// An ORB with priorities, and with memory that stays.
fn builder() -> OrbBuilder {
    let adjust = |settings: &mut Settings| {
        settings.real_time.lock_memory = true;
        settings.real_time.prepared_stack = 256 << 10;
        // The least native priorities, and not those at which a test could stop a machine.
        settings.real_time.highest_native = Some(9);
    };
    Orb::builder().real_time(RealTime::new()).settings(adjust)
}

/// Prepares the calling thread. Memory that cannot be locked is no reason to give up.
fn prepare(real_time: &RtOrb) {
    if let Err(error) = real_time.prepare() {
        eprintln!("LEFT OUT: the memory is not locked: {error}");
    }
}

fn run_server() -> Outcome<()> {
    let orb = builder().listen("127.0.0.1:0")?.build()?;
    let real_time = orb.real_time()?;
    let lanes = [
        ThreadpoolLane::new(Priority::MIN, 2),
        ThreadpoolLane::new(Priority::MAX, 1),
    ];
    let pool = real_time.create(&Threadpool::with_lanes(lanes))?;
    prepare(&real_time);
    let root = orb.root_poa()?;
    root.manager().activate()?;
    let model = PriorityModelPolicy {
        priority_model: PriorityModel::ClientPropagated,
        server_priority: Priority::MIN,
    };
    let policies = [ThreadpoolPolicy(pool).into()];
    let poa = root.create_poa_telling("lanes", Some(root.manager()), &policies, &[model.into()])?;
    let object = poa.activate(PingerSkeleton::new(Servant))?;
    println!("{}", object.as_object());
    wait_and_end()
}

fn run_urgent(reference: &str, calls: u32) -> Outcome<()> {
    let orb = builder().build()?;
    let real_time = orb.real_time()?;
    prepare(&real_time);
    real_time.current().set_the_priority(Priority::MAX.get())?;
    let target: PingerRef = orb.string_to_object(reference)?.unchecked_narrow();
    target.as_object().prepare()?;
    println!("ready");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    (0..calls).try_for_each(|_| target.ping())?;
    println!("done");
    wait_and_end()
}

fn run_flood(reference: &str, clients: usize) -> Outcome<()> {
    let (called, have_called) = mpsc::channel();
    for _ in 0..clients {
        let orb = Orb::builder().build()?;
        let target: PingerRef = orb.string_to_object(reference)?.unchecked_narrow();
        let called = called.clone();
        let flood = move || {
            let first = target.ping();
            let goes_on = first.is_ok();
            // The receiver is there until all have said so.
            let _ = called.send(first);
            while goes_on && target.ping().is_ok() {}
        };
        thread::Builder::new()
            .name("flood".to_owned())
            .spawn(flood)?;
    }
    for _ in 0..clients {
        have_called.recv()??;
    }
    println!("ready");
    wait_and_end()
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
