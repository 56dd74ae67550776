//! Learners that wait on machines which are played.

use super::*;

/// The behaviour of waits on a machine: how long each would take that blocks, and what
/// comes of one that spins for so long.
struct Machine {
    blocked_ns: fn(u64) -> u64,
    spun: fn(u64, u64) -> Spin,
    /// How long it takes to look once.
    look_ns: u64,
}

/// The time that a learner's waits have taken in all.
#[derive(Debug, Default, Clone, Copy)]
struct Total {
    waits: u64,
    spins: u64,
    in_vain: u64,
    /// Looks that found nothing: system calls that blocking does not need.
    looks: u64,
    time_ns: u64,
    /// The time that blocking each time would have taken.
    blocked_ns: u64,
}

impl Total {
    /// How much longer it took than blocking.
    fn loss(&self) -> f64 {
        self.time_ns as f64 / self.blocked_ns as f64 - 1.0
    }
}

impl Machine {
    fn wait(&self, learner: &mut Learner, waits: u64) -> Total {
        let mut total = Total::default();
        for wait in 0..waits {
            let blocked_ns = (self.blocked_ns)(wait);
            total.waits += 1;
            total.blocked_ns += blocked_ns;
            total.time_ns += match learner.advise() {
                Advice::Block => blocked_ns,
                Advice::Measure => {
                    learner.note_blocked(blocked_ns);
                    blocked_ns
                }
                Advice::Spin { limit_ns } => {
                    assert!(limit_ns <= LONGEST_SPIN_NS);
                    let spin = (self.spun)(wait, limit_ns);
                    learner.note_spun(&spin);
                    total.spins += 1;
                    // As the spinner paces them.
                    total.looks += looks(spin.waited_ns, self.look_ns);
                    let then_ns = if spin.is_caught { 0 } else { blocked_ns };
                    total.in_vain += u64::from(!spin.is_caught);
                    spin.waited_ns + then_ns
                }
            };
        }
        total
    }
}

/// How often is looked in vain in so much time.
fn looks(time_ns: u64, look_ns: u64) -> u64 {
    let (mut passed_ns, mut looks) = (0, 0);
    while passed_ns < time_ns {
        passed_ns += look_ns.max(passed_ns / 16);
        looks += 1;
    }
    looks
}

fn caught(waited_ns: u64) -> Spin {
    Spin {
        waited_ns,
        gap_ns: 600,
        is_caught: true,
    }
}

fn missed(waited_ns: u64) -> Spin {
    Spin {
        is_caught: false,
        ..caught(waited_ns)
    }
}

fn learner() -> Learner {
    Learner::new(1_000_000)
}

/// Client and server on CPUs of their own.
const PAYS: Machine = Machine {
    blocked_ns: |wait| 40_000 + wait % 7 * 2_000,
    spun: |_, _| caught(6_000),
    look_ns: 400,
};

/// Client and server on one CPU: the server gets it when the client sleeps.
const ONE_CPU: Machine = Machine {
    blocked_ns: |wait| 7_000 + wait % 5 * 100,
    spun: |_, limit_ns| missed(limit_ns),
    look_ns: 400,
};

/// The client thinks for a millisecond between its calls.
const SELDOM: Machine = Machine {
    blocked_ns: |_| 1_000_000,
    spun: |_, limit_ns| missed(limit_ns),
    look_ns: 400,
};

#[test]
fn what_pays_is_found_within_two_hundred_waits() {
    let mut learner = learner();
    let first = PAYS.wait(&mut learner, 200);
    assert!(first.spins >= 30, "{first:?}");
    let later = PAYS.wait(&mut learner, 10_000);
    assert_eq!((later.spins, later.in_vain), (10_000, 0));
}

#[test]
fn what_never_pays_costs_less_than_three_percent_however_soon_it_ends() {
    for machine in [ONE_CPU, SELDOM] {
        for waits in [1, 100, 140, 150, 200, 300, 500, 1_000, 10_000, 1_000_000] {
            let total = machine.wait(&mut learner(), waits);
            assert!(total.loss() < 0.03, "{total:?}");
        }
    }
}

#[test]
fn what_never_pays_costs_at_most_one_system_call_in_a_hundred_waits() {
    for machine in [ONE_CPU, SELDOM] {
        let mut learner = learner();
        machine.wait(&mut learner, 20_000);
        let later = machine.wait(&mut learner, 1_000_000);
        assert!(later.looks * 100 <= later.waits, "{later:?}");
        assert!(later.loss() < 0.001, "{later:?}");
    }
}

#[test]
fn long_waits_are_never_spun_in() {
    let total = SELDOM.wait(&mut learner(), 1_000_000);
    assert_eq!(total.spins, 0);
}

#[test]
fn spins_that_are_no_shorter_do_not_pay() {
    let machine = Machine {
        blocked_ns: |_| 8_000,
        spun: |_, _| caught(7_500),
        look_ns: 400,
    };
    let mut learner = learner();
    machine.wait(&mut learner, 20_000);
    let later = machine.wait(&mut learner, 1_000_000);
    assert!(later.spins * 1_000 <= later.waits, "{later:?}");
}

#[test]
fn what_comes_only_after_another_thread_has_run_does_not_pay() {
    let machine = Machine {
        blocked_ns: |_| 50_000,
        spun: |_, _| Spin {
            gap_ns: SHORT_GAP_NS,
            ..caught(30_000)
        },
        look_ns: 400,
    };
    let mut learner = learner();
    machine.wait(&mut learner, 20_000);
    let later = machine.wait(&mut learner, 100_000);
    assert!(later.spins * 1_000 <= later.waits, "{later:?}");
}

