//! The requests that a connection sends, one after the other in one buffer.

use taut_cdr::{ByteOrder, Encoder, Result};
use taut_giop::Version;
use taut_giop::message::{RequestTemplate, ResponseFlags};

use crate::buffer_pool::MAX_KEPT_CAPACITY;

/// The capacity of a new buffer: a small message in one piece.
const INITIAL_CAPACITY: usize = 1024;

/// The shape of a header that is not made into another object's: no template's.
const NO_SHAPE: (usize, Version) = (usize::MAX, Version::V1_0);

/// The buffer in which requests are written. The header of the last one stays
/// in it: when the next call is for the same operation of the same object, as
/// calls often are, only its id has to change.
#[derive(Debug)]
pub(crate) struct Outgoing {
    encoder: Encoder,
    /// Whether the buffer begins with the header that the rest describes.
    kept: bool,
    /// The route of the header.
    route: u64,
    /// The length and version that its template shares with those of other objects.
    shape: (usize, Version),
    response: ResponseFlags,
    /// The name; none in a request by handle.
    operation: String,
    /// The operation's place in a request by handle, which the route tells.
    place: u32,
    /// The header's length.
    length: usize,
}

impl Outgoing {
    /// An empty buffer for requests in this byte order.
    pub(super) fn new(order: ByteOrder) -> Self {
        let buffer = Vec::with_capacity(INITIAL_CAPACITY);
        Self {
            encoder: Encoder::with_buffer(buffer, order),
            kept: false,
            route: 0,
            shape: (0, Version::V1_0),
            response: ResponseFlags::None,
            operation: String::new(),
            place: 0,
            length: 0,
        }
    }

    /// Begins a request with the header that the route's template gives.
    ///
    /// # Errors
    ///
    /// As [`RequestTemplate::write`].
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        route: u64,
        template: &RequestTemplate,
        request_id: u32,
        response: ResponseFlags,
        operation: &str,
    ) -> Result<&mut Encoder> {
        if self.kept && self.response == response && self.operation == operation {
            if self.route == route {
                self.encoder.truncate(self.length);
                template.set_request_id(&mut self.encoder, request_id);
                return Ok(&mut self.encoder);
            }
            // The same operation of another object.
            if self.shape == template.shape() {
                self.readdress(route, template, request_id);
                return Ok(&mut self.encoder);
            }
        }
        self.begin_another(route, template, request_id, response, operation)?;
        Ok(&mut self.encoder)
    }

    /// Makes the header that of another object.
    #[inline(never)]
    fn readdress(&mut self, route: u64, template: &RequestTemplate, request_id: u32) {
        self.encoder.truncate(self.length);
        template.replace(&mut self.encoder, request_id);
        self.route = route;
    }

    /// Begins a request whose key ends in the operation's `place` (docs/handles.md).
    /// The route tells it from those by name.
    ///
    /// # Errors
    ///
    /// As [`RequestTemplate::write`].
    #[inline]
    pub(crate) fn begin_by_handle(
        &mut self,
        route: u64,
        template: &RequestTemplate,
        request_id: u32,
        response: ResponseFlags,
        place: u32,
    ) -> Result<&mut Encoder> {
        if self.kept && self.route == route && self.response == response && self.place == place {
            self.encoder.truncate(self.length);
            template.set_request_id(&mut self.encoder, request_id);
            return Ok(&mut self.encoder);
        }
        let out = self.restart();
        template.write(out, request_id, response, "")?;
        template.end_key(out, &place.to_be_bytes());
        self.keep(route, NO_SHAPE, response, "");
        self.place = place;
        Ok(&mut self.encoder)
    }

    #[inline(never)]
    fn begin_another(
        &mut self,
        route: u64,
        template: &RequestTemplate,
        request_id: u32,
        response: ResponseFlags,
        operation: &str,
    ) -> Result<()> {
        template.write(self.restart(), request_id, response, operation)?;
        self.keep(route, template.shape(), response, operation);
        Ok(())
    }

    /// Notes what header the buffer begins with.
    fn keep(
        &mut self,
        route: u64,
        shape: (usize, Version),
        response: ResponseFlags,
        operation: &str,
    ) {
        self.route = route;
        self.shape = shape;
        self.response = response;
        self.operation.clear();
        self.operation.push_str(operation);
        self.length = self.encoder.len();
        self.kept = true;
    }

    /// Empties the buffer, for a message of another kind.
    pub(crate) fn restart(&mut self) -> &mut Encoder {
        self.kept = false;
        self.encoder.clear();
        self.encoder.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
        &mut self.encoder
    }

    /// Goes on with the message that was begun last.
    pub(crate) fn resume(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    /// Takes the end of the message into the buffer, if it is `lent`.
    #[inline]
    pub(crate) fn complete(&mut self, lent: &[u8]) {
        if !lent.is_empty() {
            self.encoder.take_back(lent);
        }
    }

    /// The message.
    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.encoder.as_bytes()
    }

    /// Frees what a large request took.
    #[inline]
    pub(super) fn recycle(&mut self) {
        if self.encoder.len() > MAX_KEPT_CAPACITY {
            self.shrink();
        }
    }

    #[cold]
    #[inline(never)]
    fn shrink(&mut self) {
        self.restart();
    }
}

