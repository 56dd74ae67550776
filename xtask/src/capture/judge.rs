//! What `tshark` says of a capture, and whose the messages in it are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use taut_giop::Version;
use taut_giop::explain::{Content, Fact, Subject, Value};
use taut_giop::message::MessageType;
use taut_traffic::{Event, Message, Options, Traffic};

use super::fault;
use crate::command::ChoreError;

/// The dissectors that guess an interface from an operation's name, and are
/// wrong when another interface has an operation of that name.
const GUESSERS: [&str; 5] = [
    "giop-gias",
    "giop-parlay",
    "giop-tango",
    "giop-coseventcomm",
    "giop-cosnaming",
];

/// The kinds of messages that Taut must have sent for the judgement to count.
const EXPECTED: &[(u8, &[MessageType])] = &[
    (
        0,
        &[
            MessageType::Request,
            MessageType::Reply,
            MessageType::LocateReply,
            MessageType::CloseConnection,
        ],
    ),
    (1, &[MessageType::Request, MessageType::Reply]),
    (
        2,
        &[
            MessageType::Request,
            MessageType::Reply,
            MessageType::Fragment,
            MessageType::LocateReply,
        ],
    ),
];

/// A packet: its time in nanoseconds, its sender and its receiver.
type Packet = (u128, String, String);

/// How many messages of each version and type.
type Counts = BTreeMap<(u8, u8), usize>;

/// Has `tshark` read a capture, and compares with what is known.
pub(super) fn judge(capture: &Path, known: &Path) -> Result<(), ChoreError> {
    let ours = Ours::read(capture)?;
    let seen = tshark(capture)?;
    let mut counts = Counts::new();
    let mut complaints = BTreeSet::new();
    for frame in &seen {
        if !ours.packets.contains(&frame.packet) {
            continue;
        }
        for kind in &frame.messages {
            *counts.entry(*kind).or_default() += 1;
        }
        for complaint in &frame.complaints {
            complaints.insert(format!("{} {complaint}", kinds(&frame.messages)));
        }
    }
    println!("Wireshark has read what Taut sent:");
    for ((minor, octet), count) in &counts {
        println!("  GIOP 1.{minor} {:16} {count:>7}", type_name(*octet));
    }
    if counts != ours.counts {
        let what = format!("taut reads other messages: {:?}", ours.counts);
        return Err(fault(capture, what));
    }
    for (minor, types) in EXPECTED {
        for kind in *types {
            if !counts.contains_key(&(*minor, *kind as u8)) {
                let what = format!("Taut sent no {} of GIOP 1.{minor}", kind.name());
                return Err(fault(capture, what));
            }
        }
    }
    if let Some(mark) = ours.marks.first() {
        let what = format!(
            "taut marks {} places in what Taut sent: {mark}",
            ours.marks.len()
        );
        return Err(fault(capture, what));
    }
    compare_with_known(&complaints, known)
}

/// The known complaints must be those that were made, no more and no fewer.
fn compare_with_known(complaints: &BTreeSet<String>, known: &Path) -> Result<(), ChoreError> {
    let text = fs::read_to_string(known).map_err(|source| ChoreError::File {
        path: known.to_path_buf(),
        source,
    })?;
    let known_ones: BTreeSet<String> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    if let Some(new) = complaints.difference(&known_ones).next() {
        return Err(fault(
            known,
            format!("Wireshark complains of what Taut sent: {new}"),
        ));
    }
    match known_ones.difference(complaints).next() {
        Some(gone) => Err(fault(
            known,
            format!("Wireshark no longer complains: {gone}"),
        )),
        None => Ok(()),
    }
}

/// Checks that `tshark` sees a fault where there is one: a Request whose
/// operation's name goes beyond its end.
pub(super) fn check_sight(directory: &Path) -> Result<(), ChoreError> {
    let capture = directory.join("faulty.pcap");
    fs::write(&capture, faulty_capture()).map_err(|source| ChoreError::File {
        path: capture.clone(),
        source,
    })?;
    let seen = tshark(&capture)?;
    match &seen[..] {
        [frame] if frame.messages == [(2, 0)] && !frame.complaints.is_empty() => Ok(()),
        _ => Err(fault(
            &capture,
            "tshark does not see the fault in this capture",
        )),
    }
}

