//! Service contexts of a Reply that was begun without them.

use smallvec::SmallVec;
use taut_cdr::{Encoder, Error, ErrorKind, Result};

use super::{MessageHeader, MessageType, ReplyHeader, begin_message, finish_message};
use crate::Version;
use crate::service_context::{ServiceContext, ServiceContexts, id};

/// The context, of 12 octets, that moves the end of a header by 4 modulo 8.
const PADDING: ServiceContext<'static> = ServiceContext {
    id: id::TAUT_PADDING,
    data: &[0; 4],
};

/// Gives service contexts to a Reply that [`super::begin_plain_reply`] or
/// [`super::begin_prioritized_reply`] has begun, behind the one that it has, and whose
/// body is [finished](super::BodyStart::finish), and ends the message. Its new header is
/// written to `start` first, which has the byte order of the message.
///
/// The body keeps its octets, and so its place modulo 8. Until GIOP 1.1 a body begins where
/// the header ends, which may need one context more: `Taut padding`, which means nothing.
///
/// # Errors
///
/// When what `out` holds is no such reply, or a service context is too long.
#[cold]
pub fn finish_reply_with(
    out: &mut Encoder,
    contexts: &[ServiceContext<'_>],
    start: &mut Encoder,
) -> Result<()> {
    finish_message(out)?;
    let (version, begun, end) = read_begun(out.as_bytes())?;
    let has_body = out.len() > end || out.has_tail();
    let all = begun
        .service_contexts
        .iter()
        .chain(contexts.iter().copied());
    let mut all: SmallVec<[_; 8]> = all.collect();
    debug_assert_eq!(start.order(), out.order());
    start.clear();
    write_start(version, begun, &all, start)?;
    if has_body && version.has_layout_1_2() {
        start.align(8);
    } else if has_body && !start.len().is_multiple_of(8) {
        all.push(PADDING);
        start.clear();
        write_start(version, begun, &all, start)?;
    }
    drop(all);
    out.replace_start(end, start.as_bytes());
    finish_message(out)
}

/// Reads the header of a reply that has been begun: without service contexts, or with the one
/// of a priority. Says where its body begins, or the header ends if there is none.
fn read_begun(octets: &[u8]) -> Result<(Version, ReplyHeader<'_>, usize)> {
    let none = || {
        let kind = ErrorKind::Invalid("a reply without service contexts was expected");
        Error::new(kind, 0)
    };
    let header = MessageHeader::of_message(octets).ok_or_else(none)?;
    let mut input = header.decoder(octets)?;
    let reply = ReplyHeader::decode(header.version, &mut input)?;
    let mut contexts = reply.service_contexts.iter();
    let is_begun = match contexts.next() {
        None => true,
        Some(first) => first.id == id::RT_CORBA_PRIORITY && contexts.next().is_none(),
    };
    match is_begun && header.message_type == MessageType::Reply {
        true => Ok((header.version, reply, input.position())),
        false => Err(none()),
    }
}

/// Writes the headers of a reply with these contexts.
fn write_start(
    version: Version,
    begun: ReplyHeader<'_>,
    contexts: &[ServiceContext<'_>],
    out: &mut Encoder,
) -> Result<()> {
    begin_message(out, version, MessageType::Reply);
    let service_contexts = ServiceContexts::new(contexts);
    let header = ReplyHeader {
        service_contexts,
        ..begun
    };
    header.encode(version, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use taut_cdr::{ByteOrder, Encode};

    use super::*;
    use crate::message::{
        ReplyStatus, begin_body, begin_plain_reply, begin_prioritized_reply, priority_context,
    };

    const DATA: [&[u8]; 6] = [
        b"",
        b"1",
        b"four",
        b"seven 7",
        b"eight  8",
        b"more than ten",
    ];

    /// A reply with a string and a double, begun without service contexts and given them.
    fn given(
        version: Version,
        order: ByteOrder,
        contexts: &[ServiceContext<'_>],
        has_body: bool,
    ) -> Vec<u8> {
        let mut out = Encoder::new(order);
        let header = begin_plain_reply(&mut out, version, 7);
        let body = begin_body(version, &mut out);
        header.set_status(&mut out, ReplyStatus::UserException);
        if has_body {
            "text".encode(&mut out).unwrap();
            out.write(2.5_f64);
        }
        body.finish(&mut out);
        finish_reply_with(&mut out, contexts, &mut Encoder::new(order)).unwrap();
        out.into_buffer()
    }

    #[test]
    fn a_reply_that_is_given_contexts_has_them_and_its_body() {
        for version in [Version::V1_0, Version::V1_1, Version::V1_2, Version::LITE] {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                for (first, second) in DATA.iter().flat_map(|one| DATA.map(|two| (*one, two))) {
                    let contexts = [(9, first), (9, second)];
                    let contexts = contexts.map(|(id, data)| ServiceContext { id, data });
                    for has_body in [false, true] {
                        let message = given(version, order, &contexts, has_body);
                        check(&message, &contexts, has_body);
                    }
                }
            }
        }
    }

    fn check(message: &[u8], contexts: &[ServiceContext<'_>], has_body: bool) {
        let header = MessageHeader::of_message(message).unwrap();
        assert_eq!(header.total_size(), message.len());
        let mut input = header.decoder(message).unwrap();
        let reply = ReplyHeader::decode(header.version, &mut input).unwrap();
        assert_eq!(
            (reply.request_id, reply.status),
            (7, ReplyStatus::UserException)
        );
        let found: Vec<_> = reply.service_contexts.iter().collect();
        let (ours, padding) = found.split_at(contexts.len());
        assert_eq!(ours, contexts);
        assert!(padding.iter().all(|context| context.id == id::TAUT_PADDING));
        if has_body {
            assert_eq!(input.read_string().unwrap(), "text");
            assert_eq!(input.read::<f64>().unwrap(), 2.5);
        } else {
            assert!(padding.is_empty());
        }
        assert!(input.rest().is_empty());
    }

    #[test]
    fn a_reply_that_tells_a_priority_is_given_others_behind_it() {
        for (data, has_body) in DATA.iter().flat_map(|data| [(data, false), (data, true)]) {
            let mut out = Encoder::new(ByteOrder::NATIVE);
            let (header, body) = begin_prioritized_reply(&mut out, 7, 300);
            header.set_status(&mut out, ReplyStatus::UserException);
            if has_body {
                "text".encode(&mut out).unwrap();
                out.write(2.5_f64);
            }
            body.finish(&mut out);
            let own = ServiceContext { id: 9, data };
            finish_reply_with(&mut out, &[own], &mut Encoder::new(ByteOrder::NATIVE)).unwrap();
            let priority = priority_context(ByteOrder::NATIVE, 300);
            let first = ServiceContext {
                id: id::RT_CORBA_PRIORITY,
                data: &priority,
            };
            check(out.as_bytes(), &[first, own], has_body);
        }
    }

    #[test]
    fn only_a_reply_without_contexts_is_given_some() {
        let contexts = [ServiceContext { id: 9, data: b"" }];
        let mut out = Encoder::new(ByteOrder::NATIVE);
        assert!(
            finish_reply_with(&mut out, &contexts, &mut Encoder::new(ByteOrder::NATIVE)).is_err()
        );
        begin_plain_reply(&mut out, Version::V1_2, 1);
        finish_reply_with(&mut out, &contexts, &mut Encoder::new(ByteOrder::NATIVE)).unwrap();
        assert!(
            finish_reply_with(&mut out, &contexts, &mut Encoder::new(ByteOrder::NATIVE)).is_err()
        );
    }
}
