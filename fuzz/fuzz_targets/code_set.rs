//! The code sets of two sides: read, written, and agreed upon.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder, Encode, Encoder};
use taut_fuzz::Meter;
use taut_giop::code_set::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetContext, char_code_set, id, negotiate,
};

#[global_allocator]
static METER: Meter = Meter::new();

/// Reads the octets as a string; what is read is written and read again alike.
fn convert(code_set: CharCodeSet, octets: &[u8]) {
    let mut out = Encoder::new(ByteOrder::Big);
    out.write_length(octets.len() + 1).expect("is short");
    out.write_bytes(octets);
    out.write_bytes(&[0]);
    let decoder = |octets| Decoder::new(octets, ByteOrder::Big).with_char_code_set(code_set);
    let decoded = METER.reading(out.as_bytes(), |octets| decoder(octets).read_string());
    let Ok(text) = decoded else {
        return;
    };
    let mut again = Encoder::new(ByteOrder::Big);
    again.set_char_code_set(code_set);
    if again.write_string(&text).is_ok() {
        assert_eq!(decoder(again.as_bytes()).read_string(), Ok(text));
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((id, octets)) = bytes.split_first_chunk()
        && let Ok(code_set) = char_code_set(u32::from_be_bytes(*id))
    {
        convert(code_set, octets);
    }
    if let Ok(context) = CodeSetContext::from_context_data(bytes) {
        let data = context.to_context_data();
        assert_eq!(CodeSetContext::from_context_data(&data), Ok(context));
        if let Ok(code_set) = context.char_code_set() {
            convert(code_set, bytes);
        }
    }
    let both = METER.reading(bytes, |bytes| {
        let mut input = Decoder::encapsulated(bytes)?;
        let client = CodeSetComponentInfo::decode(&mut input)?;
        let server = CodeSetComponentInfo::decode(&mut input)?;
        Ok::<_, taut_cdr::Error>((client, server, input.order()))
    });
    let Ok((client, server, order)) = both else {
        return;
    };
    for info in [&client, &server] {
        let mut out = Encoder::new(order);
        info.encode(&mut out).expect("was decoded");
        let mut again = Decoder::new(out.as_bytes(), order);
        assert_eq!(CodeSetComponentInfo::decode(&mut again).as_ref(), Ok(info));
        let component = info.to_component().expect("was decoded");
        let again = CodeSetComponentInfo::from_component(&component);
        assert_eq!(again.as_ref(), Ok(info));
    }
    let Ok(agreed) = CodeSetContext::negotiate(&client, Some(&server)) else {
        return;
    };
    let chosen = negotiate(&client.for_char, &server.for_char, id::UTF_8);
    assert_eq!(chosen, Some(agreed.char_tcs));
    // The chosen code set is one that the side offers, or both fell back.
    let offers = |side: &CodeSetComponent| {
        side.native == agreed.char_tcs || side.conversion.contains(&agreed.char_tcs)
    };
    assert!(offers(&client.for_char) || agreed.char_tcs == id::UTF_8);
    assert!(offers(&server.for_char) || agreed.char_tcs == id::UTF_8);
});
