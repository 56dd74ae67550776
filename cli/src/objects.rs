//! Objects that the command line names.

use taut::{ObjectRef, Orb, OrbBuilder, Settings, UrlError};
use taut_cdr::MemoryLimit;

use crate::failure::Failure;
use crate::output::visible;
use crate::reference_text::{self, ReadOptions};

/// The memory that values take whose types are known only while the command runs: a character of a
/// sequence is one octet in a message, and as large as any other value in memory.
pub(crate) const MEMORY: MemoryLimit = MemoryLimit {
    per_octet: 64,
    ..MemoryLimit::DEFAULT
};

/// An ORB with these arguments, and with some settings of its own.
///
/// # Errors
///
/// When the arguments are wrong.
pub(crate) fn orb(
    arguments: &[String],
    change: impl FnOnce(&mut Settings),
) -> Result<Orb, Failure> {
    let orb = builder(arguments)?.settings(change).build();
    orb.map_err(Failure::new)
}

/// The builder of an ORB with these arguments.
///
/// # Errors
///
/// When the arguments are wrong.
pub(crate) fn builder(arguments: &[String]) -> Result<OrbBuilder, Failure> {
    // The arguments may say otherwise.
    let builder = Orb::builder().settings(|settings| settings.limits.memory = MEMORY);
    let builder = builder.arguments(&mut arguments.to_vec());
    builder.map_err(Failure::new)
}

/// The object that an argument stands for, see [`reference_text::read`].
///
/// # Errors
///
/// When the argument is malformed, or leads to no object.
pub(crate) fn object_at(
    orb: &Orb,
    argument: &str,
    read: ReadOptions,
) -> Result<ObjectRef, Failure> {
    let text = reference_text::read(argument, read)?;
    orb.string_to_object(&text).map_err(|error| match error {
        UrlError::Malformed(error) => reference_text::malformed(&text, &error),
        error => Failure::Message(format!("{}: {error}", visible(&text))),
    })
}
