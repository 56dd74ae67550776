//! The object that a thread has called last, while it deals with many requests at once.

use super::current::{Target, Upcall};
use super::object_key::ObjectKey;
use super::table::PoaTable;
use taut_sync::slot_table::SlotId;

/// Whom the request before was for. The next is mostly for the same object, and then
/// neither that nor its POA has to be found again.
///
/// Both live as long as this remembers them, and what ends with them waits; so it must
/// not be kept while a thread waits for anything.
#[derive(Default)]
pub(crate) struct LastTarget<'m>(Option<Remembered<'m>>);

struct Remembered<'m> {
    object_key: &'m [u8],
    poa: SlotId,
    upcall: Upcall,
}

impl<'m> LastTarget<'m> {
    /// The object with this key, if it is found at once: the one that is remembered, as
    /// long as nothing has become of it or its POA, or else one that is from here on.
    #[inline(always)]
    pub(super) fn find(&mut self, table: &PoaTable, object_key: &'m [u8]) -> Option<&Upcall> {
        let is_it = |last: &Remembered<'_>| last.object_key == object_key && last.is_there(table);
        if !self.0.as_ref().is_some_and(is_it) {
            // Before others are found: a thread has few places to hold what it finds.
            self.0 = None;
            self.0 = Remembered::find(table, object_key);
        }
        self.0.as_ref().map(|last| &last.upcall)
    }
}

impl<'m> Remembered<'m> {
    #[inline(never)]
    fn find(table: &PoaTable, object_key: &'m [u8]) -> Option<Self> {
        let key = ObjectKey::parse(object_key)?;
        let (entry, found) = table.find_at_once(&key)?;
        let target = Target::Active(found);
        Some(Self {
            object_key,
            poa: key.poa,
            upcall: Upcall { target, entry },
        })
    }

    /// Whether it would be found again.
    #[inline(always)]
    fn is_there(&self, table: &PoaTable) -> bool {
        let Upcall { target, entry } = &self.upcall;
        let is_active = match target {
            Target::Active(found) => entry.value.poa.shared.map.is_there(found),
            _ => false,
        };
        is_active && table.is_there(self.poa, entry)
    }
}
