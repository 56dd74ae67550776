//! Connections: two pipes.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_transport::{Channel, DoorbellSlot, Interest, Readiness};

use crate::pipe::Pipe;

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct End {
    incoming: Arc<Pipe>,
    outgoing: Arc<Pipe>,
    peer: String,
    /// Rung when something has arrived, and when there is room.
    doorbell: Arc<DoorbellSlot>,
}

impl End {
    /// Both ends of a connection: the client's and the server's.
    pub(crate) fn pair(server: String) -> (Self, Self) {
        let bells = [(); 2].map(|()| Arc::<DoorbellSlot>::default());
        let [client_bell, server_bell] = bells;
        let requests = Arc::new(Pipe::new(&client_bell, &server_bell));
        let replies = Arc::new(Pipe::new(&server_bell, &client_bell));
        let client = Self {
            incoming: Arc::clone(&replies),
            outgoing: Arc::clone(&requests),
            peer: server,
            doorbell: client_bell,
        };
        let server = Self {
            incoming: requests,
            outgoing: replies,
            peer: "a client in this process".to_owned(),
            doorbell: server_bell,
        };
        (client, server)
    }
}

impl Channel for End {
    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        self.outgoing.send(octets)
    }

    fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.incoming.receive(buffer)
    }

    fn peek(&self, octets: &mut [u8]) -> io::Result<usize> {
        self.incoming.peek(octets)
    }

    fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        Ok(match interest {
            Interest::Receive => self.incoming.wait_to_receive(deadline),
            Interest::Send => self.outgoing.wait_to_send(deadline),
        })
    }

    fn readiness(&self) -> Readiness<'_> {
        Readiness::Doorbell(&self.doorbell)
    }

    fn shutdown(&self, direction: Shutdown) {
        if direction != Shutdown::Read {
            self.outgoing.finish();
        }
        if direction != Shutdown::Write {
            self.incoming.abandon();
        }
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn acknowledged(&self) -> Option<u64> {
        Some(self.outgoing.received())
    }

    fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        self.outgoing
            .received_in_all(Instant::now().checked_add(patience))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.shutdown(Shutdown::Both);
    }
}
