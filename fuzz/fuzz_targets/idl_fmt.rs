//! The layout of IDL: it changes nothing but blanks, and once is enough.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use taut_fuzz::{IDL_BASE, IDL_FACTOR, Meter};
use taut_idl::fmt::format;
use taut_idl::{DiagnosticCode, Limits};

#[global_allocator]
static METER: Meter = Meter::new();

fn laid_out(source: &[u8]) -> Option<Vec<u8>> {
    match format(Path::new("main.idl"), source, &Limits::default()) {
        Ok(text) => Some(text),
        Err(refused) => {
            for diagnostic in &refused.diagnostics {
                assert_ne!(diagnostic.code, DiagnosticCode::NotSupported);
            }
            None
        }
    }
}

/// Blanks, and the backslashes of line splices, which may go.
fn essence(text: &[u8]) -> Vec<u8> {
    let text = text.iter().copied();
    text.filter(|byte| !byte.is_ascii_whitespace() && !matches!(*byte, 0x0B | b'\\'))
        .collect()
}

fuzz_target!(|source: &[u8]| {
    let mut once = None;
    let memory = METER.most_during(|| once = laid_out(source));
    assert!(
        memory <= IDL_BASE + IDL_FACTOR * source.len(),
        "{memory} bytes for {} bytes of source",
        source.len()
    );
    let Some(once) = once else { return };
    let shown = String::from_utf8_lossy;
    assert_eq!(shown(&essence(source)), shown(&essence(&once)));
    let twice = laid_out(&once).expect("what was laid out can be laid out");
    assert_eq!(shown(&once), shown(&twice));
});
