//! Each place where the ORB calls the application's code, and what that code may do there:
//! whatever it is, the ORB finishes what it has begun, and nobody waits for ever.

#[path = "user_code/places.rs"]
mod places;
#[path = "user_code/world.rs"]
mod world;

use crate::events;
use crate::house::ends;
use places::{Place, text_of_panic};
use world::{Deed, World};

/// Does each deed at each of the places; a cell that hangs is named.
fn try_all_at(places: &[Place]) {
    for &place in places {
        for deed in Deed::ALL {
            ends(&format!("{place:?} × {deed:?}"), move || {
                let world = World::new(place, deed);
                place.visit(&world);
                world.conclude();
            });
        }
    }
}

/// No panic is swallowed in silence.
#[test]
fn a_panic_is_told_with_its_text_and_its_place() {
    events::restart();
    for place in Place::ALL {
        ends(&format!("{place:?}"), move || {
            let world = World::new(place, Deed::Panic);
            place.visit(&world);
            world.conclude();
        });
        let told = events::with(&format!("panic={} ", text_of_panic(place)));
        let told: Vec<_> = told.into_iter().map(|event| event.text).collect();
        let is_told = told.iter().any(|text| text.contains(place.told()));
        assert!(is_told, "{place:?}: {told:?}");
    }
}

#[test]
fn requests_may_do_anything() {
    try_all_at(&[Place::Request, Place::MainThreadRequest]);
}

#[test]
fn servants_may_do_anything_as_they_are_dropped() {
    try_all_at(&[
        Place::DropAfterRequest,
        Place::DropAtDeactivation,
        Place::DropAtDestruction,
        Place::DropAtShutdown,
        Place::DropOfDefaultServant,
        Place::DropOfLocatedServant,
    ]);
}

#[test]
fn servant_activators_may_do_anything() {
    try_all_at(&[
        Place::Incarnate,
        Place::EtherealizeAtDeactivation,
        Place::EtherealizeAfterRequest,
        Place::EtherealizeAtDestruction,
        Place::EtherealizeAtShutdown,
        Place::EtherealizeByManager,
    ]);
}

#[test]
fn servant_locators_may_do_anything() {
    try_all_at(&[Place::Preinvoke, Place::Postinvoke]);
}

#[test]
fn what_the_orb_asks_may_do_anything() {
    try_all_at(&[
        Place::UnknownAdapter,
        Place::UnknownAdapterForRequest,
        Place::DropOfAdapterActivator,
        Place::ObjectKeyLocator,
        Place::DropOfObjectKeyLocator,
    ]);
}
