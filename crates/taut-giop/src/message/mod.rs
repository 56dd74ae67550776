//! GIOP messages: the header that all of them share, and the headers behind it
//! (CORBA 3.3 part 2, 9.4).
//!
//! To write a message: [`begin_message`], the header's `encode`, then for a
//! Request or Reply [`begin_body`], the arguments or results,
//! [`BodyStart::finish`], and at last [`finish_message`]. To read one: parse the
//! [`MessageHeader`], make a decoder with [`MessageHeader::decoder`] and `decode`
//! the header that its type names; the decoder then stands at the body.
//!
//! The same functions write and read the messages of [GIOPlite](lite), which is the layout of
//! [`Version::LITE`](crate::Version::LITE); only its first header is read by
//! [`lite::parse`].

mod body;
mod cancel;
mod frame_error;
mod header;
pub mod lite;
mod locate;
mod message_type;
mod plain;
mod qualified;
mod reply;
mod reply_contexts;
mod request;
mod target;
mod template;

pub use body::{BodyStart, begin_body};
pub use cancel::CancelRequestHeader;
pub use frame_error::FrameError;
pub use header::{
    HEADER_SIZE, HeaderBytes, MAGIC, MessageHeader, begin_message, finish_giop_message,
    finish_message,
};
pub use locate::{LocateReplyHeader, LocateRequestHeader, LocateStatus};
pub use message_type::MessageType;
pub use plain::{
    PLAIN_REPLY_BODY, PlainRequest, begin_plain_reply, begins_plain_reply, is_plain_reply,
    plain_reply_body,
};
pub use qualified::{
    QualifiedRequest, begin_prioritized_reply, priority_context, read_priority_context,
    read_priority_range_context,
};
pub use reply::{EncodedReplyHeader, ReplyHeader, ReplyStatus};
pub use reply_contexts::finish_reply_with;
pub use request::{EncodedRequestHeader, RequestHeader, ResponseFlags};
pub use target::{AddressingMode, TargetAddress};
pub use template::RequestTemplate;