/// A thread that computes takes the CPU from one that has spun for a time slice,
/// and gives it to one that sleeps between.
#[test]
fn a_busy_machine_is_left_alone() {
    let machine = Machine {
        blocked_ns: |_| 50_000,
        spun: |wait, _| match wait % 400 {
            0 => Spin {
                gap_ns: 4_000_000,
                ..caught(4_006_000)
            },
            _ => caught(6_000),
        },
        look_ns: 400,
    };
    let mut learner = learner();
    machine.wait(&mut learner, 20_000);
    let later = machine.wait(&mut learner, 1_000_000);
    assert!(later.spins * 20 <= later.waits, "{later:?}");
    assert!(later.loss() < 0.03, "{later:?}");
}

/// A wait in which the machine was away for so long costs more than it can save.
#[test]
fn a_long_gap_is_made_up_for() {
    let mut learner = learner();
    let total = PAYS.wait(&mut learner, 20_000);
    let gap = |gap_ns| Spin {
        gap_ns,
        ..caught(gap_ns)
    };
    // A short one is no reason to end what pays.
    let spun_ns = total.spins * 6_000;
    learner.note_spun(&gap(spun_ns / 40));
    assert!(matches!(learner.advise(), Advice::Spin { .. }));
    learner.note_spun(&gap(50_000_000));
    let waits = (0..u64::MAX).find(|_| learner.advise() != Advice::Block);
    let rested_ns = waits.unwrap() * 46_000;
    assert!(rested_ns >= 31 * 50_000_000, "{rested_ns}");
}

#[test]
fn a_change_is_followed() {
    let mut learner = learner();
    for _ in 0..5 {
        // Spinning that no longer pays is given up after a few waits in vain.
        PAYS.wait(&mut learner, 20_000);
        let after = ONE_CPU.wait(&mut learner, 2_000);
        assert!(after.in_vain <= 16, "{after:?}");
        // Spinning that pays again is found after a rest.
        let again = PAYS.wait(&mut learner, 5_000);
        assert!(again.spins > 0, "{again:?}");
    }
    // However long it did not pay.
    ONE_CPU.wait(&mut learner, 1_000_000);
    let again = PAYS.wait(&mut learner, u64::from(LONGEST_REST) + 200);
    assert!(again.spins > 0, "{again:?}");
}

#[test]
fn single_waits_in_vain_do_not_end_it() {
    let machine = Machine {
        blocked_ns: |_| 50_000,
        spun: |wait, limit_ns| match wait % 20 {
            0 => missed(limit_ns),
            _ => caught(6_000),
        },
        look_ns: 400,
    };
    let mut learner = learner();
    machine.wait(&mut learner, 400);
    let later = machine.wait(&mut learner, 100_000);
    assert_eq!(later.spins, later.waits);
    assert!(later.loss() < -0.7, "{later:?}");
}

#[test]
fn no_spin_is_longer_than_is_allowed() {
    let mut learner = Learner::new(3_000);
    let total = PAYS.wait(&mut learner, 1_000_000);
    // They block for longer than could be looked for.
    assert_eq!(total.spins, 0);
    let mut learner = Learner::new(0);
    assert_eq!(ONE_CPU.wait(&mut learner, 1_000_000).spins, 0);
}

/// Two sides of a connection that both try. The experience of one side depends on what the
/// other does.
#[test]
fn two_sides_of_a_connection_both_find_what_pays() {
    for phase in 0..200 {
        let mut sides = [learner(), learner()];
        // They need not begin at the same time.
        for _ in 0..phase {
            sides[0].advise();
        }
        let mut last = [false; 2];
        let mut both = 0;
        for wait in 0..6_000_u64 {
            for side in 0..2 {
                // Waking takes 22 µs, be it one's own thread or the other's.
                let other_ns = if last[1 - side] { 3_000 } else { 25_000 };
                let advice = sides[side].advise();
                last[side] = matches!(advice, Advice::Spin { .. });
                match advice {
                    Advice::Block => {}
                    Advice::Measure => sides[side].note_blocked(22_000 + other_ns + wait % 900),
                    Advice::Spin { limit_ns } if other_ns <= limit_ns => {
                        sides[side].note_spun(&caught(other_ns));
                    }
                    Advice::Spin { limit_ns } => sides[side].note_spun(&missed(limit_ns)),
                }
            }
            both += u32::from(last == [true; 2]);
        }
        assert!(both >= 5_000, "phase {phase}: {both}");
    }
}

/// Whatever is told, in whatever order.
#[test]
fn nonsense_does_no_harm() {
    let mut numbers = learner();
    let mut number = || numbers.next_random();
    for _ in 0..200 {
        let mut learner = Learner::new(u64::from(number()));
        for _ in 0..5_000 {
            let time_ns = u64::from(number()) << (number() % 33);
            match (learner.advise(), number() % 4) {
                (Advice::Block, 1..) => {}
                (_, 0 | 1) => learner.note_blocked(time_ns),
                (Advice::Spin { limit_ns }, _) => {
                    assert!(limit_ns <= LONGEST_SPIN_NS);
                    learner.note_spun(&caught(time_ns));
                }
                _ => learner.note_spun(&Spin {
                    gap_ns: time_ns,
                    ..missed(time_ns)
                }),
            }
        }
    }
}
