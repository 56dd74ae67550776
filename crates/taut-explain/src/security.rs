//! The content of the components of secure transports and of CSIv2 (CORBA 3.3 part 2, 10.5
//! and 10.6).

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use taut_cdr::{Decoder, Result};

use super::fact::{Content, Fact, Tagged, Value, address};
use taut_giop::component::{TaggedComponent, tag, tag_name};

/// The association options, from the lowest bit upwards.
const OPTIONS: [&str; 12] = [
    "NoProtection",
    "Integrity",
    "Confidentiality",
    "DetectReplay",
    "DetectMisordering",
    "EstablishTrustInTarget",
    "EstablishTrustInClient",
    "NoDelegation",
    "SimpleDelegation",
    "CompositeDelegation",
    "IdentityAssertion",
    "DelegationByClient",
];

/// The identity token types, from the lowest bit upwards; none set means that
/// only an absent identity is accepted.
const IDENTITY_TYPES: [&str; 4] = [
    "ITTAnonymous",
    "ITTPrincipalName",
    "ITTX509CertChain",
    "ITTDistinguishedName",
];

/// SSLIOP: options and the TCP port for TLS.
pub(super) fn ssl(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    Ok(vec![
        options("supports", input)?,
        options("requires", input)?,
        Fact::number("port", input.read::<u16>()?),
    ])
}

/// TLS as a transport of CSIv2: options and addresses.
pub(super) fn tls(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let supports = options("supports", input)?;
    let requires = options("requires", input)?;
    let count = input.read_count(6)?;
    let addresses = input.read_each(count, 6, |input| {
        let host = input.read_string()?.into_owned();
        Ok(Value::Facts(address(host, input.read()?)))
    })?;
    Ok(vec![
        supports,
        requires,
        Fact::new("addresses", Value::List(addresses)),
    ])
}

/// A function that explains a component.
type Explain = fn(&TaggedComponent) -> Tagged;

/// The mechanisms of CSIv2, the preferred one first. The components within them
/// are explained by `explain`.
pub(super) fn mechanisms(input: &mut Decoder<'_>, explain: Explain) -> Result<Vec<Fact>> {
    let stateful = input.read_bool()?;
    let count = input.read_count(2)?;
    let mechanisms = input.read_each(count, 2, |input| {
        Ok(Value::Facts(mechanism(input, explain)?))
    })?;
    Ok(vec![
        Fact::new("stateful", Value::Boolean(stateful)),
        Fact::new("mechanisms", Value::List(mechanisms)),
    ])
}

fn mechanism(input: &mut Decoder<'_>, explain: Explain) -> Result<Vec<Fact>> {
    Ok(vec![
        options("requires", input)?,
        Fact::new("transport", Value::Tagged(transport(input, explain)?)),
        Fact::new(
            "client authentication",
            Value::Facts(authentication(input)?),
        ),
        Fact::new("attributes", Value::Facts(attributes(input)?)),
    ])
}

/// The transport layer of a mechanism: a component.
fn transport(input: &mut Decoder<'_>, explain: Explain) -> Result<Tagged> {
    let transport = TaggedComponent {
        tag: input.read()?,
        data: input.read_octets()?.to_vec(),
    };
    // A list of mechanisms is no transport. If it were followed, a hostile
    // reference could nest them until the stack ends.
    if transport.tag == tag::CSI_SEC_MECH_LIST {
        let name = tag_name(transport.tag);
        return Ok(Tagged::new(
            transport.tag,
            name,
            &transport.data,
            Content::Unknown,
        ));
    }
    Ok(explain(&transport))
}

/// The authentication layer: `AS_ContextSec`.
fn authentication(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    Ok(vec![
        options("supports", input)?,
        options("requires", input)?,
        Fact::new("mechanism", object_identifier(input.read_octets()?)),
        Fact::new("target name", exported_name(input.read_octets()?)),
    ])
}

