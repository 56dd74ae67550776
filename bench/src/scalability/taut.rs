//! Taut's side: many servants in the root POA, and a client that calls them.

use std::io;

use super::order::Cursor;
use crate::error::BenchError;
use crate::protocol::{self, Calls};
use crate::taut::serve_until_end_of_input;
use idl::scalability::{
    Directory, DirectoryRef, DirectorySkeleton, Target, TargetRef, TargetSkeleton,
};
use taut::{Orb, OrbBuilder, Reference};

/// The types of `idl/scalability.idl`.
mod idl {
    taut::include_idl!("scalability");
}

/// How many objects the directory is asked for at once.
const CHUNK: u32 = 1_000;

struct Servant;

impl Target for Servant {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

/// The references of all servants, in the order of their activation.
struct Targets(Vec<TargetRef>);

impl Directory for Targets {
    fn list(&self, first: u32, count: u32) -> taut::Result<Vec<Option<TargetRef>>> {
        let all = self.0.iter();
        let found = all.skip(first as usize).take(count as usize);
        Ok(found.cloned().map(Some).collect())
    }
}

/// The server: prints the directory's reference, then serves until standard input
/// ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve(servants: u32) -> Result<(), BenchError> {
    let (orb, directory) = activate(servants)?;
    serve_until_end_of_input(&orb, directory.as_object());
    Ok(())
}

fn activate(servants: u32) -> Result<(Orb, DirectoryRef), BenchError> {
    let orb = Orb::builder()
        .listen("iiop://127.0.0.1:0")
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let targets: Result<_, _> = (0..servants)
        .map(|_| poa.activate(TargetSkeleton::new(Servant)))
        .collect();
    let targets = Targets(targets.map_err(BenchError::orb)?);
    let directory = poa
        .activate(DirectorySkeleton::new(targets))
        .map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    Ok((orb, directory))
}

/// The client of the directory with this stringified reference: asks for all
/// objects, calls each once, and then as it is asked to.
///
/// # Errors
///
/// [`BenchError::Orb`] when there is no such directory or nothing in it,
/// [`BenchError::Call`], and those of [`protocol::answer_requests`].
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let client = Client::connect(reference)?;
    protocol::answer_requests(io::stdin().lock(), io::stdout(), client)
}

struct Client {
    _orb: Orb,
    targets: Vec<TargetRef>,
    cursor: Cursor,
}

impl Client {
    fn connect(reference: &str) -> Result<Self, BenchError> {
        let orb = Orb::builder().build().map_err(BenchError::orb)?;
        let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
        let directory = object.narrow().map_err(BenchError::orb)?;
        let targets = all_of(&directory)?;
        if targets.is_empty() {
            return Err(BenchError::orb("the directory has no objects"));
        }
        // A reference is bound when it is first called.
        for target in &targets {
            target.ping().map_err(BenchError::call)?;
        }
        Ok(Self {
            _orb: orb,
            cursor: Cursor::new(targets.len()),
            targets,
        })
    }
}

fn all_of(directory: &DirectoryRef) -> Result<Vec<TargetRef>, BenchError> {
    let mut all = Vec::new();
    loop {
        let first = u32::try_from(all.len()).map_err(BenchError::call)?;
        let some = directory.list(first, CHUNK).map_err(BenchError::call)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some.into_iter().flatten());
    }
}

impl Calls for Client {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        self.cursor.select(kind.parse()?);
        Ok(())
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let place = self.cursor.next();
        self.targets[place].ping().map_err(BenchError::call)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::ValueEnum as _;

    use super::*;
    use crate::scalability::order::Order;

    #[test]
    fn the_client_gets_each_servant_once_and_in_order() {
        // More than fits one answer.
        let (orb, directory) = activate(CHUNK + 1).unwrap();
        let client = Client::connect(&orb.object_to_string(directory.as_object())).unwrap();
        assert_eq!(client.targets.len(), 1_001);
        let text = |target: &TargetRef| orb.object_to_string(target.as_object());
        let distinct: HashSet<_> = client.targets.iter().map(text).collect();
        assert_eq!(distinct.len(), 1_001);
        let last = directory.list(CHUNK, 7).unwrap();
        assert_eq!(last.len(), 1);
        assert_eq!(
            text(last[0].as_ref().unwrap()),
            text(&client.targets[1_000])
        );
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn calls_of_every_order_arrive() {
        let (orb, directory) = activate(3).unwrap();
        let mut client = Client::connect(&orb.object_to_string(directory.as_object())).unwrap();
        for &order in Order::value_variants() {
            client.select(&order.to_string()).unwrap();
            for _ in 0..10 {
                client.call().unwrap();
            }
        }
        assert!(client.select("worst").is_err());
        orb.shutdown(true).unwrap();
        assert!(client.call().is_err());
    }

    #[test]
    fn a_directory_without_objects_is_an_error() {
        let (orb, directory) = activate(0).unwrap();
        let connected = Client::connect(&orb.object_to_string(directory.as_object()));
        assert!(matches!(connected, Err(BenchError::Orb { .. })));
        orb.shutdown(true).unwrap();
    }
}
