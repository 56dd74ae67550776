//! Lines of the shell, word by word.

/// Divides a line at its blanks. Within brackets, and within the quotes of JSON, blanks divide
/// nothing; single quotes hold a word together and are left out.
///
/// # Errors
///
/// When a quote or a bracket is not closed.
pub(super) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_word = false;
    let mut brackets = Vec::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' if brackets.is_empty() => {
                is_word = true;
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(other) => word.push(other),
                        None => return Err("a quote ' is not closed".to_owned()),
                    }
                }
                continue;
            }
            '"' => {
                is_word = true;
                word.push(character);
                loop {
                    match characters.next() {
                        Some('"') => break word.push('"'),
                        Some('\\') => {
                            word.push('\\');
                            word.extend(characters.next());
                        }
                        Some(other) => word.push(other),
                        None => return Err("a quote \" is not closed".to_owned()),
                    }
                }
                continue;
            }
            '{' => brackets.push('}'),
            '[' => brackets.push(']'),
            '}' | ']' if brackets.last() == Some(&character) => {
                brackets.pop();
            }
            _ if character.is_whitespace() && brackets.is_empty() => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            _ => {}
        }
        is_word = true;
        word.push(character);
    }
    if let Some(bracket) = brackets.pop() {
        return Err(format!("a bracket lacks its {bracket}"));
    }
    if is_word {
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_divide_outside_of_json_and_quotes() {
        for (line, words) in [
            ("", &[][..]),
            ("  get   balance ", &["get", "balance"]),
            (r#"n=[{"id": "a b"}] x=1"#, &[r#"n=[{"id": "a b"}]"#, "x=1"]),
            (r#"s="a \" ] b""#, &[r#"s="a \" ] b""#]),
            ("s='a {b' t=''", &["s=a {b", "t="]),
            ("a]", &["a]"]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        for (line, fault) in [
            ("a 'b", "a quote ' is not closed"),
            ("a \"b", "a quote \" is not closed"),
            ("n=[{ ]", "a bracket lacks its }"),
        ] {
            assert_eq!(split(line).unwrap_err(), fault, "{line}");
        }
    }
}
