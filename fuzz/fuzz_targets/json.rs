//! Values as JSON: what is read of octets is shown and read again alike, and what is read of a
//! text is written and read again alike.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder};
use taut_json::{any_from_json, any_to_json};
use taut_types::Any;

fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else {
        return;
    };
    match flags & 2 {
        0 => octets(bytes, ByteOrder::from_flag(flags)),
        _ => text(bytes),
    }
});

/// An Any in CDR.
fn octets(bytes: &[u8], order: ByteOrder) {
    let mut input = Decoder::new(bytes, order).with_char_code_set(CharCodeSet::Utf8);
    let Ok(any) = Any::decode(&mut input) else {
        return;
    };
    // Enumerators and booleans are looked at only now, and the parts have a limit.
    let Ok(json) = any_to_json(&any) else {
        return;
    };
    let text = json.to_string();
    // The parser of JSON nests less deeply than values do.
    let Ok(again) = serde_json::from_str(&text) else {
        return;
    };
    let again = any_from_json(&again).expect("its own form is read");
    // It may have fewer octets, and so less memory.
    if let Ok(shown) = any_to_json(&again) {
        assert_eq!(shown.to_string(), text);
    }
}

/// JSON that a person or a program has written.
fn text(bytes: &[u8]) {
    let Ok(json) = serde_json::from_slice(bytes) else {
        return;
    };
    let Ok(any) = any_from_json(&json) else {
        return;
    };
    let Ok(shown) = any_to_json(&any) else {
        return;
    };
    let again = any_from_json(&shown).expect("its own form is read");
    if let Ok(shown_again) = any_to_json(&again) {
        assert_eq!(shown_again, shown);
    }
}
