//! `taut schedule serve`.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use taut::Orb;
use taut_scheduling::{Description, Options, Strategy, parse_time};
use taut_scheduling_service::service::{KEY, SchedulingService, ServiceSettings};

use super::files::Described;
use crate::failure::Failure;
use crate::output;
use crate::serving::{Server, Told};

/// Be a scheduling service, at the URL that is written once clients are served
///
/// Every ORB finds it as corbaloc::HOST/ScheduleService, with the interfaces of TAO's RtecScheduler.
/// Without --production it is a configuration run: programs describe their operations and have the
/// schedule computed, which --save writes to a file. With --production it serves such a file, in
/// which nothing changes any more. It ends in order on SIGTERM and SIGINT.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut schedule serve --save mission.toml
  taut schedule serve --seed sensors.idl --strategy edf --endpoint 127.0.0.1:2810
  taut schedule serve --production mission.toml")]
pub(super) struct Arguments {
    /// Begin with the operations of this file: TOML, or annotated IDL if its name ends in .idl
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    seed: Option<PathBuf>,
    /// Look for files that the IDL includes in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Write each schedule that is computed to this file: as Rust if its name ends in .rs, else as
    /// TOML for --production
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    save: Option<PathBuf>,
    /// Serve the schedule of this TOML file, in which all deadlines must hold
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["seed", "include", "save", "strategy", "context_switch",
                                "privileged_ior", "max_operations", "max_dependencies",
                                "max_name_octets"])]
    production: Option<String>,
    /// Compute by this strategy: rms, rms-deferred, edf, muf, mlf; by default the seed's, else rms
    #[arg(long, value_name = "STRATEGY", value_hint = ValueHint::Other)]
    strategy: Option<Strategy>,
    /// Reckon with switches between jobs that take this long, such as 5us
    #[arg(long, value_name = "TIME", value_parser = parse_time, value_hint = ValueHint::Other)]
    context_switch: Option<u64>,
    /// Write the reference of the privileged scheduler to this file, which its owner alone may read
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    privileged_ior: Option<PathBuf>,
    /// Listen here, as -ORBListenEndpoints; may be given several times
    #[arg(long, value_name = "ENDPOINT", default_value = "*:2810", value_hint = ValueHint::Other)]
    endpoint: Vec<String>,
    /// Write the URL as JSON: an object in a line, with `url` and `status`
    #[arg(long)]
    json: bool,
    /// The most operations
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_operations,
          help_heading = "Limits")]
    max_operations: usize,
    /// The most calls of an operation
    #[arg(long, value_name = "NUMBER", default_value_t = ServiceSettings::default().max_dependencies,
          help_heading = "Limits")]
    max_dependencies: usize,
    /// The most octets of an operation's name
    #[arg(long, value_name = "OCTETS", default_value_t = ServiceSettings::default().max_name_octets,
          help_heading = "Limits")]
    max_name_octets: usize,
}

/// Runs the command.
///
/// # Errors
///
/// When a file is wrong, the ORB cannot listen, or it does not end.
pub(super) fn run(arguments: &Arguments, orb_arguments: Vec<String>) -> Result<(), Failure> {
    let told = Told::when(arguments.json);
    if let Some(path) = &arguments.production {
        let description = Described::read(path)?.description;
        let server = Server::start(&arguments.endpoint, orb_arguments)?;
        SchedulingService::produce(&server.orb, &description).map_err(Failure::new)?;
        return server.run(KEY, &format!("the schedule of {path}"), told);
    }
    let settings = arguments.settings()?;
    let server = Server::start(&arguments.endpoint, orb_arguments)?;
    let service = SchedulingService::configure(&server.orb, settings).map_err(Failure::new)?;
    if let (Some(path), Some(privileged)) = (&arguments.privileged_ior, service.privileged()) {
        let reference = taut::ObjectRef::from(privileged.clone());
        write_privately(path, &server.orb, &reference)?;
    }
    server.run(KEY, "a configuration run", told)
}

impl Arguments {
    /// The settings of a configuration run.
    fn settings(&self) -> Result<ServiceSettings, Failure> {
        let mut settings = ServiceSettings::default();
        if let Some(path) = &self.seed {
            let seed = match path.extension().is_some_and(|it| it == "idl") {
                true => annotated(path, &self.include)?,
                false => Described::read(&path.to_string_lossy())?.description,
            };
            settings.options = seed.options.clone();
            settings.seed = Some(seed);
        }
        let options = &mut settings.options;
        options.strategy = self.strategy.unwrap_or(options.strategy);
        let switch = self.context_switch.unwrap_or(options.context_switch_ns);
        options.context_switch_ns = switch;
        settings.configuration_file.clone_from(&self.save);
        settings.max_operations = self.max_operations;
        settings.max_dependencies = self.max_dependencies;
        settings.max_name_octets = self.max_name_octets;
        Ok(settings)
    }
}

/// The annotated operations of an IDL file.
fn annotated(path: &Path, include: &[PathBuf]) -> Result<Description, Failure> {
    let options = taut_idl::Options {
        include_paths: include.to_vec(),
        ..taut_idl::Options::default()
    };
    let compilation = taut_idl::compile(&[path], &options);
    if compilation.has_errors() {
        output::complain(&compilation.render(false));
        return Err(Failure::new("the IDL describes no schedule"));
    }
    taut_build::describe_operations(&compilation, Options::default()).map_err(Failure::new)
}

/// Writes a reference to a file that its owner alone may read: who has it has its rights.
fn write_privately(path: &Path, orb: &Orb, object: &taut::ObjectRef) -> Result<(), Failure> {
    // A file that is there may be open to others.
    let _ = fs::remove_file(path);
    let mut file = fs::OpenOptions::new();
    let file = file.write(true).create_new(true).mode(0o600).open(path);
    let text = format!("{}\n", orb.object_to_string(object));
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written
        .map_err(|error| Failure::Message(format!("{} cannot be written: {error}", path.display())))
}
