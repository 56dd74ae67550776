//! Chains of objects, each of which passes requests on to the next in another way.

use std::fmt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use taut::{Ior, ObjectRef, Orb, Poa};
use taut_dynamic::{InterfaceDescription, Mode, Request, RequestError, Signature, Value};
use taut_interop::{Process, loopback_orb, peers};
use taut_types::{TCKind, TypeCode};

use super::end::{Answer, Call};

/// How an object passes requests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// A skeleton and a stub that marshal by code.
    Compiled,
    /// A skeleton and a stub that marshal by tables.
    Interpretive,
    /// omniORB's dynamic skeleton and invocation interfaces.
    Omniorb,
}

impl Link {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Compiled, Self::Interpretive, Self::Omniorb];
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled => "compiled stubs",
            Self::Interpretive => "interpreted stubs",
            Self::Omniorb => "omniORB",
        })
    }
}

/// The ORB of all links and ends, and the program of omniORB's, if it is built.
pub(super) struct Workshop {
    pub(super) orb: Orb,
    pub(super) poa: Poa,
    omniorb: Option<(Process, ObjectRef)>,
}

impl Workshop {
    pub(super) fn new() -> Self {
        // Trees of values take more memory than the values of stubs.
        let orb = loopback_orb(|settings| settings.limits.memory.extra = 16 << 20).unwrap();
        let poa = orb.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let omniorb = peers::omniorb("bridge_server").map(|program| {
            let mut process = Process::start(&mut Command::new(program)).unwrap();
            let reference = process.read_line(Duration::from_secs(60)).unwrap();
            let bridge = orb.string_to_object(&reference).unwrap();
            (process, bridge)
        });
        Self { orb, poa, omniorb }
    }

    /// Makes an object that passes requests on to `next`. None if this is not built.
    pub(super) fn make(
        &self,
        link: Link,
        interface: &InterfaceDescription,
        next: &ObjectRef,
    ) -> Result<Option<ObjectRef>, String> {
        let name = &interface.name;
        let made = match (link, &self.omniorb) {
            (Link::Compiled, _) => super::compiled::activate(name, &self.poa, next),
            (Link::Interpretive, _) => super::interpretive::activate(name, &self.poa, next),
            (Link::Omniorb, Some((_, bridge))) => Some(self.bridge(bridge, interface, next)),
            (Link::Omniorb, None) => None,
        };
        made.transpose()
    }

    fn bridge(
        &self,
        bridge: &ObjectRef,
        interface: &InterfaceDescription,
        next: &ObjectRef,
    ) -> Result<ObjectRef, String> {
        for (_, signature) in &interface.operations {
            let signature = signature.as_ref().map_err(Clone::clone)?;
            call(bridge, &define(), definition(signature)).map_err(|error| error.to_string())?;
        }
        let object = self.orb.object_to_string(next).parse::<Ior>();
        let object = object.map_err(|error| error.to_string())?;
        let id = Value::String(interface.repository_id.clone());
        let made = call(bridge, &make(), vec![Value::Reference(object), id]);
        match made.map_err(|error| error.to_string())? {
            Value::Reference(ior) => {
                let made = self.orb.string_to_object(&ior.to_string());
                made.map_err(|error| error.to_string())
            }
            other => Err(format!("the bridge returns {other:?}")),
        }
    }
}

/// Calls an operation of the bridge.
fn call(
    bridge: &ObjectRef,
    signature: &Arc<Signature>,
    values: Vec<Value>,
) -> Result<Value, RequestError> {
    let mut request = Request::new(bridge, Arc::clone(signature));
    for (parameter, value) in signature.parameters.iter().zip(values) {
        request.set(&parameter.name, value)?;
    }
    request.invoke()?;
    Ok(request.result().clone())
}

fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

fn sequence(kind: TCKind) -> TypeCode {
    TypeCode::create_sequence(&primitive(kind), 0).unwrap()
}

/// The signature of `define`.
fn define() -> Arc<Signature> {
    let signature = Signature::new("define")
        .with(Mode::In, "operation", TypeCode::string(0))
        .with(Mode::In, "modes", sequence(TCKind::Short))
        .with(Mode::In, "parameters", sequence(TCKind::Any))
        .with(Mode::In, "result", primitive(TCKind::Any))
        .with(Mode::In, "exceptions", sequence(TCKind::Any))
        .with(Mode::In, "is_oneway", primitive(TCKind::Boolean));
    Arc::new(signature)
}

/// The signature of `make`.
fn make() -> Arc<Signature> {
    let object = TypeCode::create_interface("IDL:omg.org/CORBA/Object:1.0", "Object").unwrap();
    let signature = Signature::new("make")
        .with(Mode::In, "target", object.clone())
        .with(Mode::In, "repository_id", TypeCode::string(0))
        .returning(object);
    Arc::new(signature)
}

/// The arguments of `define` for an operation.
fn definition(signature: &Signature) -> Vec<Value> {
    let any = |type_code: &TypeCode| {
        let value = Value::TypeCode(type_code.clone());
        Value::Any(Box::new((primitive(TCKind::TypeCode), value)))
    };
    let modes = signature.parameters.iter().map(|one| match one.mode {
        Mode::In => Value::Short(0),
        Mode::Out => Value::Short(1),
        Mode::InOut => Value::Short(2),
    });
    let types = signature.parameters.iter().map(|one| any(&one.type_code));
    vec![
        Value::String(signature.operation.clone()),
        Value::elements(&primitive(TCKind::Short), modes.collect()),
        Value::List(types.collect()),
        any(&signature.result),
        Value::List(signature.exceptions.iter().map(any).collect()),
        Value::Boolean(signature.is_oneway),
    ]
}

/// Makes a call at the beginning of a chain, and looks at what comes back.
pub(super) fn begin(object: &ObjectRef, wanted: &Call) -> Result<(), String> {
    let signature = &wanted.signature;
    let mut request = Request::new(object, Arc::clone(signature));
    let sent = signature.parameters.iter().filter(|one| one.is_sent());
    for (parameter, value) in sent.zip(&wanted.arguments) {
        let set = request.set(&parameter.name, value.clone());
        set.map_err(|error| error.to_string())?;
    }
    match (request.invoke(), &wanted.answer) {
        (Ok(()), Answer::Values(..)) if signature.is_oneway => Ok(()),
        (Ok(()), Answer::Values(result, others)) => {
            same("the result", request.result(), result)?;
            let received = signature.parameters.iter().filter(|one| one.is_received());
            for (parameter, expected) in received.zip(others) {
                let found = request.value(&parameter.name).unwrap_or(&Value::Nothing);
                same(&parameter.name, found, expected)?;
            }
            Ok(())
        }
        (Err(RequestError::Raised(raised)), Answer::Raised(_, members)) => {
            let found = raised.members.map(|(_, members)| members);
            same(
                &raised.repository_id,
                found.as_ref().unwrap_or(&Value::Nothing),
                members,
            )
        }
        (outcome, answer) => Err(format!(
            "the call ends with {outcome:?} and not with {answer:?}"
        )),
    }
}

fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!(
            "{what} comes back as\n  {found:?}\nand was\n  {expected:?}"
        )),
    }
}
