//! Marshaling alone: values written to a buffer and read from it, without calls.
//!
//! A client writes the in and the inout value of a call and reads the three that come back; its
//! server does the reverse. So each side's time is made of the times of a value one way and the
//! other.

use std::hint::black_box;
use std::time::Instant;

use clap::ValueEnum;
use taut::ByteOrder;
use taut::codegen::{Decode, Decoder, Encode, Encoder, table};

use super::{Type, compiled, interpretive};
use crate::driver::Plan;
use crate::error::BenchError;
use crate::goals::Marshaling;
use crate::record::Row;
use crate::statistics::Spread;

/// The values of a type, one way and the other, in both strategies.
struct Subject {
    kind: Type,
    compiled: Ways,
    interpretive: Ways,
}

/// Writes a value so many times, and reads one so many times; how long each takes in
/// nanoseconds.
type Ways = Box<dyn FnMut(u32) -> Result<[f64; 2], BenchError>>;

/// Values a call writes and reads on the client; on the server it is the reverse.
const WRITTEN: f64 = 2.0;
const READ: f64 = 3.0;

/// A row for each type and strategy.
///
/// # Errors
///
/// [`BenchError::Call`] when a value cannot be marshaled.
pub(super) fn measure(plan: Plan) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for Subject {
        kind,
        compiled,
        interpretive,
    } in subjects()
    {
        let mut both = [
            (Marshaling::Compiled, compiled),
            (Marshaling::Interpretive, interpretive),
        ];
        let mut rounds: [Vec<[f64; 2]>; 2] = Default::default();
        for round in 0..=plan.rounds {
            for ((_, ways), rounds) in both.iter_mut().zip(&mut rounds) {
                let times = ways(plan.calls)?;
                // The first warms up.
                if round > 0 {
                    rounds.push(times);
                }
            }
        }
        let [code, tables] = &rounds;
        for ((strategy, _), own) in both.iter().zip(&rounds) {
            let spread = |of: fn(&[f64; 2]) -> f64| Spread::of(own.iter().map(of));
            let row = Row::new().with("case", "alone").with("type", kind);
            let row = row.with("strategy", strategy).with("rounds", plan.rounds);
            let row = row.with("values", plan.calls);
            let row = row.spread("write_ns", spread(|it| it[0]));
            let row = row.spread("read_ns", spread(|it| it[1]));
            let row = row.spread("client_ns", spread(|it| WRITTEN * it[0] + READ * it[1]));
            let row = row.spread("server_ns", spread(|it| READ * it[0] + WRITTEN * it[1]));
            let speed = |place: usize| {
                let pairs = code.iter().zip(tables);
                Spread::of(pairs.map(|(code, table)| code[place] / table[place]))
            };
            rows.push(match strategy {
                Marshaling::Compiled => row,
                Marshaling::Interpretive => {
                    let row = row.spread("write_speed", speed(0));
                    row.spread("read_speed", speed(1))
                }
            });
        }
    }
    Ok(rows)
}

/// All types.
fn subjects() -> Vec<Subject> {
    let code = compiled::Values::new();
    let tables = interpretive::Values::new();
    let subject = |kind, compiled, interpretive| Subject {
        kind,
        compiled,
        interpretive,
    };
    let all = vec![
        subject(Type::Short, by_code(code.short), by_table(tables.short)),
        subject(
            Type::UnboundedString,
            by_code(code.string),
            by_table(tables.string),
        ),
        subject(
            Type::FixedStruct,
            by_code(code.fixed),
            by_table(tables.fixed),
        ),
        subject(
            Type::StringSequence,
            by_code(code.strings),
            by_table(tables.strings),
        ),
        subject(
            Type::VariableStruct,
            by_code(code.variable),
            by_table(tables.variable),
        ),
        subject(
            Type::NestedStruct,
            by_code(code.nested),
            by_table(tables.nested),
        ),
        subject(
            Type::StructSequence,
            by_code(code.structs),
            by_table(tables.structs),
        ),
    ];
    debug_assert_eq!(all.len(), Type::value_variants().len());
    all
}

fn by_code<T: Encode + for<'m> Decode<'m> + 'static>(value: T) -> Ways {
    ways(
        value,
        |value, out| value.encode(out),
        |input| T::decode(input),
    )
}

fn by_table<T: table::Tabled + 'static>(value: T) -> Ways {
    ways(value, table::encode, table::decode)
}

/// Both ways of a value.
fn ways<T: 'static>(
    value: T,
    write: fn(&T, &mut Encoder) -> taut::codegen::CdrResult<()>,
    read: fn(&mut Decoder<'_>) -> taut::codegen::CdrResult<T>,
) -> Ways {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    Box::new(move |times| {
        let begun = Instant::now();
        for _ in 0..times {
            out.clear();
            write(black_box(&value), &mut out).map_err(BenchError::call)?;
            black_box(out.as_bytes());
        }
        let written = begun.elapsed();
        // A large sequence lies apart from the rest.
        let octets = [out.as_bytes(), out.tail()].concat();
        let begun = Instant::now();
        for _ in 0..times {
            let mut input = Decoder::new(black_box(&octets), ByteOrder::NATIVE);
            black_box(read(&mut input).map_err(BenchError::call)?);
        }
        let of_one = |time: std::time::Duration| time.as_secs_f64() * 1e9 / f64::from(times);
        Ok([of_one(written), of_one(begun.elapsed())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_written_and_read_in_both_strategies() {
        for Subject {
            kind,
            mut compiled,
            mut interpretive,
        } in subjects()
        {
            for ways in [&mut compiled, &mut interpretive] {
                assert!(ways(3).unwrap().iter().all(|time| *time > 0.0), "{kind}");
            }
        }
    }
}
