//! Where generated items live, and how one names another.

use crate::code::{Code, Ident, Kind};

/// A Rust module that generated code is in, or refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ModulePath {
    /// The path outside the generated file that the segments start from; none
    /// when they start at the place where the file is included.
    pub(crate) external: Option<String>,
    /// The modules, outermost first, as identifiers.
    pub(crate) segments: Vec<String>,
}

impl ModulePath {
    /// The scope that the generated file is included in.
    pub(crate) fn file() -> Self {
        Self {
            external: None,
            segments: Vec::new(),
        }
    }

    /// A module outside the generated file.
    pub(crate) fn external(path: &str) -> Self {
        Self {
            external: Some(path.to_owned()),
            segments: Vec::new(),
        }
    }

    /// A module inside this one.
    pub(crate) fn child(&self, name: &str) -> Self {
        let mut child = self.clone();
        child.segments.push(name.to_owned());
        child
    }

    /// How code in this module names an item of another.
    pub(crate) fn path_to(&self, target: &Self, item: &str) -> Code {
        let mut path = Code::with_room();
        let downwards = match &target.external {
            Some(external) => {
                path.extend([Code::parse(external)]);
                path.token("::");
                &target.segments[..]
            }
            None => {
                let shared = self
                    .segments
                    .iter()
                    .zip(&target.segments)
                    .take_while(|(here, there)| here == there)
                    .count();
                for _ in shared..self.segments.len() {
                    path.token("super");
                    path.token("::");
                }
                &target.segments[shared..]
            }
        };
        for segment in downwards {
            path.push(Kind::Word, segment);
            path.token("::");
        }
        path.push(Kind::Word, item);
        path
    }
}

/// An identifier from text that is one, raw or not.
pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(segments: &[&str]) -> ModulePath {
        segments
            .iter()
            .fold(ModulePath::file(), |path, segment| path.child(segment))
    }

    #[test]
    fn paths_go_up_and_then_down() {
        for (from, to, expected) in [
            (&["a"][..], &["a"][..], "X"),
            (&[], &["a", "b"], "a::b::X"),
            (&["a"], &[], "super::X"),
            (&["a", "b"], &["a", "c"], "super::c::X"),
            (&["a", "b"], &["c"], "super::super::c::X"),
            (&["a"], &["a", "r#type"], "r#type::X"),
        ] {
            let path = module(from).path_to(&module(to), "X");
            assert_eq!(path.to_string().replace(' ', ""), expected);
        }
    }

    #[test]
    fn external_paths_are_written_out() {
        let target = ModulePath::external("::taut_naming::cos_naming").child("naming_context");
        let path = module(&["a"]).path_to(&target, "NotFound");
        assert_eq!(
            path.to_string().replace(' ', ""),
            "::taut_naming::cos_naming::naming_context::NotFound"
        );
    }
}
