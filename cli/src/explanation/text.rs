//! Explanations for people.
//!
//! A value that fits stands in one line behind its name; the rest stands below its
//! name, indented.

use taut_explain::{Content, Fact, Tagged, Value};

use crate::hex;
use crate::output::{ERROR, FAINT, HEADING, LABEL, visible};

/// The most characters of a value that stands behind its name.
const LINE: usize = 72;

/// The most characters of a string that are shown.
const LONG: usize = 200;

/// The most octets that stand behind their name in hexadecimal digits.
const FEW_OCTETS: usize = 16;

/// Indentation of one level.
const STEP: usize = 2;

/// The explanation, over several lines.
pub(crate) fn text(facts: &[Fact]) -> String {
    indented(facts, 0)
}

/// The explanation below something else.
pub(crate) fn indented(facts: &[Fact], indent: usize) -> String {
    let mut page = Page::default();
    page.facts(facts, indent);
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn facts(&mut self, facts: &[Fact], indent: usize) {
        let names = facts.iter().map(|fact| fact.name.len());
        let width = names.max().unwrap_or_default();
        for fact in facts {
            self.fact(fact, indent, width);
        }
    }

    fn fact(&mut self, fact: &Fact, indent: usize, width: usize) {
        if let Value::List(values) = &fact.value
            && values.iter().any(|value| matches!(value, Value::Tagged(_)))
        {
            return self.tagged_list(&fact.name, values, indent);
        }
        if let Value::Fault(fault) = &fact.value {
            let fault = format!("{ERROR}{}{ERROR:#}", visible(fault));
            return self.line(indent, &fact.name, width, &fault);
        }
        if let Some(line) = line(&fact.value) {
            return self.line(indent, &fact.name, width, &line);
        }
        match &fact.value {
            Value::Octets(octets) => {
                let length = format!("{} octets", octets.len());
                self.line(indent, &fact.name, width, &length);
                self.dump(octets, indent + STEP);
            }
            Value::Facts(facts) => {
                self.heading(indent, &fact.name);
                self.facts(facts, indent + STEP);
            }
            Value::List(values) => {
                self.heading(indent, &fact.name);
                for (index, value) in values.iter().enumerate() {
                    self.item(index + 1, value, indent + STEP);
                }
            }
            Value::Tagged(tagged) => {
                self.heading(indent, &fact.name);
                self.tagged("", tagged, indent + STEP);
            }
            Value::Text(text) => self.line(indent, &fact.name, width, &visible(text)),
            Value::String(text) => self.line(indent, &fact.name, width, &quoted(text)),
            _ => self.heading(indent, &fact.name),
        }
    }

    /// Profiles are counted and set apart, components stand among the facts of
    /// their profile.
    fn tagged_list(&mut self, name: &str, values: &[Value], indent: usize) {
        for (index, value) in values.iter().enumerate() {
            let Value::Tagged(tagged) = value else {
                continue;
            };
            if indent == 0 {
                let one = name.strip_suffix('s').unwrap_or(name);
                let number = format!("{one} {}: ", index + 1);
                self.text.push('\n');
                self.tagged(&number, tagged, indent);
            } else {
                self.tagged("", tagged, indent);
            }
        }
    }

    fn tagged(&mut self, prefix: &str, tagged: &Tagged, indent: usize) {
        let name = tagged.name.unwrap_or("unknown");
        let tag = tag(tagged.tag);
        self.indent(indent);
        self.text.push_str(&format!(
            "{HEADING}{prefix}{name}{HEADING:#} {FAINT}({tag}){FAINT:#}"
        ));
        match &tagged.content {
            Content::Known(facts) => {
                // A component with one short fact needs no second line.
                if let [fact] = &facts[..]
                    && let Some(line) = line(&fact.value)
                    && !line.is_empty()
                    && !matches!(fact.value, Value::List(_))
                {
                    self.text.push_str(&format!("  {line}\n"));
                    return;
                }
                self.text.push('\n');
                self.facts(facts, indent + STEP);
            }
            Content::Unknown => {
                self.text
                    .push_str(&format!("  {} octets\n", tagged.data.len()));
                self.dump(&tagged.data, indent + STEP);
            }
            Content::Malformed(error) => {
                self.text
                    .push_str(&format!("  {ERROR}malformed{ERROR:#}: {error}\n"));
                self.dump(&tagged.data, indent + STEP);
            }
        }
    }

    fn item(&mut self, number: usize, value: &Value, indent: usize) {
        if let Some(line) = line(value) {
            return self.line(indent, &number.to_string(), 0, &line);
        }
        self.heading(indent, &number.to_string());
        match value {
            Value::Facts(facts) => self.facts(facts, indent + STEP),
            Value::Octets(octets) => self.dump(octets, indent + STEP),
            Value::Text(text) => {
                self.indent(indent + STEP);
                self.text.push_str(&format!("{}\n", visible(text)));
            }
            Value::String(text) => {
                self.indent(indent + STEP);
                self.text.push_str(&format!("{}\n", quoted(text)));
            }
            Value::List(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.item(index + 1, value, indent + STEP);
                }
            }
            Value::Tagged(tagged) => self.tagged("", tagged, indent + STEP),
            _ => {}
        }
    }

    fn heading(&mut self, indent: usize, name: &str) {
        self.indent(indent);
        self.text.push_str(&format!("{LABEL}{name}{LABEL:#}\n"));
    }

    fn line(&mut self, indent: usize, name: &str, width: usize, value: &str) {
        self.indent(indent);
        let gap = width.saturating_sub(name.len()) + 2;
        let line = format!("{LABEL}{name}{LABEL:#}{:gap$}{value}", "");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn dump(&mut self, octets: &[u8], indent: usize) {
        self.text.push_str(&hex::dump(octets, indent));
    }

    fn indent(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }
}

