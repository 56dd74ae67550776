//! The content of object keys: the forms of some ORBs, where they are certain.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::fact::{Fact, Value};
use taut_giop::component::orb_type;

/// An object key: its octets, and the form of the ORB that made it with what
/// can be read from it. The forms of Taut and TAO are told by how they begin,
/// those of omniORB and JacORB only when the reference names the ORB.
pub fn object_key(key: &[u8], orb_type: Option<u32>) -> Vec<Fact> {
    let mut facts = vec![Fact::new("octets", Value::Octets(key.to_vec()))];
    let read = taut(key).or_else(|| tao(key)).or_else(|| match orb_type {
        Some(orb_type::OMNIORB) => omniorb(key),
        Some(orb_type::JACORB) => jacorb(key),
        _ => None,
    });
    facts.extend(read.unwrap_or_default());
    facts
}

/// Taut: a magic number, the form, 16 random octets of the server's incarnation, then
/// the places of POA and object in their tables, each with its generation. Form 2 has
/// the object's id behind that, form 3 the POA's path before it. Forms 4 and 5 are 1 and
/// 2 in requests by handle: behind the places stands the interface's fingerprint, and
/// at the end the operation's place in its list.
fn taut(key: &[u8]) -> Option<Vec<Fact>> {
    let rest = key.strip_prefix(&[0, b'T', b'a'])?;
    let (&form, rest) = rest.split_first()?;
    let (incarnation, mut rest) = rest.split_first_chunk::<16>()?;
    let lifespan = match form {
        1 | 2 | 4 | 5 => "transient",
        3 => "persistent",
        _ => return None,
    };
    let mut facts = vec![
        Fact::text("form", "Taut"),
        Fact::text("lifespan", lifespan),
        Fact::new("incarnation", Value::Octets(incarnation.to_vec())),
    ];
    for name in [
        "POA slot",
        "POA generation",
        "object slot",
        "object generation",
    ] {
        let (word, behind) = rest.split_first_chunk::<4>()?;
        facts.push(Fact::number(name, u32::from_be_bytes(*word)));
        rest = behind;
    }
    if form == 3 {
        let (length, behind) = rest.split_first_chunk::<2>()?;
        let (path, behind) = behind.split_at_checked(u16::from_be_bytes(*length).into())?;
        let mut names = taut_names(path)?;
        facts.push(Fact::new("server", names.remove(0)));
        facts.push(Fact::new("POA", Value::List(names)));
        rest = behind;
    }
    if form >= 4 {
        let (fingerprint, behind) = rest.split_first_chunk::<8>()?;
        let (behind, operation) = behind.split_last_chunk::<4>()?;
        facts.push(Fact::new("interface", Value::Octets(fingerprint.to_vec())));
        facts.push(Fact::number("operation", u32::from_be_bytes(*operation)));
        rest = behind;
    }
    match form {
        1 | 4 if rest.is_empty() => {}
        1 | 4 => return None,
        _ => facts.push(Fact::new("object id", octets_or_text(rest))),
    }
    Some(facts)
}

/// The names in a path of Taut's, each behind its length; at least one.
fn taut_names(mut path: &[u8]) -> Option<Vec<Value>> {
    let mut names = Vec::new();
    while !path.is_empty() || names.is_empty() {
        let (length, behind) = path.split_first_chunk::<2>()?;
        let (name, behind) = behind.split_at_checked(u16::from_be_bytes(*length).into())?;
        names.push(match name {
            [] => Value::Text(String::new()),
            name => octets_or_text(name),
        });
        path = behind;
    }
    Some(names)
}

