//! Requests that tell their quality and have no other service context: they are recognised by
//! their octets, as plain ones are, and go the same way.

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::Version;
use taut_giop::deadline_context::DeadlineContext;
use taut_giop::message::{PlainRequest, QualifiedRequest};

use super::{RequestInProgress, arguments, conclude_in_context, conclude_plainly};
use crate::messaging::Messaging;
use crate::priority::Priority;
use crate::server::end::End;
use crate::server::request::ReplyWriter;
use crate::server::service::Service;
use crate::server::{ObjectAdapter, ServerRequest, expiry};
use crate::upcall::contexts;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Serves a request that tells its priority alone, which is all of `octets`. Says whether it
    /// is one; if it is not, nothing has happened.
    ///
    /// # Errors
    ///
    /// Those of [`serve_plain`](Self::serve_plain).
    #[inline(always)]
    pub(in crate::server) fn serve_prioritized(
        service: &'r Service<A>,
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<bool, End> {
        // Without priorities it is a context as others.
        if service.takes_priorities()
            && let Some((request, priority)) = QualifiedRequest::read_prioritized(octets)
            && let Ok(priority) = Priority::new(priority)
        {
            let mut this = Self::begin_plain(service, (Version::V1_2, &request), out)?;
            let quality = (Some(priority), None);
            let read = this.run_told::<false>(&request, quality, octets);
            return this.end(read).map(|()| true);
        }
        Ok(false)
    }

    /// The same where that need not be as fast as can be, or the request tells its deadline.
    ///
    /// # Errors
    ///
    /// Those of [`serve_plain`](Self::serve_plain).
    #[inline(never)]
    pub(in crate::server) fn serve_qualified(
        service: &'r Service<A>,
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<bool, End> {
        if service.messaging() != Messaging::Giop || service.is_apart() {
            return Ok(false);
        }
        let Some(request) = QualifiedRequest::read(octets) else {
            return Ok(false);
        };
        let priority = match request.priority {
            Some(_) if !service.takes_priorities() => return Ok(false),
            priority => priority.and_then(|priority| Priority::new(priority).ok()),
        };
        let mut this = Self::begin_plain(service, (Version::V1_2, &request.plain), out)?;
        let quality = (priority, request.deadline);
        let read = this.run_told::<true>(&request.plain, quality, octets);
        this.end(read).map(|()| true)
    }

    /// Makes the up-call, and leaves the reply in `out`. There is no deadline unless the request
    /// may be `LIMITED` in time.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    #[inline(always)]
    fn run_told<const LIMITED: bool>(
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
                Some(begin(told, characters, out))
            }
        };
        let arguments = service.in_context(Version::V1_2, arguments(request, octets)?);
        let mut upcall = ServerRequest::new(request.operation, arguments, reply);
        let admitted = contexts::admit_told(priority.map(Priority::get), deadline);
        let key = request.object_key;
        let dispatch = |upcall: &mut ServerRequest<'_>| match priority {
            Some(priority) => service.dispatch_prioritized(key, upcall, priority),
            None => service.dispatch(key, upcall),
        };
        let outcome = match &deadline {
            Some(told) if LIMITED => {
                expiry::within_told(service.peer(), told, || dispatch(&mut upcall))
            }
            _ => dispatch(&mut upcall),
        };
        let reply = upcall.into_reply();
        if admitted.has_others() {
            return conclude_in_context(messaging, reply, outcome, || admitted.take());
        }
        admitted.end();
        conclude_plainly(messaging, reply, outcome)
    }
}
