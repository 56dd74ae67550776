//! The links between the pages of the repository lead somewhere: to a file or a
//! directory that is there and, behind a `#`, to a heading of that page.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The parts of a page that links concern.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) links: Vec<String>,
    /// The names by which its headings can be reached.
    anchors: HashSet<String>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    page.add_anchor(&heading.take().unwrap_or_default());
                }
                _ => {}
            }
        }
        page
    }

    /// As those who show such pages make names of headings: the second of one text
    /// gets a number.
    fn add_anchor(&mut self, heading: &str) {
        let heading = heading.trim().to_lowercase();
        let name: String = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let mut numbered = (1..).map(|number| format!("{name}-{number}"));
        let mut anchor = name.clone();
        while !self.anchors.insert(anchor) {
            anchor = numbered.next().unwrap();
        }
    }
}

/// Every page of the repository, by its path.
pub(crate) fn all_pages() -> HashMap<PathBuf, Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = test_tools::pages(&root).unwrap().into_iter();
    pages
        .map(|path| {
            let page = Page::read(&fs::read_to_string(&path).unwrap());
            (path.canonicalize().unwrap(), page)
        })
        .collect()
}

/// Returns the fault of a link of the page at `path`.
fn fault(link: &str, path: &Path, all: &HashMap<PathBuf, Page>) -> Option<&'static str> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => path.to_owned(),
        file => match path.parent().unwrap().join(file).canonicalize() {
            Ok(target) => target,
            Err(_) => return Some("there is no such file"),
        },
    };
    let is_known = || {
        let page = all.get(&target);
        page.is_some_and(|page| page.anchors.contains(anchor))
    };
    (!anchor.is_empty() && !is_known()).then_some("the page has no such heading")
}

#[test]
fn links_lead_somewhere() {
    let all = all_pages();
    let mut followed = 0;
    let mut faults = Vec::new();
    for (path, page) in &all {
        for link in &page.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            if let Some(fault) = fault(link, path, &all) {
                faults.push(format!("{}: {link}: {fault}", path.display()));
            }
        }
    }
    faults.sort();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Not to find the pages would be no success.
    assert!(followed > 50, "{followed}");
}

#[test]
fn wrong_links_are_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let path = path.canonicalize().unwrap();
    let page = Page::read("# One `a`\n\n## Two, three\n\n## Two, three\n\n[x](#y)");
    assert_eq!(page.links, ["#y"]);
    let all = HashMap::from([(path.clone(), page)]);
    for good in [
        "#one-a",
        "#two-three",
        "#two-three-1",
        "docs",
        "README.md#one-a",
    ] {
        assert_eq!(fault(good, &path, &all), None, "{good}");
    }
    for wrong in ["#one", "#two-three-2", "docs/none.md", "docs/cli.md#none"] {
        assert!(fault(wrong, &path, &all).is_some(), "{wrong}");
    }
}
