//! Asynchronous Method Invocation: reply handlers and pollers.
//!
//! The stubs and skeletons are those of the code generator's test data.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and each test uses a part"
)]
mod generated {
    include!("../../../../../taut-build/tests/data/ami.rs");
}

mod callbacks;
mod holders;
mod many;
mod polling;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::{Condvar, Mutex};
use taut::ami::{ExceptionHolder, OperationError, ReplyHandler};
use taut::codegen::Context;
use taut::{
    CompletionStatus, Orb, OrbBuilder, Reference, Result, SystemException, SystemExceptionKind,
    Value,
};

use super::executor::PATIENCE;
use generated::desks::clerk::{FileError, ShiftError};
use generated::desks::office::CloseError;
use generated::desks::{
    AmiClerkHandler, AmiNamedHandler, AmiOfficeHandler, AmiOfficeHandlerRef,
    AmiOfficeHandlerSkeleton, Clerk, ClerkRef, Closed, Named, Office, OfficeRef, OfficeSkeleton,
    Refused,
};

/// The exception of a servant that fails.
const FAILURE: SystemException =
    SystemException::new(SystemExceptionKind::NoMemory, 77, CompletionStatus::Maybe);

/// A servant whose `wait` returns when its gate is opened.
#[derive(Default)]
struct Desk {
    calls: AtomicUsize,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Desk {
    fn open(&self) {
        *self.is_open.lock() = true;
        self.opened.notify_all();
    }

    fn count(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
    }
}

impl Named for Desk {
    fn name(&self) -> Result<String> {
        self.count();
        Ok("desk".to_owned())
    }
}

impl Clerk for Desk {
    fn balance(&self) -> Result<i32> {
        self.count();
        Ok(42)
    }

    fn set_balance(&self, value: i32) -> Result<()> {
        self.count();
        match value {
            0.. => Ok(()),
            _ => Err(FAILURE),
        }
    }

    fn file(&self, text: &str, pages: &[i32]) -> std::result::Result<i32, FileError> {
        self.count();
        match text {
            "refuse" => Err(Refused {
                why: "asked for".to_owned(),
                how_much: 0.5,
            }
            .into()),
            "closed" => Err(Closed {}.into()),
            "fail" => Err(FAILURE.into()),
            _ => Ok(pages.iter().sum()),
        }
    }

    fn shift(&self, by: f64, place: &mut f64) -> std::result::Result<String, ShiftError> {
        self.count();
        let before = place.to_string();
        *place += by;
        Ok(before)
    }

    fn wait(&self, _: u32) -> Result<()> {
        self.count();
        let mut is_open = self.is_open.lock();
        while !*is_open {
            self.opened.wait(&mut is_open);
        }
        Ok(())
    }

    fn repeat(&self, text: &str, times: i32) -> Result<String> {
        self.count();
        Ok(text.repeat(usize::try_from(times).unwrap()))
    }

    fn colleague(&self, other: Option<&ClerkRef>) -> Result<Option<ClerkRef>> {
        self.count();
        Ok(other.cloned())
    }

    fn named(&self, handler: i32, context: &Context) -> Result<String> {
        self.count();
        Ok(format!(
            "{handler} {}",
            context.get("locale").unwrap_or("?")
        ))
    }

    fn log(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn quick(&self) -> Result<()> {
        Ok(())
    }
}

impl Office for Desk {
    fn close(&self) -> std::result::Result<(), CloseError> {
        self.count();
        Err(Closed {}.into())
    }
}

/// A reply handler that tells a test what has come, as text.
struct Telling(Mutex<Sender<String>>);

type Held<'h> = Option<&'h Value<ExceptionHolder>>;

impl Telling {
    fn tell(&self, what: impl Into<String>) -> Result<()> {
        // The test may have ended.
        let _ = self.0.lock().send(what.into());
        Ok(())
    }

