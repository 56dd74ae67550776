//! Makes a module of each page that prints Rust, and Rust of the IDL that pages print.
//!
//! A block of a page replaces the line `// page: …` of the page's frame that repeats the
//! block's first line. A block without such a line becomes a module of its own. So there is no
//! block that is not compiled, but for those that the page marks `ignore`.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use test_tools::{code_blocks, is_in_documentation, pages};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The beginning of a line of a frame that a block replaces.
const MARK: &str = "// page: ";

/// The beginning of a line of a frame that names a block of code which the generator makes:
/// the name of the IDL and the block's first line follow. It is compared instead of compiled.
const GENERATED: &str = "// generated: ";

fn main() -> Outcome<()> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("no manifest")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let root = package.join("../..");
    let frames = package.join("frames");
    for watched in ["README.md", "docs", "crates/doc-tests/frames"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    let mut modules = String::new();
    let mut shown = String::new();
    let mut idl = Blocks::default();
    let all = pages(&root)?.into_iter();
    for page in all.filter(|page| !is_in_documentation(page)) {
        let name = page.strip_prefix(&root)?.display().to_string();
        let text = fs::read_to_string(&page)?;
        let rust = Blocks::of(&text, &name, "rust");
        idl.extend(Blocks::of(&text, &name, "idl"));
        if rust.0.is_empty() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", page.display());
        let module = module_of(&name);
        let frame = frames.join(format!("{module}.rs"));
        let code = rust.into_module(&frame, &mut shown)?;
        let file = out.join(format!("page_{module}.rs"));
        fs::write(&file, code)?;
        writeln!(modules, "#[path = {file:?}]\nmod {module};")?;
    }
    writeln!(
        modules,
        "/// Code of pages that the generator makes: page, IDL, code.\n\
         pub(crate) const SHOWN: &[(&str, &str, &str)] = &[\n{shown}];"
    )?;
    fs::write(out.join("pages.rs"), modules)?;
    compile_idl(idl, &frames, &out)
}

/// The name of a page's module and frame: `docs_poa` for `docs/poa.md`.
fn module_of(page: &str) -> String {
    let stem = page.trim_end_matches(".md").to_lowercase();
    stem.replace(['/', '-', '.'], "_")
}

/// Blocks that have no place yet.
#[derive(Default)]
struct Blocks(Vec<Block>);

struct Block {
    page: String,
    first_line: String,
    text: String,
}

impl Blocks {
    /// The blocks of a page in this language, without those that are marked `ignore`.
    fn of(text: &str, page: &str, language: &str) -> Self {
        let blocks = code_blocks(text).into_iter();
        let blocks = blocks.filter(|block| block.language == language);
        Self(
            blocks
                .map(|block| Block {
                    page: page.to_owned(),
                    first_line: block.text.lines().next().unwrap_or_default().to_owned(),
                    text: block.text.to_owned(),
                })
                .collect(),
        )
    }

    fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Takes out the first block with this first line.
    fn take(&mut self, first_line: &str, frame: &Path) -> Outcome<Block> {
        let is_it = |block: &Block| block.first_line.trim() == first_line.trim();
        let at = self.0.iter().position(is_it).ok_or_else(|| {
            let frame = frame.display();
            format!("{frame}: no further block of the page begins with: {first_line}")
        })?;
        Ok(self.0.remove(at))
    }

    /// The code of a page: its frame with the blocks that have a place there, and a module for
    /// each other block.
    fn into_module(mut self, frame: &Path, shown: &mut String) -> Outcome<String> {
        let mut code = String::new();
        if frame.exists() {
            for line in fs::read_to_string(frame)?.lines() {
                if let Some(first_line) = line.trim().strip_prefix(MARK) {
                    code.push_str(&self.take(first_line, frame)?.text);
                } else if let Some(which) = line.trim().strip_prefix(GENERATED) {
                    let (idl, first_line) = which.split_once(' ').ok_or("no first line")?;
                    let block = self.take(first_line, frame)?;
                    writeln!(shown, "    ({:?}, {idl:?}, {:?}),", block.page, block.text)?;
                } else {
                    code.push_str(line);
                    code.push('\n');
                }
            }
        }
        for (number, block) in self.0.into_iter().enumerate() {
            let page = block.page;
            let text = block.text;
            writeln!(code, "mod block_{number} {{ // {page}\n{text}\n}}")?;
        }
        Ok(code)
    }
}

/// Compiles the IDL of the pages: `frames/NAME.idl`, with the blocks that have a place there, to
/// `NAME.rs`, and each other block by itself to a file named after its first module.
fn compile_idl(mut blocks: Blocks, frames: &Path, out: &Path) -> Outcome<()> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(frames)? {
        let frame = entry?.path();
        if frame.extension().is_none_or(|extension| extension != "idl") {
            continue;
        }
        let mut text = String::new();
        for line in fs::read_to_string(&frame)?.lines() {
            match line.trim().strip_prefix(MARK) {
                Some(first_line) => text.push_str(&blocks.take(first_line, &frame)?.text),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        let name = frame.file_stem().unwrap_or_default().to_string_lossy();
        files.insert(name.into_owned(), text);
    }
    for block in blocks.0 {
        let module = block.text.lines().find_map(|line| {
            let name = line.trim().strip_prefix("module ")?;
            Some(name.trim_end_matches('{').trim().to_owned())
        });
        let name = module.unwrap_or_else(|| module_of(&block.page));
        if files.insert(name.clone(), block.text).is_some() {
            return Err(format!("{}: a further block of IDL is named {name}", block.page).into());
        }
    }
    for (name, text) in files {
        let file = out.join(format!("{name}.idl"));
        fs::write(&file, text)?;
        taut_build::Config::new().views().compile(&[&file])?;
    }
    Ok(())
}
