//! Big-endian messages written by hand, octet for octet, so that encoder and
//! decoder cannot agree on a mistake.

// The replies of a Taut server are written here as a little-endian machine
// makes them.
#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use taut::{CompletionStatus, Orb, Reference, SystemException, SystemExceptionKind};
use taut_interop::param_test::param_test::{A, Color, RaiseUserError};
use taut_interop::param_test::{ParamTest, ParamTestRef, serve};

const TIME_OUT: Duration = Duration::from_secs(20);

/// The octets that a text writes in hexadecimal digits; blanks and line ends
/// divide it at will, `KEY` stands for an object key.
fn octets(text: &str, key: &[u8]) -> Vec<u8> {
    let digits = |word: &str| -> Vec<u8> {
        (0..word.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&word[i..i + 2], 16).unwrap())
            .collect()
    };
    text.split_whitespace()
        .flat_map(|word| match word {
            "KEY" => key.to_vec(),
            word => digits(word),
        })
        .collect()
}

/// A server with one `Param_Test`, a connection to it, and the object's key.
fn connect() -> (Orb, TcpStream, Vec<u8>) {
    let orb = taut_interop::over_the_wire().listen("127.0.0.1:0").unwrap();
    let orb = orb.build().unwrap();
    let object = serve(&orb).unwrap().into_object();
    let profile = object.ior().iiop_profiles().next().unwrap().unwrap();
    let stream = TcpStream::connect((profile.host.as_str(), profile.port)).unwrap();
    stream.set_read_timeout(Some(TIME_OUT)).unwrap();
    (orb, stream, profile.object_key)
}

fn read_message(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = vec![0; 12];
    stream.read_exact(&mut message).unwrap();
    let size: [u8; 4] = message[8..].try_into().unwrap();
    let size = match message[6] & 1 {
        0 => u32::from_be_bytes(size),
        _ => u32::from_le_bytes(size),
    };
    message.resize(12 + size as usize, 0);
    stream.read_exact(&mut message[12..]).unwrap();
    message
}

/// `test_short (1, -1)` in each version, and the replies. Sizes count on an
/// object key of 36 octets.
const FRAMES: [(&str, &str); 4] = [
    (
        "47494F50 0100 00 00 0000004C
         00000000 00000007 01 000000
         00000024 KEY
         0000000B 746573745F73686F727400 00
         00000000
         0001 FFFF",
        "47494F50 0100 01 01 12000000
         00000000 07000000 00000000
         0100 0000 FFFF",
    ),
    (
        "47494F50 0101 00 00 0000004C
         00000000 00000007 01 000000
         00000024 KEY
         0000000B 746573745F73686F727400 00
         00000000
         0001 FFFF",
        "47494F50 0101 01 01 12000000
         00000000 07000000 00000000
         0100 0000 FFFF",
    ),
    (
        "47494F50 0102 00 00 00000050
         00000007 03 000000
         0000 0000 00000024 KEY
         0000000B 746573745F73686F727400 00
         00000000 00000000
         0001 FFFF",
        "47494F50 0102 01 01 12000000
         07000000 00000000 00000000
         0100 0000 FFFF",
    ),
    // With the service context CodeSets: UTF-8 and UTF-16.
    (
        "47494F50 0102 00 00 00000060
         00000007 03 000000
         0000 0000 00000024 KEY
         0000000B 746573745F73686F727400 00
         00000001
         00000001 0000000C 00 000000 05010001 00010109
         0001 FFFF",
        "47494F50 0102 01 01 12000000
         07000000 00000000 00000000
         0100 0000 FFFF",
    ),
];

#[test]
fn requests_of_every_version_are_framed_as_written_by_hand() {
    for (request, reply) in FRAMES {
        let (orb, mut stream, key) = connect();
        assert_eq!(key.len(), 36, "the sizes above count on another key");
        stream.write_all(&octets(request, &key)).unwrap();
        assert_eq!(read_message(&mut stream), octets(reply, &[]), "{request}");
        drop(stream);
        orb.shutdown(true).unwrap();
    }
}

