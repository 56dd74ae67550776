//! Numbers that JSON has no exact form for, or several.

use std::fmt;

use serde_json::{Number, Value as Json};
use taut_cdr::LongDouble;

/// Returns a `double` as JSON.
pub(crate) fn double(value: f64) -> Json {
    match Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => "NaN".into(),
        None if value > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    }
}

/// Returns a `float` as JSON: with as many digits as tell it from all others.
pub(crate) fn float(value: f32) -> Json {
    let shortest = value.to_string().parse().unwrap_or(f64::from(value));
    double(shortest)
}

/// Reads a `double`.
pub(crate) fn to_double(json: &Json) -> Option<f64> {
    match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a `float`. None also for a number that is beyond its range.
pub(crate) fn to_float(json: &Json) -> Option<f32> {
    let double = to_double(json)?;
    let float = double as f32;
    (float.is_finite() == double.is_finite()).then_some(float)
}

/// Returns a `long double` as JSON.
pub(crate) fn long_double(value: LongDouble) -> Json {
    let near = value.to_f64();
    match Number::from_f64(near) {
        Some(number) if LongDouble::from_f64(near) == value => Json::Number(number),
        _ => format!("{:#034x}", value.to_bits()).into(),
    }
}

/// Reads a `long double`.
pub(crate) fn to_long_double(json: &Json) -> Option<LongDouble> {
    if let Json::String(text) = json
        && let Some(digits) = text.strip_prefix("0x")
    {
        let bits = u128::from_str_radix(digits, 16).ok()?;
        return Some(LongDouble::from_bits(bits));
    }
    to_double(json).map(LongDouble::from_f64)
}

/// Returns a `fixed` with this many digits behind the point.
pub(crate) fn fixed(unscaled: i128, scale: u8) -> String {
    fmt::from_fn(|f| taut_cdr::fixed::format(unscaled, scale, f)).to_string()
}

/// Reads a `fixed`. None if it is no decimal, or has more digits behind the point than these.
pub(crate) fn to_fixed(text: &str, scale: u8) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = part.trim_end_matches('0');
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let scale = usize::from(scale);
    if (whole.is_empty() && part.is_empty()) || !digits(whole) || !digits(part) {
        return None;
    }
    if part.len() > scale {
        return None;
    }
    let all = format!("0{whole}{part:0<scale$}");
    let unscaled: i128 = all.parse().ok()?;
    Some(if is_negative { -unscaled } else { unscaled })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_as_they_are_written() {
        for (unscaled, scale, text) in [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (-5, 2, "-0.05"),
            (12_345, 2, "123.45"),
            (12_300, 2, "123.00"),
            (7, 0, "7"),
        ] {
            assert_eq!(fixed(unscaled, scale), text);
            assert_eq!(to_fixed(text, scale), Some(unscaled));
        }
        for (text, scale, unscaled) in [("1", 2, 100), (".5", 1, 5), ("+1.50", 1, 15), ("1.", 0, 1)]
        {
            assert_eq!(to_fixed(text, scale), Some(unscaled), "{text}");
        }
        for (text, scale) in [
            ("", 2),
            (".", 2),
            ("-", 2),
            ("1.23", 1),
            ("1e3", 2),
            ("--1", 2),
        ] {
            assert_eq!(to_fixed(text, scale), None, "{text}");
        }
    }

    #[test]
    fn floats_have_no_more_digits_than_they_need() {
        assert_eq!(float(0.1).to_string(), "0.1");
        assert_eq!(to_float(&float(f32::MAX)), Some(f32::MAX));
        assert_eq!(to_float(&Json::from(1e39)), None);
        assert_eq!(to_float(&float(f32::INFINITY)), Some(f32::INFINITY));
    }

    #[test]
    fn long_doubles_are_exact() {
        let third = LongDouble::from_bits(0x3ffd_5555_5555_5555_5555_5555_5555_5555);
        for value in [
            third,
            LongDouble::from_f64(0.5),
            LongDouble::from_f64(f64::NAN),
        ] {
            let again = to_long_double(&long_double(value)).unwrap();
            assert_eq!(again.to_bits(), value.to_bits());
        }
    }
}