/// A pcap file of raw IP packets with one segment.
fn faulty_capture() -> Vec<u8> {
    let giop =
        b"GIOP\x01\x02\x01\x00\x18\0\0\0\x01\0\0\0\x03\0\0\0\0\0\0\0\x01\0\0\0k\0\0\0\xff\0\0\0";
    let total = (40 + giop.len()) as u16;
    let mut packet = vec![0x45, 0];
    packet.extend(total.to_be_bytes());
    packet.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
    packet.extend([
        0xc3, 0x50, 0x0a, 0xf9, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0xff, 0xff,
    ]);
    packet.extend([0, 0, 0, 0]);
    packet.extend(giop);
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, 101, 1, 0] {
        file.extend(word.to_le_bytes());
    }
    for _ in 0..2 {
        file.extend((packet.len() as u32).to_le_bytes());
    }
    file.extend(packet);
    file
}

/// A frame in which messages end.
#[derive(Debug)]
struct Frame {
    packet: Packet,
    /// The minor version and the type of each.
    messages: Vec<(u8, u8)>,
    complaints: Vec<String>,
}

/// What `tshark` says of a capture: the frames in which messages of GIOP end.
fn tshark(capture: &Path) -> Result<Vec<Frame>, ChoreError> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture);
    tshark.args(["-d", "tcp.port==1-65535,giop"]);
    for guesser in GUESSERS {
        tshark.args(["--disable-protocol", guesser]);
    }
    // It joins fragments by their request ids alone, and so mixes those of
    // different connections. Each piece is judged for itself.
    tshark.args(["-o", "giop.reassemble:FALSE"]);
    tshark.args(["-o", "giop.max_message_size:33554432"]);
    // A busy machine's TCP sends again, even over the loopback.
    tshark.args(["-o", "tcp.reassemble_out_of_order:TRUE"]);
    tshark.args([
        "-Y",
        "giop",
        "-T",
        "fields",
        "-E",
        "occurrence=a",
        "-E",
        "aggregator=;",
    ]);
    for field in [
        "frame.time_epoch",
        "ip.src",
        "tcp.srcport",
        "ip.dst",
        "tcp.dstport",
        "giop.minor_version",
        "giop.type",
        "_ws.malformed",
        "_ws.expert.severity",
        "_ws.expert.message",
    ] {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().map_err(|source| ChoreError::Start {
        command: "tshark".to_owned(),
        source,
    })?;
    if !output.status.success() {
        return Err(ChoreError::Failed {
            command: format!("tshark -r {}", capture.display()),
            status: output.status,
        });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| frame(line).ok_or_else(|| fault(capture, format!("a strange line: {line}"))))
        .collect()
}

/// The severity of what `tshark` takes for an error.
const ERROR: &str = "8388608";

fn frame(line: &str) -> Option<Frame> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        time,
        source,
        source_port,
        target,
        target_port,
        versions,
        types,
        malformed,
        severities,
        messages,
    ] = fields[..]
    else {
        return None;
    };
    let (seconds, fraction) = time.split_once('.')?;
    let nanoseconds = format!("{fraction:0<9}");
    let time = seconds.parse::<u128>().ok()? * 1_000_000_000 + nanoseconds.parse::<u128>().ok()?;
    let number = |text: &str| text.parse::<u8>().ok();
    let versions = versions.split(';').map(number);
    let types = types.split(';').map(number);
    let mut complaints: Vec<String> = severities
        .split(';')
        .zip(messages.split(';'))
        .filter(|(severity, _)| *severity == ERROR)
        .map(|(_, message)| message.to_owned())
        .collect();
    if !malformed.is_empty() && complaints.is_empty() {
        complaints.push(malformed.to_owned());
    }
    Some(Frame {
        packet: (
            time,
            format!("{source}:{source_port}"),
            format!("{target}:{target_port}"),
        ),
        messages: versions
            .zip(types)
            .map(|(version, kind)| Some((version?, kind?)))
            .collect::<Option<_>>()?,
        complaints,
    })
}

/// What Taut sent, as Taut reads it.
#[derive(Default)]
struct Ours {
    packets: BTreeSet<Packet>,
    counts: Counts,
    marks: Vec<String>,
}

/// One message, as far as it matters here.
struct Sent {
    connection: u64,
    packet: Packet,
    kind: (u8, u8),
    marks: Vec<String>,
}

