//! The dynamic invocation interface (CORBA 3.3 part 1, chapter 11).

use std::fmt;
use std::sync::Arc;
use std::task::Waker;

use parking_lot::Mutex;
use taut::{CallContext, InvokeFuture, ObjectRef, RaisedException, SystemException};
use taut_cdr::{Decoder, Encoder, ErrorKind, Result as CdrResult};
use taut_types::dynamic::{Value, read, write};

use crate::deferred::{Deferred, Outcome};
use crate::{RaisedValue, RequestError, Signature};

/// A call of an operation whose signature is known only while the program runs (the standard's
/// `Request`).
///
/// It can be invoked as often as wanted, with other values each time; it is filled once. A
/// request whose values are primitives allocates nothing when it is invoked again.
pub struct Request {
    target: ObjectRef,
    signature: Arc<Signature>,
    /// One for each parameter.
    values: Vec<Option<Value>>,
    result: Value,
    context: Option<Arc<CallContext>>,
    /// The call that was sent and whose response has not been fetched.
    deferred: Option<Deferred>,
}

/// The place for what is wrong with a value, which the closure that writes the values has no
/// other way to tell.
type Fault = Arc<Mutex<Option<RequestError>>>;

impl Request {
    /// A request to an object.
    pub fn new(target: &ObjectRef, signature: Arc<Signature>) -> Self {
        Self {
            target: target.clone(),
            values: signature.parameters.iter().map(|_| None).collect(),
            signature,
            result: Value::Nothing,
            context: None,
            deferred: None,
        }
    }

    /// Has the request something of its own, such as a deadline or policies.
    pub fn set_context(&mut self, context: Arc<CallContext>) {
        self.context = Some(context);
    }

    /// Returns the object.
    pub fn target(&self) -> &ObjectRef {
        &self.target
    }

