//! Message buffers that each thread keeps for its next call (M14).

use std::cell::RefCell;

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
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer with some capacity.
#[inline]
pub(crate) fn take() -> Vec<u8> {
    KEPT.try_with(|kept| kept.borrow_mut().pop())
        .ok()
        .flatten()
        .unwrap_or_else(fresh)
}

#[cold]
#[inline(never)]
fn fresh() -> Vec<u8> {
    Vec::with_capacity(INITIAL_CAPACITY)
}

/// Keeps a buffer for the next [`take`] of this thread.
#[inline]
pub(crate) fn give(buffer: Vec<u8>) {
    if (INITIAL_CAPACITY..=MAX_KEPT_CAPACITY).contains(&buffer.capacity()) {
        keep(buffer);
    }
}

#[inline(always)]
fn keep(mut buffer: Vec<u8>) {
    buffer.clear();
    // While the thread ends there is nothing to keep it for.
    let _ = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.len() < MAX_KEPT && (buffer.capacity() <= LARGE || has_room_for_large(&kept)) {
            kept.push(buffer);
        }
    });
}

#[cold]
#[inline(never)]
fn has_room_for_large(kept: &[Vec<u8>]) -> bool {
    let large = kept.iter().filter(|buffer| buffer.capacity() > LARGE);
    large.count() < MAX_KEPT_LARGE
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
