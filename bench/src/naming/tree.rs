//! The names that services have.

use std::fmt;

use clap::ValueEnum;
use serde::Serialize;
use taut_naming::NameComponent;

/// Where names are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// In one context.
    Flat,
    /// In contexts of ten entries each: a name has as many components as the number of all has
    /// zeros.
    Tree,
}

crate::options::display_as_option!(Shape);

/// So many names in this shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) shape: Shape,
    pub(crate) bindings: u32,
}

impl Names {
    pub(crate) fn new(shape: Shape, bindings: u32) -> Self {
        Self { shape, bindings }
    }

    /// The number of components of each name.
    pub(crate) fn depth(self) -> usize {
        match self.shape {
            Shape::Flat => 1,
            Shape::Tree => self.bindings.ilog10().max(1) as usize,
        }
    }

    /// The name with this index.
    pub(crate) fn name(self, index: u32) -> Vec<NameComponent> {
        match self.shape {
            Shape::Flat => vec![component(&format!("name-{index:07}"))],
            Shape::Tree => {
                let depth = self.depth();
                let digits = format!("{index:0depth$}");
                // The first component has the digits that are left over.
                let (first, rest) = digits.split_at(digits.len() + 1 - depth);
                let rest = rest.char_indices();
                let rest = rest.map(|(place, _)| component(&rest_digit(&digits, place, first)));
                std::iter::once(component(first)).chain(rest).collect()
            }
        }
    }

    /// The context in which a name is, as its own name; empty for the root.
    pub(crate) fn context_of(self, index: u32) -> Vec<NameComponent> {
        let mut name = self.name(index);
        name.pop();
        name
    }

    /// The contexts at a depth, from 1 on, by the index of the first name in each.
    pub(crate) fn contexts(self, depth: usize) -> impl Iterator<Item = u32> {
        let below = self.depth().saturating_sub(depth);
        let step = 10_u32.pow(u32::try_from(below).unwrap_or(0));
        (0..self.bindings).step_by(step as usize)
    }
}

/// The digit behind the first component.
fn rest_digit(digits: &str, place: usize, first: &str) -> String {
    let at = first.len() + place;
    digits.get(at..=at).unwrap_or_default().to_owned()
}

/// A component without a kind.
pub(crate) fn component(id: &str) -> NameComponent {
    NameComponent {
        id: id.to_owned(),
        kind: String::new(),
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} names, {}", self.bindings, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &[NameComponent]) -> String {
        let ids: Vec<_> = name.iter().map(|one| &*one.id).collect();
        ids.join("/")
    }

    #[test]
    fn names_in_a_tree_have_a_component_for_each_digit() {
        let names = Names::new(Shape::Tree, 1000);
        assert_eq!(text(&names.name(7)), "0/0/7");
        assert_eq!(text(&names.name(987)), "9/8/7");
        assert_eq!(text(&names.context_of(987)), "9/8");
        assert_eq!(names.contexts(1).count(), 10);
        assert_eq!(names.contexts(2).count(), 100);
        // Of each context, the first name.
        assert!(names.contexts(1).all(|index| index % 100 == 0));
        let odd = Names::new(Shape::Tree, 2000);
        assert_eq!(text(&odd.name(1987)), "19/8/7");
        let few = Names::new(Shape::Tree, 5);
        assert_eq!(text(&few.name(3)), "3");
    }

    #[test]
    fn names_in_one_context_are_one_component() {
        let names = Names::new(Shape::Flat, 1000);
        assert_eq!(text(&names.name(7)), "name-0000007");
        assert!(names.context_of(7).is_empty());
    }
}