/// TAO: a magic number, then one letter each for root or child POA, for object
/// ids by system or user, and for the lifespan; the creation time of a
/// transient POA. The length of the POA's name is known only when the lifespan
/// is persistent and ids are the user's; else the rest stays as it is.
fn tao(key: &[u8]) -> Option<Vec<Fact>> {
    let rest = key.strip_prefix(&[0x14, 0x01, 0x0f, 0x00])?;
    let (&[poa, ids, lifespan], mut rest) = rest.split_first_chunk::<3>()?;
    let letter = |letter, first: (u8, &'static str), second: (u8, &'static str)| {
        let words = [first, second].into_iter();
        words
            .filter(|(known, _)| *known == letter)
            .map(|(_, word)| word)
            .next()
    };
    let mut facts = vec![
        Fact::text("form", "TAO"),
        Fact::text("POA", letter(poa, (b'R', "root"), (b'N', "child"))?),
        Fact::text("ids by", letter(ids, (b'S', "system"), (b'U', "user"))?),
        Fact::text(
            "lifespan",
            letter(lifespan, (b'P', "persistent"), (b'T', "transient"))?,
        ),
    ];
    if lifespan == b'T' {
        let (created, behind) = rest.split_first_chunk::<8>()?;
        facts.push(Fact::new("created", Value::Octets(created.to_vec())));
        rest = behind;
    } else if ids == b'U' {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        rest = behind;
        if poa == b'N' {
            let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
            let (name, behind) = rest.split_at_checked(length)?;
            facts.push(Fact::new("POA name", path(name, 0)));
            rest = behind;
        }
        facts.push(Fact::new("object id", octets_or_text(rest)));
        return Some(facts);
    }
    facts.push(Fact::new(
        "POA name and object id",
        Value::Octets(rest.to_vec()),
    ));
    Some(facts)
}

/// omniORB: the names of the POAs below the root, each behind 0xff; for
/// transient POAs 0xfe and 8 octets of the process; 0; the object id. Keys
/// that begin otherwise are plain ones, which have no parts.
fn omniorb(key: &[u8]) -> Option<Vec<Fact>> {
    let mut rest = key;
    let mut path = vec![Value::Text("root".into())];
    while let Some(behind) = rest.strip_prefix(&[0xff]) {
        let end = behind
            .iter()
            .position(|octet| [0, 0xfe, 0xff].contains(octet))?;
        let (name, behind) = behind.split_at(end);
        path.push(octets_or_text(name));
        rest = behind;
    }
    let mut facts = vec![
        Fact::text("form", "omniORB"),
        Fact::new("POA", Value::List(path)),
    ];
    if let Some(behind) = rest.strip_prefix(&[0xfe]) {
        let (process, behind) = behind.split_first_chunk::<8>()?;
        facts.push(Fact::text("lifespan", "transient"));
        facts.push(Fact::new("incarnation", Value::Octets(process.to_vec())));
        rest = behind;
    } else if rest.len() == key.len() {
        return None;
    } else {
        facts.push(Fact::text("lifespan", "persistent"));
    }
    let id = rest.strip_prefix(&[0])?;
    facts.push(Fact::new("object id", octets_or_text(id)));
    Some(facts)
}

/// JacORB: the server's name, the POAs below the root and the object id,
/// divided by `/`.
fn jacorb(key: &[u8]) -> Option<Vec<Fact>> {
    let slash = |octet: &u8| *octet == b'/';
    let first = key.iter().position(slash)?;
    let last = key.iter().rposition(slash)?;
    let mut facts = vec![
        Fact::text("form", "JacORB"),
        Fact::new("server", octets_or_text(&key[..first])),
    ];
    if let Some(poas) = key.get(first + 1..last) {
        facts.push(Fact::new("POA", path(poas, b'/')));
    }
    facts.push(Fact::new("object id", octets_or_text(&key[last + 1..])));
    Some(facts)
}

/// The non-empty names between separators.
fn path(names: &[u8], separator: u8) -> Value {
    let names = names.split(|octet| *octet == separator);
    Value::List(
        names
            .filter(|name| !name.is_empty())
            .map(octets_or_text)
            .collect(),
    )
}

/// Text if all octets are visible ASCII.
fn octets_or_text(octets: &[u8]) -> Value {
    let is_visible = |octet: &u8| (b' '..=b'~').contains(octet);
    if octets.is_empty() || !octets.iter().all(is_visible) {
        return Value::Octets(octets.to_vec());
    }
    Value::Text(octets.iter().copied().map(char::from).collect::<String>())
}

#[cfg(test)]
mod tests {
    use alloc::borrow::Cow;

    use super::*;

    /// The facts in short, without the octets of the whole key.
    fn read(key: &[u8], orb: Option<u32>) -> Vec<(&'static str, Value)> {
        let facts = object_key(key, orb);
        assert_eq!(facts[0].value, Value::Octets(key.to_vec()));
        let rest = facts.into_iter().skip(1);
        rest.map(|fact| (name(fact.name), fact.value)).collect()
    }

