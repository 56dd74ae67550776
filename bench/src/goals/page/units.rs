//! Values with their units, for people.

/// A time with its unit, in three digits.
pub(super) fn time(ns: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let ns = ns as f64;
    let (value, unit) = match ns {
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let text = match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} {unit}")
}

/// A number of octets with its unit.
pub(super) fn octets(octets: u64) -> String {
    match octets {
        mib if mib >= 1 << 20 && mib.is_multiple_of(1 << 20) => format!("{} MiB", mib >> 20),
        kib if kib >= 1 << 10 && kib.is_multiple_of(1 << 10) => format!("{} KiB", kib >> 10),
        octets => format!("{octets} octets"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_largest_unit_that_is_exact() {
        let sizes = [100, 1 << 10, 1_025, 64 << 10, 1 << 20].map(octets);
        assert_eq!(
            sizes,
            ["100 octets", "1 KiB", "1025 octets", "64 KiB", "1 MiB"]
        );
    }

    #[test]
    fn times_have_three_digits() {
        let times = [7_930, 12_345, 104_000, 3_210_000, 1_000_000_000, 10_000].map(time);
        assert_eq!(
            times,
            ["7.93 µs", "12.3 µs", "104 µs", "3.21 ms", "1 s", "10 µs"]
        );
    }
}
