//! An exchange with an object of this process, in the caller's thread, whose arguments are
//! marshaled.

use taut_cdr::{ByteOrder, Encoder};
use taut_giop::message::ResponseFlags;
use taut_giop::{CompletionStatus, SystemException, Version};

use super::Outcome;
use crate::buffer_pool;
use crate::exception::unwritable;
use crate::invoke::call_context::Terms;
use crate::invoke::failure;
use crate::invoke::intercepted::write_in_full;
use crate::invoke::reply::ReplyBody;
use crate::invoke::request::Exchange;
use crate::message::Message;
use crate::object::{Binding, Entered, LocalOutcome, LocalRequest, ObjectRef};
use crate::service_contexts::ServiceContextList;
use crate::settings::CollocationStrategy;

/// Carries out a request whose object is in this process. None where it is not, and where the
/// request is better sent: its reference says so, or its caller waits for a limited time.
pub(in crate::invoke) fn exchange_in_process(
    object: &ObjectRef,
    binding: &Binding,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
) -> Option<Result<Outcome, SystemException>> {
    let Exchange::Request {
        operation,
        response,
        arguments,
    } = *exchange
    else {
        return None;
    };
    let local = binding.local()?;
    if object.collocation() == CollocationStrategy::Off || terms.until().is_some() {
        return None;
    }
    let entered = local.adapter.enter();
    let adapter = entered.as_ref().map(Entered::adapter)?;
    let (_, route) = binding.preferred();
    message.clear();
    terms.begin_attempt();
    let mut out = Encoder::with_buffer(buffer_pool::take(), ByteOrder::NATIVE);
    out.set_characters(route.characters);
    if let Err(error) = write_in_full(arguments, &mut out) {
        return Some(Err(unwritable(&error, CompletionStatus::No)));
    }
    let mut replied = ServiceContextList::default();
    let version = route.messaging.version(Version::V1_2);
    let outcome = adapter.carry_out(
        &local.object_key,
        &mut LocalRequest {
            operation: operation.name,
            arguments: out.as_bytes(),
            characters: route.characters,
            response,
            may_wait: response == ResponseFlags::Expected,
            contexts: terms.of_user().unwrap_or(&ServiceContextList::EMPTY),
            messaging: route.messaging,
            version,
            request_id: REQUEST_ID,
            reply: &mut message.octets,
            replied: &mut replied,
        },
    );
    buffer_pool::give(out.into_buffer());
    terms.note_local_reply(&replied);
    let is_plain = || {
        let octets = &message.octets;
        route.messaging.is_plain_reply(octets, version, REQUEST_ID)
    };
    let reply = |raised| {
        Outcome::Reply(ReplyBody {
            offset: route.messaging.plain_reply_body(),
            order: ByteOrder::NATIVE,
            characters: route.characters,
            raised,
        })
    };
    Some(match (outcome, response) {
        (Ok(LocalOutcome::ByMessage), _) => return None,
        (Ok(LocalOutcome::Forward(target)), _) => Ok(Outcome::Forward(target)),
        (Ok(LocalOutcome::Unknown), _) => Err(failure::internal()),
        (Ok(LocalOutcome::Done), ResponseFlags::Expected) => Ok(reply(!is_plain())),
        (Err(exception), ResponseFlags::Expected) => Err(exception),
        // As from elsewhere, the caller does not learn what comes of it.
        (_, ResponseFlags::SyncWithServer) => Ok(reply(false)),
        (_, ResponseFlags::None) => Ok(Outcome::Done),
    })
}

/// The id of all such requests: none is under way with others.
const REQUEST_ID: u32 = 0;
