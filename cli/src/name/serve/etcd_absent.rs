//! Stands in for names in etcd where the command is built without them.

use std::path::Path;
use std::sync::Arc;

use taut::Orb;
use taut_naming::service::NamingService;
use taut_naming::store::Store;

use crate::failure::Failure;

/// No options.
#[derive(Debug, clap::Args)]
pub(super) struct EtcdArguments {}

/// A store in etcd, which there never is.
pub(super) enum Replica {}

/// Refuses a URL of etcd.
///
/// # Errors
///
/// When the value of `--store` is one.
pub(super) fn open(store: Option<&Path>, _: &EtcdArguments) -> Result<Option<Replica>, Failure> {
    if store.is_some_and(|store| store.to_string_lossy().starts_with("etcd://")) {
        return Err(Failure::new(
            "this command has been built without etcd; build it with --features etcd",
        ));
    }
    Ok(None)
}

impl Replica {
    pub(super) fn store(&self) -> Arc<dyn Store> {
        match *self {}
    }

    pub(super) fn announce(&self, _: &Orb, _: &NamingService) -> Result<(), Failure> {
        match *self {}
    }

    pub(super) fn leave(&self) {
        match *self {}
    }
}
