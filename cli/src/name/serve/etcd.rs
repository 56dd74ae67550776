//! Names in etcd, for several replicas of the service.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{ValueEnum, ValueHint};
use taut::{Address, Orb};
use taut_naming::service::{NamingService, ReplicaAddress};
use taut_naming::store::etcd::{EtcdSettings, Reads};
use taut_naming::store::{EtcdStore, Store};

use crate::failure::Failure;

/// The options of a service whose names are in etcd.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Names in etcd (--store etcd://HOST:PORT,…/PREFIX)")]
pub(super) struct EtcdArguments {
    /// Changes that reads show: all that any replica has answered, or those of a copy in memory
    /// that follows etcd
    #[arg(long, value_enum, value_name = "READS", default_value_t = ReadsArgument::Linearizable)]
    reads: ReadsArgument,
    /// References of contexts lead to this replica too, HOST or HOST:PORT; may be given several
    /// times. Without it they lead to the replicas that are in etcd at the moment
    #[arg(long, value_name = "ADDRESS", value_hint = ValueHint::Hostname)]
    replica: Vec<ReplicaAddress>,
    /// Give up a read or a change of names after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    etcd_timeout: u64,
    /// Ask the next member of etcd when one has not answered for this many milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000,
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    etcd_member_timeout: u64,
    /// Be forgotten by the other replicas this many seconds after a death
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(2..=86_400))]
    replica_lease: u64,
    /// Show no copy (--reads watched) that etcd has not confirmed for this many seconds; 0 shows
    /// any
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    etcd_max_age: u64,
    /// The operations that etcd takes in a transaction, its own --max-txn-ops
    #[arg(long, value_name = "NUMBER", default_value_t = 128,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(8..))]
    etcd_max_txn_ops: usize,
}

/// The value of `--reads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReadsArgument {
    Linearizable,
    Watched,
}

/// A store in etcd that the service has to be made known in.
pub(super) struct Replica {
    store: Arc<EtcdStore>,
    fixed: Vec<ReplicaAddress>,
}

/// Opens a store in etcd, if the value of `--store` is a URL of one.
///
/// # Errors
///
/// When etcd cannot be reached, or has names of another format; when `--replica` is given and the
/// store is none of etcd's.
pub(super) fn open(
    store: Option<&Path>,
    arguments: &EtcdArguments,
) -> Result<Option<Replica>, Failure> {
    let url = store
        .and_then(Path::to_str)
        .filter(|it| EtcdSettings::is_url(it));
    let Some(url) = url else {
        if arguments.replica.is_empty() {
            return Ok(None);
        }
        return Err(Failure::new(
            "--replica: replicas have their names in etcd; give --store etcd://HOST:PORT,… too",
        ));
    };
    let mut settings = EtcdSettings::parse(url).map_err(Failure::new)?;
    settings.reads = match arguments.reads {
        ReadsArgument::Linearizable => Reads::Linearizable,
        ReadsArgument::Watched => Reads::Watched,
    };
    settings.timeout = Duration::from_secs(arguments.etcd_timeout);
    settings.member_timeout = Duration::from_millis(arguments.etcd_member_timeout);
    settings.replica_lease = Duration::from_secs(arguments.replica_lease);
    settings.max_age = Duration::from_secs(arguments.etcd_max_age);
    settings.max_txn_ops = arguments.etcd_max_txn_ops;
    let store = EtcdStore::open(settings).map_err(Failure::new)?;
    Ok(Some(Replica {
        store: Arc::new(store),
        fixed: arguments.replica.clone(),
    }))
}

impl Replica {
    pub(super) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store) as Arc<dyn Store>
    }

    /// Tells the other replicas of the service, and the service of them.
    ///
    /// # Errors
    ///
    /// When etcd does not answer, or the ORB is shut down.
    pub(super) fn announce(&self, orb: &Orb, service: &NamingService) -> Result<(), Failure> {
        let own = orb.published_addresses().iter().filter_map(|address| {
            let Address::Tcp { host, port } = address else {
                return None;
            };
            Some(match host.contains(':') {
                true => format!("[{host}]:{port}"),
                false => format!("{host}:{port}"),
            })
        });
        let own: Vec<_> = own.collect();
        let is_own = |address: &ReplicaAddress| own.contains(&address.to_string());
        let mut fixed = self.fixed.clone();
        // The same options may be given to all replicas.
        fixed.retain(|address| !is_own(address));
        service.set_replicas(&fixed).map_err(Failure::new)?;
        let is_fixed = !self.fixed.is_empty();
        let service = service.clone();
        let follow = move |others: &[String]| {
            if is_fixed {
                return;
            }
            let others: Vec<_> = others.iter().filter_map(|it| it.parse().ok()).collect();
            // It fails when the ORB has been shut down, and then nobody asks for references.
            let _ = service.set_replicas(&others);
        };
        self.store.announce(&own, follow).map_err(Failure::new)
    }

    /// Tells the other replicas that the service has ended.
    pub(super) fn leave(&self) {
        self.store.leave();
    }
}
