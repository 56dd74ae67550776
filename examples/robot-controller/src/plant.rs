//! The arm, simulated: a motor, its sensors, and what the controller knows of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The time of a cycle of the control loop, in seconds.
const CYCLE_S: f64 = 0.001;

/// The state of the arm. Each number has one thread that changes it, so that nobody waits for
/// anybody.
#[derive(Debug, Default)]
pub struct Plant {
    is_stopped: AtomicBool,
    has_brake: AtomicBool,
    goal: AtomicU64,
    position: AtomicU64,
    velocity: AtomicU64,
    /// The position as the sensors say, put together.
    fused: AtomicU64,
    cycles: AtomicU64,
    cycles_since_stop: AtomicU64,
}

fn read(place: &AtomicU64) -> f64 {
    f64::from_bits(place.load(Ordering::Relaxed))
}

fn write(place: &AtomicU64, value: f64) {
    place.store(value.to_bits(), Ordering::Relaxed);
}

impl Plant {
    /// Asks for a stop.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    /// Whether a stop has been asked for.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Whether the brake holds the arm.
    pub fn has_brake(&self) -> bool {
        self.has_brake.load(Ordering::Acquire)
    }

    /// Gives the joint another goal.
    pub fn move_to(&self, goal: f64) {
        write(&self.goal, goal);
    }

    /// The place of the joint in radians, as the sensors say.
    pub fn position(&self) -> f64 {
        read(&self.fused)
    }

    /// How often the control loop has run.
    pub fn cycles(&self) -> u64 {
        self.cycles.load(Ordering::Relaxed)
    }

    /// How often the control loop moved the arm although a stop had been asked for.
    pub fn cycles_since_stop(&self) -> u64 {
        self.cycles_since_stop.load(Ordering::Relaxed)
    }

    /// Puts the brake on if a stop has been asked for.
    pub fn watch(&self) {
        if self.is_stopped() {
            self.has_brake.store(true, Ordering::Release);
        }
    }

    /// Drives the motor for a cycle.
    pub fn control(&self) {
        self.cycles.fetch_add(1, Ordering::Relaxed);
        if self.has_brake() {
            return write(&self.velocity, 0.0);
        }
        if self.is_stopped() {
            self.cycles_since_stop.fetch_add(1, Ordering::Relaxed);
        }
        // A spring with damping, to the goal.
        let (position, velocity) = (read(&self.position), read(&self.velocity));
        let force = 100.0 * (read(&self.goal) - read(&self.fused)) - 20.0 * velocity;
        write(&self.velocity, velocity + force * CYCLE_S);
        write(&self.position, position + velocity * CYCLE_S);
    }

    /// Puts together what the sensors say.
    pub fn fuse(&self) {
        let position = read(&self.position);
        // Three sensors, of which each is off by something: the middle one is right.
        let mut sensors = [position - 0.01, position, position + 0.02];
        sensors.sort_by(f64::total_cmp);
        write(&self.fused, sensors[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::Plant;

    #[test]
    fn the_arm_goes_to_its_goal_and_no_further_once_it_is_stopped() {
        let plant = Plant::default();
        plant.move_to(1.0);
        let run = |cycles: u32| {
            for cycle in 0..cycles {
                plant.watch();
                plant.control();
                if cycle % 5 == 0 {
                    plant.fuse();
                }
            }
        };
        run(3_000);
        assert!(
            (plant.position() - 1.0).abs() < 0.01,
            "{}",
            plant.position()
        );
        plant.move_to(-1.0);
        run(50);
        plant.stop();
        // The brake holds from the next cycle on.
        run(5);
        let stopped = plant.position();
        run(1_000);
        assert!(plant.has_brake() && (plant.position() - stopped).abs() < 1e-9);
        assert_eq!(plant.cycles_since_stop(), 0);
    }
}
