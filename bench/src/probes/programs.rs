//! The server and the client whose steps are noted.
//!
//! Both read requests line by line and answer each with a line of JSON, what the probes
//! of their side have noted. The server knows `reset`, which forgets it, and `read`. The
//! client knows `select KIND`, which makes a call of this kind and looks at the result,
//! and `calls COUNT`, which forgets, and makes so many calls.

use std::io::{self, BufRead, Write};

use taut::probes::{self, Kind, StepTimes};

use super::figures::{Step, Told};
use crate::error::BenchError;
use crate::goals::{self, Caller};
use crate::protocol::Calls;
use crate::step::{Side, Whose};

/// The server: prints its reference, then answers until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(crate) fn serve(unix: bool) -> Result<(), BenchError> {
    // From here on steps are noted.
    probes::reset();
    goals::serve_while(unix, || {
        for line in io::stdin().lock().lines() {
            match line?.as_str() {
                "reset" => probes::reset(),
                "read" => {}
                other => {
                    let expected = format!("expected `reset` or `read`, found {other:?}");
                    return Err(io::Error::other(expected));
                }
            }
            answer(Side::Server)?;
        }
        Ok(())
    })
}

/// The client of the object with this stringified reference.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there or is no `Target`,
/// [`BenchError::Request`] for a line that it does not know, and those of calls.
pub(crate) fn call(reference: &str) -> Result<(), BenchError> {
    let mut caller = Caller::connect(reference)?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::system("standard input"))?;
        match line.split_once(' ') {
            Some(("select", kind)) => caller.select(kind)?,
            Some(("calls", count)) => {
                let count: u32 = count.parse().map_err(|_| BenchError::request(&line))?;
                probes::reset();
                (0..count).try_for_each(|_| caller.call())?;
            }
            _ => return Err(BenchError::request(&line)),
        }
        answer(Side::Client).map_err(BenchError::system("standard output"))?;
    }
    Ok(())
}

fn answer(side: Side) -> io::Result<()> {
    let table = probes::read();
    let steps = table.steps.iter().filter(|it| it.count > 0);
    let told = Told {
        steps: steps.map(told).filter(|step| step.side == side).collect(),
        probe_ns: table.probe_ns,
    };
    let line = serde_json::to_string(&told).map_err(io::Error::from)?;
    writeln!(io::stdout(), "{line}")
}

fn told(times: &StepTimes) -> Step {
    Step {
        side: match times.step.side() {
            probes::Side::Client => Side::Client,
            probes::Side::Server => Side::Server,
        },
        step: times.step.name().to_owned(),
        whose: match times.step.kind() {
            Kind::Orb => Whose::Orb,
            Kind::System => Whose::System,
            Kind::Servant => Whose::Servant,
            Kind::Whole => Whose::Whole,
        },
        stage: times.step.stage().map(|stage| stage.name().to_owned()),
        count: times.count,
        median_ns: times.median_ns,
        mean_ns: times.mean_ns,
        min_ns: times.min_ns,
        p99_ns: times.p99_ns,
    }
}
