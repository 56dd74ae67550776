//! What two sides can do with characters: read, written, and agreed upon.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{Decode, Decoder, Encode, Encoder};
use taut_fuzz::Meter;
use taut_giop::code_set::{CodeSetComponent, CodeSetComponentInfo, CodeSetContext, id, negotiate};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|bytes: &[u8]| {
    if let Ok(context) = CodeSetContext::from_context_data(bytes) {
        let data = context.to_context_data();
        assert_eq!(CodeSetContext::from_context_data(&data), Ok(context));
        let _ = context.char_code_set();
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
    // What is chosen, one of the two offered, or both fell back.
    let offers = |side: &CodeSetComponent| {
        side.native == agreed.char_tcs || side.conversion.contains(&agreed.char_tcs)
    };
    assert!(offers(&client.for_char) || agreed.char_tcs == id::UTF_8);
    assert!(offers(&server.for_char) || agreed.char_tcs == id::UTF_8);
});
