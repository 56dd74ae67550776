//! The objects of the mission computer.

use std::hint;
use std::sync::Mutex;
use std::time::Duration;

use taut_sys::cpu;

use crate::mission::{Displays, Navigation, Planning, Position, Sensors, Tracks, TracksRef};

/// The number of tracks.
const TRACKS: usize = 16;

/// How many tracks a sweep reports.
const SEEN: u32 = 4;

/// Computes until the calling thread has had the processor for so long: what an operation would do.
fn compute(time: Duration) {
    let end = cpu::thread_time() + time;
    while cpu::thread_time() < end {
        hint::spin_loop();
    }
}

/// The table of tracks.
#[derive(Debug, Default)]
pub(crate) struct TrackTable {
    positions: Mutex<[Position; TRACKS]>,
}

impl TrackTable {
    /// Looks at the positions. The lock is held for some moves only.
    fn with<R>(&self, look: impl FnOnce(&mut [Position; TRACKS]) -> R) -> R {
        let positions = self.positions.lock();
        look(&mut positions.unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl Tracks for TrackTable {
    fn update(&self, track: u32, r#where: &Position) -> taut::Result<()> {
        compute(Duration::from_micros(80));
        self.with(|positions| {
            if let Some(place) = positions.get_mut(track as usize % TRACKS) {
                *place = *r#where;
            }
        });
        Ok(())
    }

    fn nearest(&self) -> taut::Result<f64> {
        compute(Duration::from_micros(150));
        let distances = self.with(|positions| positions.map(|it| it.north.hypot(it.east)));
        Ok(distances.into_iter().fold(f64::INFINITY, f64::min))
    }
}

/// The sensors: each sweep sees some of the tracks, which fly in circles.
#[derive(Debug)]
pub(crate) struct Radar {
    pub(crate) tracks: TracksRef,
    pub(crate) sweeps: Mutex<u32>,
}

impl Sensors for Radar {
    fn sweep(&self) -> taut::Result<()> {
        compute(Duration::from_micros(2_500));
        let sweep = {
            let sweeps = self.sweeps.lock();
            let mut sweeps = sweeps.unwrap_or_else(std::sync::PoisonError::into_inner);
            *sweeps = sweeps.wrapping_add(1);
            *sweeps
        };
        for seen in 0..SEEN {
            let track = sweep.wrapping_mul(SEEN).wrapping_add(seen);
            let angle = f64::from(sweep) / 40.0 + f64::from(track % 16);
            let distance = 1_000.0 * f64::from(1 + track % 16);
            let position = Position {
                north: distance * angle.cos(),
                east: distance * angle.sin(),
            };
            self.tracks.update(track, &position)?;
        }
        Ok(())
    }
}

/// Navigation, which keeps away from the nearest track.
#[derive(Debug)]
pub(crate) struct Navigator(pub(crate) TracksRef);

impl Navigation for Navigator {
    fn correct(&self) -> taut::Result<()> {
        self.0.nearest()?;
        compute(Duration::from_micros(5_500));
        Ok(())
    }
}

/// The displays, which show the nearest track.
#[derive(Debug)]
pub(crate) struct Screens(pub(crate) TracksRef);

impl Displays for Screens {
    fn refresh(&self) -> taut::Result<()> {
        self.0.nearest()?;
        compute(Duration::from_micros(14_000));
        Ok(())
    }
}

/// The planner.
#[derive(Debug)]
pub(crate) struct Planner;

impl Planning for Planner {
    fn plan(&self) -> taut::Result<()> {
        compute(Duration::from_millis(95));
        Ok(())
    }
}
