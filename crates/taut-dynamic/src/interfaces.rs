//! The interfaces of IDL that is read at run time.

use std::collections::HashMap;
use std::sync::Arc;

use taut_idl::Model;
use taut_idl::model::{DefinitionId, DefinitionKind, Interface, ParameterMode};
use taut_idl_types::{CalledOperation, TypeCodeFault, TypeCodes};

use crate::{Mode, Signature};

/// The interfaces of an IDL specification, by their repository ids.
#[derive(Debug, Clone, Default)]
pub struct Interfaces {
    by_id: HashMap<String, InterfaceDescription>,
}

/// An interface with its operations.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InterfaceDescription {
    /// The repository id.
    pub repository_id: String,
    /// The scoped name, such as `CosNaming::NamingContext`.
    pub name: String,
    /// The repository ids of all interfaces that it inherits from.
    pub bases: Vec<String>,
    /// The operations by their names on the wire, those of attributes and of the bases among
    /// them, in the order of the source; or why a signature is not known.
    pub operations: Vec<(String, Result<Arc<Signature>, String>)>,
}

impl Interfaces {
    /// Takes the interfaces of a model.
    pub fn new(model: &Model) -> Self {
        let mut type_codes = TypeCodes::new(model);
        let mut own = HashMap::new();
        for (id, definition) in model.definitions() {
            if let DefinitionKind::Interface(interface) = &definition.kind {
                own.insert(id, operations(interface, &mut type_codes));
            }
        }
        let mut by_id = HashMap::new();
        for id in own.keys() {
            let description = describe(model, *id, &own);
            by_id.insert(description.repository_id.clone(), description);
        }
        Self { by_id }
    }

    /// Returns an interface by its repository id or its scoped name.
    pub fn find(&self, name: &str) -> Option<&InterfaceDescription> {
        let by_name = || self.by_id.values().find(|one| one.name == name);
        self.by_id.get(name).or_else(by_name)
    }

    /// Returns all interfaces, in the order of their names.
    pub fn all(&self) -> Vec<&InterfaceDescription> {
        let mut all: Vec<_> = self.by_id.values().collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }
}

impl FromIterator<InterfaceDescription> for Interfaces {
    fn from_iter<I: IntoIterator<Item = InterfaceDescription>>(interfaces: I) -> Self {
        let all = interfaces.into_iter();
        let by_id = all.map(|one| (one.repository_id.clone(), one)).collect();
        Self { by_id }
    }
}

impl InterfaceDescription {
    /// Returns the signature of an operation by its name on the wire.
    ///
    /// # Errors
    ///
    /// Why it is not known, with the operations that there are.
    pub fn signature(&self, operation: &str) -> Result<&Arc<Signature>, String> {
        let mut operations = self.operations.iter();
        match operations.find(|(name, _)| name == operation) {
            Some((_, Ok(signature))) => Ok(signature),
            Some((_, Err(fault))) => Err(format!("`{operation}` cannot be called: {fault}")),
            None => {
                let known: Vec<_> = self.operations.iter().map(|(name, _)| &**name).collect();
                let known = known.join(", ");
                let name = &self.name;
                Err(format!(
                    "{name} has no operation `{operation}`: there are {known}"
                ))
            }
        }
    }
}

type Operations = Vec<(String, Result<Arc<Signature>, String>)>;

/// An interface with all that it inherits.
fn describe(
    model: &Model,
    id: DefinitionId,
    own: &HashMap<DefinitionId, Operations>,
) -> InterfaceDescription {
    let definition = model.get(id);
    let bases = model.all_bases(id);
    let mut operations = own.get(&id).cloned().unwrap_or_default();
    for base in &bases {
        operations.extend(own.get(base).into_iter().flatten().cloned());
    }
    InterfaceDescription {
        repository_id: definition.repository_id.to_string(),
        name: definition.scoped_name.join("::"),
        bases: bases
            .iter()
            .map(|base| model.get(*base).repository_id.to_string())
            .collect(),
        operations,
    }
}

/// The operations that an interface declares itself.
fn operations(interface: &Interface, type_codes: &mut TypeCodes<'_>) -> Operations {
    let called = type_codes.operations_of(interface).into_iter();
    let named = called.map(|operation| {
        let name = operation.name.clone();
        let signature = signature(operation, type_codes);
        let signature = signature.map(Arc::new).map_err(|fault| fault.to_string());
        (name, signature)
    });
    named.collect()
}

fn signature(
    operation: CalledOperation,
    type_codes: &mut TypeCodes<'_>,
) -> Result<Signature, TypeCodeFault> {
    let mut signature = Signature::new(operation.name);
    for (name, mode, type_code) in operation.parameters {
        let mode = match mode {
            ParameterMode::In => Mode::In,
            ParameterMode::Out => Mode::Out,
            ParameterMode::InOut => Mode::InOut,
        };
        signature = signature.with(mode, name, type_code?);
    }
    if let Some(result) = operation.result {
        signature = signature.returning(result?);
    }
    let raises = operation.raises.into_iter();
    signature.exceptions = raises
        .map(|id| type_codes.of_definition(id))
        .collect::<Result<_, _>>()?;
    signature.is_oneway = operation.is_oneway;
    Ok(signature)
}
