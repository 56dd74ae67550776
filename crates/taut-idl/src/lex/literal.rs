//! The values of literals.

use crate::number::Decimal;

/// A literal that means nothing: what is wrong with it, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

/// The value of a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Number {
    Integer(u64),
    /// A sound floating-point literal. Its value depends on the type of the
    /// constant that it is for.
    Floating(String),
    Fixed(Decimal),
}

/// Reads an integer, floating or fixed literal.
pub(crate) fn number(text: &str) -> Result<Number, Malformed> {
    let too_large = || Malformed("it does not fit in 64 bits".to_owned());
    let digits = |digits: &str, radix: u32, kind: &str| {
        if let Some(bad) = digits.chars().find(|digit| !digit.is_digit(radix)) {
            let end = digits.trim_start_matches(|digit: char| digit.is_digit(radix));
            if matches!(end, "l" | "u" | "ll" | "ul" | "lu" | "ull" | "llu") {
                return Err(Malformed("numbers of IDL have no suffix".to_owned()));
            }
            return Err(Malformed(format!("`{bad}` is no {kind} digit")));
        }
        u64::from_str_radix(digits, radix)
            .map(Number::Integer)
            .map_err(|_| too_large())
    };
    let lower = text.to_ascii_lowercase();
    if let Some(hexadecimal) = lower.strip_prefix("0x") {
        if hexadecimal.is_empty() {
            return Err(Malformed("a hexadecimal digit must follow".to_owned()));
        }
        return digits(hexadecimal, 16, "hexadecimal");
    }
    if let Some(fixed) = lower.strip_suffix('d')
        && fixed
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && fixed.matches('.').count() <= 1
    {
        return match Decimal::parse(fixed) {
            Some(value) => Ok(Number::Fixed(value)),
            None => Err(Malformed(
                "a fixed-point number has between 1 and 31 digits".to_owned(),
            )),
        };
    }
    if lower.contains(['.', 'e']) {
        return match lower.parse::<f64>() {
            Ok(_) => Ok(Number::Floating(lower)),
            Err(_) if lower.ends_with('d') && lower.contains('e') => {
                Err(Malformed("a fixed-point number has no exponent".to_owned()))
            }
            Err(_) if lower.ends_with(['f', 'l']) => {
                Err(Malformed("numbers of IDL have no suffix".to_owned()))
            }
            Err(_) => Err(Malformed("it is no floating-point number".to_owned())),
        };
    }
    match lower.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => digits(octal, 8, "octal"),
        _ => digits(&lower, 10, "decimal"),
    }
}

/// Reads the inside of a character literal.
pub(crate) fn character(body: &[u8]) -> Result<u8, Malformed> {
    let value = single(body, false)?;
    u8::try_from(value).map_err(|_| Malformed(WIDE_ESCAPE.to_owned()))
}

/// Reads the inside of a wide character literal: a UTF-16 code unit.
pub(crate) fn wide_character(body: &[u8]) -> Result<u16, Malformed> {
    single(body, true)
}

fn single(body: &[u8], wide: bool) -> Result<u16, Malformed> {
    if body.is_empty() {
        return Err(Malformed("it is empty".to_owned()));
    }
    let (value, rest) = unit(body, wide)?;
    if !rest.is_empty() {
        return Err(Malformed("it holds more than one character".to_owned()));
    }
    Ok(value)
}

/// Reads the inside of a string literal; each character is one of ISO 8859-1.
pub(crate) fn string(body: &[u8]) -> Result<String, Malformed> {
    let units = units(body, false)?;
    Ok(units
        .into_iter()
        .filter_map(|unit| char::from_u32(unit.into()))
        .collect())
}

/// Reads the inside of a wide string literal.
pub(crate) fn wide_string(body: &[u8]) -> Result<String, Malformed> {
    String::from_utf16(&units(body, true)?)
        .map_err(|_| Malformed("it holds half of a surrogate pair".to_owned()))
}

fn units(mut body: &[u8], wide: bool) -> Result<Vec<u16>, Malformed> {
    let mut units = Vec::new();
    while !body.is_empty() {
        let (value, rest) = unit(body, wide)?;
        if value == 0 {
            return Err(Malformed(
                "a string cannot hold the character NUL".to_owned(),
            ));
        }
        units.push(value);
        body = rest;
    }
    Ok(units)
}

