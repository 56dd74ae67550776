//! The names of definitions.

use std::fmt;
use std::sync::Arc;

use arcstr::ArcStr;

use crate::source::Span;

/// The names of scopes, from the innermost outwards. Definitions in the same scope share
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Path {
    pub(crate) outer: Option<Arc<Path>>,
    pub(crate) name: ArcStr,
}

impl Path {
    /// The names, outermost first.
    pub(crate) fn names(&self) -> Vec<ArcStr> {
        let names = std::iter::successors(Some(self), |path| path.outer.as_deref());
        let mut names: Vec<ArcStr> = names.map(|path| path.name.clone()).collect();
        names.reverse();
        names
    }

    /// A prefix, if it is not empty, and then names, outermost first.
    pub(crate) fn prefixed(
        prefix: &str,
        names: impl IntoIterator<Item = ArcStr>,
    ) -> Option<Arc<Self>> {
        let prefix = (!prefix.is_empty()).then(|| Self::within(None, prefix.into()));
        names
            .into_iter()
            .fold(prefix, |outer, name| Some(Self::within(outer, name)))
    }

    pub(crate) fn within(outer: Option<Arc<Self>>, name: ArcStr) -> Arc<Self> {
        Arc::new(Self { outer, name })
    }
}

/// A path and a last name, outermost first.
fn parts<'p>(path: Option<&'p Arc<Path>>, name: &'p str) -> Vec<&'p str> {
    let scopes = std::iter::successors(path, |path| path.outer.as_ref());
    let scopes = scopes.map(|path| path.name.as_str());
    let mut parts: Vec<&str> = std::iter::once(name).chain(scopes).collect();
    parts.reverse();
    parts
}

/// A name with all its scopes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ScopedName {
    pub(crate) scope: Option<Arc<Path>>,
    pub(crate) name: ArcStr,
}

impl ScopedName {
    /// The names of the scopes, outermost first, and the simple name last.
    pub fn parts(&self) -> Vec<&str> {
        parts(self.scope.as_ref(), &self.name)
    }

    /// The parts with a text between each two of them.
    pub fn join(&self, between: &str) -> String {
        self.parts().join(between)
    }

    /// The name of the outermost scope, or the simple name at file scope.
    pub fn first(&self) -> &str {
        let mut scopes = std::iter::successors(self.scope.as_deref(), |path| path.outer.as_deref());
        scopes
            .by_ref()
            .last()
            .map_or(self.name.as_str(), |outermost| outermost.name.as_str())
    }

    /// Whether these are its parts.
    pub(crate) fn is(&self, parts: &[&str]) -> bool {
        parts.last() == Some(&self.name.as_str()) && self.parts() == parts
    }

    /// Returns the names that stand before those of definitions in its scope.
    pub(crate) fn to_path(&self) -> Arc<Path> {
        Path::within(self.scope.clone(), self.name.clone())
    }
}

/// With `::` between the parts.
impl fmt::Display for ScopedName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.join("::"))
    }
}

/// A repository id; CORBA 3.3 part 1, 14.7. Its text is what it displays as.
#[derive(Debug, Clone)]
pub struct RepositoryId {
    /// The prefix, if there is one, and the names of the scopes.
    pub(crate) path: Option<Arc<Path>>,
    pub(crate) name: ArcStr,
    pub(crate) given: Option<Box<Given>>,
}

/// The parts of a repository id that the source gives explicitly, and where.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub(crate) version: Option<(String, Span)>,
    pub(crate) explicit: Option<(String, Span)>,
}

impl RepositoryId {
    /// The prefix and the names, with `/` between.
    pub(crate) fn path(&self) -> String {
        parts(self.path.as_ref(), &self.name).join("/")
    }

    /// Whether the path of another id is the same.
    pub(crate) fn has_path_of(&self, other: &Self) -> bool {
        self.path == other.path && self.name == other.name || self.path() == other.path()
    }

    pub(crate) fn version(&self) -> Option<&(String, Span)> {
        self.given.as_ref()?.version.as_ref()
    }

    pub(crate) fn explicit(&self) -> Option<&(String, Span)> {
        self.given.as_ref()?.explicit.as_ref()
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((id, _)) = self.explicit() {
            return formatter.write_str(id);
        }
        let version = self.version().map_or("1.0", |(version, _)| version);
        write!(formatter, "IDL:{}:{version}", self.path())
    }
}

impl PartialEq for RepositoryId {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for RepositoryId {}

impl PartialEq<&str> for RepositoryId {
    fn eq(&self, text: &&str) -> bool {
        let own: String = self.to_string();
        own == **text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str]) -> Option<Arc<Path>> {
        Path::prefixed("", names.iter().map(|name| ArcStr::from(*name)))
    }

    #[test]
    fn the_parts_of_a_name_are_in_order() {
        let name = ScopedName {
            scope: path(&["A", "B"]),
            name: "C".into(),
        };
        assert_eq!(name.parts(), ["A", "B", "C"]);
        assert_eq!(name.first(), "A");
        assert_eq!(name.to_string(), "A::B::C");
        assert!(name.is(&["A", "B", "C"]));
        assert!(!name.is(&["B", "C"]));
    }

    #[test]
    fn ids_with_the_same_text_are_the_same() {
        let id = |path: Option<Arc<Path>>| RepositoryId {
            path,
            name: "C".into(),
            given: None,
        };
        let (one, other) = (id(path(&["a/b"])), id(path(&["a", "b"])));
        assert_eq!(one, "IDL:a/b/C:1.0");
        assert_eq!(one, other);
        assert!(one.has_path_of(&other));
    }

    #[test]
    fn definitions_are_lean() {
        // The memory that a short declaration takes depends on it.
        assert!(size_of::<super::super::Definition>() <= 128);
    }
}
