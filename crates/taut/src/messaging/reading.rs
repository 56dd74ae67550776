//! How messages are read: by their octets if they are as most are, else header by header.

use taut_cdr::{Decoder, Result};
use taut_giop::framing::{Framer, FramingLimits};
use taut_giop::message::{
    self as giop, LocateReplyHeader, LocateRequestHeader, MessageHeader, PLAIN_REPLY_BODY,
    PlainRequest, ReplyHeader, RequestHeader, plain_reply_body,
};
use taut_giop::{Limits, Version};

use super::Messaging;

/// The most octets in front of the body of a plain reply, in any protocol.
pub(crate) const PLAIN_REPLY_BODY_MAX: usize = PLAIN_REPLY_BODY;

impl Messaging {
    /// A finder of messages among the octets from one peer.
    pub(super) fn framer(self, limits: FramingLimits) -> Framer {
        match self.is_lite() {
            false => Framer::new(limits),
            true => Framer::lite(limits),
        }
    }

    /// Reads octets that are just one plain request, and says of which version.
    #[inline(always)]
    pub(crate) fn plain_request(self, octets: &[u8]) -> Option<(Version, PlainRequest<'_>)> {
        match self.is_lite() {
            false => PlainRequest::read(octets).map(|request| (Version::V1_2, request)),
            true => PlainRequest::read_lite(octets).map(|request| (Version::LITE, request)),
        }
    }

    /// Whether the message is just the plain reply to this request: without exception, and
    /// without service contexts. Its body is behind
    /// [`plain_reply_body`](Self::plain_reply_body).
    #[inline(always)]
    pub(crate) fn is_plain_reply(self, octets: &[u8], version: Version, request_id: u32) -> bool {
        giop::is_plain_reply(octets, version, request_id)
    }

    /// Whether the octets are the first ones of such a reply, which has `total` in all.
    pub(crate) fn begins_plain_reply(
        self,
        octets: &[u8],
        total: usize,
        version: Version,
        request_id: u32,
    ) -> bool {
        giop::begins_plain_reply(octets, total, version, request_id)
    }

    /// The number of octets in front of the body of a plain reply, at most
    /// [`PLAIN_REPLY_BODY_MAX`].
    #[inline(always)]
    pub(crate) const fn plain_reply_body(self) -> usize {
        match self.is_lite() {
            false => PLAIN_REPLY_BODY,
            true => plain_reply_body(Version::LITE),
        }
    }

    /// A decoder behind the header in the octets of a whole message.
    ///
    /// # Errors
    ///
    /// When they are fewer than a header.
    pub(crate) fn decoder<'m>(
        self,
        header: &MessageHeader,
        octets: &'m [u8],
    ) -> Result<Decoder<'m>> {
        header.decoder(octets)
    }

    /// Reads what a Request has in front of its body.
    ///
    /// # Errors
    ///
    /// When it is malformed, or beyond a limit.
    pub(crate) fn request_header<'m>(
        self,
        header: &MessageHeader,
        input: &mut Decoder<'m>,
        limits: &Limits,
    ) -> Result<RequestHeader<'m>> {
        RequestHeader::decode_within(header.version, input, limits)
    }

    /// Reads what a Reply has in front of its body.
    ///
    /// # Errors
    ///
    /// When it is malformed, or beyond a limit.
    pub(crate) fn reply_header<'m>(
        self,
        header: &MessageHeader,
        input: &mut Decoder<'m>,
        limits: &Limits,
    ) -> Result<ReplyHeader<'m>> {
        ReplyHeader::decode_within(header.version, input, limits)
    }

    /// Reads a LocateRequest.
    ///
    /// # Errors
    ///
    /// When it is malformed, or beyond a limit.
    pub(crate) fn locate_request_header<'m>(
        self,
        header: &MessageHeader,
        input: &mut Decoder<'m>,
        limits: &Limits,
    ) -> Result<LocateRequestHeader<'m>> {
        LocateRequestHeader::decode_within(header.version, input, limits)
    }

    /// Reads what a LocateReply has in front of its body.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    pub(crate) fn locate_reply_header(
        self,
        header: &MessageHeader,
        input: &mut Decoder<'_>,
    ) -> Result<LocateReplyHeader> {
        LocateReplyHeader::decode(header.version, input)
    }
}
