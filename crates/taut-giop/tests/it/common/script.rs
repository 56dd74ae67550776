//! The messages that endpoints send in tests: every message type, with everything that it
//! may have in its version.

use taut_giop::ior::TaggedProfile;
use taut_giop::message::{LocateStatus, ReplyStatus, ResponseFlags};
use taut_giop::{Ior, Version};

use super::said::{Body, Said, Target, Value};

/// Values of every alignment; no wide ones in GIOP 1.0.
pub fn body(version: Version) -> Body {
    let mut values = vec![
        Value::Octet(1),
        Value::Long(-2),
        Value::Octet(3),
        Value::Double(-0.5),
        Value::Short(4),
        Value::Text("Zürich".to_owned()),
        Value::Doubles(vec![1.5, 2.5, 3.5]),
        Value::Octets(vec![5; 9]),
        Value::Doubles(vec![]),
        Value::Short(-6),
    ];
    if version > Version::V1_0 {
        values.insert(6, Value::Wide("東京 \u{1f388}".to_owned()));
    }
    Body(values)
}

fn contexts() -> Vec<(u32, Vec<u8>)> {
    vec![(1, b"odd".to_vec()), (9, vec![]), (17, vec![7; 8])]
}

fn request(request_id: u32, operation: &str, target: Target, body: Body) -> Said {
    Said::Request {
        request_id,
        response: ResponseFlags::Expected,
        target,
        operation: operation.as_bytes().to_vec(),
        contexts: if request_id.is_multiple_of(2) {
            contexts()
        } else {
            vec![]
        },
        body,
    }
}

/// Returns the messages of a client, to the end.
pub fn client(version: Version) -> Vec<Said> {
    let key = || Target::Key(b"an object".to_vec());
    let mut said = vec![
        Said::LocateRequest {
            request_id: 1,
            target: Target::Key(vec![]),
        },
        Said::LocateRequest {
            request_id: 2,
            target: key(),
        },
        request(3, "plain", key(), Body::default()),
        request(4, "everything", key(), body(version)),
        Said::CancelRequest { request_id: 4 },
        Said::Request {
            request_id: 5,
            response: ResponseFlags::None,
            target: key(),
            operation: b"oneway".to_vec(),
            contexts: vec![],
            body: Body(vec![Value::Octet(9)]),
        },
    ];
    if version == Version::V1_2 {
        let data = b"\x01\x01\0\0\x05\0\0\0host\0\0\x50\0\x03\0\0\0key".to_vec();
        let ior = Ior {
            type_id: "IDL:Circle:1.0".to_owned(),
            profiles: vec![
                TaggedProfile {
                    tag: 77,
                    data: vec![1],
                },
                TaggedProfile {
                    tag: 0,
                    data: data.clone(),
                },
            ],
        };
        let profile = Target::Profile { tag: 0, data };
        said.push(request(6, "by_profile", profile, body(version)));
        let reference = Target::Reference { index: 1, ior };
        said.push(request(7, "by_reference", reference.clone(), body(version)));
        said.push(Said::LocateRequest {
            request_id: 8,
            target: reference,
        });
    }
    if version >= Version::V1_2 {
        said.push(Said::Request {
            request_id: 9,
            response: ResponseFlags::SyncWithServer,
            target: key(),
            operation: b"".to_vec(),
            contexts: contexts(),
            body: Body::default(),
        });
    }
    said.push(request(10, "leave", key(), body(version)));
    said.push(Said::CloseConnection);
    said.push(Said::MessageError);
    said
}

/// Everything that a server may say.
pub fn server(version: Version) -> Vec<Said> {
    let mut statuses = vec![
        ReplyStatus::NoException,
        ReplyStatus::UserException,
        ReplyStatus::SystemException,
        ReplyStatus::LocationForward,
    ];
    let mut locate_statuses = vec![
        LocateStatus::UnknownObject,
        LocateStatus::ObjectHere,
        LocateStatus::ObjectForward,
    ];
    if version >= Version::V1_2 {
        statuses.push(ReplyStatus::LocationForwardPerm);
        statuses.push(ReplyStatus::NeedsAddressingMode);
        locate_statuses.push(LocateStatus::ObjectForwardPerm);
        locate_statuses.push(LocateStatus::LocSystemException);
        locate_statuses.push(LocateStatus::LocNeedsAddressingMode);
    }
    let bodies = [Body::default(), body(version)];
    let mut said = Vec::new();
    for (status, request_id) in statuses.into_iter().zip(20..) {
        said.push(Said::Reply {
            request_id,
            status,
            contexts: contexts(),
            body: bodies[request_id as usize % 2].clone(),
        });
    }
    for (status, request_id) in locate_statuses.into_iter().zip(30..) {
        said.push(Said::LocateReply {
            request_id,
            status,
            body: bodies[request_id as usize % 2].clone(),
        });
    }
    said.push(Said::CloseConnection);
    said.push(Said::MessageError);
    said
}
