//! The levels of a value.

use taut_types::dynamic::{Fault, Mismatch};
use taut_types::engine::MAX_FRAMES;

/// Returns the levels that there may be below one.
pub(crate) fn below(left: u16) -> Result<u16, Mismatch> {
    let too_deep = || Mismatch::new(Fault::TooDeep { limit: MAX_FRAMES });
    left.checked_sub(1).ok_or_else(too_deep)
}
