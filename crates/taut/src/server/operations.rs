//! Operation look-up by a hash table that is built at run time.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Which operation a name means, by a hash table that the first look-up builds.
/// There for measurement (M9 of the TAO papers); the default is a perfect hash,
/// [`OperationTable`](crate::codegen::OperationTable).
#[derive(Debug)]
pub struct HashedOperationTable {
    names: &'static [&'static str],
    table: OnceLock<HashMap<&'static [u8], usize>>,
}

impl HashedOperationTable {
    /// A table of these names, in any order.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self {
            names,
            table: OnceLock::new(),
        }
    }

    /// The index of the name.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let table = self.table.get_or_init(|| {
            let names = self.names.iter().enumerate();
            names
                .map(|(index, name)| (name.as_bytes(), index))
                .collect()
        });
        table.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        static TABLE: HashedOperationTable =
            HashedOperationTable::new(&["outline", "_get_radius", "log"]);
        for (index, name) in TABLE.names.iter().enumerate() {
            assert_eq!(TABLE.find(name.as_bytes()), Some(index));
        }
        for name in ["", "outlin", "outlines", "LOG"] {
            assert_eq!(TABLE.find(name.as_bytes()), None);
        }
    }
}
