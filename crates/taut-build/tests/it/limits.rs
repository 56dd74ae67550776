//! Types that are too large to describe.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use taut_build::generate;

/// A union of `count` structs that lead back to it.
fn text(count: usize) -> String {
    let mut idl = "union Tree; typedef sequence<Tree> Trees;".to_owned();
    idl.push_str("union Tree switch (long) { ");
    for case in 0..count {
        write!(idl, "case {case}: struct S{case} {{ Trees t; }} m{case}; ").unwrap();
    }
    idl.push_str("};");
    let path = PathBuf::from("test.idl");
    let mut loader = HashMap::from([(path.clone(), idl.into_bytes())]);
    let compilation = taut_idl::compile_with(&[path], &Default::default(), &mut loader);
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    generate(&compilation.model, &Default::default()).unwrap()
}

#[test]
fn types_that_contain_each_other_are_described_up_to_a_limit() {
    let too_large = "CreateError::TooLarge";
    // The union, and for each struct itself and an alias.
    assert!(!text(120).contains(too_large));
    assert!(text(130).contains(too_large));
}
