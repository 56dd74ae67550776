//! The addresses that the names of hosts stand for.
//!
//! The system's name service cannot be asked with a time limit. So a name is looked up by
//! a thread of its own, and the thread that needs the answer waits for it as long as there is
//! time. The thread ends when the name service has answered. Calls that ask for a name
//! that is being looked up wait for the same answer, so that a name service without an
//! answer costs one thread for each name.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

use taut_sync::lock::{Condvar, Mutex, MutexGuard};
use taut_sync::threads;

/// A name service: turns the name of a host into addresses.
///
/// An ORB asks its own (`ClientSettings::resolver`) for each new connection to a host that its
/// address gives by name; numeric addresses need none.
pub trait Resolve: Send + Sync {
    /// Returns the addresses of a host, the best first, each with the port. It may take
    /// its time: callers wait no longer than they want to.
    ///
    /// # Errors
    ///
    /// The reason for which the name has no address, in words for people.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// A name service that is asked within time limits: the operating system's by default.
///
/// Clones ask the same name service, and their threads are counted together; the system's
/// are those of the whole process.
#[derive(Clone)]
pub struct Resolver {
    shared: Arc<Shared>,
}

struct Shared {
    service: Box<dyn Resolve>,
    /// The lookups that have not ended, each with a thread.
    lookups: Mutex<Vec<Arc<Lookup>>>,
    /// A lookup has ended.
    ended: Condvar,
}

/// A name that is being looked up.
struct Lookup {
    host: Box<str>,
    port: u16,
    /// Set under the lock of [`Shared::lookups`].
    answer: OnceLock<Answer>,
}

/// The lookups that have not ended, which are locked.
type Lookups<'r> = MutexGuard<'r, Vec<Arc<Lookup>>>;

/// A lookup, and its thread if that is a new one.
type Begun = (Arc<Lookup>, Option<JoinHandle<()>>);

/// The addresses, or the name service's error.
type Answer = Result<Vec<SocketAddr>, Arc<io::Error>>;

/// The name service of the operating system (`getaddrinfo`).
#[derive(Debug)]
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        (host, port).to_socket_addrs().map(Iterator::collect)
    }
}

/// The system's name service, for the whole process.
static SYSTEM: LazyLock<Resolver> = LazyLock::new(|| Resolver::new(SystemResolver));

impl Default for Resolver {
    fn default() -> Self {
        SYSTEM.clone()
    }
}

impl Resolver {
    /// Asks this name service instead of the system's.
    ///
    /// ```
    /// use std::io;
    /// use std::net::SocketAddr;
    ///
    /// use taut_transport::{Resolve, Resolver};
    ///
    /// #[derive(Debug)]
    /// struct Plant;
    ///
    /// impl Resolve for Plant {
    ///     fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    ///         match host {
    ///             "press" => Ok(vec![([10, 0, 0, 7], port).into()]),
    ///             _ => Err(io::Error::other("the plant has no such machine")),
    ///         }
    ///     }
    /// }
    ///
    /// let resolver = Resolver::new(Plant);
    /// ```
    pub fn new(service: impl Resolve + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                service: Box::new(service),
                lookups: Mutex::default(),
                ended: Condvar::new(),
            }),
        }
    }

    /// Returns the addresses of a host, if they are known by a point in time. At most so
    /// many threads look names up.
    ///
    /// # Errors
    ///
    /// The name service's; [`io::ErrorKind::TimedOut`] if it has not answered in time; the
    /// system's if it gives no thread.
    pub(crate) fn resolve(
        &self,
        host: &str,
        port: u16,
        until: Option<Instant>,
        max_threads: usize,
    ) -> io::Result<Vec<SocketAddr>> {
        let start = Instant::now();
        if let Ok(numeric) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(numeric, port)]);
        }
        let Some((lookup, thread)) = self.look_up(host, port, until, max_threads)? else {
            return Err(late(start, "other names are being looked up"));
        };
        let Some(answer) = self.await_answer(&lookup, until) else {
            return Err(late(start, "the name service has not answered"));
        };
        if let Some(thread) = thread {
            // It has answered, and only ends. So a process that had one thread has one
            // again, whose calls cost less than those of several.
            let _ = thread.join();
        }
        answer.map_err(|error| copy(&error))
    }

    /// Begins to look a name up, unless another thread does so already. None: there is no
    /// thread to spare in time.
    fn look_up(
        &self,
        host: &str,
        port: u16,
        until: Option<Instant>,
        max_threads: usize,
    ) -> io::Result<Option<Begun>> {
        let is_same = |lookup: &&Arc<Lookup>| &*lookup.host == host && lookup.port == port;
        let mut lookups = self.shared.lookups.lock();
        loop {
            if let Some(lookup) = lookups.iter().find(is_same) {
                return Ok(Some((Arc::clone(lookup), None)));
            }
            if lookups.len() < max_threads.max(1) {
                break;
            }
            if !self.wait(&mut lookups, until) {
                return Ok(None);
            }
        }
        let lookup = Arc::new(Lookup {
            host: host.into(),
            port,
            answer: OnceLock::new(),
        });
        let running = Running {
            shared: Arc::clone(&self.shared),
            lookup: Arc::clone(&lookup),
            answer: None,
        };
        lookups.push(Arc::clone(&lookup));
        drop(lookups);
        // A lookup whose thread is not started is dropped, and so ended.
        let thread = threads::spawn("taut resolver", move || running.run())?;
        Ok(Some((lookup, Some(thread))))
    }

    /// Waits for an answer; none: there is none in time.
    fn await_answer(&self, lookup: &Lookup, until: Option<Instant>) -> Option<Answer> {
        let mut lookups = self.shared.lookups.lock();
        loop {
            if let Some(answer) = lookup.answer.get() {
                return Some(answer.clone());
            }
            if !self.wait(&mut lookups, until) && lookup.answer.get().is_none() {
                return None;
            }
        }
    }

    /// Waits until a lookup has ended; false when none has by a point in time.
    fn wait(&self, lookups: &mut Lookups<'_>, until: Option<Instant>) -> bool {
        let ended = &self.shared.ended;
        match until {
            None => {
                ended.wait(lookups);
                true
            }
            Some(until) => !ended.wait_until(lookups, until).timed_out(),
        }
    }
}

