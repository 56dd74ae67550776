//! One call of a recording, made again: by its types, or with its octets.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use taut::{ByteOrder, CallContext, ObjectRef, Orb, RaisedException};
use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result as CdrResult};
use taut_dynamic::{Request, RequestError, Signature};
use taut_json::{from_json_with, to_json};

use super::Arguments;
use super::compare::References;
use crate::call;
use crate::failure::Failure;
use crate::objects::{object_at, orb};
use crate::record::catalog::Catalog;
use crate::record::line::{self, Octets};

/// The object that is called.
pub(super) struct Caller {
    orb: Orb,
    object: ObjectRef,
    reference: String,
    orb_arguments: Vec<String>,
    context: Arc<CallContext>,
    /// The same object of an ORB that sends octets in the other byte order, once there are some.
    other: Option<(Orb, ObjectRef)>,
}

impl Caller {
    /// # Errors
    ///
    /// When the reference is malformed, or leads to no object.
    pub(super) fn new(arguments: &Arguments, orb_arguments: &[String]) -> Result<Self, Failure> {
        let orb = orb(orb_arguments, |settings| {
            settings.wire.byte_order = ByteOrder::NATIVE;
        })?;
        let object = object_at(&orb, &arguments.reference, arguments.read)?;
        Ok(Self {
            reference: object.to_string(),
            orb,
            object,
            orb_arguments: orb_arguments.to_vec(),
            context: Arc::new(call::time_out(arguments.timeout)),
            other: None,
        })
    }

    /// The interface that the reference says.
    pub(super) fn type_id(&self) -> &str {
        self.object.type_id()
    }

    /// The stringified reference.
    pub(super) fn reference(&self) -> &str {
        &self.reference
    }

    /// Makes a call. None: no outcome is awaited.
    ///
    /// # Errors
    ///
    /// Why it could not be made.
    pub(super) fn call(
        &mut self,
        catalog: &Catalog,
        operation: &str,
        line: &Json,
        references: &References,
    ) -> Result<Option<Map<String, Json>>, String> {
        let arguments = line.get(line::ARGUMENTS).unwrap_or(&Json::Null);
        let is_oneway = line.get(line::ONEWAY) == Some(&Json::Bool(true));
        if let Some(octets) = Octets::from_json(arguments)? {
            return self.call_with(&octets, operation, is_oneway);
        }
        let Json::Object(arguments) = arguments else {
            return Err("its arguments are no object".to_owned());
        };
        let signature = signature(catalog, operation, arguments)?;
        let mut request = Request::new(&self.object, Arc::clone(signature));
        request.set_context(Arc::clone(&self.context));
        for (name, json) in arguments {
            let parameters = &signature.parameters;
            let parameter = parameters.iter().find(|one| one.name == *name);
            let type_code = parameter
                .map(|one| one.type_code.clone())
                .unwrap_or_default();
            let json = references.replaced(json);
            let value = from_json_with(&type_code, &json, &|url| {
                let object = self.orb.string_to_object(url);
                let ior = object.map(|object| object.ior().clone());
                ior.map_err(|error| error.to_string())
            });
            let value = value.map_err(|error| format!("`{name}`: {error}"))?;
            request
                .set(name, value)
                .map_err(|error| error.to_string())?;
        }
        if is_oneway {
            let sent = request.send_oneway();
            return sent.map(|()| None).map_err(|error| error.to_string());
        }
        let outcome = request.invoke();
        outcome_of(&request, outcome).map(Some)
    }

