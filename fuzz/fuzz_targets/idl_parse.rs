//! The parser and the resolver of IDL, one file at a time.

#![no_main]

use std::collections::HashMap;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use taut_fuzz::{IDL_BASE, IDL_FACTOR, Meter};
use taut_idl::{Limits, Options, compile_with};

#[global_allocator]
static METER: Meter = Meter::new();

fuzz_target!(|source: &[u8]| {
    let mut files: HashMap<PathBuf, Vec<u8>> =
        HashMap::from([("main.idl".into(), source.to_vec())]);
    let options = Options {
        limits: Limits {
            inclusions: 10,
            repeated_bytes: 1 << 20,
            added_tokens: 5_000,
            expansion: 5_000,
            ..Limits::default()
        },
        ..Options::default()
    };
    let memory = METER.most_during(|| {
        let compilation = compile_with(&["main.idl"], &options, &mut files);
        // All that the model refers to is in it, and in the source.
        for (id, definition) in compilation.model.definitions() {
            assert!(definition.parent.is_none_or(|parent| parent < id));
            let length = compilation.sources.file(definition.span.file).bytes().len();
            assert!(definition.span.end as usize <= length);
            compilation.model.all_bases(id);
            compilation.model.all_state(id);
        }
    });
    assert!(
        memory <= IDL_BASE + IDL_FACTOR * source.len(),
        "{memory} bytes for {} bytes of source",
        source.len()
    );
});
