//! `taut name serve`.

#[cfg_attr(not(feature = "etcd"), path = "etcd_absent.rs")]
mod etcd;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use taut::PeerNetwork;
use taut_naming::service::{CHANGES_TARGET, NamingService, ServiceSettings};
use taut_naming::store::{FileStore, MemoryStore, Store};
use tracing::Level;

use crate::failure::Failure;
use crate::serving::{Server, Told};

/// The value of `--store` for names that end with the service.
const MEMORY: &str = "memory";

/// Be a naming service, at the URL that is written once clients are served
///
/// Every ORB finds it as corbaloc::HOST/NameService. It keeps names in a file, in which each change
/// is before its reply goes out, and ends in order on SIGTERM and SIGINT. systemd is told when it is
/// ready, if the unit has Type=notify, and may have opened the sockets at which it listens
/// (LISTEN_FDS).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut name serve
  taut name serve --store memory --endpoint 127.0.0.1:2809
  taut name serve --log-changes --allow-changes-from 127.0.0.1,192.0.2.0/24
  taut name serve --store /var/lib/taut/names --endpoint '*:2809/publish=names.example.com'
  taut name serve --store etcd://10.0.0.1,10.0.0.2,10.0.0.3")]
pub(super) struct Arguments {
    /// Keep names in this file, in memory, or in etcd at etcd://HOST:PORT,HOST:PORT/PREFIX; by
    /// default in taut/names of the user's directory for state, or in names of $STATE_DIRECTORY
    #[arg(long, value_name = "memory|FILE|URL", value_hint = ValueHint::FilePath)]
    store: Option<PathBuf>,
    /// Listen here, as -ORBListenEndpoints; may be given several times
    #[arg(long, value_name = "ENDPOINT", default_value = "*:2809", value_hint = ValueHint::Other)]
    endpoint: Vec<String>,
    /// Refuse every change with NO_PERMISSION
    #[arg(long)]
    read_only: bool,
    /// Let only these change names, and refuse others with NO_PERMISSION: addresses, networks, or
    /// unix for processes of this machine over Unix-domain sockets; may be given several times
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', value_hint = ValueHint::Other,
          conflicts_with = "read_only")]
    allow_changes_from: Vec<PeerNetwork>,
    /// Log each change, and who made it, to standard error
    #[arg(long)]
    log_changes: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    etcd: etcd::EtcdArguments,
}

/// The limits of the service.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// The most components of a name
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_name_components)]
    max_name_components: usize,
    /// The most octets of a component, its id and its kind together
    #[arg(long, value_name = "OCTETS", default_value_t = ServiceSettings::default().max_component_octets)]
    max_component_octets: usize,
    /// The most octets of a reference that is bound
    #[arg(long, value_name = "OCTETS", default_value_t = ServiceSettings::default().max_reference_octets)]
    max_reference_octets: usize,
    /// The most contexts
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_contexts)]
    max_contexts: u64,
    /// The most bindings in all contexts
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_bindings)]
    max_bindings: u64,
    /// The most leases
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_leases)]
    max_leases: u64,
    /// The longest time of a lease in seconds; who asks for more gets as much
    #[arg(long, value_name = "SECONDS", default_value_t = ServiceSettings::default().max_lease_seconds,
          value_parser = clap::value_parser!(u32).range(1..))]
    max_lease_seconds: u32,
    /// The most names in one reply
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_list_entries,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    max_list_entries: usize,
    /// The most octets of names in one reply
    #[arg(long, value_name = "OCTETS", default_value_t = ServiceSettings::default().max_list_octets,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    max_list_octets: usize,
    /// The most binding iterators; a further one ends the one that has not been used for longest
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_iterators,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    max_iterators: usize,
    /// End a binding iterator that is not used for this many seconds
    #[arg(long, value_name = "SECONDS",
          default_value_t = ServiceSettings::default().iterator_timeout.as_secs())]
    iterator_timeout: u64,
    /// Wait this many seconds for a naming service that a name leads on to
    #[arg(long, value_name = "SECONDS",
          default_value_t = ServiceSettings::default().federation_timeout.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..))]
    federation_timeout: u64,
    /// The most naming services that a name may lead through
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_federation_hops)]
    max_federation_hops: u32,
}