/// The attribute layer: `SAS_ContextSec`.
fn attributes(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let supports = options("supports", input)?;
    let requires = options("requires", input)?;
    let count = input.read_count(8)?;
    let authorities = input.read_each(count, 8, |input| {
        Ok(Value::Facts(vec![
            Fact::number("syntax", input.read::<u32>()?),
            Fact::new("name", Value::Octets(input.read_octets()?.to_vec())),
        ]))
    })?;
    let count = input.read_count(4)?;
    let naming = input.read_each(count, 4, |input| {
        Ok(object_identifier(input.read_octets()?))
    })?;
    let identities: u32 = input.read()?;
    Ok(vec![
        supports,
        requires,
        Fact::new("privilege authorities", Value::List(authorities)),
        Fact::new("naming mechanisms", Value::List(naming)),
        Fact::new("identity types", identity_types(identities)),
    ])
}

fn options(name: &'static str, input: &mut Decoder<'_>) -> Result<Fact> {
    let bits: u16 = input.read()?;
    let set = OPTIONS.iter().enumerate();
    let names = set
        .filter(|(bit, _)| bits & 1 << bit != 0)
        .map(|(_, name)| *name)
        .collect();
    Ok(Fact::new(name, Value::Options { bits, names }))
}

fn identity_types(bits: u32) -> Value {
    let mut types: Vec<Value> = Vec::new();
    for (bit, name) in IDENTITY_TYPES.iter().enumerate() {
        if bits & 1 << bit != 0 {
            types.push(Value::Text((*name).into()));
        }
    }
    let unknown = bits & !0xf;
    if unknown != 0 {
        types.push(Value::Text(format!("{unknown:#010x}")));
    }
    Value::List(types)
}

/// An object identifier in DER, in dotted form; its octets if it is none.
fn object_identifier(der: &[u8]) -> Value {
    match dotted(der) {
        Some(text) => Value::Text(text),
        None => Value::Octets(der.to_vec()),
    }
}

fn dotted(der: &[u8]) -> Option<String> {
    let (&[6, length], content) = der.split_first_chunk::<2>()? else {
        return None;
    };
    if usize::from(length) != content.len() || length >= 0x80 || *content.last()? >= 0x80 {
        return None;
    }
    let mut text = String::new();
    let mut arc: u64 = 0;
    for &octet in content {
        arc = arc.checked_mul(128)? | u64::from(octet & 0x7f);
        if octet >= 0x80 {
            continue;
        }
        if text.is_empty() {
            // The first two arcs travel as one number.
            let first = (arc / 40).min(2);
            write!(text, "{first}.{}", arc - 40 * first).ok()?;
        } else {
            write!(text, ".{arc}").ok()?;
        }
        arc = 0;
    }
    Some(text)
}

/// A GSS exported name (RFC 2743, 3.2): token id, mechanism, then the name as
/// text. Its octets if it is none.
fn exported_name(octets: &[u8]) -> Value {
    match name_text(octets) {
        Some(text) => Value::Text(text.into()),
        None => Value::Octets(octets.to_vec()),
    }
}

fn name_text(octets: &[u8]) -> Option<&str> {
    let (&[4, 1, high, low], rest) = octets.split_first_chunk::<4>()? else {
        return None;
    };
    let (_, rest) = rest.split_at_checked(u16::from_be_bytes([high, low]).into())?;
    let (length, name) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    (name.len() == length).then_some(())?;
    core::str::from_utf8(name).ok()
}

#[cfg(test)]
mod tests {
    use super::super::component;
    use super::*;
    use taut_cdr::Encoder;

    /// A list with one mechanism, whose transport is a component.
    fn list(transport: &TaggedComponent) -> TaggedComponent {
        TaggedComponent::encapsulated(tag::CSI_SEC_MECH_LIST, |out| {
            out.write(1_u8);
            out.write_length(1)?;
            out.write(0x0060_u16);
            out.write(transport.tag);
            out.write_length(transport.data.len())?;
            out.write_bytes(&transport.data);
            write_layers(out)
        })
        .unwrap()
    }

