//! Names, as people write them.

use taut_giop::naming;
use taut_naming::NameComponent;

use crate::failure::Failure;
use crate::output::visible;

/// Reads a name.
///
/// # Errors
///
/// When it is malformed.
pub(super) fn parse(text: &str) -> Result<Vec<NameComponent>, Failure> {
    let name = naming::parse_name(text).map_err(|error| {
        Failure::Message(format!(
            "the name \"{}\" is malformed: {error}",
            visible(text)
        ))
    })?;
    let components = name.into_iter();
    Ok(components
        .map(|component| NameComponent {
            id: component.id,
            kind: component.kind,
        })
        .collect())
}

/// The string form of a name; empty for none.
pub(super) fn format(name: &[NameComponent]) -> String {
    let components = name.iter();
    let name: Vec<_> = components
        .map(|component| naming::NameComponent::new(&component.id, &component.kind))
        .collect();
    let text = naming::format_name(&name).unwrap_or_default();
    visible(&text).into_owned()
}
