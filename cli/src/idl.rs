//! `taut idl`: checks IDL, and makes Rust of it.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use taut_build::{Dispatch, GenerateOptions, Marshaling, UnknownStrategy};
use taut_idl::{Compilation, Options, Severity};

use crate::failure::Failure;
use crate::output::{self, ERROR};

/// Check IDL, or make Rust of it
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what is wrong with IDL files, and nothing when all is well
    #[command(after_help = "\
Example:
  taut idl check -I /usr/share/idl/omniORB bank.idl")]
    Check(Sources),
    /// Make a Rust file of IDL files
    #[command(after_help = "\
A crate is better served by taut-build in its build script, which does the same:
  taut_build::compile(&[\"idl/bank.idl\"])

Example:
  taut idl gen -I idl --extern-module CosNaming=::taut_naming::cos_naming bank.idl -o bank.rs")]
    Gen {
        #[command(flatten)]
        sources: Sources,
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Take the Rust code of an IDL module from this path instead of making it; repeatable
        #[arg(long, value_name = "MODULE=PATH", value_parser = pair)]
        extern_module: Vec<(String, String)>,
        /// Give what has this scoped name in the IDL a Rust name of your choice; repeatable
        #[arg(long, value_name = "A::B=NAME", value_parser = pair)]
        rename: Vec<(String, String)>,
        #[command(flatten)]
        strategies: Strategies,
    },
}

/// Ways that the generated code may go.
#[derive(Debug, clap::Args)]
struct Strategies {
    /// How values become octets: compiled (fast) or interpretive (small); the default is compiled
    #[arg(long, value_name = "STRATEGY")]
    marshaling: Option<Marshaling>,
    /// The same for an operation, a type, an interface, a module or a file; repeatable
    #[arg(long, value_name = "A::B=STRATEGY", value_parser = pair)]
    marshaling_of: Vec<(String, String)>,
    /// How skeletons find operations: perfect_hash (the default), binary_search, dynamic_hash, linear
    #[arg(long, value_name = "STRATEGY")]
    dispatch: Option<Dispatch>,
    /// The same for an interface or a module; repeatable
    #[arg(long, value_name = "A::B=STRATEGY", value_parser = pair)]
    dispatch_of: Vec<(String, String)>,
}

impl Strategies {
    /// Sets them in `options`.
    fn choose(
        &self,
        options: &mut GenerateOptions,
        compilation: &Compilation,
    ) -> Result<(), Failure> {
        let unknown = |error: UnknownStrategy| Failure::new(error.to_string());
        options.marshaling = self.marshaling.unwrap_or_default();
        options.dispatch = self.dispatch.unwrap_or_default();
        for (name, strategy) in &self.marshaling_of {
            let strategy = strategy.parse().map_err(unknown)?;
            if !name.contains(['.', '/']) {
                options.marshaling_of.insert(name.clone(), strategy);
                continue;
            }
            let sources = &compilation.sources;
            if options.set_marshaling_of_file(sources, Path::new(name), strategy) == 0 {
                let message = format!("the file {name} is neither compiled nor included");
                return Err(Failure::new(message));
            }
        }
        for (name, strategy) in &self.dispatch_of {
            let strategy = strategy.parse().map_err(unknown)?;
            options.dispatch_of.insert(name.clone(), strategy);
        }
        Ok(())
    }
}

/// What is to be compiled, and how.
#[derive(Debug, clap::Args)]
struct Sources {
    /// The IDL files, compiled as one specification
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro, as 1 unless a value is given; repeatable
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    define: Vec<(String, Option<String>)>,
}

/// Runs the command.
///
/// # Errors
///
/// When the IDL is wrong, or the output cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Check(sources) => compile(sources).map(|_| ()),
        Command::Gen {
            sources,
            output,
            extern_module,
            rename,
            strategies,
        } => {
            let compilation = compile(sources)?;
            let mut options = GenerateOptions::default();
            options.extern_modules = extern_module.iter().cloned().collect();
            options.renames = rename.iter().cloned().collect();
            strategies.choose(&mut options, &compilation)?;
            let names = sources.files.iter().filter_map(|file| file.file_name());
            options.sources = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            generate(&compilation, &options, output.as_deref())
        }
    }
}

fn compile(sources: &Sources) -> Result<Compilation, Failure> {
    let mut options = Options::default();
    options.include_paths.clone_from(&sources.include);
    options.defines.clone_from(&sources.define);
    let compilation = taut_idl::compile(&sources.files, &options);
    output::complain(&compilation.render(true));
    if !compilation.has_errors() {
        return Ok(compilation);
    }
    let errors = compilation.diagnostics.iter();
    let errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    output::complain("\n");
    Err(Failure::new(match errors.count() {
        1 => "1 error in the IDL".to_owned(),
        count => format!("{count} errors in the IDL"),
    }))
}

fn generate(
    compilation: &Compilation,
    options: &GenerateOptions,
    output: Option<&Path>,
) -> Result<(), Failure> {
    let text = match taut_build::generate(&compilation.model, options) {
        Ok(text) => text,
        Err(errors) => {
            let error = taut_build::Error::generate(errors, &compilation.sources).to_string();
            for line in error.lines() {
                output::complain(&match line.strip_prefix("error:") {
                    Some(rest) => format!("{ERROR}error{ERROR:#}:{rest}\n"),
                    None => format!("{line}\n"),
                });
            }
            return Err(Failure::Reported);
        }
    };
    match output {
        None => Ok(output::write(&text)?),
        Some(path) => std::fs::write(path, text).map_err(|error| {
            Failure::Message(format!("{} cannot be written: {error}", path.display()))
        }),
    }
}

/// `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("write NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("write the name, = and what it stands for".to_owned()),
    }
}
