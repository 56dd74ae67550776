//! Times as policies have them on the wire: `TimeBase::TimeT` and `TimeBase::UtcT`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use taut_cdr::{Decode, Decoder, Encoder, Result as CdrResult};
use taut_types::{TypeCode, Typed};

/// The time from 15 October 1582 to 1970, in units of 100 ns.
const UNTIL_1970: u64 = 0x01b2_1dd2_1381_4000;

/// A time that never ends.
const NEVER: u64 = u64::MAX;

/// Returns a time in units of 100 ns; none is one without end. A part of a unit counts as
/// one, so that no time becomes shorter.
pub(super) fn to_time_t(time: Option<Duration>) -> u64 {
    let Some(time) = time else { return NEVER };
    let units = time.as_nanos().div_ceil(100);
    u64::try_from(units).unwrap_or(NEVER)
}

/// Returns a time of so many units of 100 ns; none without end.
pub(super) fn from_time_t(units: u64) -> Option<Duration> {
    match units {
        NEVER => None,
        _ => Some(Duration::new(
            units / 10_000_000,
            (units % 10_000_000) as u32 * 100,
        )),
    }
}

/// Writes a point in time as a `UtcT`, exact and in Greenwich.
pub(super) fn encode_utc(time: SystemTime, out: &mut Encoder) -> CdrResult<()> {
    out.write(utc_time(time));
    out.write(0_u32);
    out.write(0_u16);
    out.write(0_i16);
    Ok(())
}

/// Reads a `UtcT`. Its inaccuracy and its place on earth do not matter to the point in time.
pub(super) fn decode_utc(input: &mut Decoder<'_>) -> CdrResult<SystemTime> {
    let time = u64::decode(input)?;
    u32::decode(input)?;
    u16::decode(input)?;
    i16::decode(input)?;
    Ok(system_time(time))
}

/// Returns a point in time in units of 100 ns since 15 October 1582; the first or the last
/// that there is for one beyond.
pub(crate) fn utc_time(time: SystemTime) -> u64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => UNTIL_1970.saturating_add(to_time_t(Some(since))),
        Err(before) => UNTIL_1970.saturating_sub(to_time_t(Some(before.duration()))),
    }
}

/// Returns the point in time so many units of 100 ns after 15 October 1582.
pub(crate) fn system_time(units: u64) -> SystemTime {
    let time = |units: u64| {
        let (seconds, rest) = (units / 10_000_000, (units % 10_000_000) as u32);
        Duration::new(seconds, rest * 100)
    };
    match units.checked_sub(UNTIL_1970) {
        Some(since) => UNIX_EPOCH + time(since),
        None => UNIX_EPOCH - time(UNTIL_1970 - units),
    }
}

/// Returns the TypeCode of `TimeBase::UtcT`.
pub(super) fn utc_type_code() -> TypeCode {
    let members = [
        ("time", u64::type_code()),
        ("inacclo", u32::type_code()),
        ("inacchi", u16::type_code()),
        ("tdf", i16::type_code()),
    ];
    TypeCode::create_struct("IDL:omg.org/TimeBase/UtcT:1.0", "UtcT", &members)
        .unwrap_or_else(|_| TypeCode::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_and_no_time_becomes_shorter() {
        for time in [0, 1, 100, 250_000_000, 7_000_000_000] {
            let time = Duration::from_nanos(time);
            let units = to_time_t(Some(time));
            assert!(from_time_t(units).unwrap() >= time);
        }
        assert_eq!(from_time_t(to_time_t(None)), None);
        assert_eq!(from_time_t(to_time_t(Some(Duration::MAX))), None);
    }

    #[test]
    fn points_in_time_are_counted_from_1582() {
        // 15 October 1582 to 1 January 1970: 141,427 days.
        assert_eq!(utc_time(UNIX_EPOCH), 141_427 * 86_400 * 10_000_000);
        let times = [
            Duration::ZERO,
            Duration::from_millis(1_700_000_000_123),
            Duration::from_secs(1 << 33),
        ];
        for time in times {
            assert_eq!(system_time(utc_time(UNIX_EPOCH + time)), UNIX_EPOCH + time);
            let before = UNIX_EPOCH - time.min(Duration::from_secs(1 << 33));
            assert_eq!(system_time(utc_time(before)), before);
        }
    }
}