    fn tell_exception<E: OperationError>(&self, operation: &str, holder: Held<'_>) -> Result<()> {
        let holder = holder.unwrap();
        let raised = holder.raise_exception::<(), E>().unwrap_err();
        let kind = match holder.is_system_exception() {
            true => "system",
            false => "user",
        };
        self.tell(format!("{operation}: {kind} {raised}"))
    }
}

impl ReplyHandler for Telling {}

impl AmiNamedHandler for Telling {
    fn get_name(&self, ami_return_val: &str) -> Result<()> {
        self.tell(format!("name {ami_return_val}"))
    }

    fn get_name_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("name", holder)
    }
}

impl AmiClerkHandler for Telling {
    fn get_balance(&self, ami_return_val: i32) -> Result<()> {
        self.tell(format!("balance {ami_return_val}"))
    }

    fn get_balance_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("balance", holder)
    }

    fn set_balance(&self) -> Result<()> {
        self.tell("set_balance")
    }

    fn set_balance_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("set_balance", holder)
    }

    fn file(&self, ami_return_val: i32) -> Result<()> {
        self.tell(format!("file {ami_return_val}"))
    }

    fn file_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<FileError>("file", holder)
    }

    fn shift(&self, place: f64, before: &str) -> Result<()> {
        self.tell(format!("shift {place} {before}"))
    }

    fn shift_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<ShiftError>("shift", holder)
    }

    fn wait(&self) -> Result<()> {
        self.tell("wait")
    }

    fn wait_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("wait", holder)
    }

    fn repeat(&self, ami_return_val: &str) -> Result<()> {
        self.tell(format!("repeat {ami_return_val}"))
    }

    fn repeat_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("repeat", holder)
    }

    fn colleague(&self, ami_return_val: Option<&ClerkRef>) -> Result<()> {
        let name = ami_return_val.map(Named::name).transpose()?;
        self.tell(format!("colleague {name:?}"))
    }

    fn colleague_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("colleague", holder)
    }

    fn named(&self, ami_return_val: &str) -> Result<()> {
        self.tell(format!("named {ami_return_val}"))
    }

    fn named_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<SystemException>("named", holder)
    }
}

impl AmiOfficeHandler for Telling {
    fn close(&self) -> Result<()> {
        self.tell("close")
    }

    fn close_excep(&self, holder: Held<'_>) -> Result<()> {
        self.tell_exception::<CloseError>("close", holder)
    }
}

/// An ORB that serves, and ends with the test.
struct Serving(Orb);

impl Serving {
    fn new(and: impl FnOnce(&mut taut::Settings)) -> Self {
        Self::built(|builder| builder.settings(and))
    }

    fn built(and: impl FnOnce(OrbBuilder) -> OrbBuilder) -> Self {
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        Self(and(builder).build().unwrap())
    }

    /// A desk, and a reference to it as another ORB has it.
    fn desk(&self, client: &Orb) -> (Arc<Desk>, OfficeRef) {
        let desk = Arc::new(Desk::default());
        let poa = self.0.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let skeleton = OfficeSkeleton::from_arc(Arc::clone(&desk));
        let office = poa.activate(skeleton).unwrap();
        (desk, seen_by(client, &office))
    }

    /// A reply handler, and where a test hears of what it gets.
    fn handler(&self) -> (AmiOfficeHandlerRef, Receiver<String>) {
        let (told, heard) = channel();
        let poa = self.0.root_poa().unwrap();
        poa.manager().activate().unwrap();
        let telling = AmiOfficeHandlerSkeleton::new(Telling(Mutex::new(told)));
        (poa.activate(telling).unwrap(), heard)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.shutdown(true).unwrap();
    }
}

/// The same object, as this ORB has it.
fn seen_by<R: Reference>(orb: &Orb, reference: &R) -> R {
    let text = reference.as_object().to_string();
    let object = orb.string_to_object(&text).unwrap();
    object.unchecked_narrow()
}

/// The next that a handler has got.
fn next(heard: &Receiver<String>) -> String {
    heard.recv_timeout(PATIENCE).unwrap()
}
