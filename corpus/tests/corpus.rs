//! Every file of the corpus is understood as omniidl understands it, and
//! becomes Rust; what does not is on the list of known gaps. (Whether that
//! Rust compiles is what `cargo xtask corpus --check` finds out.)

use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use taut_corpus::{KnownGaps, Places, Stage, examine, packages};

#[test]
fn every_file_is_understood_and_becomes_rust_but_the_known_gaps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let corpus = root.join(target).join("corpus");
    let Ok(files) = packages::files(&corpus) else {
        let required = env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1");
        assert!(
            !required,
            "the corpus is not there: run `cargo xtask peers`"
        );
        // Not eprintln!, which the test runner hides when a test passes.
        let remedy = "LEFT OUT: the corpus is not there, run `cargo xtask peers`";
        writeln!(io::stderr(), "{remedy}").unwrap();
        return;
    };
    assert!(files.len() > 80, "only {} files", files.len());
    let places = Places::of(root);
    let examined = files.iter().map(|file| examine(file, &places).unwrap());
    let findings: Vec<_> = examined.collect();
    let list = fs::read_to_string(root.join("corpus/known_gaps.txt")).unwrap();
    let gaps = KnownGaps::parse(&list).unwrap();
    let tried = [Stage::Check, Stage::Generate, Stage::Omniidl];
    let disagreements = gaps.disagreements(&findings, &tried);
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}
