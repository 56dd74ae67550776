//! An application's allocations, and a message's buffer now and then.

use std::hint::black_box;

use taut::measure;
use taut_sys::ticks;

/// The allocations of an application in a mix, and the buffers that the ORB has meanwhile,
/// as in a mix of the TAO papers.
const OF_APPLICATION: usize = 1_000;
const BUFFERS: usize = 16;

/// The pieces of memory that an application keeps at a time.
const LIVE: usize = 256;

/// The largest piece of an application, in octets.
const LARGEST: usize = 4 << 10;

/// Messages fill pages of this size.
const PAGE: usize = 4 << 10;

/// Where buffers come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) name: &'static str,
    take: fn(usize) -> Vec<u8>,
    give: fn(Vec<u8>),
}

/// The pool of the thread; a buffer that it has to make or to let grow is its cost, too.
pub(super) const POOL: Way = Way {
    name: "pool",
    take: |size| {
        let mut buffer = measure::take_buffer();
        buffer.reserve(size);
        buffer
    },
    give: measure::give_buffer,
};

/// The global allocator.
pub(super) const GLOBAL: Way = Way {
    name: "global",
    take: Vec::with_capacity,
    give: drop,
};

/// Pieces of memory of all sizes, each of which lives for a while.
#[derive(Debug)]
pub(super) struct Application {
    live: Vec<Vec<u8>>,
    /// The state of a generator of numbers in no order, the same in each run.
    state: u64,
}

impl Application {
    pub(super) fn new() -> Self {
        Self {
            live: vec![Vec::new(); LIVE],
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Frees a piece and allocates another.
    fn step(&mut self) {
        let place = self.number(LIVE);
        // Small ones are more frequent.
        let most = 1 + self.number(LARGEST);
        let size = 1 + self.number(most);
        self.live[place] = black_box(Vec::with_capacity(size));
    }

    /// Some number below `end` (xorshift, by G. Marsaglia).
    fn number(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 32).unwrap_or_default() % end
    }
}

/// Returns the time of each buffer in so many mixes, to get it, to write to each of its
/// pages, and to give it back: in ticks, without the application's part.
pub(super) fn times(application: &mut Application, way: Way, size: usize, mixes: u32) -> Vec<u64> {
    let mut times = Vec::with_capacity(mixes as usize * BUFFERS);
    for _ in 0..mixes {
        for _ in 0..BUFFERS {
            let start = ticks::now();
            let mut buffer = (way.take)(size);
            fill(&mut buffer, size);
            let taken = ticks::now() - start;
            // While the message is dealt with.
            (0..OF_APPLICATION / BUFFERS).for_each(|_| application.step());
            let start = ticks::now();
            (way.give)(black_box(buffer));
            times.push(taken + (ticks::now() - start));
        }
    }
    times
}

/// Writes to each page once, as a message does that arrives.
fn fill(buffer: &mut Vec<u8>, size: usize) {
    let spare = buffer.spare_capacity_mut();
    for octet in spare.iter_mut().take(size).step_by(PAGE) {
        octet.write(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_has_its_buffers_and_an_application_its_pieces() {
        let mut application = Application::new();
        for way in [POOL, GLOBAL] {
            let times = times(&mut application, way, 64 << 10, 3);
            assert_eq!(times.len(), 3 * BUFFERS);
            assert!(times.iter().all(|&ticks| ticks > 0), "{}", way.name);
        }
        let pieces = application.live.iter().filter(|it| it.capacity() > 0);
        assert!(pieces.count() > LIVE * 9 / 10);
    }

    #[test]
    fn the_pool_gives_back_what_it_got_and_the_allocator_as_much_as_is_asked_for() {
        let place = |buffer: &Vec<u8>| buffer.as_ptr();
        let buffer = (POOL.take)(64 << 10);
        let first = place(&buffer);
        (POOL.give)(buffer);
        let again = (POOL.take)(4 << 10);
        assert_eq!(place(&again), first);
        assert!(again.capacity() >= 64 << 10);
        assert!((GLOBAL.take)(4 << 10).capacity() >= 4 << 10);
    }
}
