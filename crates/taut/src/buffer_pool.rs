//! Message buffers that each thread keeps for its next call (M14).

use std::cell::{Cell, RefCell};

/// Buffers that a thread keeps at most.
const MAX_KEPT: usize = 8;

/// A buffer that has grown beyond this is freed rather than kept, by threads and by
/// connections: a message of a mebibyte fits, for to have the system give such a buffer
/// page by page takes longer than to fill it.
pub(crate) const MAX_KEPT_CAPACITY: usize = 2 * 1024 * 1024;

/// Of buffers beyond this a thread keeps two: what it sends and what it receives.
const LARGE: usize = 256 * 1024;
const MAX_KEPT_LARGE: usize = 2;

/// The capacity of a new buffer: a small message in one piece. Smaller ones are not kept.
pub(crate) const INITIAL_CAPACITY: usize = 4 * 1024;

thread_local! {
    static KEPT: Kept = const { Kept::new() };
}

/// The buffers of a thread.
struct Kept {
    /// The one that came last, which is the first to go: that is all that a thread needs
    /// which makes one call after the other.
    last: Cell<Option<Vec<u8>>>,
    others: RefCell<Vec<Vec<u8>>>,
}

/// An empty buffer with some capacity.
#[inline]
pub(crate) fn take() -> Vec<u8> {
    KEPT.try_with(|kept| kept.last.take())
        .ok()
        .flatten()
        .unwrap_or_else(take_another)
}

#[cold]
#[inline(never)]
fn take_another() -> Vec<u8> {
    KEPT.try_with(|kept| kept.others.borrow_mut().pop())
        .ok()
        .flatten()
        .unwrap_or_else(|| Vec::with_capacity(INITIAL_CAPACITY))
}

/// Keeps a buffer for the next [`take`] of this thread.
#[inline]
pub(crate) fn give(mut buffer: Vec<u8>) {
    if !(INITIAL_CAPACITY..=MAX_KEPT_CAPACITY).contains(&buffer.capacity()) {
        return;
    }
    buffer.clear();
    // While the thread ends there is nothing to keep it for.
    let _ = KEPT.try_with(|kept| {
        let is_large = buffer.capacity() > LARGE;
        if let Some(before) = kept.last.replace(Some(buffer)) {
            kept.keep_another(before, is_large);
        }
    });
}

impl Kept {
    const fn new() -> Self {
        Self {
            last: Cell::new(None),
            others: RefCell::new(Vec::new()),
        }
    }

    /// Keeps a buffer beside the last, which may be a large one.
    #[cold]
    #[inline(never)]
    fn keep_another(&self, buffer: Vec<u8>, last_is_large: bool) {
        let mut others = self.others.borrow_mut();
        let large = others.iter().filter(|other| other.capacity() > LARGE);
        let has_room = buffer.capacity() <= LARGE
            || large.count() + usize::from(last_is_large) < MAX_KEPT_LARGE;
        if has_room && others.len() + 1 < MAX_KEPT {
            others.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_large_buffers_are_kept_and_none_that_is_too_large() {
        let sizes = [
            MAX_KEPT_CAPACITY + 1,
            MAX_KEPT_CAPACITY,
            LARGE + 1,
            LARGE + 1,
            LARGE,
        ];
        for size in sizes {
            give(Vec::with_capacity(size));
        }
        let kept = [(); 4].map(|()| take().capacity());
        let expected = [LARGE, LARGE + 1, MAX_KEPT_CAPACITY, INITIAL_CAPACITY];
        assert_eq!(kept, expected);
    }

    #[test]
    fn a_buffer_that_was_given_is_taken_again() {
        let mut buffer = take();
        buffer.extend_from_slice(b"message");
        let place = buffer.as_ptr();
        give(buffer);
        let again = take();
        assert_eq!(again.as_ptr(), place);
        assert!(again.is_empty());
    }
}