#[cfg(test)]
mod tests {
    use taut_giop::message::TargetAddress;

    use super::*;

    #[test]
    fn a_kept_header_is_the_header_that_would_be_written() {
        let template = |version, key| {
            RequestTemplate::new(version, ByteOrder::NATIVE, TargetAddress::Key(key))
        };
        let routes = [
            template(Version::V1_2, b"key").unwrap(),
            template(Version::V1_2, b"another").unwrap(),
            template(Version::V1_0, b"key").unwrap(),
            template(Version::V1_2, b"yek").unwrap(),
        ];
        let (two_way, oneway) = (ResponseFlags::Expected, ResponseFlags::None);
        let calls = [
            (0, two_way, "ping"),
            (0, two_way, "ping"),
            (0, oneway, "ping"),
            (0, two_way, "ping"),
            (0, two_way, "pong"),
            (1, two_way, "pong"),
            (2, two_way, "pong"),
            (2, two_way, "pong"),
            (0, two_way, "pong"),
            (3, two_way, "pong"),
            (0, two_way, "pong"),
            (3, oneway, "pong"),
            (0, oneway, "pong"),
        ];
        let mut outgoing = Outgoing::new(ByteOrder::NATIVE);
        for (id, (route, response, operation)) in (0_u32..).zip(calls) {
            let template = &routes[route];
            let begin = |outgoing: &mut Outgoing| {
                let out = outgoing
                    .begin(route as u64, template, id, response, operation)
                    .unwrap();
                out.write_bytes(b"arguments");
                out.as_bytes().to_vec()
            };
            assert_eq!(
                begin(&mut outgoing),
                begin(&mut Outgoing::new(ByteOrder::NATIVE)),
                "call {id}"
            );
        }
    }

    /// Requests by handle and by name, in turn.
    #[test]
    fn a_kept_header_by_handle_is_the_header_that_would_be_written() {
        let template = |key: &[u8]| {
            let key = TargetAddress::Key(key);
            RequestTemplate::new(Version::V1_2, ByteOrder::NATIVE, key).unwrap()
        };
        let by_name = template(b"object");
        let by_handle = [template(b"handle....x."), template(b"handle.....")];
        let begin = |outgoing: &mut Outgoing, id, call| {
            let response = ResponseFlags::Expected;
            let out = match call {
                Ok(name) => outgoing.begin(9, &by_name, id, response, name),
                Err((route, place)) => {
                    let template = &by_handle[route];
                    outgoing.begin_by_handle(route as u64, template, id, response, place)
                }
            };
            let out = out.unwrap();
            out.write_bytes(b"arguments");
            out.as_bytes().to_vec()
        };
        let calls = [
            Ok("ping"),
            Err((0, 0)),
            Err((0, 0)),
            Err((0, 0x0102_0304)),
            Err((1, 0x0102_0304)),
            Ok(""),
            Err((1, 0)),
            Ok("ping"),
            Err((1, 0)),
            Ok("ping"),
        ];
        let mut outgoing = Outgoing::new(ByteOrder::NATIVE);
        for (id, call) in (0..).zip(calls) {
            let kept = begin(&mut outgoing, id, call);
            let fresh = begin(&mut Outgoing::new(ByteOrder::NATIVE), id, call);
            assert_eq!(kept, fresh, "call {id}");
            if let Err((route, place)) = call {
                let key = [&b"handle....x."[..8], &place.to_be_bytes()].concat();
                let other = [&b"handle."[..], &place.to_be_bytes()].concat();
                let key = if route == 0 { key } else { other };
                assert!(kept.windows(key.len()).any(|octets| octets == key));
            }
        }
    }
}
