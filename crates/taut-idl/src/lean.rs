//! Lists that take little more memory than what is in them.

/// Appends to a list that may become long. It grows by a quarter rather than
/// to twice its length.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    let length = list.len();
    if length == list.capacity() && length >= 16 {
        list.reserve_exact(length / 4);
    }
    list.push(item);
}
