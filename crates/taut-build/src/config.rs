//! The build script's side: settings, files in, a file out.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{env, fs};

use taut_idl::{FileSystem, Severity, bundle};

use crate::error::Error;
use crate::generate::generate_with_warnings;
use crate::options::GenerateOptions;
use crate::schedule;
use crate::strategy::{Answering, Dispatch, Marshaling};
use crate::warning::with_levels;

/// Compiles IDL files with the default settings: [`Config::compile`].
///
/// # Errors
///
/// Those of [`Config::compile`].
pub fn compile(files: &[impl AsRef<Path>]) -> Result<(), Error> {
    Config::new().compile(files)
}

/// The settings of a compilation.
///
/// ```no_run
/// # fn main() -> Result<(), taut_build::Error> {
/// taut_build::Config::new()
///     .include("idl")
///     .define("WITH_HISTORY", "1")
///     .extern_module("CosNaming", "::taut_naming::cos_naming")
///     .rename("Bank::Account::setLimit", "change_limit")
///     .compile(&["idl/bank.idl", "idl/audit.idl"])
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Config {
    front_end: taut_idl::Options,
    generation: GenerateOptions,
    out_dir: Option<PathBuf>,
    output: Option<String>,
    marshaling_of_files: Vec<(PathBuf, Marshaling)>,
    pub(crate) schedule: schedule::Request,
}