/// Reads one character of a body that is not empty.
fn unit(body: &[u8], wide: bool) -> Result<(u16, &[u8]), Malformed> {
    match body {
        [b'\\', b'u', rest @ ..] if wide => numeric(rest, 16, 4),
        [b'\\', rest @ ..] => escape(rest),
        [first, rest @ ..] => Ok((u16::from(*first), rest)),
        [] => Err(Malformed("it is empty".to_owned())),
    }
}

const WIDE_ESCAPE: &str = "`\\u` needs a wide literal";

/// Reads an escape, after its backslash.
fn escape(body: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let (&first, rest) = body
        .split_first()
        .ok_or_else(|| Malformed("the escape has no end".to_owned()))?;
    let value = match first {
        b'n' => b'\n',
        b't' => b'\t',
        b'v' => 0x0B,
        b'b' => 0x08,
        b'r' => b'\r',
        b'f' => 0x0C,
        b'a' => 0x07,
        b'\\' | b'?' | b'\'' | b'"' => first,
        b'0'..=b'7' => return numeric(body, 8, 3),
        b'x' => return numeric(rest, 16, 2),
        b'u' => return Err(Malformed(WIDE_ESCAPE.to_owned())),
        _ => {
            let escape = char::from(first).escape_default();
            return Err(Malformed(format!("`\\{escape}` is no escape")));
        }
    };
    Ok((u16::from(value), rest))
}

fn numeric(body: &[u8], radix: u32, most: usize) -> Result<(u16, &[u8]), Malformed> {
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = body.iter().take(most).take_while(is_digit).count();
    let (digits, rest) = body.split_at(length);
    if digits.is_empty() {
        let escape = if most > 2 { 'u' } else { 'x' };
        return Err(Malformed(format!("`\\{escape}` needs hexadecimal digits")));
    }
    let value = digits.iter().fold(0_u32, |value, &digit| {
        value * radix + char::from(digit).to_digit(radix).unwrap_or(0)
    });
    if radix == 8 && value > 0o377 {
        return Err(Malformed("the octal escape is greater than 377".to_owned()));
    }
    // At most four hexadecimal digits.
    Ok((value as u16, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let floating = |text: &str| Ok(Number::Floating(text.to_owned()));
        let fixed = |value, scale| Ok(Number::Fixed(Decimal { value, scale }));
        let cases = [
            ("0", Ok(Number::Integer(0))),
            ("12", Ok(Number::Integer(12))),
            ("014", Ok(Number::Integer(12))),
            ("0xC", Ok(Number::Integer(12))),
            ("0XfFD", Ok(Number::Integer(0xFFD))),
            ("18446744073709551615", Ok(Number::Integer(u64::MAX))),
            ("1.5", floating("1.5")),
            (".5", floating(".5")),
            ("1.", floating("1.")),
            ("1e3", floating("1e3")),
            ("1E-1", floating("1e-1")),
            ("1e999", floating("1e999")),
            ("12.5d", fixed(125, 1)),
            ("1D", fixed(1, 0)),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
        for text in [
            "08",
            "0x",
            "0xg",
            "12a",
            "18446744073709551616",
            "1e",
            "1.2.3",
            ".d",
            "12345678901234567890123456789012d",
        ] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(character(b"a"), Ok(b'a'));
        assert_eq!(character(br"\n"), Ok(b'\n'));
        assert_eq!(character(br"\x41"), Ok(0x41));
        assert_eq!(character(br"\377"), Ok(0xFF));
        assert_eq!(character(br"\0"), Ok(0));
        assert_eq!(string(b"\\x41b\\\"\xE9"), Ok("Ab\"\u{E9}".to_owned()));
        for body in [&b""[..], b"ab", br"\q", br"\400", br"\x", b"\\"] {
            assert!(character(body).is_err(), "{body:?}");
        }
        assert!(string(br"a\0").is_err());
        assert!(string(br"\u20AC").is_err());
        assert_eq!(wide_character(br"\u20AC"), Ok(0x20AC));
        assert_eq!(wide_character(b"\xE9"), Ok(0xE9));
        assert_eq!(wide_string(br"a\u20aC\x41g"), Ok("a\u{20AC}Ag".to_owned()));
        assert_eq!(wide_string(br"\uD83D\uDE00"), Ok("\u{1F600}".to_owned()));
        assert!(wide_string(br"\uD83D").is_err());
        assert!(wide_character(br"\u").is_err());
    }
}
