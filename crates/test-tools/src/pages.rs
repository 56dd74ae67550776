//! The pages of a repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns every page in Markdown below a directory, in the order of the paths. Directories that
/// are built, fetched or hidden have none.
///
/// # Errors
///
/// Those of reading directories.
pub fn pages(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(directory, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_source = name != "target" && !name.starts_with('.');
        if path.is_dir() && is_source {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a page is a part of its crate's documentation, whose code Cargo compiles: the crate
/// includes it as `../README.md`.
#[must_use]
pub fn is_in_documentation(page: &Path) -> bool {
    let library = page.with_file_name("src").join("lib.rs");
    let text = fs::read_to_string(library).unwrap_or_default();
    page.ends_with("README.md") && text.contains("include_str!(\"../README.md\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_at_every_depth_and_not_in_what_is_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let all = pages(&root).unwrap();
        for page in ["README.md", "docs/mapping.md", "docs/decisions/crates.md"] {
            assert!(all.contains(&root.join(page)), "{page}");
        }
        let elsewhere = root.join("docs/mapping.md");
        assert!(!is_in_documentation(&elsewhere));
        let built = root.join("target");
        assert!(!all.iter().any(|page| page.starts_with(&built)));
    }
}
