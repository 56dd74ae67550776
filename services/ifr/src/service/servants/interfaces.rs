//! Operations of interfaces.

use taut::{Reference, Result};

use super::Definitions;
use crate::contents::{Attribute, Content, Operation};
use crate::interface_attr_extension::ExtFullInterfaceDescription;
use crate::interface_def::FullInterfaceDescription;
use crate::{
    AbstractInterfaceDef, AttributeDefRef, AttributeMode, ExceptionDefRef, ExtAbstractInterfaceDef,
    ExtAttributeDefRef, ExtInterfaceDef, ExtLocalInterfaceDef, IdlTypeRef, InterfaceAttrExtension,
    InterfaceDef, InterfaceDefRef, LocalInterfaceDef, OperationDefRef, OperationMode,
    ParameterDescription,
};

/// An attribute that a client wants made.
pub(super) struct GivenAttribute<'a> {
    pub(super) ty: Option<&'a IdlTypeRef>,
    pub(super) mode: AttributeMode,
    pub(super) get_exceptions: &'a [Option<ExceptionDefRef>],
    pub(super) set_exceptions: &'a [Option<ExceptionDefRef>],
}

/// An operation that a client wants made.
pub(super) struct GivenOperation<'a> {
    pub(super) result: Option<&'a IdlTypeRef>,
    pub(super) mode: OperationMode,
    pub(super) params: &'a [ParameterDescription],
    pub(super) exceptions: &'a [Option<ExceptionDefRef>],
    pub(super) contexts: &'a [String],
}

impl Definitions {
    /// Makes an attribute of an interface or a value type.
    pub(super) fn make_attribute<R: Reference>(
        &self,
        naming: (&str, &str, &str),
        given: &GivenAttribute<'_>,
    ) -> Result<Option<R>> {
        self.create(naming, |shared, contents| {
            Ok(Content::Attribute(Attribute {
                ty: shared.key(contents, given.ty)?,
                is_readonly: given.mode == AttributeMode::AttrReadonly,
                get_exceptions: shared.keys(contents, given.get_exceptions)?,
                set_exceptions: shared.keys(contents, given.set_exceptions)?,
            }))
        })
    }

    /// Makes an operation of an interface or a value type.
    pub(super) fn make_operation(
        &self,
        naming: (&str, &str, &str),
        given: &GivenOperation<'_>,
    ) -> Result<Option<OperationDefRef>> {
        self.create(naming, |shared, contents| {
            Ok(Content::Operation(Operation {
                result: shared.key(contents, given.result)?,
                is_oneway: given.mode == OperationMode::OpOneway,
                parameters: shared.given_parameters(contents, given.params)?,
                contexts: given.contexts.to_vec(),
                exceptions: shared.keys(contents, given.exceptions)?,
            }))
        })
    }
}

impl InterfaceDef for Definitions {
    fn base_interfaces(&self) -> Result<Vec<Option<InterfaceDefRef>>> {
        self.ask(|shared, contents, key| match &contents.get(key)?.content {
            Content::Interface(interface) => shared.all(contents, &interface.bases),
            _ => Ok(Vec::new()),
        })
    }

    fn set_base_interfaces(&self, value: &[Option<InterfaceDefRef>]) -> Result<()> {
        self.change(|shared, contents, key| {
            let bases = shared.keys(contents, value)?;
            contents.alter(key, |content| {
                if let Content::Interface(interface) = content {
                    interface.bases = bases;
                }
                Ok(())
            })
        })
    }

    fn is_a(&self, interface_id: &str) -> Result<bool> {
        self.ask(|_, contents, key| Ok(contents.is_a(key, interface_id)))
    }

    fn describe_interface(&self) -> Result<FullInterfaceDescription> {
        self.ask(|shared, contents, key| shared.full_interface(contents, key))
    }

    fn create_attribute(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        mode: AttributeMode,
    ) -> Result<Option<AttributeDefRef>> {
        let (get_exceptions, set_exceptions): (&[_], &[_]) = (&[], &[]);
        let given = GivenAttribute {
            ty: r#type,
            mode,
            get_exceptions,
            set_exceptions,
        };
        self.make_attribute((id, name, version), &given)
    }

    fn create_operation(
        &self,
        id: &str,
        name: &str,
        version: &str,
        result: Option<&IdlTypeRef>,
        mode: OperationMode,
        params: &[ParameterDescription],
        exceptions: &[Option<ExceptionDefRef>],
        contexts: &[String],
    ) -> Result<Option<OperationDefRef>> {
        let given = GivenOperation {
            result,
            mode,
            params,
            exceptions,
            contexts,
        };
        self.make_operation((id, name, version), &given)
    }
}

impl InterfaceAttrExtension for Definitions {
    fn describe_ext_interface(&self) -> Result<ExtFullInterfaceDescription> {
        self.ask(|shared, contents, key| shared.ext_full_interface(contents, key))
    }

    fn create_ext_attribute(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: Option<&IdlTypeRef>,
        mode: AttributeMode,
        get_exceptions: &[Option<ExceptionDefRef>],
        set_exceptions: &[Option<ExceptionDefRef>],
    ) -> Result<Option<ExtAttributeDefRef>> {
        let given = GivenAttribute {
            ty: r#type,
            mode,
            get_exceptions,
            set_exceptions,
        };
        self.make_attribute((id, name, version), &given)
    }
}

impl ExtInterfaceDef for Definitions {}
impl AbstractInterfaceDef for Definitions {}
impl ExtAbstractInterfaceDef for Definitions {}
impl LocalInterfaceDef for Definitions {}
impl ExtLocalInterfaceDef for Definitions {}
