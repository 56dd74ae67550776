//! `taut idl`: checks IDL, makes Rust of it, shows its model, lays it out.

mod dump;
mod layout;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use taut_build::GenerateOptions;
use taut_idl::{Compilation, Options, Severity};

use crate::failure::Failure;
use crate::output::{self, ERROR};

/// Check IDL, make Rust of it, show its model, or lay it out
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
    },
    /// Show the checked model of IDL files as JSON
    #[command(after_help = "\
What the members are called and mean is told in docs/idl-json.md.

Example:
  taut idl dump -I idl bank.idl | jq '.definitions[].name'")]
    Dump {
        #[command(flatten)]
        sources: Sources,
        /// Also show what included files define
        #[arg(long)]
        included: bool,
    },
    /// Lay IDL files out in the canonical way
    #[command(after_help = "\
Only blanks and line ends change: comments, directives and the spelling of all
else stay. A file with a lexical error is left as it is.

Example:
  taut idl fmt --check idl/*.idl")]
    Fmt(layout::Files),
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
        Command::Dump { sources, included } => {
            let text = dump::dump(&compile(sources)?, *included);
            Ok(output::write(&text.map_err(std::io::Error::from)?)?)
        }
        Command::Fmt(files) => layout::run(files),
        Command::Gen {
            sources,
            output,
            extern_module,
            rename,
        } => {
            let compilation = compile(sources)?;
            let mut options = GenerateOptions::default();
            options.extern_modules = extern_module.iter().cloned().collect();
            options.renames = rename.iter().cloned().collect();
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
