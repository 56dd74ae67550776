//! The connections of a recording: from a client to the proxy, and from there to the server.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use taut_giop::framing::FramingLimits;

use super::catalog::Catalog;
use super::conversation::{Conversation, Side};
use crate::failure::Failure;
use crate::output::{self, visible};

/// Octets that are passed on at a time.
const CHUNK: usize = 64 << 10;

/// The place of the object that is recorded.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
    /// The object key.
    pub(super) key: Vec<u8>,
    /// How long connecting may take.
    pub(super) timeout: Duration,
}

/// The limits of what peers cost.
#[derive(Debug)]
pub(super) struct Limits {
    pub(super) framing: FramingLimits,
    /// Calls of a connection that wait for their replies.
    pub(super) max_pending: usize,
    pub(super) max_connections: usize,
}

/// A proxy.
pub(super) struct Proxy {
    target: Target,
    catalog: Arc<Catalog>,
    limits: Limits,
    connections: AtomicUsize,
    output: Mutex<Output>,
}

/// The place for the lines.
struct Output {
    writer: Box<dyn Write + Send>,
    /// Why a line could not be written.
    fault: Option<io::Error>,
}

impl Proxy {
    pub(super) fn new(
        target: Target,
        catalog: Catalog,
        limits: Limits,
        writer: Box<dyn Write + Send>,
    ) -> Self {
        Self {
            target,
            catalog: Arc::new(catalog),
            limits,
            connections: AtomicUsize::new(0),
            output: Mutex::new(Output {
                writer,
                fault: None,
            }),
        }
    }

    /// Serves clients in threads of their own.
    pub(super) fn start(self: &Arc<Self>, listener: TcpListener) {
        let proxy = Arc::clone(self);
        thread::spawn(move || {
            let mut number = 0;
            for client in listener.incoming() {
                match client {
                    Ok(client) => {
                        number += 1;
                        proxy.accept(client, number);
                    }
                    Err(error) => {
                        warn(&format!("a client could not be accepted: {error}"));
                        // Such as too many open files, which passes.
                        thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        });
    }

    fn accept(self: &Arc<Self>, client: TcpStream, number: u64) {
        let limit = self.limits.max_connections;
        if self.connections.fetch_add(1, Ordering::Relaxed) >= limit {
            self.connections.fetch_sub(1, Ordering::Relaxed);
            warn(&format!(
                "connection {number} is closed: there are {limit} (--max-connections)"
            ));
            return;
        }
        let proxy = Arc::clone(self);
        let serve = move || {
            if let Err(error) = proxy.serve(client, number) {
                let (host, port) = (visible(&proxy.target.host), proxy.target.port);
                warn(&format!("connection {number}: {host}:{port}: {error}"));
            }
            proxy.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if let Err(error) = thread::Builder::new().spawn(serve) {
            self.connections.fetch_sub(1, Ordering::Relaxed);
            warn(&format!(
                "connection {number} is closed: no thread: {error}"
            ));
        }
    }

    /// Passes everything on until both sides have ended.
    fn serve(&self, client: TcpStream, number: u64) -> io::Result<()> {
        let server = connect(&self.target)?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let catalog = Arc::clone(&self.catalog);
        let key = self.target.key.clone();
        let conversation = Mutex::new(Conversation::new(number, catalog, key, &self.limits));
        thread::scope(|scope| {
            let of_server = || self.pass_on(&server, &client, Side::Server, &conversation, number);
            thread::Builder::new().spawn_scoped(scope, of_server)?;
            self.pass_on(&client, &server, Side::Client, &conversation, number);
            io::Result::Ok(())
        })?;
        let mut lines = Vec::new();
        locked(&conversation).end(&mut lines);
        self.write(&lines);
        Ok(())
    }

    /// Passes on what one side sends, until it ends.
    fn pass_on(
        &self,
        mut from: &TcpStream,
        mut to: &TcpStream,
        side: Side,
        conversation: &Mutex<Conversation>,
        number: u64,
    ) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let octets = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => &buffer[..count],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let mut lines = Vec::new();
            // A call is noted before it goes on, so that its reply finds it; and its line is there
            // before the client has the reply.
            let noted = locked(conversation).octets(side, octets, &mut lines);
            if let Err(error) = noted {
                warn(&format!(
                    "connection {number} is no longer recorded: {error}"
                ));
            }
            self.write(&lines);
            if to.write_all(octets).is_err() {
                break;
            }
        }
        // The other side may still have something to say to this one.
        let _ = to.shutdown(Shutdown::Write);
        let _ = from.shutdown(Shutdown::Read);
    }

    fn write(&self, lines: &[Json]) {
        if lines.is_empty() {
            return;
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut output = locked(&self.output);
        // Behind the part of a line, others could not be read.
        if output.fault.is_some() {
            return;
        }
        let written = output.writer.write_all(text.as_bytes());
        let written = written.and_then(|()| output.writer.flush());
        if let Err(error) = written {
            warn(&format!("calls are no longer recorded: {error}"));
            output.fault = Some(error);
        }
    }

    /// Says whether all lines were written.
    ///
    /// # Errors
    ///
    /// Why they were not.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        match locked(&self.output).fault.take() {
            Some(error) => Err(Failure::Output(error)),
            None => Ok(()),
        }
    }
}

fn connect(target: &Target) -> io::Result<TcpStream> {
    let mut fault = io::Error::other("the host has no address");
    for address in (target.host.as_str(), target.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, target.timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => fault = error,
        }
    }
    Err(fault)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn warn(text: &str) {
    output::complain(&format!("warning: {text}\n"));
}
