//! Message buffers that each thread keeps for its next call (M14).

use std::cell::RefCell;

/// Buffers that a thread keeps at most.
const MAX_KEPT: usize = 8;

/// Larger buffers are freed rather than kept, and so are smaller ones than
/// [`INITIAL_CAPACITY`].
const MAX_KEPT_CAPACITY: usize = 256 * 1024;

/// The capacity of a new buffer: a small message in one piece.
const INITIAL_CAPACITY: usize = 4 * 1024;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer with some capacity.
#[inline]
pub(crate) fn take() -> Vec<u8> {
    KEPT.try_with(|kept| kept.borrow_mut().pop())
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
        let mut kept = kept.borrow_mut();
        if kept.len() < MAX_KEPT {
            kept.push(buffer);
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_buffer_that_was_given_is_taken_again() {
        let mut buffer = super::take();
        buffer.extend_from_slice(b"message");
        let place = buffer.as_ptr();
        super::give(buffer);
        let again = super::take();
        assert_eq!(again.as_ptr(), place);
        assert!(again.is_empty());
    }
}
