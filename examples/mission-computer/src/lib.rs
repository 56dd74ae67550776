//! A mission computer: sensors, processing, displays and planning at 40, 20, 10 and 1 Hz, beside
//! ever more work that has no deadlines.
//!
//! The operations are described in the IDL. `build.rs` computes their schedule, which is linked in as
//! [`SCHEDULE`]; the dispatcher calls the objects by it, in threads that have its priorities.

mod servants;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use taut::Orb;
use taut_scheduling::Handle;
use taut_scheduling::dispatcher::{DispatchError, Dispatcher, Report};
use taut_sys::cpu;

use mission::{
    Displays as _, DisplaysRef, DisplaysSkeleton, Navigation as _, NavigationRef,
    NavigationSkeleton, Planning as _, PlanningRef, PlanningSkeleton, Sensors as _, SensorsRef,
    SensorsSkeleton, TracksSkeleton,
};
use servants::{Navigator, Planner, Radar, Screens, TrackTable};

// The module `mission`, generated from `idl/mission.idl`, and the schedule of its operations.
taut::include_idl!("mission");
include!(concat!(env!("OUT_DIR"), "/mission_schedule.rs"));

/// The operations that are released by time, the most frequent first.
pub const RELEASED: [Handle; 4] = [
    handles::MISSION_SENSORS_SWEEP,
    handles::MISSION_NAVIGATION_CORRECT,
    handles::MISSION_DISPLAYS_REFRESH,
    handles::MISSION_PLANNING_PLAN,
];

/// The objects, which are called by reference.
#[derive(Debug, Clone)]
pub struct Mission {
    sensors: SensorsRef,
    navigation: NavigationRef,
    displays: DisplaysRef,
    planning: PlanningRef,
}

impl Mission {
    /// Activates the objects in an ORB of this process. Calls of them run in the caller's thread, and
    /// at its priority.
    ///
    /// # Errors
    ///
    /// When the ORB cannot be a server.
    pub fn new(orb: &Orb) -> Result<Self, Box<dyn Error>> {
        let poa = orb.root_poa()?;
        let tracks = poa.activate(TracksSkeleton::new(TrackTable::default()))?;
        let radar = Radar {
            tracks: tracks.clone(),
            sweeps: Default::default(),
        };
        let mission = Self {
            sensors: poa.activate(SensorsSkeleton::new(radar))?,
            navigation: poa.activate(NavigationSkeleton::new(Navigator(tracks.clone())))?,
            displays: poa.activate(DisplaysSkeleton::new(Screens(tracks)))?,
            planning: poa.activate(PlanningSkeleton::new(Planner))?,
        };
        poa.manager().activate()?;
        Ok(mission)
    }

    /// Runs the mission for a time, with so many threads beside it that compute without deadlines on
    /// the same CPU.
    ///
    /// # Errors
    ///
    /// When threads cannot be started.
    pub fn run(&self, time: Duration, best_effort: usize) -> Result<Report, DispatchError> {
        let cpu = cpu::allowed().ok().and_then(|cpus| cpus.last().copied());
        let mut dispatcher = Dispatcher::new(&SCHEDULE);
        dispatcher.settings(|settings| settings.cpu = cpu);
        // An exception of a servant would be a panic of its job, which the report counts.
        let Self {
            sensors,
            navigation,
            displays,
            planning,
        } = self.clone();
        let [sweep, correct, refresh, plan] = RELEASED;
        dispatcher.execute(sweep, move || succeed(sensors.sweep()))?;
        dispatcher.execute(correct, move || succeed(navigation.correct()))?;
        dispatcher.execute(refresh, move || succeed(displays.refresh()))?;
        dispatcher.execute(plan, move || succeed(planning.plan()))?;
        let load = Load::start(best_effort, cpu);
        let running = dispatcher.start()?;
        thread::sleep(time);
        let report = running.stop();
        drop(load);
        Ok(report)
    }
}

/// Ends the job if a servant ends with an exception.
fn succeed(outcome: taut::Result<()>) {
    if let Err(exception) = outcome {
        std::panic::panic_any(exception.to_string());
    }
}

/// Threads that compute without deadlines. They end when this value is dropped.
struct Load {
    has_ended: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Load {
    fn start(count: usize, cpu: Option<usize>) -> Self {
        let has_ended = Arc::new(AtomicBool::new(false));
        let start = |_| {
            let has_ended = Arc::clone(&has_ended);
            thread::spawn(move || {
                // Elsewhere it would be no load.
                if cpu.is_some_and(|cpu| cpu::pin(cpu).is_err()) {
                    return;
                }
                while !has_ended.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..count).map(start).collect();
        Self { has_ended, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

/// A table of a report: the jobs of each operation, those that missed their deadlines, and how long
/// they took from their release.
pub fn table(report: &Report) -> String {
    let mut text = format!(
        "  {:<28}{:>6}{:>8}{:>11}{:>11}{:>11}\n",
        "operation", "jobs", "missed", "p50 ms", "p99 ms", "longest ms"
    );
    let ms = |ns: Option<u64>| ns.map_or("-".to_owned(), |ns| format!("{:.2}", ns as f64 / 1e6));
    for handle in RELEASED {
        if let Some(one) = report.operation(handle) {
            text += &format!(
                "  {:<28}{:>6}{:>8}{:>11}{:>11}{:>11}\n",
                one.name,
                one.completed,
                one.missed + one.skipped,
                ms(one.responses.percentile_ns(50.0)),
                ms(one.responses.percentile_ns(99.0)),
                ms(one.responses.longest_ns()),
            );
        }
    }
    text
}