    fn name(name: Cow<'static, str>) -> &'static str {
        match name {
            Cow::Borrowed(name) => name,
            Cow::Owned(name) => panic!("{name} is made at run time"),
        }
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn keys_of_tao_are_read_without_a_hint() {
        let key = b"\x14\x01\x0f\x00NUP\0\0\0\x08\0Naming\0NameService";
        assert_eq!(
            read(key, None),
            [
                ("form", text("TAO")),
                ("POA", text("child")),
                ("ids by", text("user")),
                ("lifespan", text("persistent")),
                ("POA name", Value::List(vec![text("Naming")])),
                ("object id", text("NameService")),
            ]
        );
        let key = b"\x14\x01\x0f\x00RST\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x01";
        assert_eq!(
            read(key, None)[4..],
            [
                ("created", Value::Octets(vec![1, 2, 3, 4, 5, 6, 7, 8])),
                ("POA name and object id", Value::Octets(vec![0, 0, 0, 1])),
            ]
        );
    }

    #[test]
    fn keys_of_taut_are_read_without_a_hint() {
        let start = [&b"\0Ta\x03"[..], &[7; 16], &[0; 16]].concat();
        let key = [&start, &b"\0\x0b\0\0\0\x07account17"[..]].concat();
        assert_eq!(
            read(&key, None)[7..],
            [
                ("server", text("")),
                ("POA", Value::List(vec![text("account")])),
                ("object id", text("17")),
            ]
        );
        let mut named = key.clone();
        named[3] = 2;
        assert_eq!(read(&named, None).len(), 8);
        let mut slot = start.clone();
        slot[3] = 1;
        assert_eq!(read(&slot, None).len(), 7);
        assert_eq!(read(&start, None), []);
        let tail = [&[9; 8][..], &7_u32.to_be_bytes()].concat();
        let mut by_handle = [&slot[..], &tail].concat();
        by_handle[3] = 4;
        let interface = ("interface", Value::Octets(vec![9; 8]));
        let operation = ("operation", Value::Number(7));
        assert_eq!(
            read(&by_handle, None)[7..],
            [interface.clone(), operation.clone()]
        );
        let id = ("object id", text("17"));
        by_handle[3] = 5;
        by_handle.splice(44..44, *b"17");
        assert_eq!(read(&by_handle, None)[7..], [interface, operation, id]);
        by_handle[3] = 4;
        assert_eq!(read(&by_handle, None), []);
        assert_eq!(read(&by_handle[..47], None), []);
    }

    #[test]
    fn keys_of_omniorb_are_read_with_the_hint_only() {
        let key = b"\xffa\xffb\xfe\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\x09";
        assert_eq!(
            read(key, Some(orb_type::OMNIORB)),
            [
                ("form", text("omniORB")),
                ("POA", Value::List(vec![text("root"), text("a"), text("b")])),
                ("lifespan", text("transient")),
                ("incarnation", Value::Octets(vec![1, 2, 3, 4, 5, 6, 7, 8])),
                ("object id", Value::Octets(vec![0, 0, 0, 9])),
            ]
        );
        assert_eq!(read(key, None), []);
        assert_eq!(read(b"NameService", Some(orb_type::OMNIORB)), []);
    }

    #[test]
    fn keys_of_jacorb_are_read_with_the_hint_only() {
        let key = b"StandardNS/NameServer-POA/_root";
        assert_eq!(
            read(key, Some(orb_type::JACORB)),
            [
                ("form", text("JacORB")),
                ("server", text("StandardNS")),
                ("POA", Value::List(vec![text("NameServer-POA")])),
                ("object id", text("_root")),
            ]
        );
        assert_eq!(read(b"a/b", Some(orb_type::JACORB)).len(), 3);
        assert_eq!(read(key, None), []);
    }

    #[test]
    fn no_cut_or_change_of_a_key_is_a_panic() {
        for key in [
            &b"\x14\x01\x0f\x00NUP\0\0\0\x08\0Naming\0NameService"[..],
            b"\xffa\xffb\xfe\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\x09",
            b"StandardNS/NameServer-POA/_root",
        ] {
            for hint in [None, Some(orb_type::OMNIORB), Some(orb_type::JACORB)] {
                for length in 0..=key.len() {
                    object_key(&key[..length], hint);
                    for octet in [0, 0x2f, 0xfe, 0xff] {
                        let mut changed = key[..length].to_vec();
                        changed.push(octet);
                        assert!(!object_key(&changed, hint).is_empty());
                    }
                }
            }
        }
    }
}
