//! Asking where an object is, without calling it.

use taut_giop::SystemException;

use super::attempt::Outcome;
use super::pursue;
use super::request::Exchange;
use crate::message::Message;
use crate::object::ObjectRef;

/// The answer to a LocateRequest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Located {
    /// A server takes requests for the object; calls go there from now on.
    Here,
    /// The server knows of no such object.
    Unknown,
}

impl ObjectRef {
    /// Asks by LocateRequest whether the object is there, follows where it is
    /// sent, and binds the reference to the place (CORBA 3.3 part 2, 9.4.5). In
    /// this process the adapter is asked, without a message.
    ///
    /// # Errors
    ///
    /// The system exception that the exchange ended with.
    pub fn locate(&self) -> Result<Located, SystemException> {
        if let Some(located) = self.locate_locally() {
            return located;
        }
        self.core().lifecycle.check()?;
        let outcome = pursue(self, &Exchange::Locate, None, &mut Message::take(), None)?;
        Ok(match outcome {
            Outcome::Unknown => Located::Unknown,
            _ => Located::Here,
        })
    }
}
