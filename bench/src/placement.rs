//! The placement of programs on CPUs.

use clap::ValueEnum;
use serde::Serialize;
use taut_sys::cpu;

use crate::error::BenchError;

/// How a client and its server share the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Both on one CPU: what counts is the work that a call costs.
    Same,
    /// One CPU each: what counts is how long sleeping and waking take.
    Split,
}

crate::options::display_as_option!(Mode);

/// The CPUs of a server and of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) server_cpu: usize,
    pub(crate) client_cpu: usize,
}

impl Placement {
    /// The placement on this machine.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when the system does not tell the CPUs; that of
    /// [`choose`](Self::choose).
    pub(crate) fn here(mode: Mode) -> Result<Self, BenchError> {
        let allowed = cpu::allowed().map_err(BenchError::system("cannot ask for the CPUs"))?;
        Self::choose(mode, &allowed)
    }

    /// The placements of these modes. A mode for which there are too few CPUs is left out
    /// with a line on standard error.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when the system does not tell the CPUs.
    pub(crate) fn of_all(modes: &[Mode]) -> Result<Vec<(Mode, Self)>, BenchError> {
        let mut placements = Vec::new();
        for &mode in modes {
            match Self::here(mode) {
                Ok(placement) => placements.push((mode, placement)),
                Err(error @ BenchError::Cpus { .. }) => {
                    eprintln!("LEFT OUT: mode {mode}, for it {error}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(placements)
    }

    /// Chooses from the end of `allowed`, which is in ascending order: interrupts
    /// and everybody else tend to be on the first CPU.
    ///
    /// # Errors
    ///
    /// [`BenchError::Cpus`] when there are too few of them for the mode.
    pub(crate) fn choose(mode: Mode, allowed: &[usize]) -> Result<Self, BenchError> {
        let chosen = match (mode, allowed) {
            (Mode::Same, [.., last]) => (*last, *last),
            (Mode::Split, [.., before, last]) => (*before, *last),
            _ => {
                return Err(BenchError::Cpus {
                    needed: match mode {
                        Mode::Same => 1,
                        Mode::Split => 2,
                    },
                    allowed: allowed.len(),
                });
            }
        };
        Ok(Self {
            server_cpu: chosen.0,
            client_cpu: chosen.1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cpus_are_chosen() {
        let same = Placement::choose(Mode::Same, &[0, 3, 5]).unwrap();
        assert_eq!((same.server_cpu, same.client_cpu), (5, 5));
        let split = Placement::choose(Mode::Split, &[0, 3, 5]).unwrap();
        assert_eq!((split.server_cpu, split.client_cpu), (3, 5));
    }

    #[test]
    fn too_few_cpus_are_an_error() {
        for (mode, allowed, needs) in [(Mode::Same, &[][..], 1), (Mode::Split, &[7], 2)] {
            let error = Placement::choose(mode, allowed).unwrap_err();
            assert!(
                matches!(error, BenchError::Cpus { needed, .. } if needed == needs),
                "{mode}"
            );
        }
    }
}
