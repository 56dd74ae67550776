//! The clients of a naming service: Taut's stubs, whatever the service.

use std::io::{self, BufRead};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taut::{ObjectRef, Orb};
use taut_naming::naming_context::BindNewContextError;
use taut_naming::{NamingContext, NamingContextRef};

use super::Operation;
use super::tree::{Names, component};
use crate::error::BenchError;

/// The object that is bound to all names; nobody calls it.
pub(super) const OBJECT: &str = "corbaloc:iiop:1.2@127.0.0.1:9/an/object";

/// The clients that give the service its names.
const FILLERS: u32 = 16;

/// A client with a connection of its own.
struct Client {
    root: NamingContextRef,
    object: ObjectRef,
    /// The state of its random numbers.
    random: u64,
}

impl Client {
    fn new(url: &str, number: u64) -> Result<Self, BenchError> {
        let orb = Orb::builder().build().map_err(BenchError::orb)?;
        let root = orb.string_to_object(url).map_err(BenchError::orb)?;
        Ok(Self {
            root: root.narrow().map_err(BenchError::orb)?,
            object: orb.string_to_object(OBJECT).map_err(BenchError::orb)?,
            random: 0x9e37_79b9_7f4a_7c15 ^ (number << 32),
        })
    }

    fn random(&mut self, below: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        // The upper half of a product is below the factor.
        (((self.random >> 32) * u64::from(below)) >> 32) as u32
    }

    fn resolve(&mut self, names: Names) -> Result<(), BenchError> {
        let name = names.name(self.random(names.bindings));
        let found = self.root.resolve(&name).map_err(BenchError::call)?;
        found.map(drop).ok_or(BenchError::Nothing)
    }

    /// Binds a new name, and returns it.
    fn bind(
        &mut self,
        names: Names,
        id: &str,
    ) -> Result<Vec<taut_naming::NameComponent>, BenchError> {
        let mut name = names.context_of(self.random(names.bindings));
        name.push(component(id));
        self.root
            .bind(&name, Some(&self.object))
            .map_err(BenchError::call)?;
        Ok(name)
    }
}

/// Does what standard input says, a line for each, until it ends: gives the service its names, or
/// lets so many clients call for so many milliseconds.
///
/// # Errors
///
/// [`BenchError::Call`] when a call fails; [`BenchError::Request`] for a line that is not understood.
pub(super) fn run(url: &str, names: Names) -> Result<(), BenchError> {
    let mut clients: Vec<Client> = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        let words: Vec<_> = line.split(' ').collect();
        let number = |word: &str| word.parse().map_err(|_| misunderstood(&line));
        match words[..] {
            ["fill", seconds] => {
                let time = Duration::from_secs(number(seconds)?);
                println!("{}", fill(url, names, time)?);
            }
            [operation, count, ms] => {
                let operation: Operation = clap::ValueEnum::from_str(operation, false)
                    .map_err(|_| misunderstood(&line))?;
                let count = number(count)? as usize;
                while clients.len() < count {
                    clients.push(Client::new(url, clients.len() as u64)?);
                }
                let time = Duration::from_millis(number(ms)?);
                let some = clients.get_mut(..count).unwrap_or_default();
                let (calls, took) = turn(some, names, operation, time)?;
                println!("{calls} {}", took.as_nanos());
            }
            _ => return Err(misunderstood(&line)),
        }
    }
    Ok(())
}

fn misunderstood(line: &str) -> BenchError {
    BenchError::Request {
        line: line.to_owned(),
    }
}

/// The calls of a turn, and the time that they took.
pub(super) fn parse_turn(line: &str) -> Option<(u64, Duration)> {
    let (calls, nanoseconds) = line.split_once(' ')?;
    let time = Duration::from_nanos(nanoseconds.parse().ok()?);
    Some((calls.parse().ok()?, time))
}

/// Lets the clients call at once until the time is over.
fn turn(
    clients: &mut [Client],
    names: Names,
    operation: Operation,
    time: Duration,
) -> Result<(u64, Duration), BenchError> {
    let ready = Barrier::new(clients.len());
    let run = |number: usize, client: &mut Client| -> Result<_, BenchError> {
        let mut bound = Vec::new();
        ready.wait();
        let begun = Instant::now();
        let mut calls = 0_u64;
        while begun.elapsed() < time {
            match operation {
                Operation::Resolve => client.resolve(names)?,
                Operation::Bind => {
                    bound.push(client.bind(names, &format!("new-{number}-{calls}"))?)
                }
            }
            calls += 1;
        }
        let took = begun.elapsed();
        // The next turn finds as many names as this one did.
        for name in &bound {
            client.root.unbind(name).map_err(BenchError::call)?;
        }
        Ok((calls, took))
    };
    let outcomes: Vec<_> = thread::scope(|scope| {
        let clients = clients.iter_mut().enumerate();
        let run = &run;
        let running: Vec<_> = clients
            .map(|(number, client)| scope.spawn(move || run(number, client)))
            .collect();
        let ended = running.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut all = (0, Duration::ZERO);
    for outcome in outcomes {
        let (calls, took) = outcome?;
        all = (all.0 + calls, all.1.max(took));
    }
    Ok(all)
}

/// Binds all names, first the contexts, depth by depth. False when the time is over.
fn fill(url: &str, names: Names, time: Duration) -> Result<bool, BenchError> {
    let until = Instant::now() + time;
    let mut clients = (0..FILLERS)
        .map(|number| Client::new(url, number.into()))
        .collect::<Result<Vec<_>, _>>()?;
    for depth in 1..=names.depth() {
        let all: Vec<u32> = match depth == names.depth() {
            true => (0..names.bindings).collect(),
            false => names.contexts(depth).collect(),
        };
        if !fill_depth(&mut clients, names, depth, &all, until)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Binds what is at one depth: contexts, or objects at the last one.
fn fill_depth(
    clients: &mut [Client],
    names: Names,
    depth: usize,
    all: &[u32],
    until: Instant,
) -> Result<bool, BenchError> {
    let next = AtomicU32::new(0);
    let is_late = AtomicBool::new(false);
    let run = |client: &Client| -> Result<(), BenchError> {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some(&index) = all.get(place) else {
                return Ok(());
            };
            if Instant::now() >= until {
                is_late.store(true, Ordering::Relaxed);
                return Ok(());
            }
            let mut name = names.name(index);
            if depth == names.depth() {
                let bound = client.root.bind(&name, Some(&client.object));
                bound.map_err(BenchError::call)?;
                continue;
            }
            name.truncate(depth);
            match client.root.bind_new_context(&name) {
                // The first name of several contexts is that of the one above as well.
                Ok(_) | Err(BindNewContextError::AlreadyBound(_)) => {}
                Err(error) => return Err(BenchError::call(error)),
            }
        }
    };
    thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = clients
            .iter()
            .map(|client| scope.spawn(move || run(client)))
            .collect();
        running.into_iter().try_for_each(|client| {
            let ended = client.join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(!is_late.load(Ordering::Relaxed))
}

/// Finds the last name, by a client of its own.
pub(super) fn resolve_one(url: &str, names: Names) -> Result<(), BenchError> {
    let client = Client::new(url, 0)?;
    let name = names.name(names.bindings - 1);
    let found = client.root.resolve(&name).map_err(BenchError::call)?;
    found.map(drop).ok_or(BenchError::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_read() {
        let turn = (7, Duration::from_nanos(1500));
        assert_eq!(parse_turn("7 1500"), Some(turn));
        assert_eq!(parse_turn("7"), None);
    }
}
