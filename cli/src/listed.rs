//! Values of options that are taken from a list.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};

/// A parser of values of which there is a list. The function that parses decides, and its
/// errors are shown; the list is what completions offer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed<T> {
    /// Returns the texts of all values.
    pub(crate) names: fn() -> Vec<&'static str>,
    /// Returns the value of a text, or why there is none.
    pub(crate) parse: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = (self.names)();
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}
