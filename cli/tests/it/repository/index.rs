//! The index of the pages, `docs/README.md`, leads to each of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::links::all_pages;
use super::packages::root;

/// The pages that the links of the page at `path` lead to.
fn linked(path: &Path, links: &[String]) -> HashSet<PathBuf> {
    let files = links.iter().filter(|link| !link.contains("://"));
    let files = files.map(|link| link.split('#').next().unwrap_or_default());
    let targets = files.map(|file| path.parent().unwrap().join(file));
    targets
        .filter_map(|target| target.canonicalize().ok())
        .collect()
}

/// The pages in `docs`, in its directories, and at the root, that the index does not lead to.
fn missing(
    linked: &HashSet<PathBuf>,
    pages: &[PathBuf],
    root: &Path,
    index: &Path,
) -> Vec<PathBuf> {
    let is_listed =
        |page: &&PathBuf| page.starts_with(root.join("docs")) || page.parent() == Some(root);
    let listed = pages.iter().filter(is_listed).filter(|page| *page != index);
    listed
        .filter(|page| !linked.contains(*page))
        .cloned()
        .collect()
}

#[test]
fn the_index_leads_to_each_page() {
    let root = root().canonicalize().unwrap();
    let index = root.join("docs/README.md");
    let all = all_pages();
    let linked = linked(&index, &all[&index].links);
    let pages: Vec<_> = all.keys().cloned().collect();
    let mut missing = missing(&linked, &pages, &root, &index);
    missing.sort();
    assert!(missing.is_empty(), "not in docs/README.md: {missing:#?}");
}

#[test]
fn a_page_that_is_not_in_the_index_is_found() {
    let root = Path::new("/r");
    let page = |path: &str| root.join(path);
    let pages = [
        "a.md",
        "docs/README.md",
        "docs/b.md",
        "docs/c/d.md",
        "x/e.md",
    ]
    .map(page);
    let linked = HashSet::from([page("docs/b.md")]);
    let missing = missing(&linked, &pages, root, &page("docs/README.md"));
    assert_eq!(missing, [page("a.md"), page("docs/c/d.md")]);
}
