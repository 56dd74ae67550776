//! `taut idl fmt`: the canonical layout.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use taut_idl::Limits;
use taut_idl::bounded::{read_file, read_stream};
use taut_idl::fmt::format;
use taut_sys::file::replace;

use crate::failure::Failure;
use crate::output;

/// The files that are laid out.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Files {
    /// The IDL files; the files that they include stay as they are
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "stdin")]
    files: Vec<PathBuf>,
    /// Change nothing, name the files whose layout would change, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Write the names of the files that --check finds as an array in JSON
    #[arg(long, requires = "check", conflicts_with = "stdin")]
    json: bool,
    /// Format standard input to standard output
    #[arg(long, conflicts_with = "files")]
    stdin: bool,
}

/// The outcome for a file.
enum Outcome {
    /// It is laid out as it should be.
    Same,
    Other(Vec<u8>),
}

/// Runs the command.
///
/// # Errors
///
/// When a file cannot be read or written, or has lexical errors, in which case
/// the others are laid out nevertheless; or when one is not as it should be and
/// was only to be checked.
pub(super) fn run(arguments: &Files) -> Result<(), Failure> {
    if arguments.stdin {
        return standard_input(arguments.check);
    }
    let mut failed = false;
    let mut others = Vec::new();
    for path in &arguments.files {
        let outcome = read_file(path, Limits::default().file_bytes)
            .map_err(|error| cannot("read", path, &error))
            .and_then(|source| laid_out(path, &source));
        let written = outcome.and_then(|outcome| match outcome {
            Outcome::Same => Ok(()),
            Outcome::Other(_) if arguments.check => {
                others.push(path.display().to_string());
                match arguments.json {
                    true => Ok(()),
                    false => Ok(output::write(&format!("{}\n", path.display()))?),
                }
            }
            Outcome::Other(text) => {
                replace(path, &text).map_err(|error| cannot("write", path, &error))
            }
        });
        match written {
            Ok(()) => {}
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            Err(failure) => {
                failure.report();
                failed = true;
            }
        }
    }
    if arguments.json {
        output::write_code(&format!("{:#}\n", serde_json::json!(others)))?;
    }
    match (failed, others.len()) {
        (true, _) => Err(Failure::Reported),
        (false, 0) => Ok(()),
        (false, 1) => Err(Failure::new("1 file is laid out differently")),
        (false, others) => Err(Failure::new(format!(
            "{others} files are laid out differently"
        ))),
    }
}

fn standard_input(check: bool) -> Result<(), Failure> {
    let path = Path::new("<standard input>");
    let source = read_stream(&mut io::stdin().lock(), Limits::default().file_bytes)
        .map_err(|error| cannot("read", path, &error))?;
    match laid_out(path, &source)? {
        Outcome::Other(_) if check => Err(Failure::new("the input is laid out differently")),
        _ if check => Ok(()),
        Outcome::Same => Ok(octets(&source)?),
        Outcome::Other(text) => Ok(octets(&text)?),
    }
}

/// Writes to standard output, whatever the encoding.
fn octets(text: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text)?;
    output.flush()
}

fn laid_out(path: &Path, source: &[u8]) -> Result<Outcome, Failure> {
    match format(path, source, &Limits::default()) {
        Ok(text) if text == source => Ok(Outcome::Same),
        Ok(text) => Ok(Outcome::Other(text)),
        Err(refused) => {
            output::complain(&refused.render(true));
            output::complain("\n");
            let message = format!("{} was left as it is", path.display());
            Err(Failure::Message(message))
        }
    }
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Message(format!("cannot {what} {}: {error}", path.display()))
}
