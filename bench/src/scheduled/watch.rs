//! The times in which a CPU ran none of its threads.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taut_sys::{cpu, priority};

use crate::error::BenchError;

/// The priority of the watch: above those of all threads that it watches over.
const PRIORITY: i32 = 50;

/// The time from one look to the next.
const PERIOD: Duration = Duration::from_millis(1);

/// The least time by which a look is late that counts as a pause.
const LATE: Duration = Duration::from_micros(300);

/// The time after which the stolen time is read, also without a pause.
const READ_AGAIN: Duration = Duration::from_millis(100);

/// A time in which a CPU kept its most urgent thread waiting: the hypervisor had it, or the kernel
/// did not let it go. It began up to [`PERIOD`] before, for nothing was due until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) start: Instant,
    pub(super) end: Instant,
    /// The time that the hypervisor took of the CPU, by the kernel's account: in and up to
    /// [`READ_AGAIN`] before the pause, in steps of a clock tick.
    pub(super) stolen: Duration,
}

/// The pauses of a CPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pauses {
    pub(super) all: Vec<Pause>,
    /// The time that the hypervisor took of the CPU in all.
    pub(super) stolen: Duration,
}

/// The part of pauses that lies between two times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) time: Duration,
    pub(super) stolen: Duration,
}

impl Pauses {
    /// The part between two times.
    pub(super) fn between(&self, from: Instant, to: Instant) -> Lost {
        let mut lost = Lost::default();
        for pause in &self.all {
            let within = pause
                .end
                .min(to)
                .checked_duration_since(pause.start.max(from));
            if let Some(time) = within.filter(|time| !time.is_zero()) {
                lost.time += time;
                lost.stolen += pause.stolen;
            }
        }
        lost
    }

    /// The time of all pauses.
    pub(super) fn total(&self) -> Duration {
        self.lengths().sum()
    }

    /// The time of the longest.
    pub(super) fn longest(&self) -> Duration {
        self.lengths().max().unwrap_or_default()
    }

    fn lengths(&self) -> impl Iterator<Item = Duration> {
        self.all.iter().map(|pause| pause.end - pause.start)
    }
}

/// A thread that looks at a CPU each millisecond, with a priority above all others of this
/// program. Where it comes late, no thread of the program ran.
pub(super) struct Watch {
    has_ended: Arc<AtomicBool>,
    thread: JoinHandle<Pauses>,
}

impl Watch {
    /// Begins to look at this CPU.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when the thread, its CPU or its priority is not to be had, or the
    /// system does not tell the stolen time.
    pub(super) fn start(over: usize) -> Result<Self, BenchError> {
        let mut account = Account::open(over).map_err(BenchError::system("/proc/stat"))?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let (ready, readiness) = std::sync::mpsc::channel();
        let look = move || {
            let set = cpu::pin(over).and_then(|()| priority::set_fifo(PRIORITY));
            let goes_on = set.is_ok();
            // The starter waits for it.
            let _ = ready.send(set);
            match goes_on {
                true => look(&ended, || account.read()),
                false => Pauses::default(),
            }
        };
        let thread = thread::Builder::new().name("watch".to_owned()).spawn(look);
        let thread = thread.map_err(BenchError::system("a thread"))?;
        let set = readiness
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("it has ended")));
        set.map_err(BenchError::system("the priority of the watch"))?;
        Ok(Self { has_ended, thread })
    }

    /// Ends it, and returns what it has seen.
    pub(super) fn stop(self) -> Pauses {
        self.has_ended.store(true, Ordering::Relaxed);
        // It does not panic.
        self.thread.join().unwrap_or_default()
    }
}

