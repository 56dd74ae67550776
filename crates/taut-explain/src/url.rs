//! The content of URLs, as far as it is known without asking anyone.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::fact::{Fact, Value, address};
use super::object_key::object_key;
use super::reference::{ReadAddress, reference_with};
use taut_giop::naming::parse_name;
use taut_giop::url::{Corbaloc, CorbalocAddress, DEFAULT_NAMING_CONTEXT_KEY, ObjectUrl};

/// A URL: its scheme, then where the object is to be looked for.
pub fn url(url: &ObjectUrl) -> Vec<Fact> {
    url_with(url, &|_, _| None)
}

/// [`url()`], with a reader of the addresses that only certain transports know.
pub fn url_with(url: &ObjectUrl, read_address: ReadAddress<'_>) -> Vec<Fact> {
    match url {
        ObjectUrl::Ior(ior) => {
            let mut facts = vec![Fact::text("scheme", "IOR")];
            facts.extend(reference_with(ior, read_address));
            facts
        }
        ObjectUrl::Corbaloc(corbaloc) => {
            let mut facts = vec![Fact::text("scheme", "corbaloc")];
            facts.extend(location(corbaloc));
            facts
        }
        ObjectUrl::Corbaname { location, name } => {
            let mut facts = vec![Fact::text("scheme", "corbaname")];
            facts.extend(self::location(location));
            facts.extend(self::name(name));
            facts
        }
        // A form of URL that is newer than this crate keeps its text.
        other => vec![Fact::text("URL", other.to_string())],
    }
}

fn location(location: &Corbaloc) -> Vec<Fact> {
    let addresses = location.addresses.iter().map(one_address).collect();
    let mut facts = vec![Fact::new("addresses", Value::List(addresses))];
    if location.addresses.contains(&CorbalocAddress::Rir) {
        let key = match location.key.as_slice() {
            [] => DEFAULT_NAMING_CONTEXT_KEY,
            key => key,
        };
        facts.push(Fact::text(
            "initial reference",
            String::from_utf8_lossy(key).into_owned(),
        ));
    } else {
        let key = object_key(&location.key, None);
        facts.push(Fact::new("object key", Value::Facts(key)));
    }
    facts
}

fn one_address(one: &CorbalocAddress) -> Value {
    Value::Facts(match one {
        CorbalocAddress::Rir => vec![Fact::text("protocol", "rir")],
        CorbalocAddress::Iiop {
            version,
            host,
            port,
        } => {
            let mut facts = vec![
                Fact::text("protocol", "iiop"),
                Fact::text("version", version.to_string()),
            ];
            facts.extend(address(host.as_str(), *port));
            facts
        }
        CorbalocAddress::Uiop { version, path } => vec![
            Fact::text("protocol", "uiop"),
            Fact::text("version", version.to_string()),
            Fact::text("path", path.as_str()),
        ],
        CorbalocAddress::Other { protocol, address } => vec![
            Fact::text("protocol", protocol.as_str()),
            Fact::text("address", address.as_str()),
        ],
        other => vec![Fact::text("address", other.to_string())],
    })
}

/// A name, component by component. A name that is malformed is given with what
/// is wrong with it: the URL itself is sound.
fn name(name: &str) -> Vec<Fact> {
    if name.is_empty() {
        return Vec::new();
    }
    let mut facts = vec![Fact::text("name", name)];
    match parse_name(name) {
        Err(error) => facts.push(Fact::new(
            "fault of the name",
            Value::Fault(error.to_string()),
        )),
        Ok(components) => {
            let components = components.into_iter().map(|component| {
                Value::Facts(vec![
                    Fact::text("id", component.id),
                    Fact::text("kind", component.kind),
                ])
            });
            facts.push(Fact::new("components", Value::List(components.collect())));
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let url = self::url(&text.parse().unwrap());
        url.into_iter().map(|fact| fact.name.into_owned()).collect()
    }

    #[test]
    fn each_scheme_has_its_facts() {
        for (text, expected) in [
            (
                "IOR:00000000000000000000000000000000",
                &["scheme", "type id", "nil", "profiles"][..],
            ),
            ("corbaloc::h/k", &["scheme", "addresses", "object key"]),
            (
                "corbaloc:rir:",
                &["scheme", "addresses", "initial reference"],
            ),
            ("corbaname::h", &["scheme", "addresses", "object key"]),
            (
                "corbaname::h#a.b",
                &["scheme", "addresses", "object key", "name", "components"],
            ),
            (
                "corbaname::h#a//b",
                &[
                    "scheme",
                    "addresses",
                    "object key",
                    "name",
                    "fault of the name",
                ],
            ),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }
}
