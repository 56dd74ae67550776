//! The content of components.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Result};

use super::fact::{Fact, Tagged, Value, address};
use super::security;
use taut_giop::code_set::{self, CodeSetComponent, CodeSetComponentInfo};
use taut_giop::component::{AlternateAddress, TaggedComponent, orb_type_name, tag, tag_name};
use taut_giop::operation_handle::OperationHandles;

/// A component.
pub fn component(component: &TaggedComponent) -> Tagged {
    let content = read(component).into();
    let name = tag_name(component.tag);
    Tagged::new(component.tag, name, &component.data, content)
}

/// A function that explains a component's data.
type Reader = fn(&mut Decoder<'_>) -> Result<Vec<Fact>>;

fn read(component: &TaggedComponent) -> Option<Result<Vec<Fact>>> {
    let read: Reader = match component.tag {
        tag::ORB_TYPE => return Some(component.orb_type().map(orb_type)),
        tag::CODE_SETS => {
            return Some(
                CodeSetComponentInfo::from_component(component).map(|info| code_sets(&info)),
            );
        }
        tag::ALTERNATE_IIOP_ADDRESS => {
            let read = AlternateAddress::from_component(component);
            return Some(read.map(|found| address(found.host, found.port)));
        }
        tag::OPERATION_HANDLES => {
            let read = OperationHandles::from_component(component);
            return read.map(|found| found.map(operation_handles)).transpose();
        }
        tag::NULL_TAG => return Some(Ok(Vec::new())),
        tag::POLICIES => policies,
        tag::JAVA_CODEBASE => |input| Ok(vec![text("codebase", input)?]),
        tag::TRANSACTION_POLICY | tag::OTS_POLICY | tag::INV_POLICY => {
            |input| Ok(vec![Fact::number("policy", input.read::<u16>()?)])
        }
        tag::FT_GROUP => ft_group,
        tag::FT_PRIMARY => |input| Ok(vec![boolean("primary", input)?]),
        tag::FT_HEARTBEAT_ENABLED => |input| Ok(vec![boolean("heartbeat enabled", input)?]),
        tag::RMI_CUSTOM_MAX_STREAM_FORMAT => {
            |input| Ok(vec![Fact::number("stream format", input.read::<u8>()?)])
        }
        tag::SSL_SEC_TRANS => security::ssl,
        tag::TLS_SEC_TRANS => security::tls,
        tag::CSI_SEC_MECH_LIST => |input| security::mechanisms(input, self::component),
        tag::TAO_ENDPOINTS => tao_endpoints,
        tag::OMNIORB_BIDIR => |input| Ok(vec![text("send from", input)?]),
        tag::OMNIORB_UNIX_TRANS => |input| Ok(vec![text("host", input)?, text("path", input)?]),
        _ => return None,
    };
    let decoder = component.decoder(component.tag);
    Some(decoder.and_then(|mut input| read(&mut input)))
}

fn orb_type(number: u32) -> Vec<Fact> {
    let name = orb_type_name(number);
    vec![Fact::new("ORB type", Value::Code { number, name })]
}

fn operation_handles(handles: OperationHandles) -> Vec<Fact> {
    let fingerprint = handles.fingerprint.to_be_bytes().to_vec();
    vec![
        Fact::new("interface", Value::Octets(fingerprint)),
        Fact::new("key", Value::Octets(handles.key)),
    ]
}

fn code_sets(info: &CodeSetComponentInfo) -> Vec<Fact> {
    let side = |component: &CodeSetComponent| {
        let conversion = component.conversion.iter();
        Value::Facts(vec![
            Fact::new("native", code_set(component.native)),
            Fact::new(
                "conversion",
                Value::List(conversion.copied().map(code_set).collect()),
            ),
        ])
    };
    vec![
        Fact::new("char", side(&info.for_char)),
        Fact::new("wchar", side(&info.for_wchar)),
    ]
}

pub(super) fn code_set(number: u32) -> Value {
    let name = match number {
        0 => Some("none"),
        _ => code_set::name(number),
    };
    Value::Code { number, name }
}

/// Client-exposed policies: each a type and the encapsulation of its value.
pub(super) fn policies(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let count = input.read_count(8)?;
    let policies = input.read_each(count, 8, |input| {
        let number = input.read()?;
        let value = input.read_octets()?;
        let name = policy_type_name(number);
        Ok(Value::Facts(vec![
            Fact::new("type", Value::Code { number, name }),
            Fact::new("value", policy_value(number, value)),
        ]))
    })?;
    Ok(vec![Fact::new("policies", Value::List(policies))])
}

/// The names of the policy types that servers expose to clients.
const fn policy_type_name(number: u32) -> Option<&'static str> {
    Some(match number {
        23 => "Rebind",
        24 => "SyncScope",
        25 => "RequestPriority",
        26 => "ReplyPriority",
        27 => "RequestStartTime",
        28 => "RequestEndTime",
        29 => "ReplyStartTime",
        30 => "ReplyEndTime",
        31 => "RelativeRequestTimeout",
        32 => "RelativeRoundtripTimeout",
        33 => "Routing",
        34 => "MaxHops",
        35 => "QueueOrder",
        37 => "BidirectionalPolicy",
        PRIORITY_MODEL => "PriorityModel",
        42 => "ServerProtocol",
        43 => "ClientProtocol",
        44 => "PrivateConnection",
        45 => "PriorityBandedConnection",
        47 => "FT RequestDuration",
        48 => "FT Heartbeat",
        49 => "FT HeartbeatEnabled",
        _ => return None,
    })
}

