//! Counters in a service without the feature `metrics`: nothing is counted.

pub(super) const fn resolved() {}

pub(super) const fn changed(_: &'static str) {}

pub(super) const fn forbidden(_: &'static str) {}

pub(super) const fn iterator_ended(_: &'static str) {}

pub(super) const fn store_failed() {}