/// The error of a name that is not known after the time since `start`.
#[cold]
fn late(start: Instant, reason: &str) -> io::Error {
    let waited = start.elapsed().as_millis();
    let waited = u64::try_from(waited).unwrap_or(u64::MAX);
    let text = format!("{reason} after {waited} ms");
    io::Error::new(io::ErrorKind::TimedOut, text)
}

/// The same error once more, for another caller.
#[cold]
fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// The duty of a lookup's thread, which ends the lookup when it is dropped, also by a
/// panic of the name service.
struct Running {
    shared: Arc<Shared>,
    lookup: Arc<Lookup>,
    answer: Option<io::Result<Vec<SocketAddr>>>,
}

impl Running {
    fn run(mut self) {
        let Lookup { host, port, .. } = &*self.lookup;
        self.answer = Some(self.shared.service.resolve(host, *port));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let answer = self.answer.take();
        let answer = answer.unwrap_or_else(|| Err(io::Error::other("the name service failed")));
        let mut lookups = self.shared.lookups.lock();
        // Nobody else sets it.
        let _ = self.lookup.answer.set(answer.map_err(Arc::new));
        lookups.retain(|other| !Arc::ptr_eq(other, &self.lookup));
        drop(lookups);
        self.shared.ended.notify_all();
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// A name service that tells of each question and answers when it is let.
    #[derive(Debug)]
    struct Slow {
        asked: Mutex<Sender<String>>,
        go_on: Mutex<Receiver<()>>,
    }

    impl Resolve for Slow {
        fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
            self.asked.lock().send(host.to_owned()).unwrap();
            assert_ne!(host, "panic");
            let _ = self.go_on.lock().recv();
            Ok(vec![([127, 0, 0, 1], port).into()])
        }
    }

    fn slow() -> (Resolver, Receiver<String>, Sender<()>) {
        let ((asked, questions), (go, go_on)) = (channel(), channel());
        let (asked, go_on) = (Mutex::new(asked), Mutex::new(go_on));
        (Resolver::new(Slow { asked, go_on }), questions, go)
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(20))
    }

    #[test]
    fn numeric_addresses_are_nobodys_business() {
        let (resolver, questions, _go) = slow();
        let resolved = resolver.resolve("::1", 7, None, 0).unwrap();
        assert_eq!(resolved, ["[::1]:7".parse().unwrap()]);
        assert!(questions.try_recv().is_err());
    }

    #[test]
    fn a_name_service_without_an_answer_is_asked_once_for_all_who_wait() {
        let (resolver, questions, go) = slow();
        for _ in 0..5 {
            let unanswered = resolver.resolve("host", 7, soon(), 1).unwrap_err();
            assert_eq!(unanswered.kind(), io::ErrorKind::TimedOut);
            assert!(
                unanswered
                    .to_string()
                    .starts_with("the name service has not")
            );
        }
        let busy = resolver.resolve("other", 7, soon(), 1).unwrap_err();
        assert!(busy.to_string().starts_with("other names are"), "{busy}");
        thread::scope(|scope| {
            let late = scope.spawn(|| resolver.resolve("host", 7, None, 1));
            // One more, if the first lookup has ended before it was joined.
            go.send(()).unwrap();
            go.send(()).unwrap();
            assert_eq!(late.join().unwrap().unwrap().len(), 1);
        });
        assert_eq!(questions.try_iter().next().as_deref(), Some("host"));
        go.send(()).unwrap();
        resolver.resolve("other", 7, None, 1).unwrap();
    }

    #[test]
    fn a_name_service_that_panics_has_refused() {
        let (resolver, _questions, _go) = slow();
        let refused = resolver.resolve("panic", 7, None, 1).unwrap_err();
        assert_eq!(refused.to_string(), "the name service failed");
        assert!(resolver.shared.lookups.lock().is_empty());
    }
}
