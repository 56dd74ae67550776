//! The types of operations, for interceptors that look at arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use taut_cdr::{Decoder, Result as CdrResult};
use taut_types::{Any, CreateError, TypeCode, TypeCodeLimits, Typed};

use crate::object::{Interface, Reference};

/// The types of one operation.
#[derive(Debug, Clone)]
pub struct OperationSignature {
    /// Its name on the wire, such as `outline` or `_get_radius`.
    pub operation: String,
    /// The mode and the type of each parameter.
    pub parameters: Vec<(ParameterMode, TypeCode)>,
    /// The type of the result; `tk_void` where there is none.
    pub result: TypeCode,
    /// The user exceptions that it may raise.
    pub exceptions: Vec<TypeCode>,
    /// The names in its `context` clause.
    pub contexts: Vec<String>,
}

/// The direction of a parameter (`Dynamic::ParameterMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterMode {
    /// `in`.
    In,
    /// `out`.
    Out,
    /// `inout`.
    InOut,
}

/// An argument of a call (`Dynamic::Parameter`).
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The value; null where it is not known yet.
    pub argument: Any,
    /// Its direction.
    pub mode: ParameterMode,
}

/// A reference whose interface knows the types of its operations: generated ones do, if
/// `build.rs` asks for that.
pub trait Signatures: Reference {
    /// Returns the types of all operations of the interface, inherited ones too.
    fn signatures() -> Vec<OperationSignature>;
}

/// The signatures that generated code makes. IDL that has been compiled makes TypeCodes that
/// can be; if it does not after all, none is known.
#[doc(hidden)]
pub fn signatures(
    make: impl FnOnce() -> Result<Vec<OperationSignature>, CreateError>,
) -> Vec<OperationSignature> {
    make().unwrap_or_else(|error| {
        tracing::error!(%error, "the types of an interface's operations cannot be described");
        Vec::new()
    })
}

/// The signatures that an ORB has been told.
#[derive(Default)]
pub(crate) struct KnownSignatures {
    by_operation: BTreeMap<String, Vec<(&'static Interface, Arc<OperationSignature>)>>,
}

impl KnownSignatures {
    /// Adds those of an interface.
    pub(super) fn add(
        &mut self,
        interface: &'static Interface,
        signatures: impl IntoIterator<Item = OperationSignature>,
    ) {
        for signature in signatures {
            let known = self.by_operation.entry(signature.operation.clone());
            let known = known.or_default();
            known.retain(|(other, _)| other.repository_id != interface.repository_id);
            known.push((interface, Arc::new(signature)));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_operation.is_empty()
    }

    /// Finds the signature of an operation, for an object that is perhaps of this type: of the
    /// same interface, or of the only one that has such an operation.
    pub(super) fn find(&self, operation: &str, type_id: &str) -> Option<Arc<OperationSignature>> {
        let known = self.by_operation.get(operation)?;
        let same = known
            .iter()
            .find(|(interface, _)| interface.repository_id == type_id);
        let (_, signature) = match (same, &known[..]) {
            (Some(same), _) => same,
            (None, [only]) => only,
            _ => return None,
        };
        Some(Arc::clone(signature))
    }

    /// Finds the signature of an operation of an object that has this interface.
    pub(super) fn find_of(
        &self,
        operation: &str,
        interface: &Interface,
    ) -> Option<Arc<OperationSignature>> {
        let known = self.by_operation.get(operation)?;
        let fits = |(one, _): &&(&'static Interface, _)| interface.is_a(one.repository_id);
        let (_, signature) = known.iter().find(fits)?;
        Some(Arc::clone(signature))
    }
}

impl OperationSignature {
    /// An operation without parameters, which has a result of this type.
    #[must_use]
    pub fn new(operation: &str, result: TypeCode) -> Self {
        Self {
            operation: operation.to_owned(),
            parameters: Vec::new(),
            result,
            exceptions: Vec::new(),
            contexts: Vec::new(),
        }
    }

    /// An operation without parameters and without a result.
    #[must_use]
    pub fn void(operation: &str) -> Self {
        Self::new(operation, <() as Typed>::type_code())
    }

    /// With a further parameter, which is `in`.
    #[must_use]
    pub fn with_in(self, type_code: TypeCode) -> Self {
        self.with(ParameterMode::In, type_code)
    }

    /// With a further parameter, which is `out`.
    #[must_use]
    pub fn with_out(self, type_code: TypeCode) -> Self {
        self.with(ParameterMode::Out, type_code)
    }

    /// With a further parameter, which is `inout`.
    #[must_use]
    pub fn with_inout(self, type_code: TypeCode) -> Self {
        self.with(ParameterMode::InOut, type_code)
    }

    fn with(mut self, mode: ParameterMode, type_code: TypeCode) -> Self {
        self.parameters.push((mode, type_code));
        self
    }

    /// With a further user exception that it may raise.
    #[must_use]
    pub fn raising(mut self, exception: TypeCode) -> Self {
        self.exceptions.push(exception);
        self
    }

    /// With a further name in its `context` clause.
    #[must_use]
    pub fn with_context(mut self, name: &str) -> Self {
        self.contexts.push(name.to_owned());
        self
    }

    /// Reads the in and inout values. Those of out parameters are null.
    pub(super) fn read_arguments(&self, input: &mut Decoder<'_>) -> CdrResult<Vec<Parameter>> {
        let limits = TypeCodeLimits::of(input);
        let read = |(mode, type_code): &(ParameterMode, TypeCode)| {
            let argument = match mode {
                ParameterMode::Out => Any::null(),
                _ => Any::read_value(type_code.clone(), input, &limits)?,
            };
            let mode = *mode;
            Ok(Parameter { argument, mode })
        };
        self.parameters.iter().map(read).collect()
    }

    /// Reads a reply's result, and its inout and out values into the parameters.
    pub(super) fn read_results(
        &self,
        parameters: &mut [Parameter],
        input: &mut Decoder<'_>,
    ) -> CdrResult<Any> {
        let limits = TypeCodeLimits::of(input);
        let result = Any::read_value(self.result.clone(), input, &limits)?;
        for (parameter, (mode, type_code)) in parameters.iter_mut().zip(&self.parameters) {
            if *mode != ParameterMode::In {
                parameter.argument = Any::read_value(type_code.clone(), input, &limits)?;
            }
        }
        Ok(result)
    }

    /// The exception with this repository id.
    pub(super) fn exception(&self, repository_id: &str) -> Option<&TypeCode> {
        let is_it = |one: &&TypeCode| one.id() == Ok(repository_id);
        self.exceptions.iter().find(is_it)
    }
}
