//! Calls for which nobody waits, and in which interceptors take part.

use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::post_to;
use crate::invoke::arguments::Arguments;
use crate::invoke::attempt::Outcome;
use crate::invoke::call_context::Terms;
use crate::invoke::intercepted::{Kept, Request, around};
use crate::invoke::{Redirections, bound, failure};
use crate::message::Message;
use crate::object::{Binding, ObjectRef};
use crate::settings::SyncScope;

/// Leaves a request to be sent soon, as its interceptors say.
#[cold]
pub(super) fn post(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
    terms: &Terms<'_>,
) -> Result<(), SystemException> {
    let core = object.core();
    let request = Request {
        operation,
        response: ResponseFlags::None,
        sync_scope: SyncScope::None,
        arguments,
        may_fall_back: false,
    };
    let mut redirections = Redirections::new(terms.qos.max_forwards(core));
    let mut kept = Kept::default();
    loop {
        let binding = bound(object, terms.send_until())?;
        let attempt = |terms: &Terms<'_>, _: &mut Message| {
            let posted = post_to(object, &binding, operation, arguments, terms);
            posted.map(|()| Outcome::Done)
        };
        let mut nothing = Message::none();
        let message = &mut nothing;
        let attempted = around(
            object, &binding, &request, terms, message, &mut kept, attempt,
        );
        match attempted.0 {
            Ok(Outcome::Forward(target)) => {
                redirections.follow_one_of(&binding)?;
                let strategy = object.wait_strategy();
                let binding = Binding::forwarded(core, target, strategy, terms.until())?;
                object.binding().forward(binding);
            }
            Ok(_) => return Ok(()),
            Err(exception) => {
                return Err(failure::concluded(exception, object, operation, terms));
            }
        }
    }
}
