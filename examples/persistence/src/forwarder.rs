//! The forwarder: it has no counters, but knows where their servers are.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, RwLock};

use taut::{
    Address, CompletionStatus, DEFAULT_PORT, Orb, PersistentKey, Reference, SystemException,
    SystemExceptionKind,
};

use crate::counting::{Whereabouts, WhereaboutsSkeleton};

/// Where each server was last, by its id.
#[derive(Default)]
struct Places(RwLock<HashMap<String, Address>>);

/// The answer to a server whose address cannot be read.
const NO_ADDRESS: SystemException =
    SystemException::new(SystemExceptionKind::BadParam, 0, CompletionStatus::No);

impl Whereabouts for Places {
    fn note(&self, server_id: &str, address: &str) -> taut::Result<()> {
        let address = Address::parse(address, DEFAULT_PORT).map_err(|_| NO_ADDRESS)?;
        if let Ok(mut places) = self.0.write() {
            places.insert(server_id.to_owned(), address);
        }
        Ok(())
    }
}

impl Places {
    fn find(&self, server_id: &str) -> Option<Address> {
        self.0.read().ok()?.get(server_id).cloned()
    }
}

pub(crate) fn run(orb: &Orb) -> Result<(), Box<dyn Error>> {
    let places = Arc::new(Places::default());
    let poa = orb.root_poa()?;
    let whereabouts = poa.activate(WhereaboutsSkeleton::from_arc(Arc::clone(&places)))?;
    orb.bind_object_key("Whereabouts", whereabouts.as_object());

    // Asked about keys of objects that are not here. A caller of one is sent to the place
    // where its server was last: if that is away at the moment, the call is TRANSIENT.
    let its_orb = orb.clone();
    orb.set_object_key_locator(move |key| {
        let server_id = PersistentKey::parse(key)?.server_id;
        its_orb.object_at(&[places.find(server_id)?], key, "")
    });
    poa.manager().activate()?;
    println!("{}", orb.published_addresses()[0]);
    crate::serve(orb);
    Ok(())
}
