//! ORBs for tests that are about messages.

use taut::{CollocationStrategy, Orb, OrbBuilder};

/// An ORB to be whose calls are messages, also those to objects of this process:
/// many tests have both ends in one.
pub fn over_the_wire() -> OrbBuilder {
    Orb::builder().settings(|settings| settings.client.collocation = CollocationStrategy::Off)
}