    /// Returns the signature.
    pub fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    /// Gives a parameter a value, which it keeps until it gets another. Whether the value is of
    /// its type is checked when the request is sent.
    ///
    /// # Errors
    ///
    /// [`RequestError::UnknownParameter`].
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), RequestError> {
        let mut parameters = self.signature.parameters.iter();
        let index = parameters.position(|one| one.name == name && one.is_sent());
        let Some(index) = index else {
            let sent = self.signature.parameters.iter().filter(|one| one.is_sent());
            let known = sent.map(|one| one.name.clone()).collect();
            let name = name.to_owned();
            return Err(RequestError::UnknownParameter { name, known });
        };
        self.values[index] = Some(value);
        Ok(())
    }

    /// Returns the value of a parameter: after a call that of `out` and `inout` parameters is
    /// the servant's.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let mut parameters = self.signature.parameters.iter();
        let index = parameters.position(|one| one.name == name)?;
        self.values.get(index)?.as_ref()
    }

    /// Returns the result of the last call; [`Value::Nothing`] before, and of operations that
    /// return nothing.
    pub fn result(&self) -> &Value {
        &self.result
    }

    /// Calls the operation and waits for its reply. A oneway is sent.
    ///
    /// # Errors
    ///
    /// The user or system exception that the call ended with, or why it was not sent.
    pub fn invoke(&mut self) -> Result<(), RequestError> {
        if self.signature.is_oneway {
            return self.send_oneway();
        }
        self.check()?;
        let fault = Mutex::new(None);
        let signature = &*self.signature;
        let arguments = |out: &mut Encoder| arguments(signature, &self.values, out, &fault);
        let operation = &*signature.operation;
        let reply = match &self.context {
            None => self.target.invoke(operation, arguments),
            Some(context) => self.target.invoke_with(context, operation, arguments),
        };
        let reply = reply.map_err(|exception| not_sent(exception, &fault))?;
        if let Some(raised) = reply.user_exception()? {
            return Err(raised_value(signature, &raised));
        }
        let (result, values) = (&mut self.result, &mut self.values);
        reply.results(|input| results(signature, result, values, input))?;
        Ok(())
    }

    /// Sends the request without waiting for a reply (the standard's `send_oneway`), also if
    /// the operation has one. It waits for what the reference's
    /// [`SyncScope`](taut::SyncScope) says.
    ///
    /// # Errors
    ///
    /// The system exception that the call ended with, or why it was not sent.
    pub fn send_oneway(&mut self) -> Result<(), RequestError> {
        self.check()?;
        let fault = Mutex::new(None);
        let arguments = |out: &mut Encoder| arguments(&self.signature, &self.values, out, &fault);
        let operation = &*self.signature.operation;
        let sent = match &self.context {
            None => self.target.invoke_oneway(operation, arguments),
            Some(context) => self
                .target
                .invoke_oneway_with(context, operation, arguments),
        };
        sent.map_err(|exception| not_sent(exception, &fault))
    }

    /// Sends the request and returns while it goes on (the standard's `send_deferred`).
    ///
    /// # Errors
    ///
    /// Why it was not sent. The exception that the call ends with comes from
    /// [`get_response`](Self::get_response).
    pub fn send_deferred(&mut self) -> Result<(), RequestError> {
        let future = self.begin()?;
        self.deferred = Some(Deferred::begin(&self.target, future));
        Ok(())
    }

    /// Whether the response of a request that was sent is there (the standard's
    /// `poll_response`).
    ///
    /// # Errors
    ///
    /// [`RequestError::NotSent`].
    pub fn poll_response(&self) -> Result<bool, RequestError> {
        self.poll_with(Waker::noop())
    }

    /// The same, which wakes once there may be more to see.
    pub(crate) fn poll_with(&self, waker: &Waker) -> Result<bool, RequestError> {
        let deferred = self.deferred.as_ref().ok_or(RequestError::NotSent)?;
        Ok(deferred.has_ended(waker))
    }

    /// Waits for the response of a request that was sent, and takes over its values (the
    /// standard's `get_response`).
    ///
    /// # Errors
    ///
    /// The user or system exception that the call ended with; [`RequestError::NotSent`].
    pub fn get_response(&mut self) -> Result<(), RequestError> {
        let deferred = self.deferred.take().ok_or(RequestError::NotSent)?;
        let ended = deferred.wait();
        self.take_over(ended)
    }

    /// Calls the operation without blocking the executor that polls the future.
    ///
    /// # Errors
    ///
    /// Those of [`invoke`](Self::invoke).
    pub async fn invoke_async(&mut self) -> Result<(), RequestError> {
        let ended = self.begin()?.await;
        self.take_over(ended)
    }

    /// Begins a call by a future, which has copies of the values.
    fn begin(&self) -> Result<InvokeFuture, RequestError> {
        if self.signature.is_oneway {
            return Err(RequestError::Oneway);
        }
        self.check()?;
        let (signature, values) = (Arc::clone(&self.signature), self.values.clone());
        let fault = Fault::default();
        let told = Arc::clone(&fault);
        let write = move |out: &mut Encoder| arguments(&signature, &values, out, &told);
        let operation = &*self.signature.operation;
        let future = match &self.context {
            None => self.target.invoke_async(operation, write),
            Some(context) => {
                let context = Arc::clone(context);
                self.target.invoke_async_with(context, operation, write)
            }
        };
        // The arguments have been encoded.
        match fault.lock().take() {
            Some(error) => Err(error),
            None => Ok(future),
        }
    }

    fn take_over(&mut self, ended: Outcome) -> Result<(), RequestError> {
        let (reply, signature) = (ended?, &self.signature);
        if let Some(raised) = reply.user_exception()? {
            return Err(raised_value(signature, &raised));
        }
        let (result, values) = (&mut self.result, &mut self.values);
        reply.results(|input| results(signature, result, values, input))?;
        Ok(())
    }

    /// Checks that all values are there, and no call goes on.
    fn check(&self) -> Result<(), RequestError> {
        if self.deferred.is_some() {
            return Err(RequestError::InProgress);
        }
        let parameters = self.signature.parameters.iter().zip(&self.values);
        let mut unset = parameters.filter(|(one, value)| one.is_sent() && value.is_none());
        match unset.next() {
            Some((one, _)) => Err(RequestError::Unset {
                parameter: one.name.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Writes the `in` and `inout` values. One that does not fit its type is left in `fault`.
fn arguments(
    signature: &Signature,
    values: &[Option<Value>],
    out: &mut Encoder,
    fault: &Mutex<Option<RequestError>>,
) -> CdrResult<()> {
    for (parameter, value) in signature.parameters.iter().zip(values) {
        if let (true, Some(value)) = (parameter.is_sent(), value)
            && let Err(mismatch) = write(&parameter.type_code, value, out)
        {
            let parameter = parameter.name.clone();
            *fault.lock() = Some(RequestError::Value {
                parameter,
                mismatch,
            });
            let rule = "the value does not fit its type";
            return Err(taut_cdr::Error::new(
                ErrorKind::Invalid(rule),
                out.position(),
            ));
        }
    }
    Ok(())
}

/// Returns why a request was not sent: for a value, if there is one, or the exception.
fn not_sent(exception: SystemException, fault: &Mutex<Option<RequestError>>) -> RequestError {
    fault
        .lock()
        .take()
        .unwrap_or(RequestError::System(exception))
}

/// Reads the result, and the `inout` and `out` values.
fn results(
    signature: &Signature,
    result: &mut Value,
    values: &mut [Option<Value>],
    input: &mut Decoder<'_>,
) -> CdrResult<()> {
    *result = read(&signature.result, input)?;
    for (parameter, value) in signature.parameters.iter().zip(values) {
        if parameter.is_received() {
            *value = Some(read(&parameter.type_code, input)?);
        }
    }
    Ok(())
}

/// The error of a call that ended with a user exception.
fn raised_value(signature: &Signature, raised: &RaisedException<'_>) -> RequestError {
    let id = raised.repository_id();
    let listed = signature.exception(id).map(|exception| {
        let members = raised.members(|input| read_members(exception, input))?;
        Ok((exception.clone(), members))
    });
    match listed.transpose() {
        Ok(members) => RequestError::Raised(Box::new(RaisedValue {
            repository_id: id.to_owned(),
            members,
        })),
        Err(exception) => RequestError::System(exception),
    }
}

/// Reads the members of an exception whose repository id has been read.
fn read_members(exception: &taut_types::TypeCode, input: &mut Decoder<'_>) -> CdrResult<Value> {
    let count = exception.member_count().unwrap_or_default();
    let types = (0..count).filter_map(|index| exception.member_type(index).ok());
    let members = types.map(|type_code| read(&type_code, input));
    members.collect::<CdrResult<_>>().map(Value::Members)
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("operation", &self.signature.operation)
            .field("values", &self.values)
            .field("is_deferred", &self.deferred.is_some())
            .finish_non_exhaustive()
    }
}
