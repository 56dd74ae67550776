//! Reading and writing a message takes no memory from the heap.

#![allow(clippy::unwrap_used)]

use crate::common::{ORDERS, VERSIONS, header, message};
use taut_cdr::Encoder;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{
    MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress, begin_body,
    begin_message, finish_message,
};
use taut_giop::operation_table::OperationTable;
use taut_giop::service_context::{ServiceContext, ServiceContexts};

#[test]
fn a_call_is_framed_read_and_answered_without_allocation() {
    let contexts = [ServiceContext {
        id: 10,
        data: b"\0\0\0\x05",
    }];
    let operations = OperationTable::new(&["outline"], 0, &[0]);
    for version in VERSIONS {
        for order in ORDERS {
            let request = RequestHeader {
                request_id: 1,
                response: ResponseFlags::Expected,
                target: TargetAddress::Key(b"the object"),
                operation: b"outline",
                service_contexts: ServiceContexts::new(&contexts),
            };
            let bytes = message(version, order, MessageType::Request, |out| {
                request.encode(version, out).unwrap();
                let body = begin_body(version, out);
                out.write(7_u32);
                body.finish(out);
            });
            let mut framer = Framer::default();
            let mut out = Encoder::with_buffer(Vec::with_capacity(256), order);
            let taken = counting_allocator::peak(|| {
                let Ok(Step::Message { header, bytes, .. }) = framer.next(&bytes) else {
                    panic!("a whole message");
                };
                let mut input = header.decoder(bytes).unwrap();
                let request = RequestHeader::decode(version, &mut input).unwrap();
                assert_eq!(request.target.object_key(), Ok(Some(&b"the object"[..])));
                assert_eq!(operations.find(request.operation), Some(0));
                assert!(request.service_contexts.find(10).is_some());
                assert_eq!(input.read::<u32>(), Ok(7));

                begin_message(&mut out, version, MessageType::Reply);
                let reply = ReplyHeader {
                    request_id: request.request_id,
                    status: ReplyStatus::NoException,
                    service_contexts: request.service_contexts,
                };
                reply.encode(version, &mut out).unwrap();
                let body = begin_body(version, &mut out);
                out.write(8_u32);
                body.finish(&mut out);
                finish_message(&mut out).unwrap();
            });
            assert_eq!(taken, 0, "GIOP {version} {order:?}");
            assert_eq!(header(out.as_bytes()).total_size(), out.len());
        }
    }
}
