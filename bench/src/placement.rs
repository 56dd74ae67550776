//! The placement of programs on CPUs.

use std::fmt;

use clap::ValueEnum;
use serde::Serialize;

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

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "same",
            Self::Split => "split",
        })
    }
}

/// The CPUs of a server and of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) server_cpu: usize,
    pub(crate) client_cpu: usize,
}

impl Placement {
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
