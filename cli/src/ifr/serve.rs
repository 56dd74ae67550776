//! `taut ifr serve`.

use std::path::PathBuf;

use clap::ValueHint;
use taut_idl::Options;
use taut_ifr::service::{InterfaceRepository, KEY, RepositorySettings, RepositoryStore};

use crate::failure::Failure;
use crate::idl;
use crate::output;
use crate::serving::{Server, Told};

/// Be an interface repository of these IDL files, at the URL that is written once clients are served
///
/// Clients find it as corbaloc::HOST:2810/InterfaceRepository, or by -ORBInitRef
/// InterfaceRepository=URL. They may look definitions up and make new ones. With --store definitions
/// are kept in a file, in which each change is before its reply goes out; IDL files replace what
/// they define, and other definitions in the file remain. The command ends in order on SIGTERM and
/// SIGINT. systemd is told when it is ready, if the unit has Type=notify.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut ifr serve bank.idl
  taut ifr serve -I idl --read-only bank.idl insurance.idl
  taut ifr serve --store /var/lib/taut/interfaces --endpoint '*:2810/publish=idl.example.com'")]
pub(super) struct Arguments {
    /// The IDL files, which are read as one specification
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Keep definitions in this file; without it they end with the command
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: Option<PathBuf>,
    /// Listen here, as -ORBListenEndpoints; may be given several times
    #[arg(long, value_name = "ENDPOINT", default_value = "*:2810", value_hint = ValueHint::Other)]
    endpoint: Vec<String>,
    /// Refuse every change with NO_PERMISSION
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    limits: Limits,
}

/// The limits of the repository.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// The most definitions, types without names among them
    #[arg(long, value_name = "NUMBER", default_value_t = RepositorySettings::default().max_definitions)]
    max_definitions: usize,
    /// How deeply modules, interfaces and structs may nest
    #[arg(long, value_name = "LEVELS", default_value_t = RepositorySettings::default().max_nesting)]
    max_nesting: usize,
    /// The most octets of a name, a repository id or a version
    #[arg(long, value_name = "OCTETS", default_value_t = RepositorySettings::default().max_name_octets)]
    max_name_octets: usize,
}

impl Arguments {
    fn settings(&self) -> RepositorySettings {
        let mut settings = RepositorySettings::default();
        settings.is_read_only = self.read_only;
        settings.max_definitions = self.limits.max_definitions;
        settings.max_nesting = self.limits.max_nesting;
        settings.max_name_octets = self.limits.max_name_octets;
        settings
    }
}

pub(super) fn run(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    let options = Options {
        include_paths: arguments.include.clone(),
        ..Options::default()
    };
    let compilation = match arguments.files.is_empty() {
        true => None,
        false => Some(idl::compile_without_errors(&arguments.files, &options)?),
    };
    let server = Server::start(&arguments.endpoint, orb_arguments)?;
    let (store, place) = match &arguments.store {
        Some(path) => {
            let store = RepositoryStore::open(path).map_err(Failure::new)?;
            (store, path.display().to_string())
        }
        None => (RepositoryStore::memory(), "memory".to_owned()),
    };
    let repository = InterfaceRepository::start(&server.orb, store, arguments.settings());
    let repository = repository.map_err(Failure::new)?;
    if let Some(compilation) = compilation {
        let loaded = repository.load(&compilation.model).map_err(Failure::new)?;
        for note in loaded.notes {
            output::complain(&format!("note: {note}\n"));
        }
    }
    server.run(KEY, &format!("definitions in {place}"), Told::Plain)
}
