//! The operations of an interface as they are called.

use taut_idl::model::{Attribute, DefinitionId, Feature, Interface, Operation, ParameterMode};
use taut_types::TypeCode;

use crate::{TypeCodeFault, TypeCodes};

/// An operation as it is called: one that IDL declares, or one that reads or writes an
/// attribute.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CalledOperation {
    /// The name on the wire, such as `outline` or `_get_radius`.
    pub name: String,
    /// The parameters, in order: of each the name, the mode and the type.
    pub parameters: Vec<(String, ParameterMode, Result<TypeCode, TypeCodeFault>)>,
    /// The type of the result; none for `void`.
    pub result: Option<Result<TypeCode, TypeCodeFault>>,
    /// The exceptions that it may raise.
    pub raises: Vec<DefinitionId>,
    /// Whether it is declared `oneway`.
    pub is_oneway: bool,
    /// Whether properties of an IDL context may follow the arguments.
    pub has_context: bool,
}

impl CalledOperation {
    fn named(name: String) -> Self {
        Self {
            name,
            parameters: Vec::new(),
            result: None,
            raises: Vec::new(),
            is_oneway: false,
            has_context: false,
        }
    }
}

impl TypeCodes<'_> {
    /// Returns the operations that an interface declares itself, those of its attributes among
    /// them, in the order of the source.
    pub fn operations_of(&mut self, interface: &Interface) -> Vec<CalledOperation> {
        let mut operations = Vec::new();
        for feature in &interface.features {
            match feature {
                Feature::Operation(operation) => operations.push(self.declared(operation)),
                Feature::Attribute(attribute) => {
                    operations.push(self.getter(attribute));
                    operations.extend((!attribute.readonly).then(|| self.setter(attribute)));
                }
            }
        }
        operations
    }

    fn declared(&mut self, operation: &Operation) -> CalledOperation {
        let parameters = operation.parameters.iter();
        let parameters =
            parameters.map(|one| (one.name.to_string(), one.mode, self.of_type(&one.ty)));
        CalledOperation {
            parameters: parameters.collect(),
            result: operation.result.as_ref().map(|ty| self.of_type(ty)),
            raises: operation.raises.to_vec(),
            is_oneway: operation.oneway,
            has_context: !operation.context.is_empty(),
            ..CalledOperation::named(operation.name.to_string())
        }
    }

    fn getter(&mut self, attribute: &Attribute) -> CalledOperation {
        CalledOperation {
            result: Some(self.of_type(&attribute.ty)),
            raises: attribute.get_raises.to_vec(),
            ..CalledOperation::named(format!("_get_{}", attribute.name))
        }
    }

    fn setter(&mut self, attribute: &Attribute) -> CalledOperation {
        let value = self.of_type(&attribute.ty);
        CalledOperation {
            parameters: vec![(attribute.name.to_string(), ParameterMode::In, value)],
            raises: attribute.set_raises.to_vec(),
            ..CalledOperation::named(format!("_set_{}", attribute.name))
        }
    }
}
