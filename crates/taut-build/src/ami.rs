//! The operations that can be called by Asynchronous Method Invocation: what the options
//! say, what annotations in the IDL say, and the reply handlers that come of it.

use std::borrow::Cow;
use std::collections::HashSet;

use taut_idl::implied::{self, ReplyHandlers};
use taut_idl::model::{DefinitionId, Model};

use crate::fault::GenerateError;
use crate::options::GenerateOptions;
use crate::strategies::{Finder, KnownNames, feature_name};

/// The model with the reply handlers of the operations that are chosen.
///
/// # Errors
///
/// Names of the options that the IDL does not define, and annotations that say neither.
pub(crate) fn with_reply_handlers<'m>(
    model: &'m Model,
    options: &GenerateOptions,
) -> Result<(Cow<'m, Model>, ReplyHandlers), Vec<GenerateError>> {
    let mut errors = Vec::new();
    let chosen = chosen(model, options, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    if chosen.is_empty() {
        return Ok((Cow::Borrowed(model), ReplyHandlers::default()));
    }
    let wanted = |id: DefinitionId, place: usize| chosen.contains(&(id, place));
    let (model, handlers) = implied::with_reply_handlers(model, wanted);
    Ok((Cow::Owned(model), handlers))
}

/// The operations and attributes, by their interface and place.
fn chosen(
    model: &Model,
    options: &GenerateOptions,
    errors: &mut Vec<GenerateError>,
) -> HashSet<(DefinitionId, usize)> {
    let mut finder = Finder { model, errors };
    if !options.ami.is_empty() {
        let known = KnownNames::of(model);
        finder.check_names("ami", &options.ami, |name| known.any(name));
    }
    let mut chosen = HashSet::new();
    for (id, definition) in model.definitions() {
        let Some(interface) = model.interface(id) else {
            continue;
        };
        let scope = definition.scoped_name.join("::");
        let inherited = finder.inherited(&options.ami, definition).unwrap_or(false);
        for (place, feature) in interface.features.iter().enumerate() {
            let (name, annotations) = feature_name(feature);
            let own = finder.own(&options.ami, &format!("{scope}::{name}"), annotations);
            if own.unwrap_or(inherited) {
                chosen.insert((id, place));
            }
        }
    }
    chosen
}
