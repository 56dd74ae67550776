//! Requests of any kind, whose headers are read in full.

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::message::{MessageHeader, RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::{CompletionStatus, SystemException};

use super::{RequestInProgress, conclude};
use crate::messaging::Messaging;
use crate::server::duty::Task;
use crate::server::end::End;
use crate::server::expiry;
use crate::server::service::Service;
use crate::server::{Disposition, ObjectAdapter, SentPriority, ServerRequest};
use crate::upcall::contexts;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Serves a request of any kind, of which `input` stands behind the message's header.
    ///
    /// # Errors
    ///
    /// When the connection ends, or another thread reads it from here on.
    pub(in crate::server) fn serve(
        service: &'r mut Service<A>,
        header: &MessageHeader,
        mut input: Decoder<'_>,
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        let version = header.version;
        let request = service
            .messaging()
            .request_header(header, &mut input, service.lists())
            .map_err(|_| End::Unreadable(version))?;
        let agreed = service.agree(version, &request.service_contexts);
        let task = match request.response {
            ResponseFlags::Expected => Task::Request,
            ResponseFlags::None => Task::Oneway,
            ResponseFlags::SyncWithServer => Task::Sending,
        };
        let mut this = Self::begin(service, version, request.request_id, task, out)?;
        this.out.clear();
        if request.response == ResponseFlags::SyncWithServer {
            this.acknowledge();
        }
        let read = this.run(&request, agreed, input);
        this.end(read)
    }

    /// Tells the client of a oneway that it has arrived, before its servant runs.
    fn acknowledge(&mut self) {
        let peer = self.service.peer();
        let messaging = Messaging::of_version(self.version);
        if self.begin_reply().finish(messaging).is_ok() {
            let _ = peer.send(self.out.as_bytes());
        }
        self.out.clear();
        peer.duty().acknowledged();
        self.task = Task::Oneway;
    }

    /// Makes the up-call, unless code sets or calls back could not be `agreed` on, and leaves
    /// the reply in `out`.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    fn run(
        &mut self,
        request: &RequestHeader<'_>,
        agreed: Result<(), SystemException>,
        arguments: Decoder<'_>,
    ) -> CdrResult<()> {
        let (service, messaging) = (self.service, Messaging::of_version(self.version));
        let arguments = service.in_context(self.version, arguments);
        let reply = match request.response {
            ResponseFlags::None | ResponseFlags::SyncWithServer => None,
            ResponseFlags::Expected => Some(self.begin_reply()),
        };
        let mut upcall = ServerRequest::new(request.operation, arguments, reply);
        let is_acknowledged =
            request.response == ResponseFlags::SyncWithServer && service.is_intercepted();
        if contexts::OF_USERS && (!request.service_contexts.is_empty() || is_acknowledged) {
            contexts::admit(|all| {
                all.received.replace(&request.service_contexts);
                all.is_acknowledged = is_acknowledged;
            });
        }
        let mut dispatch = || match object_key(&request.target)? {
            Some(object_key) => match service.sent_priority(&request.service_contexts)? {
                SentPriority::None => service.dispatch(object_key, &mut upcall),
                sent => service.dispatch_with(object_key, &mut upcall, sent),
            },
            None => Ok(Disposition::Readdress),
        };
        let outcome = agreed.and_then(|()| {
            let contexts = &request.service_contexts;
            expiry::within(service.peer(), contexts, &mut dispatch)
        });
        conclude(messaging, upcall, outcome)
    }
}

/// The object key, in whatever form the target was named; none when it is a
/// profile of another protocol.
pub(super) fn object_key<'m>(
    target: &TargetAddress<'m>,
) -> Result<Option<&'m [u8]>, SystemException> {
    target
        .object_key()
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))
}
