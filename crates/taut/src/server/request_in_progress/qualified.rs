//! Requests that tell their quality and have no other service context: they are recognised by
//! their octets, as plain ones are, and go the same way.

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::deadline_context::DeadlineContext;
use taut_giop::message::{PlainRequest, QualifiedRequest};
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
        // Without priorities it is a context as others.
        if service.has_priorities()
            && let Some((request, priority)) = QualifiedRequest::read_prioritized(octets)
            && let Ok(priority) = Priority::new(priority)
        {
            let quality = (Some(priority), None);
            return Some(Self::serve_told(service, &request, quality, octets, out));
        }
        Self::serve_with_deadline(service, octets, out)
    }

    /// The same for one that tells its deadline.
    #[inline(never)]
    fn serve_with_deadline(
        service: &'r Service<A>,
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Option<Result<(), End>> {
        let request = QualifiedRequest::read_with_deadline(octets)?;
        let priority = match request.priority {
            Some(_) if !service.has_priorities() => return None,
            priority => priority.and_then(|priority| Priority::new(priority).ok()),
        };
        let quality = (priority, request.deadline);
        let served = Self::serve_told(service, &request.plain, quality, octets, out);
        Some(served)
    }

    #[inline(always)]
    fn serve_told(
        service: &'r Service<A>,
        request: &PlainRequest<'_>,
        quality: (Option<Priority>, Option<DeadlineContext>),
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        let task = match request.response_expected {
            true => Task::Request,
            false => Task::Oneway,
        };
        let id = request.request_id;
        let mut this = Self::begin(service, Version::V1_2, id, task, out)?;
        this.out.clear();
        let read = this.run_told(request, quality, octets);
        this.end(read)
    }

    /// Makes the up-call, and leaves the reply in `out`.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    #[inline(always)]
    fn run_told(
        &mut self,
        request: &PlainRequest<'_>,
        (priority, deadline): (Option<Priority>, Option<DeadlineContext>),
        octets: &[u8],
    ) -> CdrResult<()> {
        let (service, messaging) = (self.service, Messaging::Giop);
        let reply = match (request.response_expected, priority) {
            (false, _) => None,
            (true, None) => Some(self.begin_reply()),
            (true, Some(priority)) => {
                let characters = service.characters(Version::V1_2);
                let told = (self.request_id, priority.get());
                let (begin, out) = (ReplyWriter::begin_prioritized, &mut *self.out);
                Some(begin(messaging, told, characters, out))
            }
        };
        let arguments = service.in_context(Version::V1_2, arguments(request, octets)?);
        let mut upcall = ServerRequest::new(request.operation, arguments, reply);
        let admitted = contexts::admit_told(priority.map(Priority::get), deadline);
        let key = request.object_key;
        let mut dispatch = || match priority {
            Some(priority) => service.dispatch_prioritized(key, &mut upcall, priority),
            None => service.dispatch(key, &mut upcall),
        };
        let outcome = match &deadline {
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
