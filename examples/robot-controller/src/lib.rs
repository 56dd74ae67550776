//! The controller of a robot's arm: a control loop of 1 kHz, sensors at 200 Hz, a planner that has
//! what time is left, and an emergency stop that comes before all of them.
//!
//! The operations that run by time are described in the IDL, whose schedule is checked when the
//! program is built. An operator moves and stops the arm by CORBA calls, over TCP and at no priority
//! at all: they change what the controller reads, and never hold it up.

mod plant;

use std::error::Error;
use std::hint;
use std::sync::Arc;
use std::time::Duration;

use taut::Orb;
use taut_scheduling::Handle;
use taut_scheduling::dispatcher::{DispatchError, Dispatcher, Running};
use taut_sys::cpu;

pub use plant::Plant;
use robot::arm::MoveToError;
use robot::{Arm, ArmRef, ArmSkeleton, Stopped};

// The module `robot`, generated from `idl/robot.idl`, and the schedule of its operations.
taut::include_idl!("robot");
include!(concat!(env!("OUT_DIR"), "/robot_schedule.rs"));

/// The operations that are released by time, the most critical first.
pub const RELEASED: [Handle; 4] = [
    handles::ROBOT_CONTROLLER_WATCH,
    handles::ROBOT_CONTROLLER_CONTROL,
    handles::ROBOT_CONTROLLER_FUSE,
    handles::ROBOT_CONTROLLER_PLAN,
];

/// The object that the operator calls.
#[derive(Debug)]
struct Operated(Arc<Plant>);

impl Arm for Operated {
    fn position(&self) -> taut::Result<f64> {
        Ok(self.0.position())
    }

    fn cycles(&self) -> taut::Result<u64> {
        Ok(self.0.cycles())
    }

    fn move_to(&self, goal: f64) -> Result<(), MoveToError> {
        if self.0.is_stopped() {
            return Err(Stopped.into());
        }
        self.0.move_to(goal);
        Ok(())
    }

    fn emergency_stop(&self) -> taut::Result<()> {
        self.0.stop();
        Ok(())
    }
}

/// Activates the arm in an ORB. Returns its reference, as text for the operator.
///
/// # Errors
///
/// When the ORB cannot be a server.
pub fn serve(orb: &Orb, plant: &Arc<Plant>) -> Result<String, Box<dyn Error>> {
    let poa = orb.root_poa()?;
    let arm: ArmRef = poa.activate(ArmSkeleton::new(Operated(Arc::clone(plant))))?;
    poa.manager().activate()?;
    Ok(orb.object_to_string(&arm.into()))
}

/// Starts the operations of the controller.
///
/// # Errors
///
/// When threads cannot be started.
pub fn start(plant: &Arc<Plant>) -> Result<Running, DispatchError> {
    let mut dispatcher = Dispatcher::new(&SCHEDULE);
    let cpu = cpu::allowed().ok().and_then(|cpus| cpus.last().copied());
    dispatcher.settings(|settings| settings.cpu = cpu);
    let [watch, control, fuse, plan] = RELEASED;
    let [watched, controlled, fused] = [0; 3].map(|_| Arc::clone(plant));
    dispatcher.execute(watch, move || watched.watch())?;
    dispatcher.execute(control, move || {
        compute(Duration::from_micros(100));
        controlled.control();
    })?;
    dispatcher.execute(fuse, move || {
        compute(Duration::from_micros(500));
        fused.fuse();
    })?;
    dispatcher.execute(plan, || compute(Duration::from_millis(18)))?;
    dispatcher.start()
}

/// Computes until the calling thread has had the processor for so long: what an operation would do.
fn compute(time: Duration) {
    let end = cpu::thread_time() + time;
    while cpu::thread_time() < end {
        hint::spin_loop();
    }
}
