//! What literals stand for.

/// A literal that means nothing: what is wrong with it, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(u64),
    Floating(f64),
    Fixed,
}

/// Reads an integer, floating or fixed literal.
pub(crate) fn number(text: &str) -> Result<Number, Malformed> {
    let too_large = || Malformed("it does not fit in 64 bits".to_owned());
    let digits = |digits: &str, radix: u32, kind: &str| {
        if let Some(bad) = digits.chars().find(|digit| !digit.is_digit(radix)) {
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
        return Ok(Number::Fixed);
    }
    if lower.contains(['.', 'e']) {
        return match lower.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Number::Floating(value)),
            Ok(_) => Err(Malformed("it is beyond the range of `double`".to_owned())),
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
    let (&first, rest) = body
        .split_first()
        .ok_or_else(|| Malformed("it is empty".to_owned()))?;
    let (value, rest) = if first == b'\\' {
        escape(rest)?
    } else {
        (first, rest)
    };
    if !rest.is_empty() {
        return Err(Malformed("it holds more than one character".to_owned()));
    }
    Ok(value)
}

/// Reads the inside of a string literal; each character is one of ISO 8859-1.
pub(crate) fn string(mut body: &[u8]) -> Result<String, Malformed> {
    let mut text = String::new();
    while let Some((&first, rest)) = body.split_first() {
        let (value, rest) = if first == b'\\' {
            escape(rest)?
        } else {
            (first, rest)
        };
        if value == 0 {
            return Err(Malformed(
                "a string cannot hold the character NUL".to_owned(),
            ));
        }
        text.push(char::from(value));
        body = rest;
    }
    Ok(text)
}

/// Reads an escape, after its backslash.
fn escape(body: &[u8]) -> Result<(u8, &[u8]), Malformed> {
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
        b'u' => return Err(Malformed("`\\u` needs a wide literal".to_owned())),
        _ => {
            let escape = char::from(first).escape_default();
            return Err(Malformed(format!("`\\{escape}` is no escape")));
        }
    };
    Ok((value, rest))
}

fn numeric(body: &[u8], radix: u32, most: usize) -> Result<(u8, &[u8]), Malformed> {
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = body.iter().take(most).take_while(is_digit).count();
    let (digits, rest) = body.split_at(length);
    if digits.is_empty() {
        return Err(Malformed("`\\x` needs hexadecimal digits".to_owned()));
    }
    let value = digits.iter().fold(0_u32, |value, &digit| {
        value * radix + char::from(digit).to_digit(radix).unwrap_or(0)
    });
    let value = u8::try_from(value)
        .map_err(|_| Malformed("the octal escape is greater than 377".to_owned()))?;
    Ok((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases = [
            ("0", Ok(Number::Integer(0))),
            ("12", Ok(Number::Integer(12))),
            ("014", Ok(Number::Integer(12))),
            ("0xC", Ok(Number::Integer(12))),
            ("0XfFD", Ok(Number::Integer(0xFFD))),
            ("18446744073709551615", Ok(Number::Integer(u64::MAX))),
            ("1.5", Ok(Number::Floating(1.5))),
            (".5", Ok(Number::Floating(0.5))),
            ("1.", Ok(Number::Floating(1.0))),
            ("1e3", Ok(Number::Floating(1000.0))),
            ("1E-1", Ok(Number::Floating(0.1))),
            ("12.5d", Ok(Number::Fixed)),
            ("1D", Ok(Number::Fixed)),
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
            "1e999",
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
    }
}