/// Operation, arguments in big-endian, status of the reply, and its body in
/// little-endian.
const BODIES: [(&str, &str, u8, &str); 9] = [
    (
        "test_double",
        "3FF0000000000000 BFF8000000000000",
        0,
        "000000000000F03F 000000000000F83F 000000000000F8BF",
    ),
    (
        "test_unbounded_string",
        "00000001 00 000000 00000002 6100",
        0,
        "01000000 00 000000 02000000 6100 0000 02000000 6100",
    ),
    (
        "test_enum",
        "00000000 00000001",
        0,
        "00000000 02000000 01000000",
    ),
    (
        "test_fixed_struct",
        "00000000 61 00 0000 00 000000 00000000 00 00000000000000 0000000000000000
         00000001 00 00 0001 01 000000 80000000 01 00000000000000 8000000000000000",
        0,
        "00000000 61 00 0000 00 000000 00000000 00 00000000000000 0000000000000000
         02000000 01 00 0200 02 000000 00000000 00 00000000000000 0000000000000000
         01000000 00 00 0100 01 000000 00000080 01 00000000000000 0000000000000080",
    ),
    (
        "test_long_seq",
        "00000001 00000000
         00000009 00000000 00000001 FFFFFFFF 7FFFFFFF 80000000 12345678
                  00000000 00000001 FFFFFFFF",
        0,
        "01000000 00000000
         09000000 FFFFFFFF 01000000 00000000 78563412 00000080 FFFFFF7F
                  FFFFFFFF 01000000 00000000
         09000000 00000000 01000000 FFFFFFFF FFFFFF7F 00000080 78563412
                  00000000 01000000 FFFFFFFF",
    ),
    (
        "test_array_2d",
        "0000 0001 FFFF 7FFF 8000 1234 0000 0001 FFFF 7FFF 8000 1234
         0001 FFFF 7FFF 8000 1234 0000 0001 FFFF 7FFF 8000 1234 0000",
        0,
        "0000 0100 FFFF FF7F 0080 3412 0000 0100 FFFF FF7F 0080 3412
         FF7F 0080 3412 0000 3412 0000 0100 FFFF 0100 FFFF FF7F 0080
         0100 FFFF FF7F 0080 3412 0000 0100 FFFF FF7F 0080 3412 0000",
    ),
    // IDL:taut.test/interop/Param_Test/A:1.0, -2147483648, blue
    (
        "raise_user",
        "00000001",
        1,
        "27000000 49444C3A 74617574 2E746573 742F696E 7465726F 702F5061 72616D5F
                  54657374 2F413A31 2E3000 00
         00000080 02000000",
    ),
    // IDL:omg.org/CORBA/BAD_PARAM:1.0, 42, COMPLETED_YES
    (
        "raise_system",
        "",
        2,
        "20000000 49444C3A 6F6D672E 6F72672F 434F5242 412F4241 445F5041 52414D3A
                  312E3000
         2A000000 00000000",
    ),
    // A value that does not follow: the same exception, 7, COMPLETED_NO.
    (
        "test_octet",
        "00 02",
        2,
        "20000000 49444C3A 6F6D672E 6F72672F 434F5242 412F4241 445F5041 52414D3A
                  312E3000
         07000000 01000000",
    ),
];

/// A big-endian request of GIOP 1.2 around a body.
fn request(key: &[u8], operation: &str, body: &[u8]) -> Vec<u8> {
    let mut message = octets(
        "47494F50 0102 00 00 00000000 00000007 03 000000 0000 0000",
        &[],
    );
    let mut counted = |octets: &[u8]| {
        let count = u32::try_from(octets.len()).unwrap();
        message.extend(count.to_be_bytes());
        message.extend(octets);
        message.resize(message.len().next_multiple_of(4), 0);
    };
    counted(key);
    counted(format!("{operation}\0").as_bytes());
    counted(&[]);
    if !body.is_empty() {
        message.resize(message.len().next_multiple_of(8), 0);
        message.extend(body);
    }
    let size = u32::try_from(message.len() - 12).unwrap();
    message[8..12].copy_from_slice(&size.to_be_bytes());
    message
}

#[test]
fn bodies_of_every_kind_are_laid_out_as_written_by_hand() {
    let (orb, mut stream, key) = connect();
    for (operation, arguments, status, body) in BODIES {
        let request = request(&key, operation, &octets(arguments, &[]));
        stream.write_all(&request).unwrap();
        let reply = read_message(&mut stream);
        assert_eq!(reply[16..20], [status, 0, 0, 0], "{operation}: {reply:X?}");
        assert_eq!(reply[24..], octets(body, &[]), "{operation}");
    }
    drop(stream);
    orb.shutdown(true).unwrap();
}

