//! The judgement of `tshark` on a capture.

use std::path::Path;
use std::process::Command;

use super::fault;
use super::packet::Packet;
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

/// A frame in which messages end.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) packet: Packet,
    /// The minor version and the type of each.
    pub(super) messages: Vec<(u8, u8)>,
    pub(super) complaints: Vec<String>,
}

/// Runs `tshark` on a capture and returns its judgement: the frames in which messages of
/// GIOP end.
pub(super) fn tshark(capture: &Path) -> Result<Vec<Frame>, ChoreError> {
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
        assert!(super::frame("1.5\t127.0.0.1").is_none());
    }
}
