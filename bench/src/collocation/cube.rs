//! The servant, and Taut's ways to it from its own process.

use std::hint::black_box;
use std::io;
use std::sync::Arc;

use clap::ValueEnum;

use super::report::Row;
use crate::case::Transport;
use crate::error::BenchError;
use crate::protocol::{self, Calls};
use crate::system::System;
use idl::collocation::{Cube, CubeRef, CubeSkeleton};
use taut::{CollocationStrategy, Orb, OrbBuilder, Reference};

/// The types of `idl/collocation.idl`.
mod idl {
    taut::include_idl!("collocation");
}

/// How a call of this program reaches a servant of its own process. A further way
/// is a variant here with its [`Way::row`] and its arm in [`call`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Way {
    /// Without an ORB, through a trait object: the baseline.
    TraitObject,
    /// By a reference that keeps the servant.
    Direct,
    /// By a reference, through the POA, in the caller's thread: the default.
    ThroughPoa,
    /// By a reference, over TCP.
    Tcp,
}

impl Way {
    /// All ways, the baseline first.
    pub(crate) fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Its name on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::TraitObject => "trait_object",
            Self::Direct => "direct",
            Self::ThroughPoa => "through_poa",
            Self::Tcp => "tcp",
        }
    }

    /// Returns the row of results that this way has.
    pub(crate) fn row(self) -> Row {
        let (system, transport, way) = match self {
            Self::TraitObject => (System::Raw, Transport::Local, "trait_object"),
            Self::Direct => (System::Taut, Transport::Local, "direct"),
            Self::ThroughPoa => (System::Taut, Transport::Local, "through_poa"),
            Self::Tcp => (System::Taut, Transport::Tcp, "remote"),
        };
        Row {
            system,
            transport,
            way,
        }
    }
}

/// The client: makes the calls that it is asked for, `batch` for a sample.
///
/// # Errors
///
/// [`BenchError::Orb`] when an ORB cannot be set up, and those of
/// [`protocol::answer_requests`].
pub(crate) fn call(way: Way, batch: u32) -> Result<(), BenchError> {
    match way {
        Way::TraitObject => {
            // The ORB has nothing to do but to be there: what is allocated lies as it does
            // with the other ways, which alone makes nanoseconds with long sequences.
            let (orb, _) = activate()?;
            // Nobody is to know which type this is.
            let cube: Arc<dyn Cube> = black_box(Arc::new(Servant));
            answer(&*cube, batch)?;
            orb.shutdown(true).map_err(BenchError::orb)
        }
        Way::Direct => call_by(CollocationStrategy::Direct, batch),
        Way::ThroughPoa => call_by(CollocationStrategy::ThroughPoa, batch),
        Way::Tcp => call_by(CollocationStrategy::Off, batch),
    }
}

fn call_by(strategy: CollocationStrategy, batch: u32) -> Result<(), BenchError> {
    let (orb, cube) = activate()?;
    let reference: Arc<dyn Cube> = black_box(Arc::new(cube.with_collocation(strategy)));
    answer(&*reference, batch)?;
    orb.shutdown(true).map_err(BenchError::orb)
}

fn answer(cube: &(impl Cube + ?Sized), batch: u32) -> Result<(), BenchError> {
    let caller = Caller {
        cube,
        batch,
        values: None,
    };
    protocol::answer_requests(io::stdin().lock(), io::stdout(), caller)
}

struct Servant;

impl Cube for Servant {
    fn cube_void(&self) -> taut::Result<()> {
        Ok(())
    }

    fn cube_longs(&self, values: &[i32]) -> taut::Result<Vec<i32>> {
        Ok(values.iter().map(|&value| cubed(value)).collect())
    }
}

fn cubed(value: i32) -> i32 {
    value.wrapping_mul(value).wrapping_mul(value)
}

/// An ORB with an active servant, and the reference to it.
fn activate() -> Result<(Orb, CubeRef), BenchError> {
    let orb = Orb::builder()
        .listen("iiop://127.0.0.1:0")
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let cube = poa
        .activate(CubeSkeleton::new(Servant))
        .map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    Ok((orb, cube))
}

/// Calls a cube, wherever it is. The kinds of calls are `void`, and the number of
/// longs to cube.
struct Caller<'c, C: ?Sized> {
    cube: &'c C,
    batch: u32,
    values: Option<Vec<i32>>,
}

impl<C: Cube + ?Sized> Calls for Caller<'_, C> {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        self.values = match kind.parse() {
            Ok(length) => Some((0..length).collect()),
            Err(_) if kind == "void" => None,
            Err(_) => return Err(BenchError::request(kind)),
        };
        if let Some(values) = &self.values {
            let cubes = self.cube.cube_longs(values).map_err(BenchError::call)?;
            let expected = values.iter().map(|&value| cubed(value));
            if !expected.eq(cubes) {
                return Err(BenchError::call("the numbers are not cubed"));
            }
        }
        Ok(())
    }

    fn call(&mut self) -> Result<(), BenchError> {
        match &self.values {
            None => {
                for _ in 0..self.batch {
                    self.cube.cube_void().map_err(BenchError::call)?;
                }
            }
            Some(values) => {
                for _ in 0..self.batch {
                    black_box(self.cube.cube_longs(values).map_err(BenchError::call)?);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of each kind, and their number.
    fn exercise(cube: &(impl Cube + ?Sized)) {
        let mut caller = Caller {
            cube,
            batch: 3,
            values: None,
        };
        for kind in ["4", "1024", "void", "0"] {
            caller.select(kind).unwrap();
            caller.call().unwrap();
        }
        assert!(caller.select("some").is_err());
    }

    #[test]
    fn calls_arrive_on_every_way() {
        exercise(&Servant as &dyn Cube);
        let (orb, cube) = activate().unwrap();
        for strategy in [
            CollocationStrategy::Direct,
            CollocationStrategy::ThroughPoa,
            CollocationStrategy::Off,
        ] {
            exercise(&cube.with_collocation(strategy));
        }
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn the_cube_wraps_around() {
        let cubes = Servant.cube_longs(&[-3, 0, 1_291, i32::MAX]).unwrap();
        assert_eq!(cubes, [-27, 0, -2_143_282_125, i32::MAX]);
    }

    #[test]
    fn wrong_numbers_are_found_out() {
        struct Wrong;
        impl Cube for Wrong {
            fn cube_void(&self) -> taut::Result<()> {
                Ok(())
            }
            fn cube_longs(&self, values: &[i32]) -> taut::Result<Vec<i32>> {
                Ok(values.to_vec())
            }
        }
        let mut caller = Caller {
            cube: &Wrong,
            batch: 1,
            values: None,
        };
        assert!(matches!(caller.select("4"), Err(BenchError::Call { .. })));
    }
}
