//! Requests that the main thread carries out (MAIN_THREAD_MODEL).

use std::mem;
use std::panic::resume_unwind;

use taut_giop::{SystemException, SystemExceptionKind};
use taut_sync::rendezvous::Closed;

use super::PoaManagerState;
use super::dispatch::serve;
use super::error::refusal;
use super::incarnated::Incarnated;
use super::intercepted::run_around;
use super::object_key::ObjectKey;
use super::served::Served;
use super::table::PoaTable;
use crate::core::OrbCore;
use crate::deadline;
use crate::server::{
    AroundServant, Arrival, SentPriority, ServerRequest, peer_in_service, peer_name, peer_source,
};
use crate::straight_way;
use crate::upcall::{self, contexts};

/// Has the main thread carry a request out, by `around` if somebody runs the servant, and waits
/// for that. None when its POA does not let it in any more, now that the main thread has come to
/// it.
///
/// # Errors
///
/// Why there is no servant; what the servant ends with; TRANSIENT with OMG minor 4
/// when the main thread carries out nothing any more.
#[cold]
pub(super) fn serve_in_main_thread(
    table: &PoaTable,
    (object_key, sent): (&[u8], SentPriority),
    request: &mut ServerRequest<'_>,
    around: Option<&mut dyn AroundServant>,
) -> Result<Option<Served<()>>, SystemException> {
    let called = (object_key, sent);
    let serve = || upcall::run(|| serve_at_once(table, called, request, around));
    let outcome = match contexts::OF_USERS {
        true => carry_out_in_context(&table.core, serve),
        false => carry_out(&table.core, serve),
    };
    match outcome {
        Ok(Ok(served)) => served,
        // The panic goes on in the thread that knows the client, which reports it.
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(refusal(SystemExceptionKind::Transient, 4)),
    }
}

/// Has the main thread run `serve`, which makes an up-call.
fn carry_out<R: Send>(core: &OrbCore, serve: impl FnOnce() -> R + Send) -> Result<R, Closed> {
    let (peer, deadline) = (peer_in_service(), deadline::of_thread());
    let serve = || straight_way::in_context(false, || deadline::with(deadline, serve));
    core.main_thread.carry_out(|| peer.serving(serve))
}

/// The same, where the main thread gets the request's service contexts, and gives back the
/// reply's.
fn carry_out_in_context<R: Send>(
    core: &OrbCore,
    serve: impl FnOnce() -> R + Send,
) -> Result<R, Closed> {
    let (peer, source) = (peer_name(), peer_source());
    let mut own = contexts::lift();
    own.peer = peer;
    own.source = source;
    let outcome = carry_out(core, || {
        let (outcome, mut there) = contexts::with(|all| mem::swap(all, &mut own), serve);
        if let Some(there) = &mut there {
            mem::swap(&mut **there, &mut own);
        }
        outcome
    });
    contexts::put_back(own);
    outcome
}

/// Carries a request out, unless it would have to wait for its POA: nobody shall wait
/// in the main thread.
fn serve_at_once(
    table: &PoaTable,
    (object_key, sent): (&[u8], SentPriority),
    request: &mut ServerRequest<'_>,
    around: Option<&mut dyn AroundServant>,
) -> Result<Option<Served<()>>, SystemException> {
    let Some(key) = ObjectKey::parse(object_key) else {
        return Ok(None);
    };
    match table.find(&key) {
        Some(entry) if entry.value.state == PoaManagerState::Active => {
            let (call, arrived) = ((request.operation(), sent), &mut Arrival::of(request));
            let run = |servant: &Incarnated| match around {
                Some(around) => run_around(servant, request, around),
                None => servant.dispatch(request),
            };
            let served = serve(entry, &key, call, arrived, run)?;
            arrived.note_reply(request);
            Ok(Some(served))
        }
        _ => Ok(None),
    }
}
