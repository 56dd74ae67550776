//! Operations and attributes alike, as the methods that they become.

use taut_idl::model::{DefinitionId, ParameterMode, Type};
use taut_idl::source::Span;

use crate::keywords::unraw;

/// A method of the trait that an interface becomes.
#[derive(Debug, Clone)]
pub(crate) struct Method {
    /// The IDL's name for it, for people: "operation `outline`".
    pub(crate) description: String,
    /// The scoped name in the IDL.
    pub(crate) scoped_name: String,
    /// The operation on the wire: `outline`, `_get_radius`.
    pub(crate) wire_name: String,
    /// The method, as an identifier.
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) docs: Vec<String>,
    /// The doc comment if the IDL has none.
    pub(crate) fallback_doc: String,
    pub(crate) oneway: bool,
    pub(crate) result: Option<Type>,
    pub(crate) parameters: Vec<MethodParameter>,
    pub(crate) raises: Vec<DefinitionId>,
    /// The patterns of the `context` clause: which properties of the caller go
    /// with the call.
    pub(crate) context: Vec<String>,
    /// The error enum in the interface's module, if it raises anything.
    pub(crate) error_type: Option<String>,
    /// The struct in the interface's module, if three values or more come back.
    pub(crate) reply_type: Option<String>,
}

/// A parameter of a [`Method`].
#[derive(Debug, Clone)]
pub(crate) struct MethodParameter {
    /// The name in the IDL.
    pub(crate) idl_name: String,
    /// The parameter, as an identifier.
    pub(crate) name: String,
    pub(crate) mode: ParameterMode,
    pub(crate) ty: Type,
}

/// Something that a method returns.
#[derive(Debug, Clone)]
pub(crate) struct Value<'m> {
    /// A local variable for it, or the field of the reply struct.
    pub(crate) name: String,
    pub(crate) ty: &'m Type,
    /// The description of the value, for people.
    pub(crate) doc: String,
}

/// Something that a reply carries, in the order of the wire.
#[derive(Debug, Clone)]
pub(crate) enum ReplyItem<'m> {
    /// A value to return: its place among [`Method::values`].
    Value(usize),
    /// The new value of an `inout` parameter.
    InOut(&'m MethodParameter),
}

impl Method {
    /// Returns the parameters that the request carries.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &MethodParameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.mode != ParameterMode::Out)
    }

    /// Returns the values that the method returns: the result, then the `out` parameters.
    pub(crate) fn values(&self) -> Vec<Value<'_>> {
        let result = self.result.iter().map(|ty| Value {
            name: self.result_name(),
            ty,
            doc: "The operation's result.".to_owned(),
        });
        let outs = self.outs().map(|parameter| Value {
            name: parameter.name.clone(),
            ty: &parameter.ty,
            doc: format!("The parameter `{}`.", parameter.idl_name),
        });
        result.chain(outs).collect()
    }

    /// Returns the items of the reply: the result, then `out` and `inout` parameters in
    /// their order (CORBA 3.3 part 2, 9.4.3.2).
    pub(crate) fn reply_items(&self) -> Vec<ReplyItem<'_>> {
        let mut next_value = 0;
        let mut value = || {
            next_value += 1;
            ReplyItem::Value(next_value - 1)
        };
        let mut items = Vec::new();
        if self.result.is_some() {
            items.push(value());
        }
        for parameter in &self.parameters {
            match parameter.mode {
                ParameterMode::In => {}
                ParameterMode::Out => items.push(value()),
                ParameterMode::InOut => items.push(ReplyItem::InOut(parameter)),
            }
        }
        items
    }

    /// Returns the types of the items of the reply.
    pub(crate) fn reply_types(&self) -> Vec<&Type> {
        let results = self.result.iter();
        let others = self
            .parameters
            .iter()
            .filter(|parameter| parameter.mode != ParameterMode::In);
        results
            .chain(others.map(|parameter| &parameter.ty))
            .collect()
    }

    /// Whether the reply brings new values of `inout` parameters.
    pub(crate) fn has_inout(&self) -> bool {
        let is_inout = |parameter: &MethodParameter| parameter.mode == ParameterMode::InOut;
        self.parameters.iter().any(is_inout)
    }

    /// The parameter for the caller's properties, if there is a `context` clause.
    pub(crate) fn context_parameter(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.local("context"))
    }

    /// A name for a local variable: the wish, or what is free and like it.
    pub(crate) fn local(&self, wish: &str) -> String {
        self.free(wish, self.parameters.iter())
    }

    /// The local variable for the new value of an `inout` parameter.
    pub(crate) fn received_name(&self, parameter: &str) -> String {
        let mut name = self.local(&format!("{}_out", unraw(parameter)));
        while self.values().iter().any(|value| value.name == name) {
            name.push('_');
        }
        name
    }

    fn outs(&self) -> impl Iterator<Item = &MethodParameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.mode == ParameterMode::Out)
    }

    fn result_name(&self) -> String {
        self.free("result", self.parameters.iter())
    }

    fn free<'m>(
        &self,
        wish: &str,
        taken: impl Iterator<Item = &'m MethodParameter> + Clone,
    ) -> String {
        let mut name = wish.to_owned();
        while taken.clone().any(|parameter| parameter.name == name) {
            name.push('_');
        }
        name
    }
}
