//! Empty lines between items, which the formatter leaves out.

/// Puts an empty line before each item that follows another.
pub(crate) fn separate_items(code: &str) -> String {
    let mut spaced = String::with_capacity(code.len() + code.len() / 16);
    let mut previous: Option<&str> = None;
    for line in code.lines() {
        if previous.is_some_and(|previous| ends_item(previous) && starts_item(line))
            && previous.map(indentation) == Some(indentation(line))
        {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        previous = Some(line);
    }
    spaced
}

fn ends_item(line: &str) -> bool {
    !line.trim_start().starts_with("//") && (line.ends_with('}') || line.ends_with(';'))
}

fn starts_item(line: &str) -> bool {
    [
        "///",
        "#[",
        "impl",
        "pub ",
        "fn ",
        "codegen::bitmask!",
        "::taut::codegen::bitmask!",
        "codegen::reference!",
        "::taut::codegen::reference!",
        "codegen::table_",
        "::taut::codegen::table_",
    ]
    .iter()
    .any(|start| line.trim_start().starts_with(start))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_separated_and_nothing_else_is() {
        let code = "use a;\n/// A;\npub struct A;\nimpl A {\n    fn a() {\n        b();\n        c();\n    }\n    fn d();\n}\npub struct B {\n    x: u8,\n    /// Y.\n    y: u8,\n}\n";
        let spaced = "use a;\n\n/// A;\npub struct A;\n\nimpl A {\n    fn a() {\n        b();\n        c();\n    }\n\n    fn d();\n}\n\npub struct B {\n    x: u8,\n    /// Y.\n    y: u8,\n}\n";
        assert_eq!(separate_items(code), spaced);
    }
}
