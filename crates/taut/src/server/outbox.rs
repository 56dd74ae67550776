//! The octets that a connection could not send at once.

use std::io::{self, ErrorKind, IoSlice};
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taut_sync::lock::{Condvar, Mutex};

use super::pending_output::{Account, OutputOwner};
use crate::transport::Stream;

/// Octets that wait until the client takes them.
///
/// It holds the replies to what is under way, and what closes the connection: as
/// long as anything waits, no further request of this client is read. A client
/// that takes nothing gets nothing done, and costs no memory beyond that.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Whether anything waits; changes under the lock.
    is_congested: AtomicBool,
    state: Mutex<State>,
    /// Nothing waits any more, or nobody will take it.
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    /// How many of them have been sent.
    sent: usize,
    /// Whether nothing follows.
    is_last: bool,
}

impl Outbox {
    /// Sends what can be sent now, and keeps the rest, which is charged to `account`;
    /// nobody else's octets come between the parts. False when something waits.
    #[inline]
    pub(super) fn send(
        &self,
        stream: &Stream,
        parts: &mut [IoSlice<'_>],
        charged: (&Account, &Weak<impl OutputOwner + 'static>),
    ) -> io::Result<bool> {
        self.send_under(&mut self.state.lock(), stream, parts, charged)
    }

    /// [`send`](Self::send) of what is last: the connection is half-closed behind it, and what
    /// others send from here on goes nowhere.
    pub(super) fn send_last(
        &self,
        stream: &Stream,
        octets: &[u8],
        charged: (&Account, &Weak<impl OutputOwner + 'static>),
    ) -> io::Result<bool> {
        let mut state = self.state.lock();
        let mut parts = [IoSlice::new(octets)];
        let sent = self.send_under(&mut state, stream, &mut parts, charged);
        state.is_last = true;
        if state.waiting.is_empty() {
            stream.stop_sending();
        }
        sent
    }

    #[inline(always)]
    fn send_under(
        &self,
        state: &mut State,
        stream: &Stream,
        mut parts: &mut [IoSlice<'_>],
        (account, owner): (&Account, &Weak<impl OutputOwner + 'static>),
    ) -> io::Result<bool> {
        if state.waiting.is_empty() {
            send_some(stream, &mut parts)?;
            if parts.is_empty() {
                return Ok(true);
            }
            // The thread that gets the event that there is room looks here whether anything
            // waits. Room that came before it could be seen here is tried for now.
            self.is_congested.store(true, Ordering::Release);
            send_some(stream, &mut parts)?;
            self.is_congested
                .store(!parts.is_empty(), Ordering::Release);
        }
        // Where nothing waits, the system refuses what is sent behind the last.
        if state.is_last {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let before = state.waiting.len();
        for octets in parts {
            state.waiting.extend_from_slice(octets);
        }
        // Under the lock, for the thread that empties the box clears the account there.
        let more = state.waiting.len() - before;
        if more > 0 {
            account.add(owner, more);
        }
        Ok(state.waiting.is_empty())
    }

    /// Whether anything waits.
    #[inline]
    pub(super) fn is_congested(&self) -> bool {
        self.is_congested.load(Ordering::Acquire)
    }

    /// Waits until nothing waits to be sent. False when that takes too long.
    pub(super) fn wait_until_empty(&self, timeout: Duration) -> bool {
        let mut state = self.state.lock();
        let is_full = |state: &mut State| !state.waiting.is_empty();
        !self
            .emptied
            .wait_while_for(&mut state, is_full, timeout)
            .timed_out()
    }

    /// Sends what can be sent of what waits. True when nothing waits any more.
    pub(super) fn flush(&self, stream: &Stream, account: &Account) -> io::Result<bool> {
        let mut state = self.state.lock();
        let mut rest: &mut [_] = &mut [IoSlice::new(&state.waiting[state.sent..])];
        IoSlice::advance_slices(&mut rest, 0); // mostly nothing waits
        send_some(stream, &mut rest)?;
        if let [rest] = rest {
            let left = rest.len();
            state.sent = state.waiting.len() - left;
            return Ok(false);
        }
        // A large reply's memory is not kept for an idle connection.
        state.waiting = Vec::new();
        state.sent = 0;
        account.clear();
        self.is_congested.store(false, Ordering::Release);
        self.emptied.notify_all();
        if state.is_last {
            stream.stop_sending();
        }
        Ok(true)
    }

    /// Half-closes, behind what waits.
    pub(super) fn stop_sending(&self, stream: &Stream) {
        let mut state = self.state.lock();
        state.is_last = true;
        if state.waiting.is_empty() {
            stream.stop_sending();
        }
    }
}

/// Sends until there is no room, and leaves in `parts` what has not been sent.
#[inline]
fn send_some(stream: &Stream, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
    while !parts.is_empty() {
        let sent = match &**parts {
            [only] => stream.try_send(only),
            several => stream.try_send_parts(several),
        };
        match sent {
            Ok(sent) => IoSlice::advance_slices(parts, sent),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;
    use std::sync::Weak;

    use taut_transport::{Address, ConnectOptions, Protocol as _, Tcp};

    use super::super::pending_output::PendingOutput;
    use super::*;

    /// The owner of a connection that is never cut.
    struct Nobody(Account);

    impl OutputOwner for Nobody {
        fn account(&self) -> &Account {
            &self.0
        }

        fn name(&self) -> &str {
            "nobody"
        }

        fn abort(&self) {}
    }

    /// A server's reply slipped in behind the MessageError that said that the connection had
    /// ended, for it was sent between that and the half-close.
    #[test]
    fn nothing_follows_what_is_last() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = Address::new("127.0.0.1", listener.local_addr()?.port());
        let stream = Tcp.connect(&address, &ConnectOptions::within(Duration::from_secs(20)));
        let stream = stream.map_err(io::Error::other)?;
        let (mut client, _) = listener.accept()?;
        let outbox = Outbox::default();
        let account = PendingOutput::new(usize::MAX).open();
        let charged = (&account, &Weak::<Nobody>::new());
        let send = |octets: &[u8]| outbox.send(&stream, &mut [IoSlice::new(octets)], charged);
        // The client takes nothing until something waits.
        let mut sent = 0;
        let chunk = [1; 1 << 16];
        while {
            sent += chunk.len();
            send(&chunk)?
        } {}
        assert!(!outbox.send_last(&stream, b"last", charged)?);
        assert!(send(b"reply").is_err());
        let reading = std::thread::spawn(move || {
            let mut all = Vec::new();
            client.read_to_end(&mut all).map(|_| all)
        });
        while !outbox.flush(&stream, &account)? {
            std::thread::yield_now();
        }
        assert!(send(b"reply").is_err());
        let all = reading.join().map_err(|_| ErrorKind::Other)??;
        assert_eq!(all.len(), sent + 4);
        assert!(all.ends_with(b"last"));
        Ok(())
    }
}