    /// GSSUP with a target name; no attributes, but principal names.
    fn write_layers(out: &mut Encoder) -> Result<()> {
        out.write(0x0040_u16);
        out.write(0x0040_u16);
        for octets in [
            &[6, 6, 0x67, 0x81, 2, 1, 1, 1][..],
            b"\x04\x01\x00\x00\x00\x00\x00\x04bank",
        ] {
            out.write_length(octets.len())?;
            out.write_bytes(octets);
        }
        out.write(0x0400_u16);
        out.write(0_u16);
        out.write_length(0)?;
        out.write_length(0)?;
        out.write(0x12_u32);
        Ok(())
    }

    fn mechanism_of(list: &TaggedComponent) -> Vec<Fact> {
        let Content::Known(facts) = component(list).content else {
            panic!("{list:?}");
        };
        assert_eq!(facts[0], Fact::new("stateful", Value::Boolean(true)));
        match &facts[1].value {
            Value::List(list) => match &list[..] {
                [Value::Facts(mechanism)] => mechanism.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mechanisms_are_explained_layer_by_layer() {
        let tls = TaggedComponent::encapsulated(tag::TLS_SEC_TRANS, |out| {
            out.write(0x0066_u16);
            out.write(0_u16);
            out.write_length(1)?;
            out.write_string("h")?;
            out.write(684_u16);
            Ok(())
        })
        .unwrap();
        let mechanism = mechanism_of(&list(&tls));
        let trust = Value::Options {
            bits: 0x60,
            names: vec!["EstablishTrustInTarget", "EstablishTrustInClient"],
        };
        assert_eq!(mechanism[0], Fact::new("requires", trust));
        let Value::Tagged(transport) = &mechanism[1].value else {
            panic!("{mechanism:?}");
        };
        let Content::Known(transport) = &transport.content else {
            panic!("{transport:?}");
        };
        let addresses = Value::List(vec![Value::Facts(address("h", 684))]);
        assert_eq!(transport[2], Fact::new("addresses", addresses));
        let Value::Facts(authentication) = &mechanism[2].value else {
            panic!("{mechanism:?}");
        };
        assert_eq!(authentication[2], Fact::text("mechanism", "2.23.130.1.1.1"));
        assert_eq!(authentication[3], Fact::text("target name", "bank"));
        let Value::Facts(attributes) = &mechanism[3].value else {
            panic!("{mechanism:?}");
        };
        let types = ["ITTPrincipalName", "0x00000010"].map(|text| Value::Text(text.into()));
        assert_eq!(
            attributes[4],
            Fact::new("identity types", Value::List(types.to_vec()))
        );
    }

    #[test]
    fn mechanisms_within_mechanisms_are_not_followed() {
        let nothing = TaggedComponent {
            tag: tag::NULL_TAG,
            data: Vec::new(),
        };
        let mechanism = mechanism_of(&list(&list(&nothing)));
        match &mechanism[1].value {
            Value::Tagged(transport) => assert_eq!(transport.content, Content::Unknown),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn object_identifiers_are_dotted() {
        for (der, text) in [
            // GSSUP.
            (&[6, 6, 0x67, 0x81, 2, 1, 1, 1][..], Some("2.23.130.1.1.1")),
            (&[6, 1, 42], Some("1.2")),
            (&[6, 1, 39], Some("0.39")),
            (&[6, 2, 1], None),
            (&[6, 1, 0x81], None),
            (&[6, 0], None),
            (&[5, 1, 1], None),
            (&[], None),
        ] {
            assert_eq!(dotted(der).as_deref(), text, "{der:?}");
        }
        let mut long = vec![6, 20];
        long.extend([0xff; 19]);
        long.push(0x7f);
        assert_eq!(dotted(&long), None);
    }

    #[test]
    fn exported_names_are_read_or_kept() {
        let name = b"\x04\x01\x00\x02\x06\x00\x00\x00\x00\x03abc";
        assert_eq!(name_text(name), Some("abc"));
        for length in 0..name.len() {
            assert_eq!(name_text(&name[..length]), None, "{length}");
        }
    }
}
