//! The deadline of a call, as a request tells it to the server: service context
//! [`TAUT_DEADLINE`](crate::service_context::id::TAUT_DEADLINE).
//!
//! | octets | content |
//! |---|---|
//! | 0 | the byte order of the encapsulation |
//! | 1 to 3 | 0 |
//! | 4 to 7 | the handle of the operation in the schedule; 0: none |
//! | 8 to 15 | the time that is left to the call when the request is sent, in units of 100 ns |
//! | 16 to 23 | the sender's clock when the request is sent, in units of 100 ns |
//!
//! The clocks of two machines differ, so that no time of day is sent. The sender's clock may
//! begin anywhere; the receiver only compares its readings with each other, and so learns by
//! how much longer than others a request was under way ([`Transit`]).

use core::time::Duration;

use taut_cdr::{ByteOrder, Decoder, Result};

/// The deadline of a call as a request tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeadlineContext {
    /// The handle of the operation in the schedule of the system; 0: none.
    pub operation: u32,
    /// The time that is left to the call when the request is sent, in units of 100 ns (the
    /// standard's `TimeBase::TimeT`); 0: the deadline has passed.
    pub time_left: u64,
    /// The sender's clock when the request is sent, in units of 100 ns from any beginning.
    pub sent_at: u64,
}

/// The number of 100 ns in a second.
const UNITS_PER_SECOND: u64 = 10_000_000;

impl DeadlineContext {
    /// No deadline, operation and time.
    pub const NONE: Self = Self {
        operation: 0,
        time_left: 0,
        sent_at: 0,
    };

    /// The number of octets of the data.
    pub const SIZE: usize = 24;

    /// Reads the data of the service context.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    pub fn from_context_data(data: &[u8]) -> Result<Self> {
        let mut input = Decoder::encapsulated(data)?;
        Ok(Self {
            operation: input.read()?,
            time_left: input.read()?,
            sent_at: input.read()?,
        })
    }

    /// Returns the data of the service context, in the byte order of this machine.
    pub const fn to_context_data(&self) -> [u8; Self::SIZE] {
        let [o0, o1, o2, o3] = self.operation.to_ne_bytes();
        let [l0, l1, l2, l3, l4, l5, l6, l7] = self.time_left.to_ne_bytes();
        let [s0, s1, s2, s3, s4, s5, s6, s7] = self.sent_at.to_ne_bytes();
        let order = ByteOrder::NATIVE.flag();
        [
            order, 0, 0, 0, o0, o1, o2, o3, l0, l1, l2, l3, l4, l5, l6, l7, s0, s1, s2, s3, s4, s5,
            s6, s7,
        ]
    }

    /// Returns the time that is left to the call when the request is sent.
    pub const fn time_left(&self) -> Duration {
        from_units(self.time_left)
    }
}

/// Returns a time in units of 100 ns; the greatest number for times that have no such form.
pub fn to_units(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / 100).unwrap_or(u64::MAX)
}

/// Returns the time of so many units of 100 ns.
pub const fn from_units(units: u64) -> Duration {
    let nanos = (units % UNITS_PER_SECOND) as u32 * 100;
    Duration::new(units / UNITS_PER_SECOND, nanos)
}

/// The part of their time that the requests of one connection have spent under way, as far as
/// the receiver can know it: by how much longer than the quickest a request has taken. The time
/// of the quickest itself is not known.
///
/// The two clocks may run at rates that differ by [`MAX_DRIFT`](Self::MAX_DRIFT).
#[derive(Debug, Clone, Copy, Default)]
pub struct Transit {
    quickest: Option<Quickest>,
}

/// The request that was under way for the shortest time.
#[derive(Debug, Clone, Copy)]
struct Quickest {
    /// The receiver's clock minus the sender's, when it arrived.
    difference: i64,
    /// When it arrived, by the receiver's clock.
    arrived_at: u64,
}

impl Transit {
    /// The part by which the rates of two clocks may differ: one in 5,000.
    pub const MAX_DRIFT: u64 = 5_000;

    /// Returns how much longer than the quickest a request has been under way that was sent
    /// and has arrived at these readings, in units of 100 ns.
    pub const fn note(&mut self, sent_at: u64, arrived_at: u64) -> u64 {
        let difference = arrived_at.wrapping_sub(sent_at).cast_signed();
        if let Some(quickest) = self.quickest {
            // The receiver's clock may have gained so much since then.
            let since = arrived_at.saturating_sub(quickest.arrived_at);
            let drift = (since / Self::MAX_DRIFT).cast_signed();
            let least = quickest.difference.wrapping_add(drift);
            let late = difference.wrapping_sub(least);
            if late > 0 {
                return late.cast_unsigned();
            }
        }
        self.quickest = Some(Quickest {
            difference,
            arrived_at,
        });
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: DeadlineContext = DeadlineContext {
        operation: 0x0102_0304,
        time_left: 0x1112_1314_1516_1718,
        sent_at: 0x2122_2324_2526_2728,
    };

    /// Others read the octets, and a plain request is known by them: they stay as they are.
    #[test]
    fn the_octets_are_these_in_each_byte_order() {
        let little: [u8; 24] = [
            1, 0, 0, 0, 4, 3, 2, 1, //
            0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, //
            0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,
        ];
        let big: [u8; 24] = [
            0, 0, 0, 0, 1, 2, 3, 4, //
            0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, //
            0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
        ];
        let written = CONTEXT.to_context_data();
        let expected = match ByteOrder::NATIVE {
            ByteOrder::Little => little,
            ByteOrder::Big => big,
        };
        assert_eq!(written, expected);
        for octets in [little, big] {
            assert_eq!(DeadlineContext::from_context_data(&octets), Ok(CONTEXT));
            for cut in 0..octets.len() {
                DeadlineContext::from_context_data(&octets[..cut]).unwrap_err();
            }
        }
    }

    #[test]
    fn times_survive_in_units_of_100_ns() {
        for nanos in [0, 100, 999_999_900, 1_000_000_000, 86_400_000_000_700] {
            let time = Duration::from_nanos(nanos);
            assert_eq!(from_units(to_units(time)), time);
        }
        assert_eq!(to_units(Duration::MAX), u64::MAX);
        assert_eq!(to_units(Duration::from_nanos(199)), 1);
    }

    #[test]
    fn a_request_is_as_late_as_it_is_slower_than_the_quickest() {
        let mut transit = Transit::default();
        // The clocks begin anywhere: one of them has passed its end.
        let far = u64::MAX - 5;
        assert_eq!(transit.note(far, 1_000), 0);
        assert_eq!(transit.note(far.wrapping_add(10), 1_015), 5);
        assert_eq!(transit.note(far.wrapping_add(20), 1_017), 0);
        assert_eq!(transit.note(far.wrapping_add(30), 1_030), 3);
    }

    #[test]
    fn clocks_that_run_at_slightly_different_rates_make_no_request_late() {
        // The receiver's runs fast by one in 10,000, or slow.
        for (sender, receiver) in [(10_000, 10_001), (10_001, 10_000)] {
            let mut transit = Transit::default();
            for step in 0..10_000_u64 {
                let late = transit.note(step * sender, step * receiver);
                assert!(late <= 2, "{late} at {step}");
            }
        }
    }
}
