//! Requests that ask where an object is.

use taut_cdr::{Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::message::{
    AddressingMode, LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader,
};
use taut_giop::{SystemException, Version};

use super::RequestInProgress;
use super::general::object_key;
use crate::server::duty::Task;
use crate::server::end::End;
use crate::server::service::Service;
use crate::server::{ObjectAdapter, Presence};

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Answers a LocateRequest, of which `input` stands behind the message's header.
    ///
    /// # Errors
    ///
    /// When the connection ends.
    pub(in crate::server) fn serve_locate(
        service: &'r Service<A>,
        header: &MessageHeader,
        mut input: Decoder<'_>,
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        let version = header.version;
        let request = service
            .messaging()
            .locate_request_header(header, &mut input, service.lists())
            .map_err(|_| End::Unreadable(version))?;
        let task = Task::Sending;
        if !service.peer().duty().begin(service.shift(), task) {
            return Err(End::Closed);
        }
        let mut this = Self {
            service,
            version,
            request_id: request.request_id,
            task,
            out,
        };
        this.out.clear();
        let written = this.locate(&request);
        this.send_reply(written)
    }

    /// Looks for the object and leaves the answer in `out`.
    ///
    /// # Errors
    ///
    /// When the answer cannot be finished.
    fn locate(&mut self, request: &LocateRequestHeader<'_>) -> CdrResult<()> {
        let presence = object_key(&request.target).and_then(|object_key| match object_key {
            Some(object_key) => self.service.look_for(object_key).map(Some),
            None => Ok(None),
        });
        let (messaging, out) = (self.service.messaging(), &mut *self.out);
        let reply = LocateReplyHeader {
            request_id: self.request_id,
            status: status(&presence, self.version),
        };
        let status = reply.status;
        messaging.begin_locate_reply(out, self.version, reply);
        match presence {
            Ok(Some(Presence::Elsewhere(ior))) => ior.encode(out)?,
            Ok(None) => AddressingMode::Key.encode(out),
            Err(exception) if status == LocateStatus::LocSystemException => {
                exception.encode(out)?;
            }
            _ => {}
        }
        messaging.finish_message(out)
    }
}

/// The status by which a version of GIOP says where an object is; none: its target has to
/// be named in another form.
fn status(presence: &Result<Option<Presence>, SystemException>, version: Version) -> LocateStatus {
    match presence {
        Ok(Some(Presence::Here)) => LocateStatus::ObjectHere,
        Ok(Some(Presence::Elsewhere(_))) => LocateStatus::ObjectForward,
        Ok(Some(Presence::Unknown)) => LocateStatus::UnknownObject,
        Ok(None) => LocateStatus::LocNeedsAddressingMode,
        // 1.0 and 1.1 have no other way to say it.
        Err(_) if version < Version::V1_2 => LocateStatus::UnknownObject,
        Err(_) => LocateStatus::LocSystemException,
    }
}
