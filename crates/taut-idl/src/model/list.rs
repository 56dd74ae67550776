//! Lists of a model.

use std::ops::Deref;
use std::sync::Arc;

/// A list that does not change. It has the size of a pointer and, while it is
/// empty, as most are, no other memory; its clones share what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(Option<Arc<Vec<T>>>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(mut list: Vec<T>) -> Self {
        if list.is_empty() {
            return Self(None);
        }
        list.shrink_to_fit();
        Self(Some(Arc::new(list)))
    }
}

impl<T: Clone> List<T> {
    /// Appends what another holds.
    pub(crate) fn append(&mut self, other: Self) {
        if self.0.is_none() {
            *self = other;
        } else if let (Some(list), Some(more)) = (&mut self.0, other.0) {
            Arc::make_mut(list).extend(more.iter().cloned());
        }
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<'l, T> IntoIterator for &'l List<T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_as_small_as_a_pointer() {
        assert_eq!(size_of::<List<u64>>(), size_of::<usize>());
        assert_eq!(List::from(Vec::<u64>::new()), List::default());
    }

    #[test]
    fn appending_leaves_clones_as_they_are() {
        let mut list = List::from(vec![1, 2]);
        let before = list.clone();
        list.append(vec![3].into());
        assert_eq!(&list[..], [1, 2, 3]);
        assert_eq!(&before[..], [1, 2]);
    }
}