/// The value of a policy, its octets when it is not known or malformed.
fn policy_value(policy_type: u32, data: &[u8]) -> Value {
    let read = match policy_type {
        PRIORITY_MODEL => {
            Decoder::encapsulated(data).and_then(|mut input| priority_model(&mut input))
        }
        _ => return Value::Octets(data.to_vec()),
    };
    read.map_or_else(|_| Value::Octets(data.to_vec()), Value::Facts)
}

/// The type of the real-time priority model policy.
const PRIORITY_MODEL: u32 = 40;

fn priority_model(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    const MODELS: [&str; 2] = ["CLIENT_PROPAGATED", "SERVER_DECLARED"];
    let ordinal = input.read_ordinal(2)?;
    let name = MODELS.get(ordinal as usize).copied();
    Ok(vec![
        Fact::new(
            "model",
            Value::Code {
                number: ordinal,
                name,
            },
        ),
        signed("server priority", input)?,
    ])
}

/// The object group of a fault-tolerant object.
fn ft_group(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let (major, minor): (u8, u8) = (input.read()?, input.read()?);
    Ok(vec![
        Fact::text("version", taut_giop::Version::new(major, minor).to_string()),
        text("domain", input)?,
        Fact::number("group id", input.read::<u64>()?),
        Fact::number("reference version", input.read::<u32>()?),
    ])
}

/// All endpoints of a TAO server, with their real-time priorities.
fn tao_endpoints(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let count = input.read_count(8)?;
    let endpoints = input.read_each(count, 8, |input| {
        let host = input.read_string()?.into_owned();
        // IDL says `short`; it is a port all the same.
        let mut facts = address(host, input.read()?);
        facts.push(signed("priority", input)?);
        Ok(Value::Facts(facts))
    })?;
    Ok(vec![Fact::new("endpoints", Value::List(endpoints))])
}

fn text(name: &'static str, input: &mut Decoder<'_>) -> Result<Fact> {
    Ok(Fact::text(name, input.read_string()?.into_owned()))
}

fn signed(name: &'static str, input: &mut Decoder<'_>) -> Result<Fact> {
    Ok(Fact::new(name, Value::Signed(input.read::<i16>()?.into())))
}

fn boolean(name: &'static str, input: &mut Decoder<'_>) -> Result<Fact> {
    Ok(Fact::new(name, Value::Boolean(input.read_bool()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Content;
    use taut_cdr::Encoder;

    fn explained(tag: u32, body: impl FnOnce(&mut Encoder) -> Result<()>) -> Vec<Fact> {
        let encoded = TaggedComponent::encapsulated(tag, body).unwrap();
        match component(&encoded).content {
            Content::Known(facts) => facts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_priority_model_is_told_from_other_policies() {
        let facts = explained(tag::POLICIES, |out| {
            out.write_length(2)?;
            out.write(PRIORITY_MODEL);
            out.write_encapsulation(|out| {
                out.write(1_u32);
                out.write(-7_i16);
                Ok(())
            })?;
            out.write(7_777_u32);
            out.write_length(1)?;
            out.write(9_u8);
            Ok(())
        });
        let policies = vec![
            Value::Facts(vec![
                Fact::new(
                    "type",
                    Value::Code {
                        number: 40,
                        name: Some("PriorityModel"),
                    },
                ),
                Fact::new(
                    "value",
                    Value::Facts(vec![
                        Fact::new(
                            "model",
                            Value::Code {
                                number: 1,
                                name: Some("SERVER_DECLARED"),
                            },
                        ),
                        Fact::new("server priority", Value::Signed(-7)),
                    ]),
                ),
            ]),
            Value::Facts(vec![
                Fact::new(
                    "type",
                    Value::Code {
                        number: 7_777,
                        name: None,
                    },
                ),
                Fact::new("value", Value::Octets(vec![9])),
            ]),
        ];
        assert_eq!(facts, [Fact::new("policies", Value::List(policies))]);
    }

    #[test]
    fn every_endpoint_of_tao_is_listed() {
        let facts = explained(tag::TAO_ENDPOINTS, |out| {
            out.write_length(1)?;
            out.write_string("h")?;
            out.write(40_000_u16);
            out.write(3_i16);
            Ok(())
        });
        let mut endpoint = address("h", 40_000);
        endpoint.push(Fact::new("priority", Value::Signed(3)));
        let endpoints = Value::List(vec![Value::Facts(endpoint)]);
        assert_eq!(facts, [Fact::new("endpoints", endpoints)]);
    }

    #[test]
    fn no_data_of_a_known_tag_is_a_panic() {
        let patterns: [fn(u8) -> u8; 5] = [
            |_| 0,
            |_| 0xff,
            |at| at,
            |at| u8::from(at % 4 == 0),
            |at| u8::from(at % 4 == 1),
        ];
        for number in (0..128)
            .chain(0x5441_4f00..0x5441_4f10)
            .chain(0x5441_5500..0x5441_5510)
            .chain(0x4154_5400..0x4154_5410)
        {
            for pattern in patterns {
                for length in 0..80 {
                    let data: Vec<u8> = (0..length).map(pattern).collect();
                    let tagged = TaggedComponent { tag: number, data };
                    assert_eq!(component(&tagged).data, tagged.data);
                }
            }
        }
    }
}
