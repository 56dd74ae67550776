//! Every file of the corpus is understood as omniidl understands it, and
//! becomes Rust; what does not is on the list of known gaps. (Whether that
//! Rust compiles is what `cargo xtask corpus --check` finds out.)

use std::path::Path;
use std::{env, fs};

use taut_corpus::{KnownGaps, Places, Stage, examine, packages};
use test_tools::found_or_left_out;

#[test]
fn every_file_is_understood_and_becomes_rust_but_the_known_gaps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let corpus = root.join(target).join("corpus");
    let files = packages::files(&corpus).ok();
    let Some(files) = found_or_left_out(files, "the corpus") else {
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