impl Ours {
    fn read(capture: &Path) -> Result<Self, ChoreError> {
        let file = File::open(capture).map_err(|source| ChoreError::File {
            path: capture.to_path_buf(),
            source,
        })?;
        let unreadable = |error: taut_traffic::CaptureError| fault(capture, error.to_string());
        let mut traffic = Traffic::open(file, Options::default()).map_err(unreadable)?;
        let mut all = Vec::new();
        // The senders in each connection whose messages are Taut's, and whether
        // that is certain.
        let mut senders: HashMap<u64, (String, bool)> = HashMap::new();
        while let Some(event) = traffic.next_event().map_err(unreadable)? {
            let Event::Message(message) = event else {
                continue;
            };
            let Some(sent) = sent(&message) else {
                continue;
            };
            let names_taut = names_taut(&message.facts);
            let (_, from, to) = &sent.packet;
            let taut = match message.subject {
                Subject::Request { .. } | Subject::LocateRequest { .. } => {
                    Some(if names_taut { to } else { from })
                }
                // Plain keys tell nothing; who forwards them to Taut is Taut.
                Subject::Reply { .. } | Subject::LocateReply { .. } if names_taut => Some(from),
                _ => None,
            };
            if let Some(taut) = taut.cloned() {
                let known = senders
                    .entry(sent.connection)
                    .or_insert_with(|| (taut.clone(), names_taut));
                if names_taut && !known.1 {
                    *known = (taut, true);
                }
            }
            all.push(sent);
        }
        let mut ours = Self::default();
        for sent in all {
            let is_ours = senders
                .get(&sent.connection)
                .is_some_and(|(taut, _)| *taut == sent.packet.1);
            if is_ours {
                *ours.counts.entry(sent.kind).or_default() += 1;
                ours.packets.insert(sent.packet);
                ours.marks.extend(sent.marks);
            }
        }
        Ok(ours)
    }
}

fn sent(message: &Message) -> Option<Sent> {
    let way = message.way?;
    let at = |place: &str| format!("message {}: {place}", message.number);
    Some(Sent {
        connection: way.connection,
        packet: (
            message.time?.as_nanos(),
            way.from.to_string(),
            way.to.to_string(),
        ),
        kind: (message.preamble.version.minor, message.preamble.type_octet),
        marks: message
            .marks
            .iter()
            .map(|mark| at(&mark.to_string()))
            .collect(),
    })
}

/// Whether a request's target, or the reference in a reply, has a key of Taut's.
fn names_taut(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| match &fact.value {
        Value::Text(text) => fact.name == "form" && text == "Taut",
        Value::Facts(facts) => names_taut(facts),
        Value::List(values) => values.iter().any(|value| match value {
            Value::Tagged(tagged) => match &tagged.content {
                Content::Known(facts) => names_taut(facts),
                _ => false,
            },
            _ => false,
        }),
        _ => false,
    })
}

fn kinds(messages: &[(u8, u8)]) -> String {
    let names: BTreeSet<String> = messages
        .iter()
        .map(|(minor, octet)| format!("{} {}", Version::new(1, *minor), type_name(*octet)))
        .collect();
    names.into_iter().collect::<Vec<_>>().join("+")
}

fn type_name(octet: u8) -> &'static str {
    MessageType::from_octet(octet).map_or("unknown", MessageType::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tshark_are_read() {
        let line = "12.5\t127.0.0.1\t1\t127.0.0.1\t2\t1;2\t0;7\t\t8388608;4194304\tWrong;So so";
        let frame = frame(line).unwrap();
        let ends = ("127.0.0.1:1".to_owned(), "127.0.0.1:2".to_owned());
        assert_eq!(frame.packet, (12_500_000_000, ends.0, ends.1));
        assert_eq!(frame.messages, [(1, 0), (2, 7)]);
        assert_eq!(frame.complaints, ["Wrong"]);
        assert_eq!(kinds(&frame.messages), "1.1 Request+1.2 Fragment");
        assert!(super::frame("1.5\t127.0.0.1").is_none());
    }

    #[test]
    fn known_complaints_are_neither_more_nor_fewer() {
        let directory = tempfile::tempdir().unwrap();
        let known = directory.path().join("wireshark.txt");
        fs::write(&known, "# why\n1.2 Reply Wrong\n").unwrap();
        let made = |complaints: &[&str]| {
            let complaints = complaints.iter().map(|text| (*text).to_owned()).collect();
            compare_with_known(&complaints, &known)
        };
        assert!(made(&["1.2 Reply Wrong"]).is_ok());
        assert!(made(&[]).is_err());
        assert!(made(&["1.2 Reply Wrong", "1.0 Reply Wrong"]).is_err());
    }
}
