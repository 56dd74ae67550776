//! A DynAny: whatever its operations are asked for, in any order, they end in a value that is
//! written and read again alike.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder};
use taut_types::Any;
use taut_types::dyn_any::{DynAny, DynAnyFactory};
use taut_types::dynamic::Described;

/// The memory that the parts of a value may take, in octets.
const MEMORY: usize = 64 << 10;

fuzz_target!(|bytes: &[u8]| {
    let Some((&count, bytes)) = bytes.split_first() else {
        return;
    };
    let Some((steps, bytes)) = bytes.split_at_checked(count.into()) else {
        return;
    };
    let Some((&flags, bytes)) = bytes.split_first() else {
        return;
    };
    let order = ByteOrder::from_flag(flags);
    let mut input = Decoder::new(bytes, order).with_char_code_set(CharCodeSet::Utf8);
    let Ok(any) = Any::decode(&mut input) else {
        return;
    };
    let factory = DynAnyFactory::new().with_memory(MEMORY);
    // A value of the type alone, too.
    if let Ok(mut fresh) = factory.create_dyn_any_from_type_code(any.type_code()) {
        run(&mut fresh, &mut steps.iter().copied());
        check(&fresh, factory);
    }
    let Ok(mut it) = factory.create_dyn_any(&any) else {
        return;
    };
    check(&it, factory);
    run(&mut it, &mut steps.iter().copied());
    check(&it, factory);
    if let Ok(described) = Described::from_any(&any) {
        let again = described.to_any().expect("it was read just now");
        let parts = Described::from_any(&again).expect("it was written just now");
        assert_eq!(parts.len(), described.len());
    }
});

fn run(it: &mut DynAny<'_>, steps: &mut impl Iterator<Item = u8>) {
    while let Some(step) = steps.next() {
        let number = i32::from(steps.next().unwrap_or_default()) - 1;
        let count = it.component_count();
        match step % 24 {
            0 => assert_eq!(it.next(), it.position().is_some()),
            1 => it.rewind(),
            2 => assert_eq!(it.seek(number), u32::try_from(number).is_ok_and(|at| at < count)),
            3 => {
                if let Ok(Some(mut component)) = it.current_component() {
                    run(&mut component, steps);
                }
            }
            4 => drop(it.insert_long(number)),
            5 => drop(it.insert_octet(number as u8)),
            6 => drop(it.insert_boolean(number > 0)),
            7 => drop(it.insert_string("text")),
            8 => drop(it.insert_double(number.into())),
            9 => drop(it.insert_octet_seq(&[1, 2, 3])),
            10 => drop(it.insert_dyn_any(&it.copy())),
            11 => drop(it.insert_short(number as i16)),
            12 => drop(it.insert_ulong(number as u32)),
            13 => {
                if let Some(mut list) = it.as_sequence() {
                    drop(list.set_length(number as u32));
                }
            }
            14 => {
                if let Some(mut color) = it.as_enum() {
                    drop(color.set_as_ulong(number as u32));
                }
            }
            15 => {
                if let Some(mut fixed) = it.as_fixed() {
                    let text = fixed.get_value();
                    assert_eq!(fixed.set_value(&text), Ok(true));
                    drop(fixed.set_value(&format!("{number}.25")));
                }
            }
            16 => {
                if let Some(mut union) = it.as_union() {
                    drop(union.set_to_default_member());
                    drop(union.set_discriminator(&union.get_discriminator()));
                }
            }
            17 => {
                if let Some(mut union) = it.as_union() {
                    drop(union.set_to_no_active_member());
                }
            }
            18 => {
                if let Some(mut value) = it.as_value() {
                    drop(value.set_to_value());
                }
            }
            19 => {
                if let Some(mut value) = it.as_value() {
                    drop(value.set_to_null());
                }
            }
            20 => {
                if let Some(mut value) = it.as_value_box() {
                    drop(value.set_to_value());
                }
            }
            21 => {
                if let Some(mut members) = it.as_struct() {
                    let all = members.get_members_as_dyn_any();
                    assert_eq!(members.set_members_as_dyn_any(&all), Ok(()));
                }
            }
            22 => {
                if let Some(mut list) = it.as_sequence() {
                    let all = list.get_elements_as_dyn_any();
                    assert_eq!(list.set_elements_as_dyn_any(&all), Ok(()));
                }
            }
            _ => {
                let copy = it.copy();
                assert_eq!(it.assign(&copy), Ok(()));
            }
        }
    }
}

/// Its value is written and read again alike, unless it has become too deep, too large, or leads
/// to a value that is no longer there.
fn check(it: &DynAny<'_>, factory: DynAnyFactory) {
    let Ok(any) = it.to_any() else {
        return;
    };
    if let Ok(again) = factory.create_dyn_any(&any) {
        assert_eq!(again.to_any().as_ref(), Ok(&any));
    }
}
