//! Where calls stall, and servers that let them.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut::{ConnectionSharing, Ior, ObjectRef, Orb, Resolve, Resolver};
use taut_cdr::{ByteOrder, Encode, Encoder};
use taut_giop::Version;
use taut_giop::message::{self, MessageType, ReplyHeader, ReplyStatus};
use taut_giop::service_context::ServiceContexts;

use crate::error::BenchError;

/// The pause between two octets of a reply that dribbles.
const PAUSE: Duration = Duration::from_millis(100);

/// The octets of a request that no system takes while the peer reads none.
const LARGE: usize = 32 << 20;

/// Where a call stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stall {
    NameService,
    FullBacklogs,
    NoRoom,
    NoReply,
    HalfReply,
    DribblingReply,
    StalledForward,
    ForwardToFullBacklog,
}

impl Stall {
    pub(super) const ALL: [Self; 8] = [
        Self::NameService,
        Self::FullBacklogs,
        Self::NoRoom,
        Self::NoReply,
        Self::HalfReply,
        Self::DribblingReply,
        Self::StalledForward,
        Self::ForwardToFullBacklog,
    ];
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NameService => "a name service without an answer",
            Self::FullBacklogs => "full backlogs at three addresses",
            Self::NoRoom => "a peer that takes no request",
            Self::NoReply => "no reply",
            Self::HalfReply => "half a reply",
            Self::DribblingReply => "an octet of the reply each 100 ms",
            Self::StalledForward => "a forward to a peer without a reply",
            Self::ForwardToFullBacklog => "a forward to a full backlog",
        })
    }
}

/// An object whose calls stall.
pub(super) struct Stalled {
    object: ObjectRef,
    arguments: Vec<u8>,
    /// The part that keeps the calls from going on.
    _held: Vec<Held>,
}

#[expect(dead_code, reason = "they are held")]
enum Held {
    Backlog(taut_sys::tcp::TcpListener, taut_sys::tcp::TcpStream),
    Names(mpsc::Sender<()>),
}

impl Stalled {
    pub(super) fn object(&self) -> &ObjectRef {
        &self.object
    }

    pub(super) fn arguments(&self) -> &[u8] {
        &self.arguments
    }
}

impl Stall {
    /// Sets the stall up, for a client whose calls share connections like this.
    pub(super) fn set_up(self, sharing: ConnectionSharing) -> Result<Stalled, BenchError> {
        let prepared = self.prepare();
        let (host, port, names, held) =
            prepared.map_err(BenchError::system("cannot set up the stall"))?;
        let orb = Orb::builder().settings(|settings| {
            settings.client.connection_sharing = sharing;
            settings.client.resolver = names;
        });
        let orb = orb.build().map_err(BenchError::orb)?;
        let object = orb
            .string_to_object(&format!("corbaloc:iiop:1.2@{host}:{port}/key"))
            .map_err(BenchError::orb)?;
        let arguments = match self {
            Self::NoRoom => vec![7; LARGE],
            _ => Vec::new(),
        };
        Ok(Stalled {
            object,
            arguments,
            _held: held,
        })
    }

    /// The host and the port that the client calls, and its name service.
    fn prepare(self) -> io::Result<(&'static str, u16, Resolver, Vec<Held>)> {
        let local = |port| Ok(("127.0.0.1", port, Resolver::default(), Vec::new()));
        match self {
            Self::NameService => {
                let (held, until) = mpsc::channel();
                let until = Mutex::new(until);
                let names = Resolver::new(Names::Silent(until));
                Ok(("host", 7, names, vec![Held::Names(held)]))
            }
            Self::FullBacklogs => {
                let full = [1, 2, 3].map(full_backlog);
                let full: Vec<_> = full.into_iter().collect::<io::Result<_>>()?;
                let addresses = full.iter().map(|(address, _)| *address).collect();
                let held = full.into_iter().map(|(_, held)| held).collect();
                Ok(("host", 7, Resolver::new(Names::Known(addresses)), held))
            }
            Self::NoRoom => local(serve(|_| {
                loop {
                    thread::park();
                }
            })?),
            Self::NoReply => local(serve(ignore)?),
            Self::HalfReply => local(serve(|stream| {
                read_request(stream)?;
                let reply = empty_reply();
                stream.write_all(&reply[..reply.len() / 2])?;
                ignore(stream)
            })?),
            Self::DribblingReply => local(serve(|stream| {
                read_request(stream)?;
                for octet in empty_reply().into_iter().cycle() {
                    stream.write_all(&[octet])?;
                    thread::sleep(PAUSE);
                }
                Ok(())
            })?),
            Self::StalledForward => local(serve_forwards(serve(ignore)?)?),
            Self::ForwardToFullBacklog => {
                let (full, held) = full_backlog(1)?;
                let port = serve_forwards(full.port())?;
                Ok(("127.0.0.1", port, Resolver::default(), vec![held]))
            }
        }
    }
}