/// A value in one line, if that is not too long.
fn line(value: &Value) -> Option<String> {
    let text = match value {
        Value::Text(text) if text.is_empty() => "none".to_owned(),
        Value::Text(text) | Value::Fault(text) => visible(text).into_owned(),
        Value::String(text) => quoted(text),
        Value::Number(number) => number.to_string(),
        Value::Signed(number) => number.to_string(),
        Value::Boolean(true) => "yes".to_owned(),
        Value::Boolean(false) => "no".to_owned(),
        Value::Octets(octets) => self::octets(octets)?,
        Value::Code { number, name } => match name {
            Some(name) => format!("{name} ({})", tag(*number)),
            None => tag(*number),
        },
        Value::Options { bits: 0, .. } => "none".to_owned(),
        Value::Options { bits, names } => format!("{} ({bits:#06x})", names.join(" ")),
        Value::List(values) if values.is_empty() => "none".to_owned(),
        Value::List(values) => {
            // More than one item of several facts is easier to read as lines.
            if values.len() > 1 && values.iter().any(|value| matches!(value, Value::Facts(_))) {
                return None;
            }
            let lines = values.iter().map(line).collect::<Option<Vec<_>>>()?;
            lines.join(", ")
        }
        Value::Facts(facts) => match &facts[..] {
            [only] => line(&only.value)?,
            _ => {
                let lines = facts.iter().map(|fact| {
                    let line = line(&fact.value)?;
                    Some(format!("{} {line}", fact.name))
                });
                lines.collect::<Option<Vec<_>>>()?.join(", ")
            }
        },
        _ => return None,
    };
    let fits = text.chars().count() <= LINE || matches!(value, Value::Options { .. });
    fits.then_some(text)
}

/// A string in quotes; a long one with its first characters.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        None => format!("{text:?}"),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{:?} and {more} characters more", &text[..end])
        }
    }
}

/// Octets as text in quotes if all are visible ASCII; a few others as digits.
fn octets(octets: &[u8]) -> Option<String> {
    if octets.is_empty() {
        return Some("none".to_owned());
    }
    if octets.iter().all(|octet| (b' '..=b'~').contains(octet)) {
        return Some(format!("\"{}\"", octets.escape_ascii()));
    }
    (octets.len() <= FEW_OCTETS).then(|| format!("0x{}", hex::digits(octets)))
}

/// Numbers of the OMG's own are small and written in decimal digits, those
/// that vendors were given in hexadecimal ones.
fn tag(number: u32) -> String {
    if number < 0x1_0000 {
        number.to_string()
    } else {
        format!("{number:#010x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_peer_does_not_steer_the_terminal() {
        let facts = [Fact {
            name: "host".into(),
            value: Value::Text(format!("\u{1b}[2J{}", "x".repeat(LINE))),
        }];
        let shown = anstream::adapter::strip_str(&text(&facts)).to_string();
        assert!(shown.starts_with("host  \\u{1b}[2Jxxx"), "{shown}");
    }
}
