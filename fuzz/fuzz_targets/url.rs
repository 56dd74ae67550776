//! The URL of an object, and the name in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_fuzz::Meter;
use taut_giop::naming::{format_name, parse_name};
use taut_giop::url::ObjectUrl;

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|text: &str| {
    match METER.reading(text.as_bytes(), |_| text.parse::<ObjectUrl>()) {
        Ok(url) => {
            let written = url.to_string();
            assert_eq!(written.parse::<ObjectUrl>().as_ref(), Ok(&url), "{written}");
            assert!(!taut_explain::url(&url).is_empty());
            if let ObjectUrl::Corbaloc(location) = &url {
                let ior = location.to_ior().expect("a host without NUL");
                assert!(ior.iiop_profiles().all(|profile| profile.is_ok()));
            }
        }
        Err(error) => assert!(error.position <= text.len()),
    }
    if let Ok(name) = METER.reading(text.as_bytes(), |_| parse_name(text)) {
        let written = format_name(&name).expect("a name has a component");
        assert_eq!(parse_name(&written), Ok(name));
    }
});
