//! Which member of a union a discriminator selects, and which select none.

use crate::node::Node;
use crate::{TCKind, TypeCode};

impl TypeCode {
    /// Returns the index of the member that a discriminator of a union selects. None: it selects
    /// none, or the type is no union.
    pub fn selected_case(&self, label: i64) -> Option<usize> {
        match self.without_aliases().node() {
            Node::Union(it) => it.case_index(label),
            _ => None,
        }
    }

    /// Returns the least discriminator of a union that no case names. None if each is named, or
    /// the type is no union.
    pub fn free_label(&self) -> Option<i64> {
        let union = self.without_aliases();
        let Node::Union(it) = union.node() else {
            return None;
        };
        let last = match it.discriminator_kind {
            TCKind::Boolean => 1,
            TCKind::Char | TCKind::Octet => u8::MAX.into(),
            TCKind::WChar | TCKind::UShort => u16::MAX.into(),
            TCKind::Short => i16::MAX.into(),
            TCKind::Long => i32::MAX.into(),
            TCKind::ULong => u32::MAX.into(),
            TCKind::Enum => {
                let of = union.at(it.discriminator).without_aliases();
                of.member_count().ok()? as i64 - 1
            }
            _ => i64::MAX,
        };
        let explicit = |label: i64| {
            let found = it
                .by_label
                .binary_search_by_key(&label, |case| it.cases[*case as usize].label);
            found.is_ok()
        };
        // Among one more candidates than there are cases one is free, if any is.
        let signed = match it.discriminator_kind {
            TCKind::Short => i64::from(i16::MIN),
            TCKind::Long => i64::from(i32::MIN),
            TCKind::LongLong | TCKind::ULongLong => i64::MIN,
            _ => 0,
        };
        let free = (0..=last)
            .take(it.cases.len() + 1)
            .find(|label| !explicit(*label));
        free.or_else(|| {
            (signed..0)
                .take(it.cases.len() + 1)
                .find(|label| !explicit(*label))
        })
    }

    /// Returns the name of an enumerator.
    pub(super) fn enumerator_name(&self, ordinal: u32) -> Option<&str> {
        match self.graph.node(self.graph.layout(self.root).target) {
            Node::Enum(it) => it.enumerators.get(ordinal as usize).map(|name| &**name),
            _ => None,
        }
    }
}
