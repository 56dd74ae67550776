//! Descriptions written as TOML files, and measured times put into them.

use std::fmt::Write as _;
use std::ops::Range;

use super::{Description, File, FileError, read};
use crate::info::{CallKind, Criticality, Dependency, Importance, RtInfo};
use crate::measured::Measurements;
use crate::options::{Phasing, Preemption};
use crate::quoted::quoted;
use crate::repository::Repository;
use crate::time::ShownTime;

impl Description {
    /// Returns the text of a file that describes these operations, with these options. Limits are
    /// left out. Operations that are called and not described are there as calls alone.
    pub fn to_toml(&self) -> String {
        let options = &self.options;
        let mut text = format!("strategy = \"{}\"\n", options.strategy);
        // Writing to a string does not fail.
        if options.preemption != Preemption::default() {
            text.push_str("preemption = \"between-operations\"\n");
        }
        if options.phasing != Phasing::default() {
            text.push_str("phasing = \"offsets\"\n");
        }
        if options.context_switch_ns > 0 {
            let time = ShownTime(options.context_switch_ns);
            let _ = writeln!(text, "context_switch = \"{time}\"");
        }
        if let Some(quantum) = options.quantum_ns {
            let _ = writeln!(text, "quantum = \"{}\"", ShownTime(quantum));
        }
        let (lowest, highest) = (options.priorities.start(), options.priorities.end());
        let _ = writeln!(
            text,
            "priorities = {{ lowest = {lowest}, highest = {highest} }}"
        );
        let described = self.repository.iter().filter(|(_, info)| info.is_described);
        for (_, info) in described {
            operation(&mut text, &self.repository, info);
        }
        text
    }
}

/// Adds an operation.
fn operation(text: &mut String, repository: &Repository, info: &RtInfo) {
    let _ = writeln!(
        text,
        "\n[[operation]]\nname = {}",
        quoted(&info.entry_point)
    );
    let some = |time: u64| (time > 0).then_some(time);
    for (key, time) in [
        ("period", info.period_ns),
        ("wcet", some(info.worst_case_ns)),
        ("typical", info.typical_ns),
        ("deadline", info.deadline_ns),
        ("offset", some(info.offset_ns)),
        ("jitter", some(info.jitter_ns)),
        ("blocking", some(info.blocking_ns)),
    ] {
        if let Some(time) = time {
            let _ = writeln!(text, "{key} = \"{}\"", ShownTime(time));
        }
    }
    if info.criticality != Criticality::default() {
        let _ = writeln!(text, "criticality = \"{}\"", info.criticality);
    }
    if info.importance != Importance::default() {
        let _ = writeln!(text, "importance = \"{}\"", info.importance);
    }
    if let Some(threads) = info.threads {
        let _ = writeln!(text, "threads = {threads}");
    }
    if info.dependencies.is_empty() {
        return;
    }
    text.push_str("calls = [\n");
    for call in &info.dependencies {
        let _ = writeln!(text, "    {},", shown_call(repository, call));
    }
    text.push_str("]\n");
}

/// A call, as briefly as it can be written.
fn shown_call(repository: &Repository, call: &Dependency) -> String {
    let name = quoted(&repository[call.callee].entry_point);
    let times = match call.calls {
        1 => String::new(),
        times => format!(", times = {times}"),
    };
    let oneway = match call.kind {
        CallKind::OneWay => ", oneway = true",
        CallKind::TwoWay => "",
    };
    match times.is_empty() && oneway.is_empty() {
        true => name,
        false => format!("{{ operation = {name}{times}{oneway} }}"),
    }
}

/// A change of a text: these octets become that.
type Edit = (Range<usize>, String);

impl Measurements {
    /// Puts the measured times into the text of a file that describes operations: `wcet` becomes
    /// what [`apply`](Self::apply) makes of it, with this margin, and `typical` the typical time
    /// that was measured. All else stays as it is, comments too. Operations that were not
    /// measured are left alone.
    ///
    /// # Errors
    ///
    /// When the text describes no operations.
    pub fn feed_back(&self, text: &str, margin_percent: u32) -> Result<String, FileError> {
        let mut description = Description::from_toml(text)?;
        let file: File = read(text)?;
        // Remarkable times are told by `apply` to those who ask it.
        let _ = self.apply(&mut description.repository, margin_percent);
        let mut edits: Vec<Edit> = Vec::new();
        for operation in &file.operations {
            let name = operation.name.get_ref();
            let measured = self.longest_ns.contains_key(name) || self.typical_ns.contains_key(name);
            let Some(handle) = description.repository.lookup(name).filter(|_| measured) else {
                continue;
            };
            let info = &description.repository[handle];
            let name_end = operation.name.span().end;
            let mut put = |key: &str, value: Option<Range<usize>>, time: u64| {
                let time = format!("\"{}\"", ShownTime(time));
                edits.push(match value {
                    Some(place) => (place, time),
                    None => insertion(text, name_end, &format!("{key} = {time}")),
                });
            };
            if self.longest_ns.contains_key(name) {
                let place = operation.wcet.as_ref().map(|value| value.span());
                put("wcet", place, info.worst_case_ns);
            }
            if let Some(typical) = info
                .typical_ns
                .filter(|_| self.typical_ns.contains_key(name))
            {
                let place = operation.typical.as_ref().map(|value| value.span());
                put("typical", place, typical);
            }
        }
        // From the end, so that places before stay where they are.
        edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut changed = text.to_owned();
        for (place, by) in edits {
            changed.replace_range(place, &by);
        }
        Ok(changed)
    }
}

/// A further entry behind an operation's name: in a line of its own, or within an inline table.
fn insertion(text: &str, name_end: usize, entry: &str) -> Edit {
    let rest = text[name_end..].split('\n').next().unwrap_or("");
    let is_alone = matches!(rest.trim_start().chars().next(), None | Some('#'));
    match is_alone {
        true => {
            let end = name_end + rest.trim_end_matches('\r').len();
            (end..end, format!("\n{entry}"))
        }
        false => (name_end..name_end, format!(", {entry}")),
    }
}
