//! A map in one piece of memory, for what no call looks up once its way is known.

use std::borrow::Borrow;

/// Entries in the order of their keys, each of which is found in logarithmic time. Adding
/// and removing move the entries behind: fit for some thousands of entries that seldom
/// change. Each type of entries takes a fraction of the code that a hash table takes.
#[derive(Debug, Clone)]
pub(crate) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K: Ord, V> SortedMap<K, V> {
    /// A map without entries.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of a key, or the one where it would be.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0
            .binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    /// Whether there is an entry with this key.
    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// The value of a key.
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (_, value) = self.0.get(self.place(key).ok()?)?;
        Some(value)
    }

    /// The value of a key, to be changed.
    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        let (_, value) = self.0.get_mut(place)?;
        Some(value)
    }

    /// The value of a key, which is made if there is none.
    pub(crate) fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, make()));
                place
            }
        };
        &mut self.0[place].1
    }

    /// Sets the value of a key, and returns the one that it had before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key, and returns its value.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        Some(self.0.remove(place).1)
    }

    /// Removes all entries but those of which this is true.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| is_kept(key, value));
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The keys, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_changed_and_removed_by_their_keys() {
        let mut map = SortedMap::<Box<str>, u32>::new();
        for (value, key) in ["m", "a", "z", "b"].into_iter().enumerate() {
            assert_eq!(map.insert(key.into(), value as u32), None);
        }
        assert_eq!(map.insert("z".into(), 9), Some(2));
        assert_eq!(*map.get_or_insert_with("c".into(), || 7), 7);
        assert_eq!(*map.get_or_insert_with("c".into(), || 8), 7);
        *map.get_mut("a").unwrap() += 10;
        let keys: Vec<_> = map.keys().map(|key| &**key).collect();
        assert_eq!(keys, ["a", "b", "c", "m", "z"]);
        assert_eq!(map.values().copied().collect::<Vec<_>>(), [11, 3, 7, 0, 9]);
        assert_eq!((map.get("z"), map.get("y")), (Some(&9), None));
        assert_eq!((map.remove("b"), map.remove("b")), (Some(3), None));
        map.retain(|_, value| *value > 7);
        assert!(map.contains_key("a") && map.contains_key("z") && map.len() == 2);
        map.clear();
        assert!(map.is_empty());
    }
}
