//! The times that each thread notes, and the place where all of them are found.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taut_sync::lock::Mutex;
use taut_sys::ticks;

use super::histogram::{Histogram, Times};
use super::{Side, Step, Table};

const STEPS: usize = Step::ALL.len();

/// A thread's histograms, which others read.
#[derive(Debug)]
struct Recorded {
    steps: [Histogram; STEPS],
}

/// Where a thread is, and what it notes.
struct Recorder {
    client: Way,
    server: Way,
    recorded: Arc<Recorded>,
}

/// One that others find as long as its thread lives.
struct Registered(Recorder);

/// Where a thread is on one side's way. The times are in ticks; 0 is no time.
struct Way {
    /// When the way began.
    begun: Cell<u64>,
    /// When the last step ended.
    last: Cell<u64>,
}

/// All that has been noted.
struct All {
    living: Vec<Arc<Recorded>>,
    /// The times of threads that have ended.
    ended: [Times; STEPS],
}

static ALL: Mutex<All> = Mutex::new(All {
    living: Vec::new(),
    ended: [Times::NONE; STEPS],
});

thread_local! {
    static RECORDER: Registered = Registered::new();
}

/// Whether somebody wants to know: from the first [`read`] or [`reset`] on.
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// The way of a call begins on this thread.
#[inline]
pub(crate) fn begin_call() {
    with(|recorder| recorder.client.begin(ticks::now()));
}

/// The thread has come to the end of a step, if it is on the way of a call or request.
#[inline]
pub(crate) fn done(step: Step) {
    with(|recorder| recorder.done(step, ticks::now()));
}

/// While the thread ends there is nobody to note it for.
#[inline]
fn with(note: impl FnOnce(&Recorder)) {
    if !IS_NOTED.load(Ordering::Relaxed) {
        return;
    }
    let _ = RECORDER.try_with(|registered| note(&registered.0));
}

impl Recorder {
    fn new() -> Self {
        Self {
            client: Way::nowhere(),
            server: Way::nowhere(),
            recorded: Arc::new(Recorded {
                steps: [const { Histogram::new() }; STEPS],
            }),
        }
    }

    #[inline]
    fn done(&self, step: Step, now: u64) {
        let way = match step.side() {
            Side::Client => &self.client,
            Side::Server => &self.server,
        };
        let last = way.last.replace(now);
        if step == Step::RequestReceived {
            // Here a way begins. The wait is that since the request before, if there was
            // one.
            way.begun.set(now);
        } else if last == 0 {
            // On no way: a request without an answer, a reply that nobody waits for.
            return way.last.set(0);
        }
        if last != 0 {
            self.add(step, now - last);
        }
        match step {
            Step::CallReturned => {
                self.add(Step::Call, now - way.begun.get());
                way.last.set(0);
            }
            Step::ReplySent => self.add(Step::Request, now - way.begun.get()),
            _ => {}
        }
    }

    #[inline]
    fn add(&self, step: Step, ticks: u64) {
        self.recorded.steps[step as usize].add(ticks);
    }
}

impl Registered {
    #[cold]
    fn new() -> Self {
        let recorder = Recorder::new();
        ALL.lock().living.push(Arc::clone(&recorder.recorded));
        Self(recorder)
    }
}

/// The times that the thread has noted stay.
impl Drop for Registered {
    fn drop(&mut self) {
        let own = &self.0.recorded;
        let mut all = ALL.lock();
        let All { living, ended } = &mut *all;
        living.retain(|recorded| !Arc::ptr_eq(recorded, own));
        for (times, histogram) in ended.iter_mut().zip(&own.steps) {
            times.add(histogram);
        }
    }
}

impl Way {
    fn nowhere() -> Self {
        Self {
            begun: Cell::new(0),
            last: Cell::new(0),
        }
    }

    #[inline]
    fn begin(&self, now: u64) {
        self.begun.set(now);
        self.last.set(now);
    }
}

/// Returns what all threads have noted since this or [`reset`] was first called, or since
/// the last [`reset`]; threads that have ended are among them. Takes some 20 ms, to compare the processor's counter with
/// the system's clock. Of a call that another thread makes meanwhile a part may be there.
///
/// ```
/// taut::probes::reset();
/// // Calls, on this thread and on others.
/// println!("{}", taut::probes::read());
/// ```
pub fn read() -> Table {
    IS_NOTED.store(true, Ordering::Relaxed);
    let mut steps = {
        let all = ALL.lock();
        let mut steps = all.ended.clone();
        for recorded in &all.living {
            for (times, histogram) in steps.iter_mut().zip(&recorded.steps) {
                times.add(histogram);
            }
        }
        steps.into_iter()
    };
    let steps = Step::ALL.map(|step| (step, steps.next().unwrap_or(Times::NONE)));
    Table::of(&steps, &probe(), ticks::nanoseconds())
}

/// Forgets what all threads have noted. Best while none makes calls: of one that another
/// thread makes meanwhile a part may stay.
pub fn reset() {
    IS_NOTED.store(true, Ordering::Relaxed);
    let mut all = ALL.lock();
    all.ended = [Times::NONE; STEPS];
    for recorded in &all.living {
        recorded.steps.iter().for_each(Histogram::clear);
    }
}

/// Measures the time of a probe itself: of calls in which nothing else is done.
fn probe() -> Times {
    const CALLS: usize = 2_000;
    const STEPS: [Step; 6] = [
        Step::ConnectionLeased,
        Step::RequestWritten,
        Step::RequestSent,
        Step::ReplyReceived,
        Step::ReplyChecked,
        Step::ResultDecoded,
    ];
    let recorder = Recorder::new();
    for _ in 0..CALLS {
        recorder.client.begin(ticks::now());
        for step in STEPS {
            recorder.done(step, ticks::now());
        }
    }
    let mut times = Times::NONE;
    for step in STEPS {
        times.add(&recorder.recorded.steps[step as usize]);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(recorder: &Recorder, step: Step) -> (u64, Option<f64>) {
        let mut times = Times::NONE;
        times.add(&recorder.recorded.steps[step as usize]);
        (times.count(), times.mean())
    }

    #[test]
    fn a_call_is_the_sum_of_its_steps() {
        let recorder = Recorder::new();
        recorder.client.begin(100);
        recorder.done(Step::ConnectionLeased, 105);
        recorder.done(Step::RequestWritten, 117);
        recorder.done(Step::CallReturned, 120);
        // After its end there is no call.
        recorder.done(Step::ConnectionLeased, 1_000);
        assert_eq!(counted(&recorder, Step::ConnectionLeased), (1, Some(5.0)));
        assert_eq!(counted(&recorder, Step::RequestWritten), (1, Some(12.0)));
        assert_eq!(counted(&recorder, Step::Call), (1, Some(20.0)));
    }

    #[test]
    fn a_servant_s_own_call_is_part_of_its_time() {
        let recorder = Recorder::new();
        recorder.done(Step::RequestReceived, 100);
        recorder.done(Step::ArgumentsDecoded, 110);
        recorder.client.begin(120);
        recorder.done(Step::CallReturned, 150);
        recorder.done(Step::ServantReturned, 170);
        recorder.done(Step::ReplySent, 180);
        recorder.done(Step::RequestReceived, 200);
        assert_eq!(counted(&recorder, Step::ServantReturned), (1, Some(60.0)));
        assert_eq!(counted(&recorder, Step::Call), (1, Some(30.0)));
        assert_eq!(counted(&recorder, Step::Request), (1, Some(80.0)));
        // Before the first there was no reply from which to count.
        assert_eq!(counted(&recorder, Step::RequestReceived), (1, Some(20.0)));
    }
}
