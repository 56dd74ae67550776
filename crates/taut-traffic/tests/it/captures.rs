//! Captures made here: every link, both versions of IP, segments out of order,
//! repeated and missing, and what two sides may not do.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use taut_explain::{Rule, Subject};
use taut_traffic::{CaptureError, Event, Limits, Message, Options, Piece, Traffic};

/// A request for a reply, of GIOP 1.2.
fn request(request_id: u8) -> Vec<u8> {
    let mut message = b"GIOP\x01\x02\x01\x00\x22\0\0\0".to_vec();
    message.extend([request_id, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    message.extend(b"k\0\0\0\x05\0\0\0ping\0\0\0\0\0\0\0\0");
    message.truncate(12 + 36);
    message[8] = 36;
    message
}

/// Its reply.
fn reply(request_id: u8) -> Vec<u8> {
    let mut message = b"GIOP\x01\x02\x01\x01\x0c\0\0\0".to_vec();
    message.extend([request_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    message
}

const CLOSE: &[u8] = b"GIOP\x01\x02\x01\x05\0\0\0\0";

const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// The sender of a segment, its flags, its sequence number and its payload.
type Segment<'p> = (bool, u8, u32, &'p [u8]);

/// A packet of IP, in version 4 or 6.
fn packet((from_opener, flags, sequence, payload): Segment<'_>, version: u8) -> Vec<u8> {
    let ports: [u16; 2] = if from_opener {
        [50_000, 2_809]
    } else {
        [2_809, 50_000]
    };
    let mut tcp = Vec::new();
    tcp.extend(ports.map(u16::to_be_bytes).concat());
    tcp.extend(sequence.to_be_bytes());
    tcp.extend([0, 0, 0, 0, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    tcp.extend(payload);
    let hosts: [u8; 2] = if from_opener { [1, 2] } else { [2, 1] };
    let mut ip = Vec::new();
    if version == 4 {
        ip.extend([0x45, 0]);
        ip.extend((20 + tcp.len() as u16).to_be_bytes());
        ip.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        for host in hosts {
            ip.extend([127, 0, 0, host]);
        }
    } else {
        ip.extend([0x60, 0, 0, 0]);
        ip.extend((tcp.len() as u16).to_be_bytes());
        ip.extend([6, 64]);
        for host in hosts {
            ip.extend([[0; 15].as_slice(), &[host]].concat());
        }
    }
    ip.extend(tcp);
    ip
}

/// A pcap file of a link, with these octets in front of each packet of IP.
fn pcap(link: u32, front: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x4_0000, link] {
        file.extend(word.to_le_bytes());
    }
    for (index, packet) in packets.iter().enumerate() {
        let size = (front.len() + packet.len()) as u32;
        for word in [1_000, index as u32, size, size] {
            file.extend(word.to_le_bytes());
        }
        file.extend([front, packet].concat());
    }
    file
}

fn read(capture: &[u8], limits: Limits) -> (Vec<Message>, Vec<String>) {
    let options = Options {
        limits,
        ..Options::default()
    };
    let mut traffic = Traffic::open(capture, options).unwrap();
    let (mut messages, mut notes) = (Vec::new(), Vec::new());
    while let Some(event) = traffic.next_event().unwrap() {
        match event {
            Event::Message(message) => messages.push(message),
            Event::Note(note) => notes.push(note.text),
        }
    }
    (messages, notes)
}

/// Returns the messages and notes from a capture of raw IP with these segments.
fn segments(segments: &[Segment<'_>]) -> (Vec<Message>, Vec<String>) {
    let packets: Vec<_> = segments.iter().map(|segment| packet(*segment, 4)).collect();
    read(&pcap(101, &[], &packets), Limits::DEFAULT)
}

fn rules(message: &Message) -> Vec<Rule> {
    message.marks.iter().map(|mark| mark.rule).collect()
}

#[test]
fn every_link_and_both_versions_of_ip_are_read() {
    let (request, reply) = (request(1), reply(1));
    let whole = [
        (true, SYN, 99, &[][..]),
        (false, SYN | ACK, 199, &[]),
        (true, ACK, 100, &request),
        (false, ACK, 200, &reply),
    ];
    let ether = |kind: [u8; 2]| [&[0; 12][..], &kind].concat();
    let sll = |kind: [u8; 2]| [&[0; 14][..], &kind].concat();
    let sll2 = |kind: [u8; 2]| [&kind[..], &[0; 18]].concat();
    let (ipv4, ipv6) = ([0x08, 0x00], [0x86, 0xdd]);
    for (link, front, version) in [
        (1, ether(ipv4), 4),
        (1, ether(ipv6), 6),
        (1, [&[0; 12][..], &[0x81, 0, 0, 7], &ipv4].concat(), 4),
        (113, sll(ipv4), 4),
        (113, sll(ipv6), 6),
        (276, sll2(ipv4), 4),
        (276, sll2(ipv6), 6),
        (0, vec![2, 0, 0, 0], 4),
        (0, vec![30, 0, 0, 0], 6),
        (108, vec![0, 0, 0, 2], 4),
        (101, Vec::new(), 4),
        (12, Vec::new(), 6),
        (228, Vec::new(), 4),
        (229, Vec::new(), 6),
    ] {
        let packets: Vec<_> = whole.iter().map(|one| packet(*one, version)).collect();
        let (messages, notes) = read(&pcap(link, &front, &packets), Limits::DEFAULT);
        assert_eq!(messages.len(), 2, "link {link}, IPv{version}: {notes:?}");
        assert_eq!(notes, Vec::<String>::new());
        let way = messages[0].way.unwrap();
        assert_eq!((way.from.port(), way.from_opener), (50_000, Some(true)));
        assert_eq!(way.from.is_ipv4(), version == 4);
        let answer = messages[1].answers.as_ref().unwrap();
        assert_eq!((answer.number, answer.after.unwrap().as_micros()), (1, 1));
        assert!(messages.iter().all(|message| message.marks.is_empty()));
    }
    let (messages, notes) = read(&pcap(147, &[], &[vec![0; 60]]), Limits::DEFAULT);
    assert!(messages.is_empty());
    assert!(notes[0].contains("LINKTYPE 147"), "{notes:?}");
}

#[test]
fn segments_are_put_together_again() {
    let (one, two) = (request(1), request(2));
    let both = [&one[..], &two[..]].concat();
    let (messages, notes) = segments(&[
        (true, SYN, 99, &[]),
        (true, ACK, 130, &both[30..50]),
        (true, ACK, 100, &both[..20]),
        (true, ACK, 100, &both[..30]),
        (true, ACK, 150, &both[50..]),
    ]);
    assert_eq!(messages.len(), 2, "{notes:?}");
    assert_eq!(
        notes,
        ["20 octets were sent again, 1 segment came out of order"]
    );

    // 30 octets of the first request are missing.
    let (messages, notes) = segments(&[
        (true, SYN, 99, &[]),
        (true, ACK, 100, &both[..18]),
        (true, ACK, 148, &both[48..]),
    ]);
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].piece, Piece::Head);
    assert!(matches!(
        messages[1].subject,
        Subject::Request { request_id: 2, .. }
    ));
    assert!(
        notes
            .iter()
            .any(|note| note == "30 octets are not in the capture")
    );
}

#[test]
fn a_capture_may_begin_in_the_middle_and_end_anywhere() {
    let both = [request(1), request(2)].concat();
    let (messages, notes) = segments(&[(true, ACK, 5_000, &both[7..])]);
    assert_eq!(messages.len(), 1);
    assert!(
        notes[0].starts_with("41 octets before the next message"),
        "{notes:?}"
    );

    // A reply to what came before the capture, and a fragment of it.
    let fragment = b"GIOP\x01\x02\x01\x07\x04\0\0\0\x05\0\0\0";
    let (messages, _) = segments(&[(false, ACK, 1, &reply(5)), (false, ACK, 25, fragment)]);
    assert!(messages.iter().all(|message| message.marks.is_empty()));

    let file = pcap(101, &[], &[packet((true, ACK, 1, &request(1)), 4)]);
    for end in 24..file.len() {
        let (messages, notes) = read(&file[..end], Limits::DEFAULT);
        assert!(messages.is_empty());
        assert_eq!(notes.len(), usize::from(end > 24), "{end}: {notes:?}");
    }
}

#[test]
fn what_two_sides_may_not_do_is_marked() {
    let begin: [Segment<'_>; 2] = [(true, SYN, 99, &[]), (false, SYN | ACK, 199, &[])];
    let after = |more: &[Segment<'_>]| segments(&[&begin[..], more].concat()).0;
    let (asked, answered) = (request(1), reply(1));

    let messages = after(&[(false, ACK, 200, &answered)]);
    assert_eq!(rules(&messages[0]), [Rule::Unasked]);

    let twice = [&answered[..], &answered[..]].concat();
    let messages = after(&[(true, ACK, 100, &asked), (false, ACK, 200, &twice)]);
    assert_eq!(rules(&messages[1]), []);
    assert_eq!(rules(&messages[2]), [Rule::Unasked]);

    let messages = after(&[(false, ACK, 200, &asked)]);
    assert_eq!(rules(&messages[0]), [Rule::Direction]);

    let closed = [CLOSE, &asked].concat();
    let messages = after(&[(true, ACK, 100, &closed)]);
    assert_eq!(rules(&messages[1]), [Rule::AfterClose]);

    let twice = [&asked[..], &asked[..]].concat();
    let messages = after(&[(true, ACK, 100, &twice)]);
    assert_eq!(rules(&messages[1]), [Rule::RequestId]);
}

#[test]
fn a_connection_between_the_same_ends_begins_anew() {
    let (asked, answered) = (request(1), reply(1));
    let (messages, _) = segments(&[
        (true, SYN, 99, &[]),
        (true, ACK, 100, &asked),
        (true, RST, 148, &[]),
        (true, SYN, 7_000, &[]),
        (true, ACK, 7_001, &asked),
        (false, SYN | ACK, 1, &[]),
        (false, ACK, 2, &answered),
        (true, SYN, 9_000, &[]),
        (true, ACK, 9_001, &asked),
    ]);
    let connections: Vec<_> = messages
        .iter()
        .map(|one| one.way.unwrap().connection)
        .collect();
    assert_eq!(connections, [1, 2, 2, 3]);
    assert!(messages.iter().all(|message| message.marks.is_empty()));
}

#[test]
fn other_protocols_are_left_alone() {
    let http = b"GET / HTTP/1.1\r\n\r\n";
    let (messages, notes) = segments(&[(true, SYN, 0, &[]), (true, ACK, 1, http)]);
    assert_eq!((messages.len(), notes.len()), (0, 0));
}

#[test]
fn limits_are_kept() {
    let limits = Limits {
        max_connections: 1,
        max_message_size: 40,
        ..Limits::DEFAULT
    };
    let mut other = packet((true, ACK, 1, &request(1)), 4);
    other[15] = 9;
    let packets = [packet((true, ACK, 1, &request(1)), 4), other];
    let (messages, notes) = read(&pcap(101, &[], &packets), limits);
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|message| message.piece == Piece::Head));
    assert!(notes.iter().any(|note| note.contains("max_message_size")));
    assert!(notes.iter().any(|note| note.contains("max_connections")));
}

#[test]
fn what_is_passed_over_in_a_row_is_limited_where_no_packets_carry_it() {
    let limits = Limits {
        max_message_size: 40,
        max_passed_over: 100,
        ..Limits::DEFAULT
    };
    let too_large = |size: u8| [b"GIOP\x01\x02\x01\x00", &[size, 0, 0, 0][..]].concat();
    let read = |octets: &[u8]| {
        let options = Options {
            limits,
            ..Options::default()
        };
        let mut traffic = Traffic::open(octets, options).unwrap();
        let mut events = 0;
        loop {
            match traffic.next_event() {
                Ok(Some(_)) => events += 1,
                Ok(None) => return (events, false),
                Err(CaptureError::TooMuchPassedOver { limit: 100 }) => return (events, true),
                Err(error) => panic!("{error}"),
            }
        }
    };
    // The header and its note; then the message that follows.
    let next = request(1);
    let passed_over = [&too_large(60)[..], &[0; 60], &next].concat();
    assert_eq!(read(&passed_over), (4, false));
    // Of those too large by far, the header and its note are told.
    assert_eq!(read(&too_large(101)), (2, true));
    let behind = [&too_large(60)[..], &[0; 60 + 200]].concat();
    assert_eq!(read(&behind), (3, true));
}

#[test]
fn what_is_no_capture_is_refused() {
    let open = |input: &'static [u8]| Traffic::open(input, Options::default()).err();
    assert!(matches!(open(b""), Some(CaptureError::Empty)));
    assert!(matches!(
        open(b"\x7fELF...."),
        Some(CaptureError::Unrecognised)
    ));
    assert!(matches!(
        open(b"\n\r\r\n...."),
        Some(CaptureError::Malformed { .. })
    ));
    assert!(matches!(
        open(b"47 4"),
        Some(CaptureError::Dump { line: 1, .. })
    ));
}
