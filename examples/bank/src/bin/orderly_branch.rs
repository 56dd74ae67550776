//! A server that binds itself to a name, and comes to an orderly end on SIGTERM.

taut::include_idl!("bank");

use std::thread;

use bank::{AccountRef, Branch, BranchSkeleton};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use taut::Reference;
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

/// The servant of a branch that opens no accounts.
struct Main;

impl Branch for Main {
    fn open(&self, _owner: &str) -> taut::Result<Option<AccountRef>> {
        Ok(None)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Before any other thread begins, so that none of them dies of a signal.
    let mut signals = Signals::new([SIGINT, SIGTERM])?;

    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = taut::Orb::init(&mut arguments)?;
    let poa = orb.root_poa()?;
    let branch = poa.activate(BranchSkeleton::new(Main))?;
    poa.manager().activate()?;

    // The service that -ORBInitRef NameService=… names.
    let names = orb.resolve_initial_references("NameService")?;
    let names: NamingContextRef = names.narrow()?;
    let name = [NameComponent {
        id: "bank".to_owned(),
        kind: String::new(),
    }];
    names.rebind(&name, Some(branch.as_object()))?;
    println!("bound to the name bank");

    let ending = orb.clone();
    let end = thread::spawn(move || -> Result<(), String> {
        signals.forever().next();
        // First the name, so that no new client is led here.
        let unbound = names.unbind(&name);
        // Then the ORB: it answers the requests that run, and takes no others.
        ending.shutdown(true).map_err(|error| error.to_string())?;
        unbound.map_err(|error| format!("the name stays bound: {error}"))
    });
    orb.run(); // until the ORB is shut down
    end.join().map_err(|_| "the end was not orderly")??;
    println!("ended");
    Ok(())
}
