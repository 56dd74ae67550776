//! The description of an object's interface.

use std::cmp::Reverse;
use std::path::PathBuf;

use clap::ValueHint;
use taut::{ObjectRef, Orb};
use taut_dynamic::{InterfaceDescription, Interfaces, RepositoryError};
use taut_idl::Options;

use crate::failure::Failure;
use crate::idl;
use crate::output::visible;

/// Where the description of an interface comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct Knowledge {
    /// Take the interface from this IDL file; repeatable. Without --idl and --ifr the object's
    /// server is asked for it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    idl: Vec<PathBuf>,
    /// Take the interface from this interface repository, or from that of the initial reference
    /// InterfaceRepository
    #[arg(long, value_name = "URL", conflicts_with = "idl", num_args = 0..=1,
          require_equals = true, default_missing_value = "", value_hint = ValueHint::Other)]
    ifr: Option<String>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Take the object for one of this interface, by its scoped name or its repository id, instead
    /// of asking it
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    interface: Option<String>,
}

impl Knowledge {
    /// The interface of an object: the one that was named, or the most derived that is known and
    /// the object has.
    ///
    /// # Errors
    ///
    /// When the IDL is wrong, or does not have the interface; when the object, or the interface
    /// repository, does not answer, or does not know the interface.
    pub(super) fn of(
        &self,
        orb: &Orb,
        object: &ObjectRef,
    ) -> Result<InterfaceDescription, Failure> {
        match (&self.ifr, self.idl.is_empty()) {
            (Some(url), _) => self.ask_repository(orb, url, object),
            (None, true) => self.ask_server(object),
            (None, false) => self.read_idl(object),
        }
    }

    /// Asks the object's server.
    fn ask_server(&self, object: &ObjectRef) -> Result<InterfaceDescription, Failure> {
        if let Some(name) = &self.interface {
            return Err(Failure::Message(format!(
                "the server knows the interface itself: --interface {} needs --idl or --ifr",
                visible(name)
            )));
        }
        InterfaceDescription::of_object(object).map_err(|error| {
            Failure::Message(match error {
                RepositoryError::NoRepository | RepositoryError::Unknown { .. } => format!(
                    "{error}: --idl FILE tells its interface, or --ifr=URL an interface repository \
                     that knows it"
                ),
                error => error.to_string(),
            })
        })
    }

    /// Asks an interface repository.
    fn ask_repository(
        &self,
        orb: &Orb,
        url: &str,
        object: &ObjectRef,
    ) -> Result<InterfaceDescription, Failure> {
        let repository = match url {
            "" => orb.resolve_initial_references("InterfaceRepository").map_err(|error| {
                Failure::Message(format!(
                    "{error}; --ifr=URL or -ORBInitRef InterfaceRepository=URL tells where it is"
                ))
            })?,
            url => orb
                .string_to_object(url)
                .map_err(|error| Failure::Message(format!("{}: {error}", visible(url))))?,
        };
        let id = match &self.interface {
            Some(name) => name.clone(),
            // The reference may tell a base, or nothing; and old servers do not say.
            None => object
                .repository_id()
                .unwrap_or_else(|_| object.type_id().to_owned()),
        };
        let found = InterfaceDescription::from_repository(&repository, &id);
        found.map_err(|error| match error {
            RepositoryError::Unknown { .. } => Failure::Message(format!(
                "{error}; --interface ID chooses another one that it has, --idl FILE brings it"
            )),
            error => Failure::new(error),
        })
    }

    /// Reads the IDL files.
    fn read_idl(&self, object: &ObjectRef) -> Result<InterfaceDescription, Failure> {
        let interfaces = self.interfaces()?;
        let unknown = |name: &str| {
            let known: Vec<_> = interfaces.all().iter().map(|one| &*one.name).collect();
            let known = match known.is_empty() {
                true => "has no interface".to_owned(),
                false => format!("has {}", known.join(", ")),
            };
            Failure::Message(format!(
                "the IDL has no interface {}: it {known}; --interface chooses one of them",
                visible(name)
            ))
        };
        if let Some(name) = &self.interface {
            return interfaces.find(name).cloned().ok_or_else(|| unknown(name));
        }
        // The reference may tell a base, or nothing. Then the object is asked.
        let told = interfaces.find(object.type_id());
        let derives = |one: &&InterfaceDescription| {
            told.is_none_or(|told| one.bases.contains(&told.repository_id))
        };
        let mut candidates: Vec<_> = interfaces.all().into_iter().filter(derives).collect();
        candidates.sort_by_key(|one| Reverse(one.bases.len()));
        for candidate in candidates {
            if object
                .is_a(&candidate.repository_id)
                .map_err(Failure::new)?
            {
                return Ok(candidate.clone());
            }
        }
        told.cloned().ok_or_else(|| {
            let found = object.repository_id();
            unknown(found.as_deref().unwrap_or(object.type_id()))
        })
    }

    fn interfaces(&self) -> Result<Interfaces, Failure> {
        let options = Options {
            include_paths: self.include.clone(),
            ..Options::default()
        };
        let compilation = idl::compile_without_errors(&self.idl, &options)?;
        Ok(Interfaces::new(&compilation.model))
    }
}

/// Returns the operation's name on the wire, and its arguments: `get` and `set` are an
/// attribute's unless the interface has operations of these names.
///
/// # Errors
///
/// When an attribute is to be read or written, and not named.
pub(super) fn chosen<'a>(
    interface: &InterfaceDescription,
    operation: &str,
    arguments: &'a [String],
) -> Result<(String, &'a [String]), Failure> {
    let has = |name: &str| interface.operations.iter().any(|(known, _)| known == name);
    if has(operation) || !matches!(operation, "get" | "set") {
        return Ok((operation.to_owned(), arguments));
    }
    let Some((attribute, rest)) = arguments.split_first() else {
        return Err(Failure::Message(format!(
            "{operation} needs the name of an attribute"
        )));
    };
    let (name, values) = match attribute.split_once('=') {
        Some((name, _)) if operation == "set" => (name, &arguments[..1]),
        _ => (&**attribute, rest),
    };
    let wire = format!("_{operation}_{name}");
    if has(&wire) {
        return Ok((wire, values));
    }
    let attributes = interface.operations.iter();
    let attributes =
        attributes.filter_map(|(known, _)| known.strip_prefix(&format!("_{operation}_")));
    let attributes: Vec<_> = attributes.collect();
    let (interface, name) = (&interface.name, visible(name));
    Err(Failure::Message(match attributes.is_empty() {
        true => format!("{interface} has no attribute to {operation}"),
        false => format!(
            "{interface} has no attribute `{name}` to {operation}: there are {}",
            attributes.join(", ")
        ),
    }))
}
