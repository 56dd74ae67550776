//! The words of a source, each kept once.

use std::cell::RefCell;
use std::rc::Rc;

use arcstr::ArcStr;
use hashbrown::HashSet;

/// The words read so far. Its clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words(Rc<RefCell<HashSet<ArcStr>>>);

impl Words {
    /// The word with this text: the one that is known, or a new one.
    pub(crate) fn share(&self, text: &str) -> ArcStr {
        let mut known = self.0.borrow_mut();
        known.get_or_insert_with(text, |text| text.into()).clone()
    }
}
