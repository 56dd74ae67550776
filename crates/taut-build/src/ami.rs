//! The operations that can be called by Asynchronous Method Invocation: what the options
//! say, what annotations in the IDL say, and the reply handlers that come of it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use taut_idl::implied::{self, ReplyHandlers};
use taut_idl::model::{
    Annotation, AnnotationValue, ConstantValue, DefinitionId, DefinitionKind, Model,
};

use crate::fault::{GenerateError, GenerateErrorKind};
use crate::options::GenerateOptions;
use crate::strategies::feature_name;

/// The annotation of IDL 4.2, 8.3.6.
const ANNOTATION: &str = "ami";

/// The model with the reply handlers of the operations that are chosen.
///
/// # Errors
///
/// Names of the options that the IDL does not define, and annotations that say neither.
pub(crate) fn with_reply_handlers<'m>(
    model: &'m Model,
    options: &GenerateOptions,
) -> Result<(Cow<'m, Model>, ReplyHandlers), Vec<GenerateError>> {
    let mut finder = Finder {
        model,
        options,
        errors: Vec::new(),
    };
    let chosen = finder.chosen();
    if !finder.errors.is_empty() {
        return Err(finder.errors);
    }
    if chosen.is_empty() {
        return Ok((Cow::Borrowed(model), ReplyHandlers::default()));
    }
    let wanted = |id: DefinitionId, place: usize| chosen.contains(&(id, place));
    let (model, handlers) = implied::with_reply_handlers(model, wanted);
    Ok((Cow::Owned(model), handlers))
}

struct Finder<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    errors: Vec<GenerateError>,
}

impl Finder<'_> {
    /// The operations and attributes, by their interface and place.
    fn chosen(&mut self) -> HashSet<(DefinitionId, usize)> {
        let mut known = BTreeSet::new();
        let mut chosen = HashSet::new();
        for (id, definition) in self.model.definitions() {
            let scope = definition.scoped_name.join("::");
            if let DefinitionKind::Interface(interface) = &definition.kind {
                let inherited = self.of_scope(id);
                for (place, feature) in interface.features.iter().enumerate() {
                    let (name, annotations) = feature_name(feature);
                    let name = format!("{scope}::{name}");
                    if self.own(&name, annotations).unwrap_or(inherited) {
                        chosen.insert((id, place));
                    }
                    known.insert(name);
                }
            }
            known.insert(scope);
        }
        let unknown = self
            .options
            .ami
            .keys()
            .filter(|name| !known.contains(*name));
        let unknown = unknown.map(|name| {
            GenerateError::new(
                GenerateErrorKind::UnknownName,
                format!("`ami` is given `{name}`, which the IDL does not define"),
            )
        });
        self.errors.extend(unknown);
        chosen
    }

    /// Whether the operations of an interface are chosen, by it or by a scope that it is in.
    fn of_scope(&mut self, id: DefinitionId) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            let definition = self.model.get(id);
            let name = definition.scoped_name.join("::");
            if let Some(own) = self.own(&name, &definition.annotations) {
                return own;
            }
            next = definition.parent;
        }
        false
    }

    /// The choice for this name: of an option, else of an annotation.
    fn own(&mut self, name: &str, annotations: &[Annotation]) -> Option<bool> {
        if let Some(choice) = self.options.ami.get(name) {
            return Some(*choice);
        }
        let annotation = annotations
            .iter()
            .find(|annotation| annotation.name.trim_start_matches("::") == ANNOTATION)?;
        match annotation.argument("value") {
            None => Some(true),
            Some(AnnotationValue::Constant(ConstantValue::Boolean(choice))) => Some(*choice),
            Some(_) => {
                let message = "`@ami` takes TRUE or FALSE".to_owned();
                let error = GenerateError::new(GenerateErrorKind::UnknownStrategy, message)
                    .at(annotation.span, "this annotation");
                if !self.errors.contains(&error) {
                    self.errors.push(error);
                }
                None
            }
        }
    }
}
