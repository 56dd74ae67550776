//! Calls of reply handlers.

use std::future::poll_fn;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::brought::Brought;
use super::drive;
use crate::invoke::arguments::Arguments;
use crate::invoke::asynchronous::body::Body;
use crate::invoke::asynchronous::pursuit::Pursuit;
use crate::invoke::asynchronous::state::{Operation, Sending};
use crate::invoke::bound;
use crate::invoke::call_context::KeptTerms;
use crate::object::{Bound, ObjectRef};

/// Brings the outcome of a call to its handler. One in this process is called by a thread for
/// replies, which its servant may hold; for others nobody waits.
pub(super) async fn deliver(handler: ObjectRef, brought: Brought) {
    let is_elsewhere = |bound: Bound<'_>| bound.local().is_none();
    if handler.binding().get().is_some_and(is_elsewhere) {
        return send(handler, brought).await;
    }
    let core = Arc::clone(handler.core());
    // Where the handler is may have to be asked of the name service, which may take its time.
    let call = move || match bound(&handler, None) {
        Ok(binding) if binding.local().is_some() => call_here(&handler, brought),
        Ok(_) => {
            let core = Arc::clone(handler.core());
            drive(&core, send(handler, brought));
        }
        Err(exception) => report(&handler, &brought, Err(exception)),
    };
    core.replies.start(Box::pin(async move { call() }));
}

/// Calls the servant of a handler in this process.
fn call_here(handler: &ObjectRef, brought: Brought) {
    let call = |brought: &Brought| {
        let called = handler.invoke(brought.operation(), |out| brought.write(out));
        called.and_then(|reply| reply.no_results())
    };
    let called = match call(&brought) {
        Err(exception) if is_unread(&exception) => match brought.as_unreadable() {
            Some(unreadable) => call(&unreadable),
            None => Err(exception),
        },
        called => called,
    };
    report(handler, &brought, called);
}

/// Calls a handler by message.
async fn send(handler: ObjectRef, brought: Brought) {
    let called = match call_there(&handler, &brought).await {
        Err(exception) if is_unread(&exception) => match brought.as_unreadable() {
            Some(unreadable) => call_there(&handler, &unreadable).await,
            None => Err(exception),
        },
        called => called,
    };
    report(&handler, &brought, called);
}

async fn call_there(handler: &ObjectRef, brought: &Brought) -> Result<(), SystemException> {
    let write = |out: &mut Encoder| brought.write(out);
    let body = Body::new(handler, Arguments::whole(&write), false);
    let operation = Operation::Named(brought.operation().into());
    let terms = KeptTerms::of(handler, None);
    let mut pursuit = Pursuit::new(handler, operation, Sending::TWO_WAY, body, terms);
    let reply = poll_fn(|cx| pursuit.poll(cx.waker())).await?;
    reply.no_results()
}

/// Whether a handler has refused what it could not read, or what could not be written.
fn is_unread(exception: &SystemException) -> bool {
    exception.kind == SystemExceptionKind::Marshal && exception.completed == CompletionStatus::No
}

/// Tells of a reply that has not reached its handler.
fn report(handler: &ObjectRef, brought: &Brought, called: Result<(), SystemException>) {
    if let Err(exception) = called {
        let (operation, handler) = (brought.operation(), handler.ior());
        tracing::warn!(
            operation, handler = handler.type_id.as_str(), %exception, "a reply handler has not taken a reply"
        );
    }
}
