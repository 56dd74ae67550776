//! `taut ior`: what a reference says.

use taut::transport_api::Protocols;
use taut_explain::Fact;

use crate::explanation;
use crate::failure::Failure;
use crate::output;
use crate::reference_text::{self, ReadOptions};

/// Explain an object reference or URL, without a connection to anything
///
/// Shows what is in the reference: its type id, and of each profile the address, the object key
/// and the components. Parts that are malformed are marked and shown as octets. A reference may
/// be folded over several lines, and may lack the prefix IOR:.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 when all of the reference is well-formed, 1 when a part of it is malformed or it
cannot be read.

Examples:
  taut ior IOR:000000000000001049444c3a42616e6b3a312e3000…
  taut ior @/var/run/bank.ior
  taut ior corbaname::example.com:2809#bank/accounts
  nameclt resolve bank | taut ior --json -")]
pub(crate) struct Arguments {
    /// IOR:…, corbaloc:… or corbaname:…; @FILE to read it from a file, - from standard input
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Write JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// Runs the command.
///
/// # Errors
///
/// When there is nothing to explain, or part of it is malformed.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = reference_text::read(&arguments.reference, arguments.read)?;
    let url = reference_text::parse(&text)?;
    let protocols = Protocols::default();
    let facts = taut_explain::url_with(&url, &|tag, data| protocols.read_address(tag, data));
    show(&facts, arguments.json)
}

/// Writes an explanation.
///
/// # Errors
///
/// When it cannot be written, or speaks of something malformed.
pub(crate) fn show(facts: &[Fact], json: bool) -> Result<(), Failure> {
    let text = if json {
        explanation::json(facts)?
    } else {
        explanation::text(facts)
    };
    output::write(&text)?;
    match explanation::count_malformed(facts) {
        0 => Ok(()),
        1 => Err(Failure::new("a part of the reference is malformed")),
        count => Err(Failure::Message(format!(
            "{count} parts of the reference are malformed"
        ))),
    }
}
