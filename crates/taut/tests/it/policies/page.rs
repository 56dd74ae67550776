//! docs/policies.md lists every policy type, with its number and its levels.

use std::fs;
use std::path::Path;

use taut::policy::descriptions;

#[test]
fn the_page_lists_every_policy_type_and_its_test_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/policies.md")).unwrap();
    let rows: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains("Policy` |"))
        .collect();
    for description in descriptions() {
        let number = match description.policy_type.0 {
            small @ 0..0x1_0000 => small.to_string(),
            large => format!("{large:#x}"),
        };
        let begin = format!(
            "| `{}` | {number} | {} |",
            description.name, description.levels
        );
        let mut found = rows.iter().filter(|row| row.starts_with(&begin));
        let row = found
            .next()
            .unwrap_or_else(|| panic!("the page lacks {begin}"));
        let test = row.trim_end_matches(['|', ' ']).rsplit('`').nth(1).unwrap();
        let (file, function) = test.split_once("::").unwrap();
        let tests = root.join("crates/taut/tests/it/policies").join(file);
        let tests = fs::read_to_string(tests).unwrap();
        assert!(tests.contains(&format!("fn {function}(")), "{test}");
    }
    assert_eq!(rows.len(), descriptions().len());
}
