//! Requests that tell their quality and have no other service context: they are recognised by
//! their octets, as plain ones are, and go the same way.

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::message::QualifiedRequest;
use taut_giop::{SystemException, Version};

use super::{RequestInProgress, arguments, conclude, conclude_with};
use crate::messaging::Messaging;
use crate::priority::Priority;
use crate::probes::{self, Step};
use crate::server::duty::Task;
use crate::server::end::End;
use crate::server::request::ReplyWriter;
use crate::server::service::Service;
use crate::server::{Disposition, ObjectAdapter, ServerRequest, expiry};
use crate::service_contexts::ServiceContextList;
use crate::upcall::contexts;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Serves a request that tells its quality, which is all of `octets`. None, and nothing has
    /// happened, if it is another, or more is to be done.
    ///
    /// # Errors
    ///
    /// Those of [`serve_plain`](Self::serve_plain).
    #[inline]
    pub(in crate::server) fn serve_qualified(
        service: &'r Service<A>,
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Option<Result<(), End>> {
        if service.messaging() != Messaging::Giop || service.is_apart() {
            return None;
        }
        let request = QualifiedRequest::read(octets)?;
        let priority = match request.priority {
            // Without priorities it is a context as others.
            Some(_) if !service.has_priorities() => return None,
            priority => priority.and_then(|priority| Priority::new(priority).ok()),
        };
        Some(Self::serve_told(service, (&request, priority), octets, out))
    }

    fn serve_told(
        service: &'r Service<A>,
        (request, priority): (&QualifiedRequest<'_>, Option<Priority>),
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        let task = match request.plain.response_expected {
            true => Task::Request,
            false => Task::Oneway,
        };
        let id = request.plain.request_id;
        let mut this = Self::begin(service, Version::V1_2, id, task, out)?;
        this.out.clear();
        let read = this.run_told((request, priority), octets);
        this.end(read)
    }

    /// Makes the up-call, and leaves the reply in `out`.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    fn run_told(
        &mut self,
        (request, priority): (&QualifiedRequest<'_>, Option<Priority>),
        octets: &[u8],
    ) -> CdrResult<()> {
        let (service, messaging, plain) = (self.service, Messaging::Giop, &request.plain);
        let reply = match (plain.response_expected, priority) {
            (false, _) => None,
            (true, None) => Some(self.begin_reply()),
            (true, Some(priority)) => {
                let characters = service.characters(Version::V1_2);
                let told = (self.request_id, priority.get());
                let (begin, out) = (ReplyWriter::begin_prioritized, &mut *self.out);
                Some(begin(messaging, told, characters, out))
            }
        };
        let arguments = service.in_context(Version::V1_2, arguments(plain, octets)?);
        let mut upcall = ServerRequest::new(plain.operation, arguments, reply);
        let admitted = contexts::admit_told(request.priority, request.deadline);
        let mut dispatch = || match priority {
            Some(priority) => service.dispatch_prioritized(plain.object_key, &mut upcall, priority),
            None => service.dispatch(plain.object_key, &mut upcall),
        };
        let outcome = match &request.deadline {
            None => dispatch(),
            Some(told) => expiry::within_told(service.peer(), told, dispatch),
        };
        match admitted.take() {
            None => conclude(messaging, upcall, outcome),
            Some(taken) => conclude_apart(messaging, upcall, outcome, &taken.replied),
        }
    }
}

/// Ends the message of the reply to a request whose servant has added service contexts, if one
/// is expected.
#[cold]
#[inline(never)]
fn conclude_apart(
    messaging: Messaging,
    request: ServerRequest<'_>,
    outcome: Result<Disposition, SystemException>,
    replied: &ServiceContextList,
) -> CdrResult<()> {
    let Some(reply) = request.into_reply() else {
        return Ok(());
    };
    let finished = conclude_with(messaging, reply, outcome, replied);
    probes::done(Step::ReplyWritten);
    finished
}
