//! The `-ORB` arguments of settings in the shape `minimal`: there are none.

use std::iter;

use crate::settings::Settings;

/// The hint at further arguments in errors.
pub(super) const OTHERS: &str = "; this ORB is built without the feature full";

/// Values of no settings.
#[derive(Debug, Default)]
pub(super) struct SettingValues;

impl SettingValues {
    pub(super) fn or(self, _: Self) -> Self {
        self
    }

    pub(super) fn take(&mut self, _: &str, _: &str) -> Option<Result<(), &'static str>> {
        None
    }

    pub(super) fn applied_to(&self, explicit: Settings) -> Settings {
        explicit
    }
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    iter::empty()
}

pub(super) fn is_known(_: &str) -> bool {
    false
}

pub(super) fn value_without(_: &str, _: Option<&String>) -> Option<&'static str> {
    None
}
