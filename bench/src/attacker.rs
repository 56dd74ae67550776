//! Hostile clients, as many as there are threads for them.

use std::io::{self, BufRead, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use taut_cdr::ByteOrder;
use taut_giop::Version;
use taut_giop::message::{MessageHeader, MessageType};

use crate::error::BenchError;
use crate::giop;

/// Attackers that come again as soon as they are sent away.
const FLOODERS: usize = 4;
/// Connections that one attacker keeps.
const KEPT: usize = 150;
/// How often each of these sends an octet.
const DRIP: Duration = Duration::from_millis(100);
/// How long an attacker waits for the server to close.
const PATIENCE: Duration = Duration::from_millis(100);

/// The attack that the attackers make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Attack {
    /// Connect, and say nothing.
    HalfOpen,
    /// Send headers octet by octet.
    SlowHeaders,
    /// Connect and close.
    Connects,
    /// Send what is not GIOP.
    Garbage,
    /// Promise much and send little.
    Lies,
    /// Send fragments that carry nothing.
    EmptyFragments,
    /// Send fragments without end.
    EndlessFragments,
    /// Begin many messages and end none.
    Partials,
    /// Use the id of an incomplete message again.
    ReusedIds,
    /// Cancel what was never asked for.
    Cancels,
    /// Ask, and cancel at once.
    CancelledRequests,
    /// Answer what was never asked.
    Replies,
}

crate::options::display_as_option!(Attack);

impl Attack {
    /// Returns the octets that each connection sends, for attacks that send all at once.
    fn octets(self, request: &[u8]) -> Vec<u8> {
        const MANY: u32 = 2_000;
        match self {
            Self::HalfOpen | Self::Connects => Vec::new(),
            Self::SlowHeaders => b"GIOP\x01\x02\x01".to_vec(),
            Self::Garbage => b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
            Self::Lies => [b"GIOP\x01\x02\x01\x00\x00\x00\xff\x00", &[0; 100][..]].concat(),
            Self::EmptyFragments => [first_piece(1, 8), next_piece(1, 0).repeat(3)].concat(),
            Self::EndlessFragments => {
                [first_piece(1, 8), next_piece(1, 1 << 20).repeat(17)].concat()
            }
            Self::Partials => (0..17).flat_map(|id| first_piece(id, 1024)).collect(),
            Self::ReusedIds => first_piece(7, 104).repeat(2),
            Self::Cancels => (0..MANY).flat_map(cancel).collect(),
            Self::CancelledRequests => (0..MANY)
                .flat_map(|id| {
                    let mut request = request.to_vec();
                    request[12..16].copy_from_slice(&id.to_ne_bytes());
                    [request, cancel(id)].concat()
                })
                .collect(),
            Self::Replies => message(MessageType::Reply, &[0; 12], false).repeat(100),
        }
    }
}

fn message(message_type: MessageType, body: &[u8], more_fragments: bool) -> Vec<u8> {
    let header = MessageHeader {
        version: Version::V1_2,
        order: ByteOrder::NATIVE,
        more_fragments,
        message_type,
        // No message here comes near to 4 GiB.
        size: body.len() as u32,
    };
    [&header.to_bytes()[..], body].concat()
}

fn first_piece(id: u32, payload: usize) -> Vec<u8> {
    let body = [&id.to_ne_bytes()[..], &vec![0; payload]].concat();
    message(MessageType::Request, &body, true)
}

fn next_piece(id: u32, payload: usize) -> Vec<u8> {
    let body = [&id.to_ne_bytes()[..], &vec![0; payload]].concat();
    message(MessageType::Fragment, &body, true)
}

fn cancel(id: u32) -> Vec<u8> {
    message(MessageType::CancelRequest, &id.to_ne_bytes(), false)
}

/// The attackers' process: attacks from a line `start` to a line `stop`, and
/// answers with the number of connections that it made.
///
/// # Errors
///
/// [`BenchError::Orb`] when `reference` leads nowhere, [`BenchError::Request`] for
/// another line, [`BenchError::System`] when reading or writing fails.
pub(crate) fn attack(attack: Attack, reference: &str) -> Result<(), BenchError> {
    let (address, request) = giop::ping(reference)?;
    let address: SocketAddr = address
        .parse()
        .map_err(|_| BenchError::orb("the server is not at a numeric address"))?;
    let octets = attack.octets(&request);
    let mut lines = io::stdin().lock().lines();
    let mut expect = |word: &str| match lines.next() {
        None => Ok(false),
        Some(Ok(line)) if line == word => Ok(true),
        Some(Ok(line)) => Err(BenchError::Request { line }),
        Some(Err(error)) => Err(BenchError::system("standard input")(error)),
    };
    while expect("start")? {
        let is_over = AtomicBool::new(false);
        let connections = AtomicU64::new(0);
        thread::scope(|scope| {
            let stop = AtTheEnd(&is_over);
            match attack {
                Attack::HalfOpen | Attack::SlowHeaders => {
                    scope.spawn(|| keep(address, &octets, &is_over, &connections));
                }
                _ => {
                    for _ in 0..FLOODERS {
                        scope.spawn(|| flood(address, &octets, &is_over, &connections));
                    }
                }
            }
            let stopped = answer("started").and_then(|()| expect("stop"));
            drop(stop);
            stopped
        })?;
        answer(&connections.load(Ordering::Relaxed).to_string())?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<(), BenchError> {
    writeln!(io::stdout(), "{line}").map_err(BenchError::system("standard output"))
}

/// Ends the attackers, whatever comes.
struct AtTheEnd<'a>(&'a AtomicBool);

impl Drop for AtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Connects, sends, waits to be sent away, and comes again.
fn flood(address: SocketAddr, octets: &[u8], is_over: &AtomicBool, connections: &AtomicU64) {
    let mut answer = [0; 16 * 1024];
    while !is_over.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else {
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        connections.fetch_add(1, Ordering::Relaxed);
        if octets.is_empty() {
            continue;
        }
        // Whatever fails, it is the end of this connection.
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let _ = stream.write_all(octets);
        while let Ok(1..) = stream.read(&mut answer) {}
    }
}

/// Keeps many connections, sends an octet over each now and then, and opens those
/// again that have been closed.
fn keep(address: SocketAddr, octets: &[u8], is_over: &AtomicBool, connections: &AtomicU64) {
    let mut kept: Vec<(TcpStream, usize)> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        while kept.len() < KEPT {
            let Ok(stream) = TcpStream::connect(address) else {
                break;
            };
            connections.fetch_add(1, Ordering::Relaxed);
            kept.push((stream, 0));
        }
        kept.retain_mut(|(stream, sent)| match octets.get(*sent) {
            Some(octet) => {
                *sent += 1;
                stream.write_all(&[*octet]).is_ok()
            }
            None => true,
        });
        thread::sleep(DRIP);
    }
}
