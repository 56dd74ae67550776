//! The servant that answers by a script, or with values that are generated.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::Map;
use taut::{Interface, SystemException, SystemExceptionKind};
use taut_dynamic::{
    DynamicImplementation, DynamicRequest, InterfaceDescription, Mismatch, Signature, Value,
};
use taut_giop::CompletionStatus;
use taut_json::to_json;

use super::generate::Generator;
use super::script::{Outcome, Script};

/// An object of an interface.
#[derive(Debug)]
pub(super) struct Mock {
    interface: InterfaceDescription,
    primary: &'static Interface,
    script: Script,
    generator: Generator,
    /// The attributes that were set.
    attributes: Mutex<HashMap<String, Value>>,
}

impl Mock {
    pub(super) fn new(
        interface: InterfaceDescription,
        primary: &'static Interface,
        script: Script,
        generator: Generator,
    ) -> Self {
        Self {
            interface,
            primary,
            script,
            generator,
            attributes: Mutex::default(),
        }
    }

    /// The signature of an operation.
    fn signature(
        &self,
        request: &DynamicRequest<'_, '_>,
    ) -> Result<Arc<Signature>, SystemException> {
        let name = request.operation();
        let mut all = self.interface.operations.iter();
        match all.find(|(known, _)| *known == name) {
            Some((_, Ok(signature))) => Ok(Arc::clone(signature)),
            Some((_, Err(fault))) => Err(cannot(fault)),
            None => Err(request.unknown_operation()),
        }
    }

    /// Answers with these values, and those that are generated.
    fn answer(
        &self,
        request: &mut DynamicRequest<'_, '_>,
        signature: &Signature,
        sent: &[Value],
        scripted: (Option<&Value>, &[Option<Value>]),
    ) -> Result<(), SystemException> {
        let result = match scripted.0 {
            Some(value) => value.clone(),
            None => self.result(signature)?,
        };
        let mut sent = sent.iter();
        let mut received = 0;
        let mut others = Vec::new();
        for parameter in &signature.parameters {
            let value = parameter.is_sent().then(|| sent.next()).flatten();
            if !parameter.is_received() {
                continue;
            }
            let scripted = scripted.1.get(received).and_then(Option::as_ref);
            received += 1;
            others.push(match scripted.or(value) {
                Some(value) => value.clone(),
                None => self
                    .generator
                    .value(&parameter.type_code)
                    .map_err(unformed)?,
            });
        }
        request.set_result(signature, &result, &others)
    }

    /// The result where no script says it: an attribute's value if it was set.
    fn result(&self, signature: &Signature) -> Result<Value, SystemException> {
        if let Some(attribute) = signature.operation.strip_prefix("_get_") {
            let attributes = self
                .attributes
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(value) = attributes.get(attribute) {
                return Ok(value.clone());
            }
        }
        self.generator.value(&signature.result).map_err(unformed)
    }
}

impl DynamicImplementation for Mock {
    fn primary_interface(&self) -> &'static Interface {
        self.primary
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let signature = self.signature(request)?;
        let sent = request.arguments(&signature)?;
        let names = signature.parameters.iter().filter(|one| one.is_sent());
        let shown: Map<_, _> = names
            .zip(&sent)
            .filter_map(|(one, value)| {
                Some((one.name.clone(), to_json(&one.type_code, value).ok()?))
            })
            .collect();
        if let Some(answer) = self.script.answer(&signature.operation, &shown) {
            thread::sleep(answer.delay);
            return match &answer.outcome {
                Outcome::Returned(result, others) => {
                    self.answer(request, &signature, &sent, (result.as_ref(), others))
                }
                Outcome::Raised(exception, members) => request.set_exception(exception, members),
                Outcome::Refused(exception) => Err(exception.clone()),
            };
        }
        if let (Some(attribute), [value]) = (signature.operation.strip_prefix("_set_"), &sent[..]) {
            let mut attributes = self
                .attributes
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            attributes.insert(attribute.to_owned(), value.clone());
        }
        self.answer(request, &signature, &sent, (None, &[]))
    }
}

fn unformed(fault: Mismatch) -> SystemException {
    cannot(&fault.to_string())
}

/// The exception for what a mock cannot answer.
fn cannot(why: &str) -> SystemException {
    let kind = SystemExceptionKind::NoImplement;
    SystemException::new(kind, 0, CompletionStatus::No).because(why)
}
