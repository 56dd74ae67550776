//! A struct of primitives and strings goes into an Any and out of it without memory but
//! that for what is kept.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use counting_allocator::in_steady_state;
use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_types::{Any, TypeCode, TypeCodeLimits, Typed};

#[test]
fn a_short_value_takes_no_memory_but_its_own() {
    let members = [
        ("name", String::type_code()),
        ("time", u64::type_code()),
        ("flag", bool::type_code()),
    ];
    let type_code = TypeCode::create_struct("IDL:S:1.0", "S", &members).unwrap();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut source = Encoder::new(order);
        source.write_string("boiler/3/outlet").unwrap();
        source.write(7_u64);
        source.write(1_u8);
        let mut input = Decoder::new(source.as_bytes(), order);
        let limits = TypeCodeLimits::DEFAULT;
        let any = Any::read_value(type_code.clone(), &mut input, &limits).unwrap();
        let mut out = Encoder::new(order);
        let allocations = in_steady_state(10, || {
            out.clear();
            // So that it is not the octets as they are kept.
            out.write(1_u32);
            any.write_value(&mut out).unwrap();
        });
        assert_eq!(allocations, 0);
        let allocations = in_steady_state(10, || {
            let mut input = Decoder::new(source.as_bytes(), order);
            Any::read_value(type_code.clone(), &mut input, &limits).unwrap();
        });
        // The octets that are kept.
        assert_eq!(allocations, 10);
    }
}
