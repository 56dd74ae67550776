//! The counters of a naming service, in the `metrics` facade. All names: docs/naming.md.

/// Counts a name that was looked for.
pub(super) fn resolved() {
    metrics::counter!("taut_naming_resolves_total").increment(1);
}

/// Counts a change that was carried out, by its operation.
pub(super) fn changed(operation: &'static str) {
    metrics::counter!("taut_naming_changes_total", "operation" => operation).increment(1);
}

/// Counts a change that was not permitted: `reason` is the setting.
pub(super) fn forbidden(reason: &'static str) {
    metrics::counter!("taut_naming_changes_forbidden_total", "reason" => reason).increment(1);
}

/// Counts an iterator that the service has ended: `reason` is the setting.
pub(super) fn iterator_ended(reason: &'static str) {
    metrics::counter!("taut_naming_iterators_ended_total", "reason" => reason).increment(1);
}

/// Counts a fault of the store.
pub(super) fn store_failed() {
    metrics::counter!("taut_naming_store_failures_total").increment(1);
}
