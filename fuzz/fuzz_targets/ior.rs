//! A reference in an encapsulation, its profiles, and its string form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{Decode, Decoder};
use taut_fuzz::Meter;
use taut_giop::operation_handle::OperationHandles;
use taut_giop::{Ior, explain};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|bytes: &[u8]| {
    let decoded = METER.reading(bytes, |bytes| {
        let ior = Decoder::encapsulated(bytes).and_then(|mut input| Ior::decode(&mut input))?;
        ior.iiop_profiles().for_each(drop);
        Ok::<_, taut_cdr::Error>(ior)
    });
    let Ok(ior) = decoded else {
        return;
    };
    assert_eq!(ior.to_string().parse::<Ior>().as_ref(), Ok(&ior));
    assert_eq!(
        explain::reference(&ior).len(),
        2 + usize::from(ior.is_nil())
    );
    for profile in ior.iiop_profiles().flatten() {
        for component in &profile.components {
            if let Ok(Some(handles)) = OperationHandles::from_component(component) {
                let again = handles.to_component();
                let again = again.and_then(|again| OperationHandles::from_component(&again));
                assert_eq!(again, Ok(Some(handles)));
            }
        }
        let again = profile.to_profile().map(|tagged| tagged.data);
        if profile.version.minor > 0 {
            assert_eq!(
                again.and_then(|data| taut_giop::ior::IiopProfile::parse(&data)),
                Ok(profile)
            );
        }
    }
});
