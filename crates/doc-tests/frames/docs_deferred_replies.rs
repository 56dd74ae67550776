taut::include_idl!("stacks");

use std::sync::Arc;
use std::thread;

use stacks::library::ReadError;
use stacks::{AsyncLibrary, AsyncLibrarySkeleton, Library, LibraryRef, NotFound};
use taut::codegen::{Decode, Encode};
use taut::{
    BoxFuture, Interface, Orb, Reference, Responder, Servant, ServantIdentity, ServerRequest,
    Skeleton,
};
use taut_build::Answering;

use crate::support::{Outcome, orb};

#[expect(dead_code, reason = "a build script has files")]
fn build() -> Result<(), taut_build::Error> {
    // page: taut_build::Config::new()
}

/// One book.
struct Shelf;

impl Shelf {
    async fn fetch(&self, title: &str) -> Option<String> {
        let is_here = title == "Notes";
        tokio::task::yield_now().await;
        is_here.then(|| "an engine of engines".to_owned())
    }

    fn count(&self, word: &str) -> u32 {
        u32::from(word == "engine")
    }

    fn titles(&self) -> u32 {
        1
    }
}

struct Shelves {
    shelf: Shelf,
}

// page: impl AsyncLibrary for Shelves {

struct ByHand(Arc<Shelf>);

// page: impl Servant for ByHand {

impl Skeleton for ByHand {
    type Reference = LibraryRef;
}

fn ask(orb: &Orb, shelves: Shelves) -> Outcome {
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    // page: let library = poa.activate(AsyncLibrarySkeleton::new(shelves))?;
    assert_eq!(library.read("Notes")?, "an engine of engines");
    let error = library.read("Letters").unwrap_err();
    assert!(matches!(error, ReadError::NotFound(NotFound { title }) if title == "Letters"));
    assert_eq!(library.count("engine")?, 1);
    assert_eq!(library.titles()?, 1);
    let by_hand = poa.activate(ByHand(Arc::new(Shelf)))?;
    assert_eq!(by_hand.count("engine")?, 1);
    Ok(())
}

#[test]
fn a_library_answers_later() -> Outcome {
    ask(&orb(), Shelves { shelf: Shelf })
}

#[test]
fn a_library_answers_in_a_runtime_of_the_application() -> Outcome {
    // page: let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    ask(&orb, Shelves { shelf: Shelf })?;
    orb.shutdown(true)?;
    Ok(())
}
