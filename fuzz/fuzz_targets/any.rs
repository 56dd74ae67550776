//! An Any: what is read can be printed, compared and sent again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder, Encoder, WideForm};
use taut_fuzz::Meter;
use taut_types::{Any, DefaultLabel, TypeCode, Typed, engine};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else {
        return;
    };
    let order = ByteOrder::from_flag(flags);
    let form = match flags & 2 {
        0 => WideForm::Octets,
        _ => WideForm::Units,
    };
    let label = match flags & 4 {
        0 => DefaultLabel::Discriminator,
        _ => DefaultLabel::Octet,
    };
    let code_set = match flags & 8 {
        0 => CharCodeSet::Utf8,
        _ => CharCodeSet::Iso8859_1,
    };
    let mut input = Decoder::new(bytes, order)
        .with_char_code_set(code_set)
        .with_wide_form(form);
    let mut skipping = input.clone();
    // Memory that is claimed once per process does not count.
    let _ = TypeCode::null();
    let decoded = METER.reading(bytes, |_| Any::decode(&mut input));
    let skipped = engine::skip(&<Any as Typed>::type_code(), &mut skipping);
    let Ok(any) = decoded else {
        assert!(skipped.is_err());
        return;
    };
    assert_eq!(input.position(), skipping.position());
    let _ = format!("{any:?} {:?}", any.type_code());
    assert!(any.type_code().equivalent(&any.type_code().compact()));
    let mut out = Encoder::new(ByteOrder::Big);
    out.set_char_code_set(CharCodeSet::Utf8);
    out.set_wide_form(form);
    if any.encode_as(&mut out, label).is_ok() {
        let mut again = Decoder::new(out.as_bytes(), ByteOrder::Big)
            .with_char_code_set(CharCodeSet::Utf8)
            .with_wide_form(form);
        assert_eq!(Any::decode(&mut again).as_ref(), Ok(&any));
        assert_eq!(again.remaining(), 0);
    }
});
