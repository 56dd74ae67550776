//! `taut-corpus`: examines the corpus and writes `docs/corpus.md`.
//! `cargo xtask corpus` is the way to start it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use clap::Parser;
use taut_corpus::{CorpusError, KnownGaps, Places, Stage, packages, page};

/// Examine IDL that others wrote.
#[derive(Parser)]
struct Arguments {
    /// Only fetch the packages.
    #[arg(long)]
    fetch: bool,
    /// Write nothing; fail if the page would say something else.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.parent().unwrap_or(root);
    match run(&Arguments::parse(), root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, root: &Path) -> Result<(), CorpusError> {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let target = root.join(target);
    let corpus = target.join("corpus");
    taut_corpus::fetch(&corpus)?;
    if arguments.fetch {
        return Ok(());
    }
    let files = packages::files(&corpus).map_err(|source| CorpusError::File {
        path: corpus.clone(),
        source,
    })?;
    let places = Places::of(root);
    let mut findings = Vec::new();
    for file in &files {
        findings.push(taut_corpus::examine(file, &places)?);
    }
    println!("{} files are examined; compiling their Rust", files.len());
    taut_corpus::compile(&mut findings, root, &target, &corpus.join("rust"))?;

    let list = root.join("corpus/known_gaps.txt");
    let gaps = KnownGaps::parse(&read(&list)?)?;
    let path = root.join("docs/corpus.md");
    let made = page::page(&findings, &gaps, &corpus)?;
    let mut unexpected = gaps.disagreements(&findings, &Stage::ALL);
    if !arguments.check {
        fs::write(&path, made).map_err(|source| CorpusError::File { path, source })?;
    } else if !page::same_but_for_times(&made, &read(&path)?) {
        unexpected.push("docs/corpus.md is out of date; run `cargo xtask corpus`".to_owned());
    }
    if unexpected.is_empty() {
        Ok(())
    } else {
        Err(CorpusError::Unexpected(unexpected))
    }
}

fn read(path: &PathBuf) -> Result<String, CorpusError> {
    fs::read_to_string(path).map_err(|source| CorpusError::File {
        path: path.clone(),
        source,
    })
}