impl Config {
    /// The default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory in which `#include` looks.
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.front_end.include_paths.push(directory.into());
        self
    }

    /// Defines a macro for the preprocessor.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.front_end
            .defines
            .push((name.into(), Some(value.into())));
        self
    }

    /// Sets the limits and rules of the front end, in place of all that
    /// [`include`](Self::include), [`define`](Self::define),
    /// [`module_prefix`](Self::module_prefix), [`module_version`](Self::module_version)
    /// and the settings for warnings said so far.
    pub fn front_end(mut self, options: taut_idl::Options) -> Self {
        self.front_end = options;
        self
    }

    /// Gives the repository ids of a module, and of all that it holds, another prefix:
    /// for servers whose compiler makes other ids of the same IDL, as TAO's does of
    /// included files. `module` is the scoped name in the IDL, `prefix` what stands
    /// before it in the ids; see [`taut_idl::ModuleIds`].
    pub fn module_prefix(mut self, module: impl Into<String>, prefix: impl Into<String>) -> Self {
        self.front_end.ids_of(module).prefix = Some(prefix.into());
        self
    }

    /// Gives them another version than `1.0`, likewise: `2.3`.
    pub fn module_version(mut self, module: impl Into<String>, version: impl Into<String>) -> Self {
        self.front_end.ids_of(module).version = Some(version.into());
        self
    }

    /// Does not report warnings with this code, the word in the brackets behind
    /// `warning`: `anonymous-type`.
    pub fn allow_warning(mut self, code: impl Into<String>) -> Self {
        self.front_end.warnings.allowed.insert(code.into());
        self
    }

    /// Makes errors of the warnings that are not allowed.
    pub fn deny_warnings(mut self) -> Self {
        self.front_end.warnings.denied = true;
        self
    }

    /// Writes into this directory instead of the one that Cargo gives.
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Calls the output `<stem>.rs`. Unless set, the stem is that of the first
    /// file.
    pub fn output(mut self, stem: impl Into<String>) -> Self {
        self.output = Some(stem.into());
        self
    }

    /// Says that the Rust code of an IDL module is elsewhere: nothing is
    /// generated for the module, and what refers to it refers to `path`, an
    /// absolute path such as `::taut_naming::cos_naming`. The code there must
    /// have been generated from the same IDL without renames.
    pub fn extern_module(mut self, module: impl Into<String>, path: impl Into<String>) -> Self {
        self.generation
            .extern_modules
            .insert(module.into(), path.into());
        self
    }

    /// Generates code for the modules `CORBA` and `TimeBase` too, which otherwise
    /// are taken from the crate `taut` (`::taut::corba`, `::taut::time_base`) if
    /// that has all that the IDL defines there.
    pub fn generate_standard_modules(mut self) -> Self {
        self.generation.generate_standard_modules = true;
        self
    }

    /// Gives something a Rust name of one's own choice. The scoped name in the IDL tells
    /// which one is meant: `M::I`, `M::I::op`, `M::I::op::parameter`, `M::S::member`,
    /// `M::E::enumerator`. On the wire nothing changes.
    pub fn rename(mut self, name: impl Into<String>, rust_name: impl Into<String>) -> Self {
        self.generation
            .renames
            .insert(name.into(), rust_name.into());
        self
    }

    /// Says which Rust type a native type of the IDL is: `path`, an absolute path
    /// such as `::my_crate::Cookie`. Without that, a native type has no mapping.
    pub fn native_type(mut self, name: impl Into<String>, path: impl Into<String>) -> Self {
        self.generation
            .native_types
            .insert(name.into(), path.into());
        self
    }

    /// Gives references, beside each method that returns nothing but a sequence of
    /// primitives, another whose result stays in the message that brought it: beside
    /// `read` there is `read_view`, which returns a `taut::SequenceView`. Methods that are
    /// inherited have theirs with references to their own interface.
    pub fn views(mut self) -> Self {
        self.generation.views = true;
        self
    }

    /// Gives references no methods that return futures. Otherwise each has, beside a method
    /// `read`, a method `read_async`, own or inherited; such methods take no room in a
    /// program that does not call them.
    pub fn without_futures(mut self) -> Self {
        self.generation.without_futures = true;
        self
    }

    /// Has operations called by Asynchronous Method Invocation too, as CORBA 3.3 part 1,
    /// chapter 17 has it: beside `read` there are `sendc_read`, whose reply goes to a reply
    /// handler, and `sendp_read`, which returns a poller. The interface of reply handlers,
    /// `AMI_CircleHandler` for `Circle`, is generated as others are. The names are those of
    /// operations (`M::I::op`), attributes, interfaces or modules; the annotation `@ami` in the
    /// IDL does the same.
    pub fn ami<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| (name.into(), true));
        self.generation.ami.extend(names);
        self
    }

    /// Leaves that out for these parts of what [`ami`](Self::ami) or an annotation names.
    pub fn without_ami<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| (name.into(), false));
        self.generation.ami.extend(names);
        self
    }

    /// Has references tell the types of their operations: then
    /// `OrbBuilder::signatures_of` of the crate `taut` takes them, so that interceptors can
    /// look at arguments and results. Interfaces that are inherited from IDL whose code is
    /// [elsewhere](Self::extern_module) are described here too.
    pub fn signatures(mut self) -> Self {
        self.generation.signatures = true;
        self
    }

    /// Says how values are marshaled: by code for each type, or by tables that
    /// one engine reads. On the wire nothing changes, nor in the code that uses
    /// what is generated.
    pub fn marshaling(mut self, marshaling: Marshaling) -> Self {
        self.generation.marshaling = marshaling;
        self
    }

    /// The same for a part: an operation (`M::I::op`), a type or interface
    /// (`M::I`), a module (`M`), or a file, which a name with a dot or a slash
    /// is. The most specific counts.
    pub fn marshaling_of(mut self, name: impl Into<String>, marshaling: Marshaling) -> Self {
        let name = name.into();
        if name.contains(['.', '/']) {
            self.marshaling_of_files.push((name.into(), marshaling));
        } else {
            self.generation.marshaling_of.insert(name, marshaling);
        }
        self
    }

    /// Says how skeletons find the operation that a request names.
    pub fn dispatch(mut self, dispatch: Dispatch) -> Self {
        self.generation.dispatch = dispatch;
        self
    }

    /// The same for an interface, or for the interfaces of a module.
    pub fn dispatch_of(mut self, name: impl Into<String>, dispatch: Dispatch) -> Self {
        self.generation.dispatch_of.insert(name.into(), dispatch);
        self
    }

    /// Says how servants answer requests: when their methods return, when futures are ready, or
    /// by responders. An interface that has an operation which is not answered at once gets a
    /// second trait for its servants, `AsyncCircle` beside `Circle`, and a skeleton for that,
    /// `AsyncCircleSkeleton`. Callers see no difference.
    pub fn answering(mut self, answering: Answering) -> Self {
        self.generation.answering = answering;
        self
    }

    /// The same for a part: an operation or attribute (`M::I::op`), an interface (`M::I`), or a
    /// module (`M`). The most specific counts.
    pub fn answering_of(mut self, name: impl Into<String>, answering: Answering) -> Self {
        self.generation.answering_of.insert(name.into(), answering);
        self
    }

    /// Has servants of these interfaces, modules or operations return futures:
    /// [`answering_of`](Self::answering_of) each, by [`Answering::Future`].
    pub fn async_servants<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        names.into_iter().fold(self, |config, name| {
            config.answering_of(name, Answering::Future)
        })
    }

    /// Says how many threads make the code. Unless set, as many as the machine
    /// has to give, as far as they are of use; small files are made by one. The
    /// code is the same whatever their number.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.generation.threads = Some(threads);
        self
    }

    /// Compiles the files, as one specification, to one Rust file, and writes the IDL itself beside it
    /// (`.idl-bundle`), for programs that tell clients of their interfaces.
    ///
    /// Tells Cargo which files were read, so that the build script runs again
    /// when one of them changes, and shows warnings through Cargo. IDL in `OUT_DIR`
    /// was made by the build script itself, and is not named: it is younger than the
    /// script's start, so that Cargo would run the script each time. That a new
    /// file now stands in front of an included one, in an include directory that
    /// comes earlier, Cargo does not find out.
    ///
    /// # Errors
    ///
    /// When the IDL is wrong or cannot become Rust: the error shows what and
    /// where. When the output cannot be written.
    pub fn compile(&self, files: &[impl AsRef<Path>]) -> Result<(), Error> {
        let first = files.first().ok_or(Error::NoFiles)?.as_ref();
        let stem = match &self.output {
            Some(stem) => stem.clone(),
            None => match first.file_stem() {
                Some(stem) => stem.to_string_lossy().into_owned(),
                None => return Err(Error::NoStem(first.to_path_buf())),
            },
        };
        let out_dir = match &self.out_dir {
            Some(directory) => directory.clone(),
            None => env::var_os("OUT_DIR")
                .map(PathBuf::from)
                .ok_or(Error::NoOutDir)?,
        };

        let (compilation, bundle) = bundle::compile_with(files, &self.front_end, &mut FileSystem);
        let made_here = env::var_os("OUT_DIR").map(PathBuf::from);
        let is_made_here = |file: &PathBuf| {
            let directory = made_here.as_ref();
            directory.is_some_and(|directory| file.starts_with(directory))
        };
        let watched = compilation.dependencies.iter();
        for dependency in watched.filter(|file| !is_made_here(file)) {
            println!("cargo::rerun-if-changed={}", dependency.display());
        }
        if compilation.has_errors() {
            return Err(Error::Idl {
                rendered: compilation.render(false),
            });
        }
        for line in compilation.render(false).lines() {
            println!("cargo::warning={line}");
        }

        let mut options = self.generation.clone();
        options.sources = files
            .iter()
            .filter_map(|file| file.as_ref().file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        for (path, marshaling) in &self.marshaling_of_files {
            let files = options.set_marshaling_of_file(&compilation.sources, path, *marshaling);
            if files == 0 {
                return Err(Error::NoSuchFile(path.clone()));
            }
        }
        let (text, warnings) = generate_with_warnings(&compilation.model, &options)
            .map_err(|errors| Error::generate(errors, &compilation.sources))?;
        let reports = with_levels(&warnings, &self.front_end.warnings);
        let rendered = taut_idl::render(&reports, &compilation.sources, false);
        if reports.iter().any(|one| one.severity == Severity::Error) {
            return Err(Error::Idl { rendered });
        }
        for line in rendered.lines() {
            println!("cargo::warning={line}");
        }

        self.schedule.write(&compilation, &out_dir, &stem)?;
        let outputs = [
            ("rs", text.into_bytes()),
            ("idl-bundle", bundle.to_octets()),
        ];
        for (extension, octets) in outputs {
            let path = out_dir.join(format!("{stem}.{extension}"));
            fs::write(&path, octets).map_err(|source| Error::Write { path, source })?;
        }
        Ok(())
    }
}
