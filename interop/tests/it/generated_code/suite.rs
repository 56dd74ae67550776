//! The tests, for the Rust of either strategy, which [`generated`] imports.

use std::fmt::Debug;

use taut::{Orb, Reference as _, Skeleton, Version};
generated!();

/// Implements operations that return `a` and the old `b`, and leave `a` in `b`.
macro_rules! echo {
    ($($name:ident($argument:ty, $owned:ty) = $own:expr;)*) => {$(
        fn $name(&self, a: $argument, b: &mut $owned) -> taut::Result<($owned, $owned)> {
            let own: fn($argument) -> $owned = $own;
            Ok((own(a), std::mem::replace(b, own(a))))
        }
    )*};
}

mod any_values;
mod arguments;
mod dispatching;
mod local_interfaces;
mod maps_of_bits;
mod mixed_strategies;
mod properties;
mod sized_integers;
mod value_types;
mod variants;
mod wide_and_decimal;

/// An ORB that serves, and an ORB that calls: two, so that nothing is local.
fn serve<S: Skeleton>(servant: S) -> (Orb, Orb, S::Reference) {
    serve_in(Version::V1_2, servant)
}

/// The same, in this version of GIOP.
fn serve_in<S: Skeleton>(version: Version, servant: S) -> (Orb, Orb, S::Reference) {
    let server = taut_interop::over_the_wire()
        .listen("127.0.0.1:0")
        .unwrap()
        .settings(|settings| settings.wire.giop_version = version)
        .build()
        .unwrap();
    let poa = server.root_poa().unwrap();
    let reference = poa.activate(servant).unwrap();
    poa.manager().activate().unwrap();
    let client = taut_interop::over_the_wire().build().unwrap();
    let ior = server.object_to_string(reference.as_object());
    let peer = client.string_to_object(&ior).unwrap().narrow().unwrap();
    (server, client, peer)
}

/// Calls an operation that [`echo`] implements.
fn check<T: Clone + PartialEq + Debug>(
    a: T,
    b: T,
    call: impl Fn(&T, &mut T) -> taut::Result<(T, T)>,
) {
    for (a, b) in [(&a, &b), (&b, &a)] {
        let mut inout = b.clone();
        assert_eq!(call(a, &mut inout), Ok((a.clone(), b.clone())));
        assert_eq!(inout, *a);
    }
}
