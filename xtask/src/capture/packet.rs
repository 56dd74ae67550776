//! The frames that two readers of a capture compare.

use std::collections::BTreeMap;

/// A packet: its time in nanoseconds, its sender and its receiver.
pub(super) type Packet = (u128, String, String);

/// How many messages of each version and type.
pub(super) type Counts = BTreeMap<(u8, u8), usize>;