impl Arguments {
    /// The events that are shown in any case.
    pub(super) fn events(&self) -> &'static [(&'static str, Level)] {
        // The operator of a service that runs by itself has nothing but its log.
        const FAULTS: (&str, Level) = ("taut", Level::WARN);
        const CHANGES: (&str, Level) = (CHANGES_TARGET, Level::DEBUG);
        match self.log_changes {
            true => &[FAULTS, CHANGES],
            false => &[FAULTS],
        }
    }

    fn settings(&self) -> ServiceSettings {
        let limits = &self.limits;
        let mut settings = ServiceSettings::default();
        settings.is_read_only = self.read_only;
        let networks = &self.allow_changes_from;
        settings.allow_changes_from = (!networks.is_empty()).then(|| networks.clone());
        settings.max_name_components = limits.max_name_components;
        settings.max_component_octets = limits.max_component_octets;
        settings.max_reference_octets = limits.max_reference_octets;
        settings.max_contexts = limits.max_contexts;
        settings.max_bindings = limits.max_bindings;
        settings.max_leases = limits.max_leases;
        settings.max_lease_seconds = limits.max_lease_seconds;
        settings.max_list_entries = limits.max_list_entries;
        settings.max_list_octets = limits.max_list_octets;
        settings.max_iterators = limits.max_iterators;
        settings.iterator_timeout = Duration::from_secs(limits.iterator_timeout);
        settings.federation_timeout = Duration::from_secs(limits.federation_timeout);
        settings.max_federation_hops = limits.max_federation_hops;
        settings
    }

    /// Opens the store, and says in words where names are kept.
    fn store(&self) -> Result<(Arc<dyn Store>, String), Failure> {
        let path = match &self.store {
            Some(path) if path.as_os_str() == MEMORY => {
                return Ok((Arc::new(MemoryStore::new()), "memory".to_owned()));
            }
            Some(path) => path.clone(),
            None => default_file()?,
        };
        let store = FileStore::open(&path).map_err(Failure::new)?;
        Ok((Arc::new(store), path.display().to_string()))
    }
}

/// The file of names where none is given; its directory is made if need be.
fn default_file() -> Result<PathBuf, Failure> {
    let directory = |variable: &str, below: &str| {
        let value = env::var_os(variable)?;
        let directory = Path::new(&value).join(below);
        directory.is_absolute().then_some(directory)
    };
    let directory = directory("STATE_DIRECTORY", "")
        .or_else(|| directory("XDG_STATE_HOME", "taut"))
        .or_else(|| directory("HOME", ".local/state/taut"))
        .ok_or_else(|| {
            Failure::new(
                "there is no directory for the file of names: the environment has none of \
                 STATE_DIRECTORY, XDG_STATE_HOME and HOME; give --store FILE",
            )
        })?;
    fs::create_dir_all(&directory).map_err(|error| {
        Failure::Message(format!(
            "the directory {} for the file of names cannot be made: {error}; give --store FILE",
            directory.display()
        ))
    })?;
    Ok(directory.join("names"))
}

pub(super) fn run(
    arguments: &Arguments,
    is_json: bool,
    orb_arguments: Vec<String>,
) -> Result<(), Failure> {
    let server = Server::start(&arguments.endpoint, orb_arguments)?;
    let replica = etcd::open(arguments.store.as_deref(), &arguments.etcd)?;
    let (store, place) = match &replica {
        Some(replica) => (replica.store(), "etcd".to_owned()),
        None => arguments.store()?,
    };
    let service = NamingService::start(&server.orb, store, arguments.settings());
    let service = service.map_err(Failure::new)?;
    if let Some(replica) = &replica {
        replica.announce(&server.orb, &service)?;
    }
    let told = match is_json {
        true => Told::Json,
        false => Told::Plain,
    };
    let url = service.corbaloc().unwrap_or_default();
    let served = server.serve(&url, &format!("names in {place}"), told);
    if let Some(replica) = &replica {
        replica.leave();
    }
    served
}
