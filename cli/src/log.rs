//! The events of the ORB and the other crates, on standard error.

use std::env;

use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::output::{self, ERROR, visible};

/// The environment variable that chooses events, as in other programs in Rust.
const VARIABLE: &str = "RUST_LOG";

/// Shows events from now on: those of the command itself, by their targets, those that `RUST_LOG`
/// chooses, and Taut's own by how often `--verbose` was given. Without any there are none.
pub(crate) fn start(verbose: u8, own: &[(&'static str, Level)]) {
    let chosen = match env::var(VARIABLE) {
        Ok(text) if !text.trim().is_empty() => text.parse::<Targets>().unwrap_or_else(|error| {
            let text = visible(&text).into_owned();
            output::complain(&format!(
                "{ERROR}warning{ERROR:#}: {VARIABLE}={text} is passed over: {error}; write \
                 directives such as taut=debug\n"
            ));
            Targets::new()
        }),
        _ => Targets::new(),
    };
    let level = match verbose {
        0 => None,
        1 => Some(LevelFilter::DEBUG),
        _ => Some(LevelFilter::TRACE),
    };
    let chosen = match level {
        Some(level) => chosen.with_target("taut", level),
        None => chosen,
    };
    let mut chosen = chosen;
    for (target, level) in own {
        // A closer target would hide what the operator asks for.
        if !chosen.would_enable(target, level) {
            chosen = chosen.with_target(*target, *level);
        }
    }
    if chosen.iter().next().is_none() && chosen.default_level().is_none() {
        return;
    }
    let shown = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time();
    // Only a second call would fail.
    let _ = tracing_subscriber::registry()
        .with(shown)
        .with(chosen)
        .try_init();
}
