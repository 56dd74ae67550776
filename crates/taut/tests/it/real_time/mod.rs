//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod arena;
mod bands;
mod buffering;
mod chains;
mod flow;
mod inherited;
mod io;
mod lane_choice;
mod lanes;
mod models;
mod mutexes;
mod objects;
mod policies;
mod priorities;
mod private_connections;
mod propagation;
mod protocols;
mod quality;
mod recorder;
mod sealed;
mod served;

use std::thread;
use std::time::Duration;

use taut::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
};
use taut::real_time::{Priority, RtCurrent, RtOrb};
use taut::{CompletionStatus, Orb, SystemExceptionKind};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

const CLIENTS: PriorityModel = PriorityModel::ClientPropagated;
const SERVERS: PriorityModel = PriorityModel::ServerDeclared;

fn priority(number: i16) -> Priority {
    Priority::new(number).unwrap()
}

fn model(priority_model: PriorityModel, number: i16) -> PriorityModelPolicy {
    PriorityModelPolicy {
        priority_model,
        server_priority: priority(number),
    }
}

fn bands(bands: &[(i16, i16)]) -> Policy {
    let band = |(low, high): &(i16, i16)| PriorityBand::new(priority(*low), priority(*high));
    PriorityBandedConnectionPolicy(bands.iter().map(band).collect()).into()
}

/// The kind and minor code of the exception by which something was refused before it began.
fn refusal<T>(outcome: taut::Result<T>) -> (SystemExceptionKind, u32) {
    let exception = outcome.map(drop).unwrap_err();
    assert_eq!(exception.completed, CompletionStatus::No);
    (exception.kind, exception.minor)
}

/// The native priority of the calling thread, where the system allows any; a word of it where it
/// does not.
fn native(orb: &RtOrb) -> Option<i32> {
    match orb.applies_native_priorities() {
        true => Some(taut_sys::priority::current().unwrap().unwrap_or(0)),
        false => {
            eprintln!("LEFT OUT: native priorities are not allowed here");
            None
        }
    }
}

/// Runs `run` in a thread of its own, which has no priority yet.
fn in_thread<R: Send + 'static>(orb: &Orb, run: impl FnOnce(RtCurrent) -> R + Send + 'static) -> R {
    let current = orb.real_time().unwrap().current();
    thread::spawn(move || run(current)).join().unwrap()
}
