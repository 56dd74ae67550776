//! Each place where the ORB calls the application's code, and what that code may do there:
//! whatever it is, the ORB finishes what it has begun, and nobody waits for ever.

mod places;
mod world;

use crate::common::events;
use crate::common::mode::{Mode, for_each_mode};
use crate::poa::house::ends;
use places::Place;
use world::{Deed, World};

for_each_mode! {
    [tcp, reactor] {
        a_panic_is_told_with_its_text_and_its_place,
        requests_may_do_anything,
        servants_may_do_anything_as_they_are_dropped,
        servant_activators_may_do_anything,
        servant_locators_may_do_anything,
        what_the_orb_asks_may_do_anything,
    }
}

/// Does each deed at each of the places; a cell that hangs is named.
fn try_all_at(mode: Mode, places: &[Place]) {
    for &place in places {
        for deed in Deed::ALL {
            ends(&format!("{place:?} × {deed:?}"), move || {
                let world = World::new(mode, place, deed);
                place.visit(&world);
                world.conclude();
            });
        }
    }
}

/// No panic is swallowed in silence.
fn a_panic_is_told_with_its_text_and_its_place(mode: Mode) {
    events::keep();
    for place in Place::ALL {
        let text = ends(&format!("{place:?}"), move || {
            let world = World::new(mode, place, Deed::Panic);
            place.visit(&world);
            world.conclude();
            world.text_of_panic()
        });
        let told = events::with(&format!("panic={text} "));
        let told: Vec<_> = told.into_iter().map(|event| event.text).collect();
        let is_told = told.iter().any(|text| text.contains(place.told()));
        assert!(is_told, "{place:?}: {told:?}");
    }
}

fn requests_may_do_anything(mode: Mode) {
    try_all_at(mode, &[Place::Request, Place::MainThreadRequest]);
}

fn servants_may_do_anything_as_they_are_dropped(mode: Mode) {
    try_all_at(
        mode,
        &[
            Place::DropAfterRequest,
            Place::DropAtDeactivation,
            Place::DropAtDestruction,
            Place::DropAtShutdown,
            Place::DropOfDefaultServant,
            Place::DropOfLocatedServant,
        ],
    );
}

fn servant_activators_may_do_anything(mode: Mode) {
    try_all_at(
        mode,
        &[
            Place::Incarnate,
            Place::EtherealizeAtDeactivation,
            Place::EtherealizeAfterRequest,
            Place::EtherealizeAtDestruction,
            Place::EtherealizeAtShutdown,
            Place::EtherealizeByManager,
        ],
    );
}

fn servant_locators_may_do_anything(mode: Mode) {
    try_all_at(mode, &[Place::Preinvoke, Place::Postinvoke]);
}

fn what_the_orb_asks_may_do_anything(mode: Mode) {
    try_all_at(
        mode,
        &[
            Place::UnknownAdapter,
            Place::UnknownAdapterForRequest,
            Place::DropOfAdapterActivator,
            Place::ObjectKeyLocator,
            Place::DropOfObjectKeyLocator,
        ],
    );
}
