//! A reference in an encapsulation, its profiles, and its string form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_cdr::{Decode, Decoder};
use taut_fuzz::Meter;
use taut_giop::component::UnixAddress;
use taut_giop::ior::{UiopProfile, profile};
use taut_giop::operation_handle::OperationHandles;
use taut_giop::{Ior, Limits};

#[global_allocator]
static METER: Meter = Meter::new();

fn uiop_profiles(ior: &Ior) -> impl Iterator<Item = taut_cdr::Result<UiopProfile>> {
    ior.profiles
        .iter()
        .filter(|profile| profile.tag == profile::tag::TAO_UIOP)
        .map(|profile| UiopProfile::parse_within(&profile.data, &Limits::DEFAULT))
}

fuzz_target!(|bytes: &[u8]| {
    let decoded = METER.reading(bytes, |bytes| {
        let ior = Decoder::encapsulated(bytes).and_then(|mut input| Ior::decode(&mut input))?;
        ior.iiop_profiles().for_each(drop);
        uiop_profiles(&ior).for_each(drop);
        Ok::<_, taut_cdr::Error>(ior)
    });
    let Ok(ior) = decoded else {
        return;
    };
    assert_eq!(ior.to_string().parse::<Ior>().as_ref(), Ok(&ior));
    assert_eq!(
        taut_explain::reference(&ior).len(),
        2 + usize::from(ior.is_nil())
    );
    for profile in ior.iiop_profiles().flatten() {
        for component in &profile.components {
            if let Ok(Some(handles)) = OperationHandles::from_component(component) {
                let again = handles.to_component();
                let again = again.and_then(|again| OperationHandles::from_component(&again));
                assert_eq!(again, Ok(Some(handles)));
            }
            if let Ok(address) = UnixAddress::from_component(component) {
                let again = address.to_component();
                let again = again.and_then(|again| UnixAddress::from_component(&again));
                assert_eq!(again, Ok(address));
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
    for profile in uiop_profiles(&ior).flatten() {
        let again = profile.to_profile().map(|tagged| tagged.data);
        if profile.version.minor > 0 {
            assert_eq!(
                again.and_then(|data| UiopProfile::parse_within(&data, &Limits::DEFAULT)),
                Ok(profile)
            );
        }
    }
});
