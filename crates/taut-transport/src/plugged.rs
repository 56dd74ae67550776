//! Blocking, time-outs and polling for channels that only try.

use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use taut_sys::poll::Poller;

use crate::{Channel, Interest, Readiness};

/// A connection of a transport that is not built on stream sockets.
#[derive(Debug)]
pub(crate) struct Plugged {
    pub(crate) channel: Box<dyn Channel>,
    receive_timeout: Timeout,
    send_timeout: Timeout,
}

/// How long one wait may last.
#[derive(Debug, Default)]
struct Timeout {
    /// 0: for ever.
    nanoseconds: AtomicU64,
}

impl Timeout {
    fn set(&self, timeout: Option<Duration>) {
        let nanoseconds = timeout.map_or(0, |timeout| {
            u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX).max(1)
        });
        self.nanoseconds.store(nanoseconds, Ordering::Relaxed);
    }

    /// When a wait that begins now is over.
    fn deadline(&self) -> Option<Instant> {
        match self.nanoseconds.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Instant::now().checked_add(Duration::from_nanos(nanoseconds)),
        }
    }
}

impl Plugged {
    pub(crate) fn new(channel: Box<dyn Channel>) -> Self {
        Self {
            channel,
            receive_timeout: Timeout::default(),
            send_timeout: Timeout::default(),
        }
    }

    pub(crate) fn set_receive_timeout(&self, timeout: Option<Duration>) {
        self.receive_timeout.set(timeout);
    }

    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) {
        self.send_timeout.set(timeout);
    }

    /// Does what `attempt` tries, and waits as long as that would block.
    fn block<T>(
        &self,
        interest: Interest,
        mut attempt: impl FnMut(&dyn Channel) -> io::Result<T>,
    ) -> io::Result<T> {
        let timeout = match interest {
            Interest::Receive => &self.receive_timeout,
            Interest::Send => &self.send_timeout,
        };
        // Only an attempt that has to wait needs to know the time.
        let mut deadline = None;
        loop {
            match attempt(&*self.channel) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let deadline = *deadline.get_or_insert_with(|| timeout.deadline());
                    if !self.channel.wait(interest, deadline)? {
                        return Err(error);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    #[cold]
    pub(crate) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.block(Interest::Receive, |channel| channel.try_receive(buffer))
    }

    #[cold]
    pub(crate) fn send(&self, mut octets: &[u8]) -> io::Result<()> {
        while !octets.is_empty() {
            let sent = self.block(Interest::Send, |channel| channel.try_send(octets))?;
            octets = &octets[checked(sent, octets.len())?..];
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn send_parts(&self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0); // skips what is empty
        while !parts.is_empty() {
            let sent = self.block(Interest::Send, |channel| channel.try_send_parts(parts))?;
            let octets = parts.iter().map(|part| part.len()).sum();
            IoSlice::advance_slices(&mut parts, checked(sent, octets)?);
        }
        Ok(())
    }

    pub(crate) fn wait(&self, interest: Interest, deadline: Option<Instant>) -> io::Result<bool> {
        self.channel.wait(interest, deadline)
    }

    pub(crate) fn is_ready(&self, interest: Interest) -> io::Result<bool> {
        self.channel.wait(interest, Some(Instant::now()))
    }

    /// Waits until octets have arrived, at most as long as a receive may take.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when that time is over.
    pub(crate) fn wait_to_receive(&self) -> io::Result<()> {
        match self
            .channel
            .wait(Interest::Receive, self.receive_timeout.deadline())?
        {
            true => Ok(()),
            false => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    pub(crate) fn watch(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self.channel.readiness() {
            Readiness::Descriptor(descriptor) => {
                poller.add(descriptor, token)?;
                self.tell_of_held(poller, token)
            }
            Readiness::Doorbell(slot) => slot.hang(poller, token),
        }
    }

    pub(crate) fn watch_again(&self, poller: &Poller, token: u64) -> io::Result<()> {
        match self.channel.readiness() {
            Readiness::Descriptor(descriptor) => {
                poller.renew(descriptor, token)?;
                self.tell_of_held(poller, token)
            }
            Readiness::Doorbell(slot) => slot.hang(poller, token),
        }
    }

    /// Makes an event of octets that the channel holds, of which its descriptor does not
    /// tell.
    fn tell_of_held(&self, poller: &Poller, token: u64) -> io::Result<()> {
        if self.is_ready(Interest::Receive)? {
            poller.doorbell(token)?.ring();
        }
        Ok(())
    }

    pub(crate) fn unwatch(&self, poller: &Poller) {
        match self.channel.readiness() {
            Readiness::Descriptor(descriptor) => poller.remove(descriptor),
            Readiness::Doorbell(slot) => slot.take_down(),
        }
    }
}

/// The number of octets that a channel says it has sent of so many, if that can be. None
/// at all would have the caller try for ever.
fn checked(sent: usize, octets: usize) -> io::Result<usize> {
    match sent {
        0 => Err(io::ErrorKind::WriteZero.into()),
        sent if sent > octets => Err(io::Error::other(
            "the transport has sent more octets than there were",
        )),
        sent => Ok(sent),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;

    use taut_sys::poll::DoorbellSlot;

    use super::*;

    /// A channel that says it has sent so many octets, whatever it is given.
    #[derive(Debug, Default)]
    struct Liar(usize, DoorbellSlot);

    impl Channel for Liar {
        fn try_send(&self, _: &[u8]) -> io::Result<usize> {
            Ok(self.0)
        }

        fn try_receive(&self, _: &mut Vec<u8>) -> io::Result<usize> {
            Ok(0)
        }

        fn wait(&self, _: Interest, _: Option<Instant>) -> io::Result<bool> {
            Ok(true)
        }

        fn readiness(&self) -> Readiness<'_> {
            Readiness::Doorbell(&self.1)
        }

        fn shutdown(&self, _: Shutdown) {}

        fn peer(&self) -> &str {
            "nobody"
        }
    }

    #[test]
    fn a_channel_that_counts_wrongly_is_an_error_and_no_endless_loop() {
        for (sent, kind) in [(0, io::ErrorKind::WriteZero), (9, io::ErrorKind::Other)] {
            let plugged = Plugged::new(Box::new(Liar(sent, DoorbellSlot::default())));
            assert_eq!(plugged.send(b"octets").unwrap_err().kind(), kind);
            let mut parts = [IoSlice::new(b"oct"), IoSlice::new(b"ets")];
            assert_eq!(plugged.send_parts(&mut parts).unwrap_err().kind(), kind);
        }
    }
}
