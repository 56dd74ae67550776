//! What two readers of a capture have in common.

use std::collections::BTreeMap;

/// A packet: its time in nanoseconds, its sender and its receiver.
pub(super) type Packet = (u128, String, String);

/// How many messages of each version and type.
pub(super) type Counts = BTreeMap<(u8, u8), usize>;
