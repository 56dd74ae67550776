//! Taut's messages in a capture, judged by what `tshark` says of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use taut_giop::Version;
use taut_giop::message::MessageType;

use super::fault;
use super::ours::Ours;
use super::packet::Counts;
use super::tshark::tshark;
use crate::command::ChoreError;

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
    fn kinds_are_named_once() {
        let messages = [(2, 7), (1, 0), (2, 7)];
        assert_eq!(kinds(&messages), "1.1 Request+1.2 Fragment");
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
