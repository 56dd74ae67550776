//! The cases of unions: the member's name tells most discriminators.

use taut_types::TypeCode;

/// A case of a union.
pub(crate) struct Case {
    pub(crate) name: String,
    /// None: the default case.
    label: Option<i64>,
    pub(crate) type_code: TypeCode,
}

/// Returns the cases in their order.
pub(crate) fn cases(union: &TypeCode) -> Vec<Case> {
    let count = union.member_count().unwrap_or_default();
    let case = |index| {
        Some(Case {
            name: union.member_name(index).ok()?.to_owned(),
            label: union.member_label(index).ok()?.map(|label| label as i64),
            type_code: union.member_type(index).ok()?,
        })
    };
    (0..count).filter_map(case).collect()
}

/// Returns the case that a discriminator selects.
pub(crate) fn selected(cases: &[Case], label: i64) -> Option<&Case> {
    let explicit = cases.iter().find(|case| case.label == Some(label));
    explicit.or_else(|| cases.iter().find(|case| case.label.is_none()))
}

/// Returns the discriminator that a member is written with if nothing else is said.
pub(crate) fn label_of(cases: &[Case], name: &str) -> Option<i64> {
    let mut named = cases.iter().filter(|case| case.name == name);
    named.find_map(|case| case.label)
}
