//! The preprocessor of IDL alone: several files that include each other.

#![no_main]

use std::collections::HashMap;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use taut_fuzz::{IDL_BASE, IDL_FACTOR, Meter};
use taut_idl::{Limits, Options, preprocess_with};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|source: &[u8]| {
    // Files end with a NUL; the second and third are `a.idl` and `b.idl`.
    let names = ["main.idl", "a.idl", "b.idl"];
    let texts = source.splitn(names.len(), |byte| *byte == 0);
    let mut files: HashMap<PathBuf, Vec<u8>> = names
        .into_iter()
        .zip(texts)
        .map(|(name, text)| (name.into(), text.to_vec()))
        .collect();
    let options = Options {
        defines: vec![
            ("SET".to_owned(), None),
            ("TEN".to_owned(), Some("10".to_owned())),
        ],
        limits: Limits {
            inclusions: 100,
            repeated_bytes: 1 << 20,
            added_tokens: 10_000,
            ..Limits::default()
        },
        ..Options::default()
    };
    let memory = METER.most_during(|| {
        let preprocessing = preprocess_with(&["main.idl"], &options, &mut files);
        let read: usize = preprocessing
            .sources
            .files()
            .iter()
            .map(|file| file.bytes().len())
            .sum();
        assert!(preprocessing.tokens <= read + 10_000);
        // Every place that is spoken of is in the source.
        for diagnostic in &preprocessing.diagnostics {
            let span = diagnostic.primary.span;
            let length = preprocessing.sources.file(span.file).bytes().len();
            assert!(span.start <= span.end && span.end as usize <= length);
        }
    });
    assert!(
        memory <= IDL_BASE + IDL_FACTOR * source.len(),
        "{memory} bytes for {} bytes of source",
        source.len()
    );
});
