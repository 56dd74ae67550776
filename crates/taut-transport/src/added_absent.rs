//! Protocols that a program adds, where there are none: no value is of these types, so that
//! nothing of what would be done with one is in a program.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder};
use taut_sys::poll::Poller;

use crate::{
    Acceptor, Address, AddressError, Channel, ConnectError, ConnectOptions, Interest,
    ListenOptions, Protocol, Readiness, Stream,
};

/// A protocol that a program adds.
#[derive(Clone)]
pub(crate) enum Added {}

/// The connection of such a protocol.
pub(crate) type Held = Plugged;

/// As the type of this name where protocols can be added.
#[derive(Debug)]
pub(crate) struct Plugged {
    pub(crate) channel: NoChannel,
}

/// A channel that does not exist.
#[derive(Debug)]
pub(crate) enum NoChannel {}

impl Protocol for Added {
    fn scheme(&self) -> &str {
        match *self {}
    }

    fn profile_tag(&self) -> u32 {
        match *self {}
    }

    fn parse_endpoint(&self, _: &str) -> Result<String, AddressError> {
        match *self {}
    }

    fn parse_address(&self, _: &str) -> Result<Address, AddressError> {
        match *self {}
    }

    fn read_address(&self, _: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        match *self {}
    }

    fn write_address(&self, _: &Address, _: &mut Encoder) -> taut_cdr::Result<()> {
        match *self {}
    }

    fn alternate_address_tag(&self) -> Option<u32> {
        match *self {}
    }

    fn connect(&self, _: &Address, _: &ConnectOptions) -> Result<Stream, ConnectError> {
        match *self {}
    }

    fn listen(&self, _: &str, _: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        match *self {}
    }
}

impl Channel for NoChannel {
    fn try_send(&self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn try_receive(&self, _: &mut Vec<u8>) -> io::Result<usize> {
        match *self {}
    }

    fn wait(&self, _: Interest, _: Option<Instant>) -> io::Result<bool> {
        match *self {}
    }

    fn readiness(&self) -> Readiness<'_> {
        match *self {}
    }

    fn shutdown(&self, _: Shutdown) {
        match *self {}
    }

    fn peer(&self) -> &str {
        match *self {}
    }
}

impl Plugged {
    pub(crate) fn set_receive_timeout(&self, _: Option<Duration>) {
        match self.channel {}
    }

    pub(crate) fn set_send_timeout(&self, _: Option<Duration>) {
        match self.channel {}
    }

    pub(crate) fn receive(&self, _: &mut Vec<u8>) -> io::Result<usize> {
        match self.channel {}
    }

    pub(crate) fn send(&self, _: &[u8]) -> io::Result<()> {
        match self.channel {}
    }

    pub(crate) fn send_parts(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        match self.channel {}
    }

    pub(crate) fn wait(&self, _: Interest, _: Option<Instant>) -> io::Result<bool> {
        match self.channel {}
    }

    pub(crate) fn is_ready(&self, _: Interest) -> io::Result<bool> {
        match self.channel {}
    }

    pub(crate) fn wait_to_receive(&self) -> io::Result<()> {
        match self.channel {}
    }

    pub(crate) fn watch(&self, _: &Poller, _: u64) -> io::Result<()> {
        match self.channel {}
    }

    pub(crate) fn watch_again(&self, _: &Poller, _: u64) -> io::Result<()> {
        match self.channel {}
    }

    pub(crate) fn unwatch(&self, _: &Poller) {
        match self.channel {}
    }
}
