//! Times as people write them: `10ms`, `1.5us`.

use std::fmt;

/// The units, each with its nanoseconds.
const UNITS: [(&str, u64); 5] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];

/// The longest time that is understood, some 36 years: sums of a few stay below the range of
/// `u64`.
pub(crate) const LONGEST_NS: u64 = 1 << 60;

/// The reason why a text is no time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeError {
    /// There is no number in front.
    NoNumber(String),
    /// The unit is missing, or none of those that are known.
    NoUnit(String),
    /// It is no whole number of nanoseconds.
    Fraction(String),
    /// It is longer than 36 years.
    TooLong(String),
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber(text) => write!(f, "`{text}` is no time; write it as `10ms`"),
            Self::NoUnit(text) => write!(
                f,
                "the time `{text}` has no unit that is known; write ns, us, ms or s behind it"
            ),
            Self::Fraction(text) => {
                write!(f, "the time `{text}` is no whole number of nanoseconds")
            }
            Self::TooLong(text) => write!(f, "the time `{text}` is longer than 36 years"),
        }
    }
}

impl std::error::Error for TimeError {}

/// Reads a time such as `10ms`, `1.5us` or `2 s`, in nanoseconds.
///
/// # Errors
///
/// When it has no number, no unit, is finer than a nanosecond, or longer than 36 years.
pub fn parse_time(text: &str) -> Result<u64, TimeError> {
    let trimmed = text.trim();
    let end = trimmed
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.contains('.') {
        return Err(TimeError::NoNumber(text.to_owned()));
    }
    let unit = unit.trim();
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    let (_, scale) = known.ok_or_else(|| TimeError::NoUnit(text.to_owned()))?;
    let too_long = || TimeError::TooLong(text.to_owned());
    let whole: u64 = whole.parse().map_err(|_| too_long())?;
    let mut total = whole.checked_mul(*scale).ok_or_else(too_long)?;
    let mut place = *scale;
    for digit in fraction.bytes() {
        let digit = u64::from(digit - b'0');
        if place % 10 != 0 && digit != 0 {
            return Err(TimeError::Fraction(text.to_owned()));
        }
        place /= 10;
        total += digit * place;
    }
    match total <= LONGEST_NS {
        true => Ok(total),
        false => Err(too_long()),
    }
}

/// A time in nanoseconds that is shown with the largest unit in which it is short: `1.5ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownTime(pub u64);

impl fmt::Display for ShownTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = match self.0 {
            0 => ("s", 1_000_000_000),
            1..1_000 => ("ns", 1),
            1_000..1_000_000 => ("us", 1_000),
            1_000_000..1_000_000_000 => ("ms", 1_000_000),
            _ => ("s", 1_000_000_000),
        };
        let mut text = (self.0 / scale).to_string();
        let rest = self.0 % scale;
        if rest != 0 {
            let digits = scale.ilog10() as usize;
            let fraction = format!("{rest:0digits$}");
            text.push('.');
            text.push_str(fraction.trim_end_matches('0'));
        }
        text.push_str(unit);
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_shown_alike() {
        for (text, ns) in [
            ("10ms", 10_000_000),
            ("1.5us", 1_500),
            ("999ns", 999),
            ("2.000000001s", 2_000_000_001),
            ("0s", 0),
        ] {
            assert_eq!(parse_time(text), Ok(ns));
            assert_eq!(ShownTime(ns).to_string(), text);
        }
        assert_eq!(parse_time(" 1_000 µs "), Ok(1_000_000));
    }

    #[test]
    fn wrong_times_say_what_is_missing() {
        for (text, part) in [
            ("ms", "is no time"),
            ("1.2.3ms", "is no time"),
            ("10", "no unit"),
            ("10 hours", "no unit"),
            ("0.5ns", "no whole number"),
            ("1.0005us", "no whole number"),
            ("99999999999s", "longer than"),
            ("99999999999999999999s", "longer than"),
        ] {
            let error = parse_time(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(parse_time("1.50ns").ok(), None);
        assert_eq!(parse_time("1.500us"), Ok(1_500));
    }
}
