//! How messages are written, each into an encoder that is empty.

use taut_cdr::{ByteOrder, Encode, Encoder, Result};
use taut_giop::Version;
use taut_giop::framing::Fragments;
use taut_giop::message::{
    self as giop, BodyStart, EncodedReplyHeader, LocateReplyHeader, LocateRequestHeader,
    MessageType, RequestHeader, RequestTemplate, TargetAddress,
};
use taut_giop::service_context::ServiceContext;

use super::Messaging;
use crate::buffer_pool;

impl Messaging {
    /// The template of requests to a target.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or the version cannot name the target in
    /// this form.
    pub(crate) fn template(
        self,
        version: Version,
        order: ByteOrder,
        target: TargetAddress<'_>,
    ) -> Result<RequestTemplate> {
        RequestTemplate::new(self.version(version), order, target)
    }

    /// Begins a Request that is not written from a template.
    /// [`begin_body`](Self::begin_body) comes next.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or the version cannot name the target in
    /// this form.
    pub(crate) fn begin_request(
        self,
        out: &mut Encoder,
        version: Version,
        header: &RequestHeader<'_>,
    ) -> Result<()> {
        let version = self.version(version);
        giop::begin_message(out, version, MessageType::Request);
        header.encode(version, out).map(drop)
    }

    /// Begins a Reply without service contexts, and without exception so far.
    /// [`begin_body`](Self::begin_body) comes next.
    #[inline(always)]
    pub(crate) fn begin_plain_reply(
        self,
        out: &mut Encoder,
        version: Version,
        request_id: u32,
    ) -> EncodedReplyHeader {
        giop::begin_plain_reply(out, version, request_id)
    }

    /// Begins the body of a Request or a Reply.
    #[inline(always)]
    pub(crate) fn begin_body(self, version: Version, out: &mut Encoder) -> BodyStart {
        giop::begin_body(version, out)
    }

    /// Begins a LocateReply.
    pub(crate) fn begin_locate_reply(
        self,
        out: &mut Encoder,
        version: Version,
        header: LocateReplyHeader,
    ) {
        giop::begin_message(out, self.version(version), MessageType::LocateReply);
        header.encode(out);
    }

    /// Writes a whole LocateRequest.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or the version cannot name the target in
    /// this form.
    pub(crate) fn write_locate_request(
        self,
        out: &mut Encoder,
        version: Version,
        header: &LocateRequestHeader<'_>,
    ) -> Result<()> {
        let version = self.version(version);
        giop::begin_message(out, version, MessageType::LocateRequest);
        header.encode(version, out)?;
        self.finish_message(out)
    }

    /// Writes a whole CancelRequest.
    ///
    /// # Errors
    ///
    /// Those of [`finish_message`](Self::finish_message).
    pub(crate) fn write_cancel_request(
        self,
        out: &mut Encoder,
        version: Version,
        request_id: u32,
    ) -> Result<()> {
        giop::begin_message(out, self.version(version), MessageType::CancelRequest);
        request_id.encode(out)?;
        self.finish_message(out)
    }

    /// Ends a message that was begun: tells its size in the header.
    ///
    /// # Errors
    ///
    /// When the size does not fit in 32 bits, or something was written behind the tail.
    #[inline(always)]
    pub(crate) fn finish_message(self, out: &mut Encoder) -> Result<()> {
        match self.is_lite() {
            false => giop::finish_giop_message(out),
            true => giop::lite::finish_message(out),
        }
    }

    /// Ends a Reply that was begun as a [plain](Self::begin_plain_reply) one, and whose body is
    /// finished, with service contexts after all. Its header is written in a buffer of this
    /// thread's pool.
    ///
    /// # Errors
    ///
    /// Those of [`finish_message`](Self::finish_message).
    #[cold]
    pub(crate) fn finish_reply_with(
        self,
        out: &mut Encoder,
        contexts: &[ServiceContext<'_>],
    ) -> Result<()> {
        let mut start = Encoder::with_buffer(buffer_pool::take(), out.order());
        let finished = giop::finish_reply_with(out, contexts, &mut start);
        buffer_pool::give(start.into_buffer());
        finished
    }

    /// The pieces, of at most `max_size` octets, of a whole message. None when it is not
    /// whole.
    pub(super) fn fragments(self, message: &[u8], max_size: usize) -> Option<Fragments<'_>> {
        Fragments::new(message, max_size)
    }
}