/// The name service of a client.
#[derive(Debug)]
enum Names {
    /// It answers nobody, as long as the sender is there.
    Silent(Mutex<mpsc::Receiver<()>>),
    /// Each host has these addresses.
    Known(Vec<SocketAddr>),
}

impl Resolve for Names {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::Silent(until) => {
                let _ = until.lock().recv();
                Ok(Vec::new())
            }
            Self::Known(addresses) => Ok(addresses.clone()),
        }
    }
}

/// A listener at 127.0.0.`last` that has as many connections waiting as it keeps.
fn full_backlog(last: u8) -> io::Result<(SocketAddr, Held)> {
    let address = Ipv4Addr::new(127, 0, 0, last);
    let listener = taut_sys::tcp::TcpListener::bind((address, 0).into())?;
    listener.set_backlog(0)?;
    let address = listener.local_address()?;
    let waits = taut_sys::tcp::TcpStream::connect(address, Some(Duration::from_secs(5)))?;
    Ok((address, Held::Backlog(listener, waits)))
}

/// Has a thread serve each connection, until the program ends, and returns the port.
fn serve(
    serve_one: impl Fn(&mut TcpStream) -> io::Result<()> + Clone + Send + 'static,
) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let serve_one = serve_one.clone();
            // It ends with the client's connection.
            thread::spawn(move || serve_one(&mut stream));
        }
    });
    Ok(port)
}

/// Serves by forwarding each request to the port, and returns its own.
fn serve_forwards(port: u16) -> io::Result<u16> {
    let orb = Orb::builder().build().map_err(io::Error::other)?;
    let target = orb.string_to_object(&format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key"));
    let target = target.map_err(io::Error::other)?.ior().clone();
    serve(move |stream| {
        loop {
            let id = read_request(stream)?;
            stream.write_all(&forward(id, &target)?)?;
        }
    })
}

/// Reads all that comes, and answers nothing.
fn ignore(stream: &mut TcpStream) -> io::Result<()> {
    io::copy(stream, &mut io::sink()).map(drop)
}

/// Reads a request, and returns its id.
fn read_request(stream: &mut TcpStream) -> io::Result<u32> {
    let mut header = [0; message::HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = message::MessageHeader::parse(&header).map_err(io::Error::other)?;
    let mut body = vec![0; header.total_size() - message::HEADER_SIZE];
    stream.read_exact(&mut body)?;
    let id = body.first_chunk().ok_or(io::ErrorKind::InvalidData)?;
    // The client is of this machine.
    Ok(u32::from_ne_bytes(*id))
}

/// A reply without results to the first request.
fn empty_reply() -> Vec<u8> {
    // A header always fits.
    reply(0, ReplyStatus::NoException, |_| Ok(())).unwrap_or_default()
}

/// A reply that forwards a request.
fn forward(request_id: u32, target: &Ior) -> io::Result<Vec<u8>> {
    let reply = reply(request_id, ReplyStatus::LocationForward, |out| {
        target.encode(out)
    });
    reply.map_err(io::Error::other)
}

fn reply(
    request_id: u32,
    status: ReplyStatus,
    write: impl FnOnce(&mut Encoder) -> taut_cdr::Result<()>,
) -> taut_cdr::Result<Vec<u8>> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    message::begin_message(&mut out, Version::V1_2, MessageType::Reply);
    ReplyHeader {
        request_id,
        status,
        service_contexts: ServiceContexts::EMPTY,
    }
    .encode(Version::V1_2, &mut out)?;
    let body = message::begin_body(Version::V1_2, &mut out);
    write(&mut out)?;
    body.finish(&mut out);
    message::finish_message(&mut out)?;
    Ok(out.as_bytes().to_vec())
}
