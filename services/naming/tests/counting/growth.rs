//! A name is found and bound with instructions that grow at most as the logarithm of the number of
//! names does, counted by valgrind. Without valgrind this is left out.

use std::path::{Path, PathBuf};

use taut_naming::store::{ContextId, FileStore, Key, Store, resolve};
use test_tools::{InstructionCounter, ignored_test};

use super::{LIMITS, binding, component, fill, many};

const FILE: &str = "TAUT_NAMING_FILE";
const NAMES: &str = "TAUT_NAMING_NAMES";
const RESOLVES: &str = "TAUT_NAMING_RESOLVES";
const BINDS: &str = "TAUT_NAMING_BINDS";

/// The names that are looked for, and bound, in one run beyond those of the other.
const LOOK_UPS: usize = 500;
const CHANGES: usize = 40;

#[test]
#[ignore = "what the other test counts the instructions of"]
fn names_of_a_file() {
    let text = |name| std::env::var(name).unwrap();
    let number = |name| text(name).parse::<usize>().unwrap();
    let names = number(NAMES);
    let store = FileStore::open(text(FILE)).unwrap();
    // Far apart, so that each has a way of its own through the file.
    let stride = 7_919;
    for call in 0..number(RESOLVES) {
        let path = Key::path(&[component(call * stride % names)]);
        let mut found = false;
        let mut look = |view: &dyn taut_naming::store::View| {
            found = resolve(view, ContextId::ROOT, &path)?.is_ok();
            Ok(())
        };
        store.read(&mut look).unwrap();
        assert!(found);
    }
    for call in 0..number(BINDS) {
        let done = store.change(binding(names + call), LIMITS).unwrap();
        assert!(done.is_ok());
    }
}

/// The instructions of one look-up and of one change in a file with so many names.
fn cost(counter: &InstructionCounter, directory: &Path, names: usize) -> (u64, u64) {
    let file = directory.join(format!("names-{names}"));
    fill(&FileStore::open(&file).unwrap(), names);
    let run = |resolves: usize, binds: usize| -> u64 {
        // Each run begins with the same file.
        let copy: PathBuf = directory.join("copy");
        std::fs::copy(&file, &copy).unwrap();
        let mut command = ignored_test("growth::names_of_a_file");
        command.env(FILE, copy).env(NAMES, names.to_string());
        command.env(RESOLVES, resolves.to_string());
        command.env(BINDS, binds.to_string());
        counter.count(&command).unwrap()
    };
    // Pages that the first hundred have read are there for the others.
    let look_ups = run(100 + LOOK_UPS, 0) - run(100, 0);
    let changes = run(0, 20 + CHANGES) - run(0, 20);
    (look_ups / LOOK_UPS as u64, changes / CHANGES as u64)
}

#[test]
fn a_name_among_many_costs_a_logarithm_more_than_one_among_few() {
    const FEW: usize = 100;
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let many = many(10_000);
    let few = cost(&counter, directory.path(), FEW);
    let found = cost(&counter, directory.path(), many);
    let logarithms = many.ilog2() as f64 / FEW.ilog2() as f64;
    eprintln!(
        "instructions of a look-up and of a change: {few:?} of {FEW} names, {found:?} of {many}, \
         whose logarithm is {logarithms:.2} times as large"
    );
    for (few, found) in [(few.0, found.0), (few.1, found.1)] {
        assert!(
            found as f64 <= few as f64 * logarithms,
            "{found} of {many}, {few} of {FEW}"
        );
    }
}
