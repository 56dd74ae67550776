//! The content of service contexts (CORBA 3.3 part 2, 7.7).

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{Decoder, Result};

use super::component::{code_set, policies};
use super::fact::{Fact, Tagged, Value, address};
use super::reference::reference;
use taut_giop::Limits;
use taut_giop::code_set::CodeSetContext;
use taut_giop::ior::Ior;
use taut_giop::service_context::{ServiceContext, id, id_name};

/// A service context.
pub fn service_context(context: &ServiceContext<'_>) -> Tagged {
    let content = read(context).into();
    Tagged::new(context.id, id_name(context.id), context.data, content)
}

fn read(context: &ServiceContext<'_>) -> Option<Result<Vec<Fact>>> {
    let read: fn(&mut Decoder<'_>) -> Result<Vec<Fact>> = match context.id {
        id::CODE_SETS => {
            let read = CodeSetContext::from_context_data(context.data);
            return Some(read.map(|sets| {
                vec![
                    Fact::new("char", code_set(sets.char_tcs)),
                    Fact::new("wchar", code_set(sets.wchar_tcs)),
                ]
            }));
        }
        id::BI_DIR_IIOP => listen_points,
        id::SENDING_CONTEXT_RUN_TIME => |input| {
            let code_base = Ior::decode_within(input, &Limits::DEFAULT)?;
            Ok(vec![Fact::new(
                "code base",
                Value::Facts(reference(&code_base)),
            )])
        },
        id::INVOCATION_POLICIES => policies,
        id::RT_CORBA_PRIORITY => |input| Ok(vec![signed("priority", input)?]),
        id::RT_CORBA_PRIORITY_RANGE => {
            |input| Ok(vec![signed("least", input)?, signed("greatest", input)?])
        }
        id::FT_GROUP_VERSION => |input| Ok(vec![Fact::number("version", input.read::<u32>()?)]),
        id::FT_REQUEST => |input| {
            Ok(vec![
                Fact::text("client id", input.read_string()?.into_owned()),
                Fact::new("retention id", Value::Signed(input.read::<i32>()?.into())),
                Fact::number("expiration time", input.read::<u64>()?),
            ])
        },
        id::EXCEPTION_DETAIL_MESSAGE => |input| {
            Ok(vec![Fact::text(
                "message",
                input.read_wstring()?.to_string(),
            )])
        },
        id::RMI_CUSTOM_MAX_STREAM_FORMAT => {
            |input| Ok(vec![Fact::number("stream format", input.read::<u8>()?)])
        }
        id::TAUT_TRACE_CONTEXT => fields,
        id::TAUT_DEADLINE => |input| {
            Ok(vec![
                Fact::number("operation", input.read::<u32>()?),
                Fact::number("time left (100 ns)", input.read::<u64>()?),
                Fact::number("sent at (100 ns)", input.read::<u64>()?),
            ])
        },
        _ => return None,
    };
    Some(Decoder::encapsulated(context.data).and_then(|mut input| read(&mut input)))
}

/// The addresses at which the client can be called over the same connection.
fn listen_points(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let count = input.read_count(7)?;
    let points = input.read_each(count, 7, |input| {
        let host = input.read_string()?.into_owned();
        Ok(Value::Facts(address(host, input.read()?)))
    })?;
    Ok(vec![Fact::new("listen points", Value::List(points))])
}

/// The fields of a trace, which are those of HTTP headers.
fn fields(input: &mut Decoder<'_>) -> Result<Vec<Fact>> {
    let count = input.read_count(8)?;
    let fields = input.read_each(count, 8, |input| {
        let name = input.read_string()?.into_owned();
        let value = input.read_string()?.into_owned();
        Ok(Value::Facts(vec![
            Fact::text("name", name),
            Fact::text("value", value),
        ]))
    })?;
    Ok(vec![Fact::new("fields", Value::List(fields))])
}

fn signed(name: &'static str, input: &mut Decoder<'_>) -> Result<Fact> {
    Ok(Fact::new(name, Value::Signed(input.read::<i16>()?.into())))
}
