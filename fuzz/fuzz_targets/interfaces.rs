//! An interface repository, and a client that makes, changes, moves and destroys definitions:
//! whatever it does, what there is afterwards can be found and describes itself.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../services/ifr/tests/it/steps.rs"]
mod steps;

fuzz_target!(|octets: &[u8]| steps::run(octets));
