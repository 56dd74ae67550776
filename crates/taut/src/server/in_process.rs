//! Requests of callers in this process, whose arguments are marshaled.

use std::any::Any;
use std::sync::Arc;

use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_giop::message::ResponseFlags;
use taut_giop::service_context::id;
use taut_giop::{CompletionStatus, SystemException};

use super::deferral::LocalReply;
use super::pool::in_any_pool;
use super::request::ReplyWriter;
use super::service::sent_priority;
use super::{Disposition, ObjectAdapter, SentPriority, ServerRequest, intercepted};
use crate::core::OrbCore;
use crate::object::{LocalOutcome, LocalRequest};
use crate::priority;
use crate::straight_way;
use crate::upcall::{self, contexts};

/// Carries out a request of this process in the caller's thread, and leaves the message of
/// the reply, if there is one, in `request.reply`.
///
/// # Errors
///
/// The system exception that the caller gets.
pub(crate) fn serve<A: ObjectAdapter>(
    core: &Arc<OrbCore>,
    adapter: &A,
    object_key: &[u8],
    request: &mut LocalRequest<'_>,
) -> Result<LocalOutcome, SystemException> {
    let mut out = Encoder::with_buffer(std::mem::take(request.reply), ByteOrder::NATIVE);
    let outcome = in_any_pool(|| serve_into(core, adapter, object_key, request, &mut out));
    if !out.tail().is_empty() {
        let tail = out.tail().to_vec();
        *request.reply = out.into_buffer();
        request.reply.extend(tail);
        return outcome;
    }
    *request.reply = out.into_buffer();
    outcome
}

fn serve_into<A: ObjectAdapter>(
    core: &Arc<OrbCore>,
    adapter: &A,
    object_key: &[u8],
    request: &mut LocalRequest<'_>,
    out: &mut Encoder,
) -> Result<LocalOutcome, SystemException> {
    let context: &(dyn Any + Send + Sync) = core;
    let limits = &core.settings.limits;
    let arguments = Decoder::new(request.arguments, ByteOrder::NATIVE)
        .with_characters(request.characters)
        .with_nesting_limit(limits.nesting_limit)
        .with_graph_limits(limits.type_codes)
        .with_memory_limit(limits.memory)
        .with_cyclic_values(limits.cyclic_values)
        .with_context(Some(context));
    let reply = match request.response {
        ResponseFlags::Expected => {
            let answered = (request.version, request.request_id);
            let characters = request.characters;
            Some(ReplyWriter::begin(
                request.messaging,
                answered,
                characters,
                out,
            ))
        }
        ResponseFlags::None | ResponseFlags::SyncWithServer => None,
    };
    let mut upcall_request = ServerRequest::new(request.operation.as_bytes(), arguments, reply);
    let fill = |all: &mut contexts::UpcallContexts| {
        all.received.clone_from(request.contexts);
        all.is_acknowledged = request.response == ResponseFlags::SyncWithServer;
    };
    let panicked = |request: &ServerRequest<'_>, panic| {
        let object = || adapter.describe(object_key);
        upcall::panicked(upcall::THIS_PROCESS, request, object, panic)
    };
    let dispatch = |request: &mut ServerRequest<'_>| {
        let sent = sent_priority_here(core)?;
        match core.interception.watches_server() {
            true => intercepted::dispatch(core, adapter, (object_key, sent), request, panicked),
            false => adapter.dispatch_with(object_key, request, sent),
        }
    };
    let messaging = request.messaging;
    let run = || {
        LocalReply::around(&mut upcall_request, messaging, |upcall_request| {
            upcall::run_request(|| dispatch(upcall_request))
                .unwrap_or_else(|panic| Err(panicked(upcall_request, panic)))
        })
    };
    let ((outcome, deferred), taken) =
        straight_way::in_context(false, || contexts::with(fill, run));
    if let Some(deferred) = deferred {
        if request.response != ResponseFlags::Expected {
            return Ok(LocalOutcome::Done);
        }
        let given = deferred.wait();
        *request.replied = given.contexts;
        out.clear();
        out.write_bytes(&given.octets);
        return match given.outcome? {
            Disposition::Forward(target) => Ok(LocalOutcome::Forward(target)),
            _ => Ok(LocalOutcome::Done),
        };
    }
    if let Some(mut taken) = taken {
        std::mem::swap(request.replied, &mut taken.replied);
    }
    match outcome? {
        Disposition::Done => {
            if let Some(reply) = upcall_request.into_reply() {
                let finished = reply.finish(request.messaging);
                finished
                    .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Yes))?;
            }
            Ok(LocalOutcome::Done)
        }
        Disposition::Forward(target) => Ok(LocalOutcome::Forward(target)),
        // A key was told.
        Disposition::Readdress => Ok(LocalOutcome::Unknown),
    }
}

/// The priority of a request of this process: what its contexts tell, or that of the thread.
///
/// # Errors
///
/// MARSHAL when the context cannot be read.
fn sent_priority_here(core: &OrbCore) -> Result<SentPriority, SystemException> {
    if !core.priorities.is_real_time() {
        return Ok(SentPriority::None);
    }
    let told = contexts::received(|list| list.find(id::RT_CORBA_PRIORITY).map(sent_priority));
    told.unwrap_or_else(|| {
        let of_thread = priority::current();
        Ok(of_thread.map_or(SentPriority::None, SentPriority::OfThread))
    })
}
