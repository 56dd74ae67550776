//! The hidden commands of `startup`.

use std::io;
use std::time::{Duration, Instant};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use taut::{IdUniquenessPolicy, ImplicitActivationPolicy, Orb, Policy};

use crate::error::BenchError;
use crate::{allocations, protocol};

/// How objects are activated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Way {
    /// By `activate_object`, where a servant has one object (UNIQUE_ID).
    Explicit,
    /// By `activate_object`, where a servant may have several (MULTIPLE_ID).
    MultipleId,
    /// By asking for the id of a servant that has none yet.
    Implicit,
}

crate::options::display_as_option!(Way);

/// A hidden command.
#[derive(Subcommand)]
pub(crate) enum Program {
    /// Prints a line, and waits for the end of its input.
    #[command(name = "startup-nothing", hide = true)]
    Nothing,
    /// Activates objects, and tells how long that took and the octets that it left.
    #[command(name = "startup-activation", hide = true)]
    Activation {
        /// How many.
        #[arg(long)]
        objects: u32,
        /// How.
        #[arg(long)]
        way: Way,
    },
}

impl Program {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the objects cannot be activated.
    pub(crate) fn run(self) -> Result<(), BenchError> {
        match self {
            Self::Nothing => println!("ready"),
            Self::Activation { objects, way } => {
                let (time, octets) = activate(objects, way)?;
                println!("{} {octets}", time.as_nanos());
            }
        }
        protocol::wait_for_end_of_input(io::stdin().lock())
            .map_err(BenchError::system("standard input"))
    }
}

/// Activates so many objects in a POA of a server.
fn activate(objects: u32, way: Way) -> Result<(Duration, isize), BenchError> {
    let orb = Orb::builder()
        .listen(crate::taut::LOOPBACK)
        .and_then(taut::OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let root = orb.root_poa().map_err(BenchError::orb)?;
    let policies: &[Policy] = match way {
        Way::Explicit => &[],
        Way::MultipleId => &[Policy::IdUniqueness(IdUniquenessPolicy::MultipleId)],
        Way::Implicit => &[Policy::ImplicitActivation(
            ImplicitActivationPolicy::ImplicitActivation,
        )],
    };
    let poa = root.create_poa("objects", Some(root.manager()), policies);
    let poa = poa.map_err(BenchError::orb)?;
    root.manager().activate().map_err(BenchError::orb)?;
    let skeletons: Vec<_> = (0..objects).map(|_| crate::taut::skeleton()).collect();
    allocations::watch();
    let begun = Instant::now();
    for skeleton in skeletons {
        match way {
            Way::Explicit | Way::MultipleId => poa.activate_object(skeleton),
            Way::Implicit => poa.servant_to_id(skeleton),
        }
        .map_err(BenchError::orb)?;
    }
    Ok((begun.elapsed(), allocations::live()))
}

/// Reads what it takes to activate objects: the time, and the octets that they have.
pub(super) fn parse_activation(line: &str) -> Option<(Duration, f64)> {
    let (time, octets) = line.split_once(' ')?;
    Some((
        Duration::from_nanos(time.parse().ok()?),
        octets.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_activated_each_way() {
        for &way in Way::value_variants() {
            assert!(activate(3, way).is_ok(), "{way}");
        }
        let read = parse_activation("1500 96").unwrap();
        assert_eq!(read, (Duration::from_nanos(1_500), 96.0));
        assert!(parse_activation("1500").is_none());
    }
}
