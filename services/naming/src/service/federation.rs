//! Names that lead on to other naming services.
//!
//! Each service that a name leads through takes at least one component off it, so that a name
//! ends however its contexts are bound to each other. A service context counts the services
//! besides, for each of them waits for the next one meanwhile.

use taut::{CallContext, CompletionStatus, RequestContext, SystemException};

use super::faults::Fault;
use super::keeper::{Keeper, Outcome};
use crate::naming_context::CannotProceed;
use crate::{Name, NameComponent, NamingContextRef};

/// The id of the service context with the number of naming services that a name has led through,
/// as an unsigned long in big-endian order.
const HOPS_CONTEXT: u32 = 0x5455_0080;

/// Whether an operation may be carried out a second time by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    Always,
    UnlessDone,
}

impl Keeper {
    /// Gives the end of a name that is `outcome` within this service: its own, or that which the
    /// other service gives to `call`.
    ///
    /// # Errors
    ///
    /// Those of `call`; CannotProceed where the other service does not answer, or there are too
    /// many in a row.
    pub(super) fn follow<T, R, E: Into<Fault>>(
        &self,
        name: &[NameComponent],
        outcome: Outcome<T>,
        repeat: Repeat,
        here: impl FnOnce(T) -> Result<R, Fault>,
        call: impl FnOnce(&NamingContextRef, &[NameComponent]) -> Result<R, E>,
    ) -> Result<R, Fault> {
        let (context, at) = match outcome {
            Outcome::Here(result) => return here(result),
            Outcome::Elsewhere(context, at) => (context, at),
        };
        let rest = name.get(at..).unwrap_or_default();
        let hops = hops();
        if hops >= self.settings().max_federation_hops {
            return Err(cannot_proceed(context, rest.to_vec()));
        }
        let call_context = CallContext::new()
            .with_timeout(self.settings().federation_timeout)
            .with_service_context(HOPS_CONTEXT, (hops + 1).to_be_bytes());
        match call_context
            .within(|| call(&context, rest))
            .map_err(Into::into)
        {
            Err(Fault::System(exception)) if may_go_on(&exception, repeat) => {
                tracing::debug!(
                    target: "taut::naming", %exception, "a naming service that a name leads to"
                );
                Err(cannot_proceed(context, rest.to_vec()))
            }
            result => result,
        }
    }
}

/// The number of naming services that the request of this thread has come through.
fn hops() -> u32 {
    let data = RequestContext::service_context(HOPS_CONTEXT);
    let octets = data.ok().flatten().and_then(|data| data.try_into().ok());
    octets.map_or(0, u32::from_be_bytes)
}

/// Whether the client may go on by itself after an exception of the other service.
fn may_go_on(exception: &SystemException, repeat: Repeat) -> bool {
    repeat == Repeat::Always || exception.completed == CompletionStatus::No
}

fn cannot_proceed(context: NamingContextRef, rest_of_name: Name) -> Fault {
    Fault::CannotProceed(CannotProceed {
        cxt: Some(context),
        rest_of_name,
    })
}