/// Answers the first request on one connection with a message written by hand,
/// and calls the object there. Taut's first request has the id 0.
fn call_scripted<T>(version: &str, reply: &str, call: impl FnOnce(&ParamTestRef) -> T) -> T {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reply = octets(reply, &[]);
    let script = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(TIME_OUT)).unwrap();
        read_message(&mut stream);
        stream.write_all(&reply).unwrap();
    });
    let orb = taut_interop::over_the_wire().build().unwrap();
    let url = format!("corbaloc:iiop:{version}@127.0.0.1:{port}/Key");
    let outcome = call(&orb.string_to_object(&url).unwrap().unchecked_narrow());
    script.join().unwrap();
    outcome
}

#[test]
fn replies_of_every_version_are_read_as_written_by_hand() {
    for (version, reply) in [
        (
            "1.0",
            "47494F50 0100 00 01 00000012 00000000 00000000 00000000 0001 0203 FFFE",
        ),
        (
            "1.1",
            "47494F50 0101 00 01 00000012 00000000 00000000 00000000 0001 0203 FFFE",
        ),
        (
            "1.2",
            "47494F50 0102 00 01 00000012 00000000 00000000 00000000 0001 0203 FFFE",
        ),
        // With a service context that nobody knows, and padding behind it.
        (
            "1.2",
            "47494F50 0102 00 01 00000022
             00000000 00000000 00000001 54415554 00000005 0001020304 000000
             0001 0203 FFFE",
        ),
    ] {
        let mut s2 = 0;
        let answer = call_scripted(version, reply, |object| object.test_short(0, &mut s2));
        assert_eq!((answer, s2), (Ok((1, -2)), 0x0203), "{reply}");
    }
}

#[test]
fn replies_of_every_kind_are_read_as_written_by_hand() {
    let greeting = "47494F50 0102 00 01 00000012 00000000 00000000 00000000 00000002 4700";
    let answer = call_scripted("1.2", greeting, |object| object.greeting());
    assert_eq!(answer.as_deref(), Ok("G"));

    let array = "47494F50 0102 00 01 00000078 00000000 00000000 00000000
        00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008 00000009
        00000009 00000008 00000007 00000006 00000005 00000004 00000003 00000002 00000001
        80000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 7FFFFFFF";
    let mut s2 = [0; 9];
    let answer = call_scripted("1.2", array, |object| object.test_array(&[0; 9], &mut s2));
    let (result, s3) = answer.unwrap();
    assert_eq!(result, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(s2, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(s3, [i32::MIN, 0, 0, 0, 0, 0, 0, 0, i32::MAX]);

    let sequence = "47494F50 0102 00 01 0000001E 00000000 00000000 00000000
        00000002 8001 7FFF 00000000 00000001 1234";
    let mut s2 = vec![1];
    let answer = call_scripted("1.2", sequence, |object| {
        object.test_short_seq(&[], &mut s2)
    });
    assert_eq!(
        (answer, s2),
        (Ok((vec![-32767, 32767], vec![0x1234])), vec![])
    );

    let user_exception = "47494F50 0102 00 01 00000040 00000000 00000001 00000000
        00000027 49444C3A 74617574 2E746573 742F696E 7465726F 702F5061 72616D5F
                 54657374 2F413A31 2E3000 00
        80000000 00000002";
    let answer = call_scripted("1.2", user_exception, |object| object.raise_user(1));
    let (code, shade) = (i32::MIN, Color::Blue);
    assert_eq!(answer, Err(RaiseUserError::A(A { code, shade })));

    let system_exception = "47494F50 0102 00 01 00000038 00000000 00000002 00000000
        00000020 49444C3A 6F6D672E 6F72672F 434F5242 412F4241 445F5041 52414D3A
                 312E3000
        0000002A 00000002";
    let answer = call_scripted("1.2", system_exception, |object| object.raise_system());
    let (kind, completed) = (SystemExceptionKind::BadParam, CompletionStatus::Maybe);
    assert_eq!(answer, Err(SystemException::new(kind, 42, completed)));
}