/// Looks at each time until the end; `stolen` tells what the hypervisor has taken so far.
fn look(has_ended: &AtomicBool, mut stolen: impl FnMut() -> Duration) -> Pauses {
    let mut pauses = Pauses {
        all: Vec::with_capacity(10_000),
        stolen: Duration::ZERO,
    };
    let first = stolen();
    let (mut before, mut read) = (first, Instant::now());
    let mut due = read;
    while !has_ended.load(Ordering::Relaxed) {
        due += PERIOD;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let now = Instant::now();
        let is_late = now.saturating_duration_since(due) >= LATE;
        if !is_late && now - read < READ_AGAIN {
            continue;
        }
        let so_far = stolen();
        if is_late {
            pauses.all.push(Pause {
                start: due,
                end: now,
                stolen: so_far.saturating_sub(before),
            });
            due = now;
        }
        (before, read) = (so_far, now);
    }
    pauses.stolen = stolen().saturating_sub(first);
    pauses
}

/// The kernel's account of a CPU's time.
struct Account {
    file: File,
    /// The first word of the CPU's line.
    name: String,
    text: Vec<u8>,
}

impl Account {
    fn open(cpu: usize) -> io::Result<Self> {
        Ok(Self {
            file: File::open("/proc/stat")?,
            name: format!("cpu{cpu}"),
            text: vec![0; 64 << 10],
        })
    }

    /// The time that the hypervisor has taken; nothing where the kernel does not tell.
    fn read(&mut self) -> Duration {
        let length = self.file.read_at(&mut self.text, 0).unwrap_or(0);
        let text = std::str::from_utf8(&self.text[..length]).unwrap_or_default();
        stolen_in(text, &self.name).unwrap_or_default()
    }
}

/// The stolen time of a CPU in the text of `/proc/stat`, which counts in hundredths of a second.
fn stolen_in(text: &str, cpu: &str) -> Option<Duration> {
    let fields = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        (words.next() == Some(cpu)).then(|| words.nth(7)?.parse::<u64>().ok())?
    };
    let ticks = text.lines().find_map(fields)?;
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stolen_time_is_the_eighth_field_of_the_cpu() {
        let text =
            "cpu  1 2 3 4 5 6 7 8 9 10\ncpu1 1 2 3 4 5 6 7 18 0 0\ncpu10 1 2 3 4 5 6 7 28 0 0\n";
        let of = |cpu| stolen_in(text, cpu);
        assert_eq!(of("cpu1"), Some(Duration::from_millis(180)));
        assert_eq!(of("cpu10"), Some(Duration::from_millis(280)));
        assert_eq!((of("cpu0"), stolen_in("cpu1 1 2", "cpu1")), (None, None));
    }

    #[test]
    fn the_lost_time_is_what_pauses_have_in_common_with_it() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let pause = |start, end, stolen| Pause {
            start: at(start),
            end: at(end),
            stolen: Duration::from_millis(stolen),
        };
        let pauses = Pauses {
            all: vec![pause(10, 20, 10), pause(30, 35, 0), pause(50, 60, 20)],
            stolen: Duration::from_millis(30),
        };
        let between = |from, to| {
            let lost = pauses.between(at(from), at(to));
            (lost.time.as_millis(), lost.stolen.as_millis())
        };
        assert_eq!(between(15, 40), (10, 10));
        assert_eq!(between(20, 30), (0, 0));
        assert_eq!(between(0, 100), (25, 30));
        assert_eq!(pauses.total(), Duration::from_millis(25));
        assert_eq!(pauses.longest(), Duration::from_millis(10));
    }

    #[test]
    fn a_look_that_comes_late_is_a_pause() {
        let has_ended = AtomicBool::new(false);
        let mut looks = 0_u64;
        let pauses = look(&has_ended, || {
            looks += 1;
            // The second look, which no pause is needed for, is kept from its next turn.
            if looks == 2 {
                thread::sleep(Duration::from_millis(30));
            }
            has_ended.store(looks > 2, Ordering::Relaxed);
            Duration::from_millis(10 * looks)
        });
        let longest = pauses.longest();
        assert!(longest >= Duration::from_millis(25), "{pauses:?}");
        assert!(pauses.stolen >= Duration::from_millis(20), "{pauses:?}");
    }
}
