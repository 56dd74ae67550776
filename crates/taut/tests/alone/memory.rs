//! Object references take at most four times their size in a message and 64 KiB,
//! unless a setting says otherwise.

use std::io::{Read, Write};
use std::net::TcpListener;

use counting_allocator::peak;
use taut::{ObjectRef, Orb, Settings, SystemException, SystemExceptionKind};
use taut_cdr::{ByteOrder, Decode, DecodeNil, Decoder, Encode, Encoder};
use taut_giop::Version;
use taut_giop::message::{self, MessageType};

/// A reference or nil.
struct Perhaps(Option<ObjectRef>);

impl<'m> Decode<'m> for Perhaps {
    const MIN_SIZE: usize = <ObjectRef as DecodeNil<'m>>::MIN_SIZE;

    fn decode(input: &mut Decoder<'m>) -> taut_cdr::Result<Self> {
        ObjectRef::decode_nil(input).map(Self)
    }
}

/// Has a client read a reply with so many of these references, and measures the result: how
/// many of them are not nil, and how much memory that took for each octet.
fn read(
    reference: &[u8],
    count: usize,
    adjust: impl FnOnce(&mut Settings),
) -> Result<usize, SystemException> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut out = Encoder::new(ByteOrder::Big);
    message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
    // Request 0, NO_EXCEPTION, no contexts.
    for word in [0_u32; 3] {
        word.encode(&mut out).unwrap();
    }
    let body = message::begin_body(Version::V1_2, &mut out);
    u32::try_from(count).unwrap().encode(&mut out).unwrap();
    out.write_bytes(&reference.repeat(count));
    body.finish(&mut out);
    message::finish_message(&mut out).unwrap();
    let reply = out.into_buffer();
    let size = reply.len();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        stream.write_all(&reply).unwrap();
    });
    let orb = Orb::builder().settings(adjust).build().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let object = orb.string_to_object(&url).unwrap();
    let reply = object.invoke("references", |_| Ok(()))?;
    server.join().unwrap();
    let mut outcome = Ok(0);
    let taken = peak(|| {
        outcome = reply
            .results(Vec::<Perhaps>::decode)
            .map(|all| all.iter().filter(|one| one.0.is_some()).count());
    });
    println!("{count} references in {size} octets take {taken}: {outcome:?}");
    if outcome.is_err() || count > 1_000 {
        assert!(
            taken <= 4 * size + 64 * 1024,
            "{taken} for {size} octets of references"
        );
    }
    outcome
}

#[test]
fn references_take_memory_in_proportion_to_the_message() {
    // An empty type id and no profile, with padding: nil.
    let nil = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(read(&nil, 100_000, |_| ()), Ok(0));
    // An empty type id and one profile of an unknown kind, without data.
    let mut smallest = nil.to_vec();
    smallest[11] = 1;
    smallest.extend([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    assert_eq!(read(&smallest, 100, |_| ()), Ok(100));
    for count in [10_000, 200_000] {
        let refused = read(&smallest, count, |_| ()).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Marshal);
    }
    // One as large as most are.
    let mut usual = nil.to_vec();
    usual[11] = 1;
    usual.extend([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 100]);
    usual.extend([b'x'; 100]);
    assert_eq!(read(&usual, 20_000, |_| ()), Ok(20_000));
}
