//! The interfaces that an interface repository knows (CORBA 3.3 part 1, chapter 14).

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use taut::{NarrowError, ObjectRef, Reference, SystemException, SystemExceptionKind};

use crate::{InterfaceDescription, Mode, Signature};
use corba::{
    AttributeMode, Contained, ExtAttributeDescription, InterfaceAttrExtension,
    InterfaceAttrExtensionRef, InterfaceDef, InterfaceDefRef, OperationDescription, OperationMode,
    ParameterMode, Repository, RepositoryRef,
};

#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "generated, and only a part of it is needed"
)]
mod stubs {
    taut::include_idl!("InterfaceDef");
}

use stubs::corba;

/// The most interfaces that one inherits from.
const BASES_MAX: usize = 1000;

/// Why there is no description of an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepositoryError {
    /// The server has no interface repository.
    NoRepository,
    /// The interface repository does not know the interface.
    Unknown {
        /// The repository id, if it is known.
        repository_id: String,
    },
    /// The interface inherits from more interfaces than 1000.
    TooManyBases,
    /// Asking ended with a system exception.
    System(SystemException),
}

impl InterfaceDescription {
    /// Asks an object for its interface, and that for its operations: the server has to have an
    /// interface repository.
    ///
    /// # Errors
    ///
    /// [`RepositoryError`].
    pub fn of_object(object: &ObjectRef) -> Result<Self, RepositoryError> {
        let found = object.get_interface().map_err(|exception| {
            // Old servers do not know the operation.
            match exception.kind {
                SystemExceptionKind::IntfRepos if exception.minor == taut::minor::omg(2) => {
                    RepositoryError::unknown(object.type_id())
                }
                SystemExceptionKind::IntfRepos
                | SystemExceptionKind::NoImplement
                | SystemExceptionKind::BadOperation => RepositoryError::NoRepository,
                _ => RepositoryError::System(exception),
            }
        })?;
        read(
            &found
                .ok_or(RepositoryError::NoRepository)?
                .unchecked_narrow(),
        )
    }

    /// Asks an interface repository, by the reference to it, for the interface with a repository
    /// id.
    ///
    /// # Errors
    ///
    /// [`RepositoryError`].
    pub fn from_repository(
        repository: &ObjectRef,
        repository_id: &str,
    ) -> Result<Self, RepositoryError> {
        let repository: RepositoryRef = repository.unchecked_narrow();
        let found = repository.lookup_id(repository_id)?;
        let unknown = || RepositoryError::unknown(repository_id);
        let found = found.ok_or_else(unknown)?;
        let interface = found.as_object().narrow().map_err(|error| match error {
            NarrowError::System(exception) => RepositoryError::System(exception),
            _ => unknown(),
        })?;
        read(&interface)
    }
}

/// The description of an interface, with its attributes' exceptions if the repository tells them.
fn read(interface: &InterfaceDefRef) -> Result<InterfaceDescription, RepositoryError> {
    let name = interface.absolute_name()?;
    let name = name.strip_prefix("::").unwrap_or(&name).to_owned();
    let bases = bases(interface)?;
    let extension: Result<InterfaceAttrExtensionRef, _> = interface.as_object().narrow();
    let (repository_id, described, attributes) = match extension {
        Ok(extension) => {
            let full = extension.describe_ext_interface()?;
            (full.id, full.operations, full.attributes)
        }
        Err(NarrowError::System(exception)) => return Err(exception.into()),
        Err(_) => {
            let full = interface.describe_interface()?;
            let attributes = full.attributes.into_iter();
            let attributes = attributes.map(|one| ExtAttributeDescription {
                name: one.name,
                id: one.id,
                defined_in: one.defined_in,
                version: one.version,
                r#type: one.r#type,
                mode: one.mode,
                ..ExtAttributeDescription::default()
            });
            (full.id, full.operations, attributes.collect())
        }
    };
    let mut operations = Vec::new();
    for operation in described {
        operations.push(operation_signature(operation));
    }
    for attribute in attributes {
        operations.extend(attribute_signatures(attribute));
    }
    let named = operations.into_iter().map(|signature| {
        let name = signature.operation.clone();
        (name, Ok(Arc::new(signature)))
    });
    Ok(InterfaceDescription {
        repository_id,
        name,
        bases,
        operations: named.collect(),
    })
}

/// The repository ids of all interfaces that one inherits from.
fn bases(interface: &InterfaceDefRef) -> Result<Vec<String>, RepositoryError> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let mut next = interface.base_interfaces()?;
    while let Some(base) = next.pop() {
        let Some(base) = base else { continue };
        let id = base.id()?;
        if known.insert(id.clone()) {
            if known.len() > BASES_MAX {
                return Err(RepositoryError::TooManyBases);
            }
            found.push(id);
            next.extend(base.base_interfaces()?);
        }
    }
    Ok(found)
}

fn operation_signature(described: OperationDescription) -> Signature {
    let mut signature = Signature::new(described.name).returning(described.result);
    for parameter in described.parameters {
        let mode = match parameter.mode {
            ParameterMode::ParamIn => Mode::In,
            ParameterMode::ParamOut => Mode::Out,
            ParameterMode::ParamInout => Mode::InOut,
        };
        signature = signature.with(mode, parameter.name, parameter.r#type);
    }
    let exceptions = described.exceptions.into_iter();
    signature.exceptions = exceptions.map(|one| one.r#type).collect();
    signature.is_oneway = described.mode == OperationMode::OpOneway;
    signature
}

/// The signature of the operation that reads an attribute, and of that which writes it if there
/// is one.
fn attribute_signatures(described: ExtAttributeDescription) -> Vec<Signature> {
    let name = &described.name;
    let mut getter = Signature::new(format!("_get_{name}")).returning(described.r#type.clone());
    let exceptions = described.get_exceptions.into_iter();
    getter.exceptions = exceptions.map(|one| one.r#type).collect();
    let mut signatures = vec![getter];
    if described.mode == AttributeMode::AttrNormal {
        let setter = Signature::new(format!("_set_{name}"));
        let mut setter = setter.with(Mode::In, name, described.r#type);
        let exceptions = described.put_exceptions.into_iter();
        setter.exceptions = exceptions.map(|one| one.r#type).collect();
        signatures.push(setter);
    }
    signatures
}

impl RepositoryError {
    fn unknown(repository_id: &str) -> Self {
        let repository_id = repository_id.to_owned();
        Self::Unknown { repository_id }
    }
}

impl From<SystemException> for RepositoryError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl fmt::Display for RepositoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRepository => f.write_str("the server has no interface repository"),
            Self::Unknown { repository_id } if repository_id.is_empty() => {
                f.write_str("the interface repository does not know the object's interface")
            }
            Self::Unknown { repository_id } => write!(
                f,
                "the interface repository has no interface {repository_id}"
            ),
            Self::TooManyBases => {
                write!(
                    f,
                    "the interface inherits from more than {BASES_MAX} others"
                )
            }
            Self::System(exception) => write!(f, "the interface cannot be asked for: {exception}"),
        }
    }
}

impl std::error::Error for RepositoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(exception) => Some(exception),
            _ => None,
        }
    }
}
