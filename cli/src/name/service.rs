//! The naming service that is spoken to.

use taut::{NarrowError, ObjectRef, Orb, Settings};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::path;
use crate::failure::Failure;
use crate::objects::{object_at, orb};
use crate::output::visible;
use crate::reference_text::ReadOptions;

/// An ORB, and the naming context at which names begin.
pub(super) struct Service {
    orb: Orb,
    /// The ORB's arguments, as they were given.
    orb_arguments: Vec<String>,
    read: ReadOptions,
    pub(super) root: NamingContextRef,
}

impl Service {
    /// The naming context at `url`, else the initial reference `NameService`.
    ///
    /// # Errors
    ///
    /// When the ORB's arguments are wrong, or there is no such context.
    pub(super) fn find(
        url: Option<&str>,
        read: ReadOptions,
        orb_arguments: Vec<String>,
    ) -> Result<Self, Failure> {
        let orb = orb(&orb_arguments, |_| {})?;
        let root = match url {
            Some(url) => object_at(&orb, url, read)?,
            None => orb
                .resolve_initial_references("NameService")
                .map_err(|error| match error.cause {
                    Some(_) => Failure::new(error),
                    None => Failure::Message(format!("{error}, or give --ns URL")),
                })?,
        };
        let root = context(&root, "the naming service")?;
        Ok(Self {
            orb,
            orb_arguments,
            read,
            root,
        })
    }

    /// The service at another URL, in the same ORB.
    ///
    /// # Errors
    ///
    /// When there is no naming context.
    pub(super) fn at(&self, url: &str) -> Result<Self, Failure> {
        let root = object_at(&self.orb, url, self.read)?;
        Ok(Self {
            orb: self.orb.clone(),
            orb_arguments: self.orb_arguments.clone(),
            read: self.read,
            root: context(&root, &visible(url))?,
        })
    }

    /// The object that a stringified reference or URL names.
    ///
    /// # Errors
    ///
    /// When it is malformed, or leads to no object.
    pub(super) fn object_of(&self, text: &str) -> Result<ObjectRef, Failure> {
        let object = self.orb.string_to_object(text);
        object.map_err(|error| Failure::Message(format!("{}: {error}", visible(text))))
    }

    /// A further ORB with the same arguments, and with some settings of its own.
    ///
    /// # Errors
    ///
    /// When the ORB's arguments are wrong.
    pub(super) fn another_orb(&self, change: impl FnOnce(&mut Settings)) -> Result<Orb, Failure> {
        orb(&self.orb_arguments, change)
    }

    /// The object that an argument stands for, see [`crate::reference_text::read`].
    ///
    /// # Errors
    ///
    /// When the argument is malformed, or leads to no object.
    pub(super) fn object(&self, argument: &str) -> Result<ObjectRef, Failure> {
        object_at(&self.orb, argument, self.read)
    }

    /// The object that a name is bound to.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(super) fn resolve(&self, name: &[NameComponent]) -> Result<ObjectRef, Failure> {
        let object = attempt(name, self.root.resolve(name).map_err(Refusal::from))?;
        object.ok_or_else(|| {
            Failure::Message(format!(
                "\"{}\" is bound to the nil reference",
                path::format(name)
            ))
        })
    }

    /// The naming context that a name is bound to.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(super) fn context(&self, name: &[NameComponent]) -> Result<NamingContextRef, Failure> {
        let object = self.resolve(name)?;
        context(&object, &format!("\"{}\"", path::format(name)))
    }
}

/// An object as a naming context.
///
/// # Errors
///
/// When it is none, or does not answer.
pub(super) fn context(object: &ObjectRef, what: &str) -> Result<NamingContextRef, Failure> {
    object.narrow().map_err(|error| {
        Failure::Message(match error {
            NarrowError::WrongInterface { found, .. } if found.is_empty() => {
                format!("{what} is not a naming context")
            }
            NarrowError::WrongInterface { found, .. } => {
                format!("{what} is not a naming context but a {}", visible(&found))
            }
            NarrowError::System(exception) => format!("{what} does not answer: {exception}"),
            other => format!("{what}: {other}"),
        })
    })
}
