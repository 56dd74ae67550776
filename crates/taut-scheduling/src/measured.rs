//! Measured execution times, fed back into descriptions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::chains;
use crate::quoted::quoted;
use crate::repository::Repository;
use crate::time::ShownTime;

/// The execution times that were measured, by the operations' names: of one execution, with all
/// that it calls and waits for.
///
/// ```toml
/// [measured]
/// "Radar::sweep" = "1.8ms"
///
/// [typical]
/// "Radar::sweep" = "1.2ms"
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measurements {
    /// The longest time of each operation, in nanoseconds.
    pub longest_ns: BTreeMap<String, u64>,
    /// The typical time of each operation, in nanoseconds, where it is known.
    pub typical_ns: BTreeMap<String, u64>,
}

impl Measurements {
    /// Notes an execution of an operation.
    pub fn note(&mut self, operation: &str, time_ns: u64) {
        match self.longest_ns.get_mut(operation) {
            Some(longest) => *longest = time_ns.max(*longest),
            None => {
                self.longest_ns.insert(operation.to_owned(), time_ns);
            }
        }
    }

    /// Notes executions of an operation, of which half took the typical time at most. The times
    /// are put in order.
    pub fn note_all(&mut self, operation: &str, times_ns: &mut [u64]) {
        times_ns.sort_unstable();
        if let Some(longest) = times_ns.last() {
            self.note(operation, *longest);
            let typical = times_ns[(times_ns.len() - 1) / 2];
            self.typical_ns.insert(operation.to_owned(), typical);
        }
    }

    /// Returns the text of a file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[measured]\n");
        for (operation, time) in &self.longest_ns {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{} = \"{}\"", quoted(operation), ShownTime(*time));
        }
        if !self.typical_ns.is_empty() {
            text.push_str("\n[typical]\n");
        }
        for (operation, time) in &self.typical_ns {
            let _ = writeln!(text, "{} = \"{}\"", quoted(operation), ShownTime(*time));
        }
        text
    }

    /// Replaces the worst-case execution times of the measured operations: each becomes the
    /// longest measured time with `margin_percent` added, less the times of what the operation
    /// calls and waits for. Typical times become the measured ones, likewise and without a margin.
    /// Returns what is remarkable: executions that took longer than their worst case, and operations
    /// that are not there.
    pub fn apply(&self, repository: &mut Repository, margin_percent: u32) -> Vec<Anomaly> {
        let mut anomalies = Vec::new();
        for name in self
            .longest_ns
            .keys()
            .filter(|name| repository.lookup(name).is_none())
        {
            let message = format!("`{name}` was measured, and no operation has this name");
            let kind = AnomalyKind::MeasuredUnknown;
            anomalies.push(Anomaly::new(Severity::Warning, kind, [], message));
        }
        let mut totals = chains::totals_ns(repository);
        for handle in chains::callees_first(repository) {
            let index = handle.index();
            let worst = totals[index];
            let waited = chains::waited_ns(repository, handle, &totals);
            let info = &mut repository[handle];
            if let Some(longest) = self.longest_ns.get(&info.entry_point) {
                if *longest > worst {
                    let message = format!(
                        "an execution of `{}` took {}, and its worst case is said to be {}",
                        info.entry_point,
                        ShownTime(*longest),
                        ShownTime(worst)
                    );
                    let kind = AnomalyKind::MeasuredBeyondWorstCase;
                    anomalies.push(Anomaly::new(Severity::Warning, kind, [handle], message));
                }
                let margin = u128::from(*longest) * u128::from(margin_percent) / 100;
                let margin = u64::try_from(margin).unwrap_or(u64::MAX);
                info.worst_case_ns = longest.saturating_add(margin).saturating_sub(waited);
            }
            totals[index] = info.worst_case_ns.saturating_add(waited);
        }
        self.apply_typical(repository);
        anomalies
    }

    /// Replaces the typical times of the operations of which they were measured.
    fn apply_typical(&self, repository: &mut Repository) {
        let mut totals: Vec<_> = repository
            .iter()
            .map(|(_, info)| info.typical_ns.unwrap_or(info.worst_case_ns))
            .collect();
        for handle in chains::callees_first(repository) {
            let waited = chains::waited_ns(repository, handle, &totals);
            let info = &mut repository[handle];
            if let Some(typical) = self.typical_ns.get(&info.entry_point) {
                let own = typical.saturating_sub(waited);
                // A job of which a part was faster than it typically is takes its worst case at most.
                info.typical_ns = Some(own.min(info.worst_case_ns));
            }
            let own = info.typical_ns.unwrap_or(info.worst_case_ns);
            totals[handle.index()] = own.saturating_add(waited);
        }
    }
}
