//! Calls for which nobody waits (`SYNC_NONE`).

#[cfg_attr(not(feature = "full"), path = "queue/intercepted_absent.rs")]
mod intercepted;

use std::sync::atomic::{AtomicU32, Ordering};

use taut_cdr::Encoder;
use taut_giop::{CompletionStatus, SystemException};

use crate::buffer_pool;
use crate::connection::{MAX_REQUEST_ID, NotTaken};
use crate::invoke::arguments::Arguments;
use crate::invoke::call_context::{CallContext, Terms, with_that_of_thread};
use crate::invoke::request::RequestContexts;
use crate::invoke::{bound, failure, request};
use crate::object::{Binding, ObjectRef};

/// The id of the next request for which nobody waits: beyond those of other requests,
/// for it is not known yet over which connection it goes.
static NEXT_ID: AtomicU32 = AtomicU32::new(0);

/// Leaves a request to be sent soon, which may have a context of its own or of its thread.
#[cold]
pub(super) fn post(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
    context: Option<&CallContext>,
) -> Result<(), SystemException> {
    match context {
        None => with_that_of_thread(|context| post_in(object, operation, arguments, context)),
        own => post_in(object, operation, arguments, own),
    }
}

/// The same, where the context is known.
fn post_in(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
    context: Option<&CallContext>,
) -> Result<(), SystemException> {
    object.core().lifecycle.check()?;
    let terms = Terms::of(object, context);
    if let Some(context) = context {
        let refused = |exception| failure::concluded(exception, object, operation, &terms);
        context.begin(object.core()).map_err(refused)?;
    }
    if object.core().interception.makes_apart() {
        return intercepted::post(object, operation, arguments, &terms);
    }
    let binding = match object.binding().get() {
        Some(binding) => binding,
        None => bound(object, terms.send_until())?,
    };
    post_to(object, &binding, operation, arguments, &terms)
}

/// Leaves a request to be sent soon to where the reference is bound to.
#[inline]
fn post_to(
    object: &ObjectRef,
    binding: &Binding,
    operation: &str,
    arguments: Arguments<'_>,
    terms: &Terms<'_>,
) -> Result<(), SystemException> {
    terms.qos.check(object, binding)?;
    let binding = &*terms.way(object, binding)?;
    let batching = terms.qos.batching();
    let (_, route) = binding.preferred();
    let mut out = Encoder::with_buffer(buffer_pool::take(), object.core().settings.wire.byte_order);
    let posted = loop {
        // The first of a batch tells the code sets, for it is not known yet whether the
        // connection has been told.
        let introduces = route.has_code_sets() && !route.endpoint.is_introduced();
        let relies = route.has_code_sets() && !introduces;
        out.clear();
        let introduction = introduces.then(|| [route.code_sets_context(), None]);
        let contexts =
            RequestContexts::of(introduction, terms.quality_to_tell(route), terms.of_user());
        let (request, contexts) = ((operation, next_id()), contexts.as_ref());
        let written =
            request::write_unanswered(&mut out, binding, route, request, contexts, arguments);
        if let Err(error) = written {
            break Err(SystemException::from_cdr(&error, CompletionStatus::No));
        }
        match route
            .endpoint
            .post(out.as_bytes(), introduces, relies, batching.as_ref())
        {
            Err(NotTaken::Unintroduced) => {}
            posted => break posted.map_err(|reason| failure::not_queued(&reason)),
        }
    };
    buffer_pool::give(out.into_buffer());
    posted
}

fn next_id() -> u32 {
    // Even, as the side that opens a connection has them.
    let id = NEXT_ID.fetch_add(2, Ordering::Relaxed);
    (MAX_REQUEST_ID + 1) | (id & MAX_REQUEST_ID)
}