    /// Makes a call whose arguments are octets.
    fn call_with(
        &mut self,
        octets: &Octets,
        operation: &str,
        is_oneway: bool,
    ) -> Result<Option<Map<String, Json>>, String> {
        let context = Arc::clone(&self.context);
        let object = match octets.order == ByteOrder::NATIVE {
            true => &self.object,
            false => self.other(octets.order)?,
        };
        let arguments = |out: &mut Encoder| write(octets, out);
        if is_oneway {
            let sent = object.invoke_oneway_with(&context, operation, arguments);
            return sent
                .map(|()| None)
                .map_err(|exception| exception.to_string());
        }
        let reply = match object.invoke_with(&context, operation, arguments) {
            Ok(reply) => reply,
            Err(exception) => return Ok(Some(refused(&exception))),
        };
        let raised = reply.user_exception();
        let outcome = match raised.map_err(|exception| exception.to_string())? {
            Some(raised) => outcome(line::EXCEPTION, raised_octets(&raised)?),
            None => {
                let results = reply.results(|input| Ok(rest(input)));
                let results = results.map_err(|exception| exception.to_string())?;
                outcome(line::RESULT, Json::Object(results.to_json()))
            }
        };
        Ok(Some(outcome))
    }

    fn other(&mut self, order: ByteOrder) -> Result<&ObjectRef, String> {
        let (_, object) = match self.other.take() {
            Some(other) => self.other.insert(other),
            None => {
                let orb = orb(&self.orb_arguments, |settings| {
                    settings.wire.byte_order = order
                });
                let orb = orb.map_err(|failure| failure.to_string())?;
                let object = orb.string_to_object(&self.reference);
                let object = object.map_err(|error| error.to_string())?;
                self.other.insert((orb, object))
            }
        };
        Ok(object)
    }
}

/// The signature whose parameters are the recorded arguments.
fn signature<'c>(
    catalog: &'c Catalog,
    operation: &'c str,
    arguments: &Map<String, Json>,
) -> Result<&'c Arc<Signature>, String> {
    let mut signatures = catalog.signatures(operation);
    let fits = |one: &&Arc<Signature>| {
        let mut sent = one.parameters.iter().filter(|one| one.is_sent());
        sent.clone().count() == arguments.len() && sent.all(|one| arguments.contains_key(&one.name))
    };
    signatures.find(fits).ok_or_else(|| {
        "it was recorded by its types, and the IDL has no operation with its arguments: give the \
         same --idl as taut record had"
            .to_owned()
    })
}

fn outcome(name: &str, json: Json) -> Map<String, Json> {
    Map::from_iter([(name.to_owned(), json)])
}

fn refused(exception: &taut::SystemException) -> Map<String, Json> {
    outcome(line::EXCEPTION, line::system_exception(exception))
}

/// The outcome of a call by its types, in the form of a recording.
fn outcome_of(
    request: &Request,
    ended: Result<(), RequestError>,
) -> Result<Map<String, Json>, String> {
    match ended {
        Ok(()) => {
            let results = call::results(request).map_err(|failure| failure.to_string())?;
            Ok(outcome(line::RESULT, results))
        }
        Err(RequestError::System(exception)) => Ok(refused(&exception)),
        Err(RequestError::Raised(raised)) => {
            let members = raised.members.as_ref();
            let members = members.map(|(type_code, value)| to_json(type_code, value));
            let members = members.transpose().map_err(|error| error.to_string())?;
            let exception = json!({line::NAME: raised.repository_id, "$members": members});
            Ok(outcome(line::EXCEPTION, exception))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn raised_octets(raised: &RaisedException<'_>) -> Result<Json, String> {
    let members = raised.members(|input| Ok(rest(input)));
    let mut object = members
        .map_err(|exception| exception.to_string())?
        .to_json();
    object.insert(line::NAME.to_owned(), raised.repository_id().into());
    Ok(Json::Object(object))
}

/// Takes the octets that are left.
fn rest(input: &mut Decoder<'_>) -> Octets {
    let octets = Octets::rest_of(input);
    // They are all there.
    let _ = input.skip(input.remaining());
    octets
}

/// Writes octets where they have the alignment that they were recorded with.
fn write(octets: &Octets, out: &mut Encoder) -> CdrResult<()> {
    if !octets.octets.is_empty() && out.position() % 8 != octets.offset {
        let rule = "octets of one version of GIOP do not fit another: record and replay with --idl";
        return Err(Error::new(ErrorKind::Invalid(rule), out.position()));
    }
    out.write_bytes(&octets.octets);
    Ok(())
}
