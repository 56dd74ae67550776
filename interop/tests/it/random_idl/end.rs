//! The end of a chain: a servant of any interface, which is told what must come and what it answers.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use taut::{Interface, SystemException};
use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_dynamic::{DynamicImplementation, DynamicRequest, Signature, Value};
use taut_types::TypeCode;
use taut_types::dynamic::{read, write};

/// How a call ends.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// With a result, and the values of `inout` and `out` parameters.
    Values(Value, Vec<Value>),
    /// With a user exception and its members.
    Raised(TypeCode, Value),
}

/// A call that is to come.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) signature: Arc<Signature>,
    /// The `in` and `inout` values.
    pub(super) arguments: Vec<Value>,
    pub(super) answer: Answer,
    /// Whether the octets must be those of Taut's requests.
    pub(super) octet_for_octet: bool,
}

/// The call that is to come, and the one that came.
#[derive(Default)]
struct State {
    expected: Option<Call>,
    /// The fault of the one that came.
    outcome: Option<Result<(), String>>,
}

/// The end of chains of one interface.
pub(super) struct End {
    interface: &'static Interface,
    state: Mutex<State>,
    has_come: Condvar,
}

impl End {
    pub(super) fn new(repository_id: &str, bases: &[String]) -> Arc<Self> {
        let bases: Vec<_> = bases.iter().map(|base| &**base).collect();
        Arc::new(Self {
            interface: Interface::dynamic(repository_id, &bases),
            state: Mutex::default(),
            has_come: Condvar::new(),
        })
    }

    /// Says which call comes next.
    pub(super) fn expect(&self, call: &Call) {
        *self.state.lock() = State {
            expected: Some(call.clone()),
            outcome: None,
        };
    }

    /// Whether the call has come.
    pub(super) fn has_come(&self) -> bool {
        self.state.lock().expected.is_none()
    }

    /// Waits for the call, and returns whether it was the one that was to come.
    pub(super) fn outcome(&self) -> Result<(), String> {
        let mut state = self.state.lock();
        while state.outcome.is_none() {
            let timed_out = self.has_come.wait_for(&mut state, Duration::from_secs(30));
            if timed_out.timed_out() {
                return Err("no call has come to the end of the chain".to_owned());
            }
        }
        state.outcome.take().unwrap_or(Ok(()))
    }
}

impl DynamicImplementation for End {
    fn primary_interface(&self) -> &'static Interface {
        self.interface
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let Some(call) = self.state.lock().expected.take() else {
            return Err(request.unknown_operation());
        };
        let signature = &*call.signature;
        let outcome = match request.operation() == signature.operation {
            true => {
                let checked = request.raw_arguments(|input| Ok(check(&call, input)));
                checked.unwrap_or_else(|exception| Err(exception.to_string()))
            }
            false => Err(format!("the operation {} has come", request.operation())),
        };
        let answered = match &call.answer {
            Answer::Values(..) if signature.is_oneway => Ok(()),
            Answer::Values(result, others) => request.set_result(signature, result, others),
            Answer::Raised(exception, members) => request.set_exception(exception, members),
        };
        self.state.lock().outcome = Some(outcome);
        self.has_come.notify_all();
        answered
    }
}

/// Looks at arguments that have come.
pub(super) fn check(call: &Call, input: &mut Decoder<'_>) -> Result<(), String> {
    let octets = input.rest();
    let order = input.order();
    let sent = call.signature.parameters.iter().filter(|one| one.is_sent());
    for (parameter, expected) in sent.zip(&call.arguments) {
        let name = &parameter.name;
        let found = read(&parameter.type_code, input);
        let found = found.map_err(|error| format!("{name} is not read: {error}"))?;
        if found != *expected {
            return Err(format!(
                "{name} has come as\n  {found:?}\nand was sent as\n  {expected:?}"
            ));
        }
    }
    if input.remaining() > 0 {
        return Err(format!(
            "{} octets are left behind the arguments",
            input.remaining()
        ));
    }
    let own = written(call, order)?;
    match !call.octet_for_octet || own == octets {
        true => Ok(()),
        false => Err(format!(
            "the arguments have come as\n  {octets:02x?}\nand not as\n  {own:02x?}"
        )),
    }
}

/// The octets of the arguments, which begin at a multiple of eight.
fn written(call: &Call, order: ByteOrder) -> Result<Vec<u8>, String> {
    let mut out = Encoder::new(order);
    let sent = call.signature.parameters.iter().filter(|one| one.is_sent());
    for (parameter, value) in sent.zip(&call.arguments) {
        write(&parameter.type_code, value, &mut out).map_err(|error| error.to_string())?;
    }
    Ok(out.into_buffer())
}
