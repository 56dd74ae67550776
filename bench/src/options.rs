//! Options that several commands have. A command whose defaults differ from those given
//! here states its own (`mut_arg`).

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};

use crate::driver::Plan;
use crate::error::BenchError;
use crate::protocol::CALLS_MAX;
use crate::record::{Row, Run};

/// Shows the values of an option as the command line has them.
macro_rules! display_as_option {
    ($name:ty) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let value = clap::ValueEnum::to_possible_value(self);
                value.map_or(Ok(()), |value| f.write_str(value.get_name()))
            }
        }
    };
}
pub(crate) use display_as_option;

/// How much is measured where a turn is so many calls of a program's.
#[derive(Debug, Args)]
pub(crate) struct Turns {
    #[command(flatten)]
    rounds: Rounds,
    /// Calls of a turn
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u32).range(1..=i64::from(CALLS_MAX)))]
    calls: u32,
    #[command(flatten)]
    time_out: TimeOut,
}

impl Turns {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            rounds: self.rounds.count,
            calls: self.calls,
            time_out: self.time_out.duration(),
        }
    }
}

/// How often all that is compared is measured.
#[derive(Debug, Args)]
pub(crate) struct Rounds {
    /// How often all that is compared has its turn; quote no result of fewer than 7
    #[arg(id = "rounds", long, value_name = "N", default_value_t = 9, value_parser = value_parser!(u32).range(1..))]
    pub(crate) count: u32,
}

/// How long one waits for programs.
#[derive(Debug, Args)]
pub(crate) struct TimeOut {
    /// Seconds that a program may need to start, or for its turn
    #[arg(id = "time_out_s", long = "time-out-s", value_name = "N", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
}

impl TimeOut {
    pub(crate) fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Where results go besides standard output.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Write the results to this file too, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Output {
    /// Writes the record of a command's run if that is asked for.
    ///
    /// # Errors
    ///
    /// [`BenchError::Write`].
    pub(crate) fn write(&self, bench: &str, rows: Vec<Row>) -> Result<(), BenchError> {
        match &self.json {
            Some(file) => Run::new(bench, rows).write(file),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    #[command(mut_arg("calls", |calls| calls.default_value("20000")))]
    struct Command {
        #[command(flatten)]
        turns: Turns,
        #[command(flatten)]
        output: Output,
    }

    #[test]
    fn a_command_has_defaults_of_its_own() {
        let plan = |arguments: &[&str]| Command::parse_from(arguments).turns.plan();
        let own = plan(&["bench"]);
        assert_eq!((own.rounds, own.calls), (9, 20_000));
        assert_eq!(own.time_out, Duration::from_secs(60));
        let told = plan(&["bench", "--rounds=7", "--calls=3", "--time-out-s=5"]);
        assert_eq!((told.rounds, told.calls), (7, 3));
        assert_eq!(told.time_out, Duration::from_secs(5));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for argument in [
            "--rounds=0",
            "--calls=0",
            "--calls=100000001",
            "--time-out-s=0",
        ] {
            assert!(
                Command::try_parse_from(["bench", argument]).is_err(),
                "{argument}"
            );
        }
    }

    #[test]
    fn records_are_written_where_they_are_wanted() {
        let told = Command::parse_from(["bench", "--json=/nonexistent/file.json"]);
        let written = told.output.write("ping", Vec::new());
        assert!(matches!(written, Err(BenchError::Write { .. })));
        let silent = Command::parse_from(["bench"]);
        assert!(silent.output.write("ping", Vec::new()).is_ok());
    }
}
