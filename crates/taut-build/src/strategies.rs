//! Which strategy each definition of a model has: what the options say, what
//! annotations in the IDL say, and which of them counts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use taut_idl::model::{
    Annotation, AnnotationValue, ConstantValue, Definition, DefinitionId, DefinitionKind, Feature,
    Model,
};

use crate::fault::{GenerateError, GenerateErrorKind};
use crate::method::Method;
use crate::options::GenerateOptions;
use crate::strategy::{Answering, Dispatch, Marshaling, Strategy, UnknownStrategy};
use crate::support::is_local;

/// The strategies of a model's definitions.
#[derive(Debug, Default)]
pub(crate) struct Strategies {
    /// The definitions that are marshaled by table.
    tables: HashSet<DefinitionId>,
    /// The operations and attributes for which it is otherwise than for their
    /// interface, by scoped name.
    exceptions: HashSet<String>,
    dispatch: HashMap<DefinitionId, Dispatch>,
    /// The operations and attributes that are not answered at once, by scoped name.
    later: HashMap<String, Answering>,
    /// The interfaces that have such operations, be they inherited.
    with_later: HashSet<DefinitionId>,
}

impl Strategies {
    /// Finds them all, and adds what is wrong to `errors`.
    pub(crate) fn find(
        model: &Model,
        options: &GenerateOptions,
        errors: &mut Vec<GenerateError>,
    ) -> Self {
        let mut finder = Finder {
            model,
            options,
            errors,
        };
        finder.check_names();
        let mut strategies = Self::default();
        for (id, definition) in model.definitions() {
            let marshaling = finder.marshaling(definition);
            if marshaling == Marshaling::Interpretive {
                strategies.tables.insert(id);
            }
            if let DefinitionKind::Interface(interface) = &definition.kind {
                strategies.dispatch.insert(id, finder.dispatch(definition));
                let scope = definition.scoped_name.join("::");
                let answering = finder.answering(definition);
                for feature in &interface.features {
                    let (name, annotations) = feature_name(feature);
                    let name = format!("{scope}::{name}");
                    let own = finder.own(&options.answering_of, &name, annotations);
                    let answering = own.unwrap_or(answering);
                    // Local objects get no requests.
                    if answering != Answering::AtOnce && !is_local(model, id) {
                        strategies.later.insert(name.clone(), answering);
                        strategies.with_later.insert(id);
                    }
                    let own = finder.own(&options.marshaling_of, &name, annotations);
                    if own.is_some_and(|own| own != marshaling) {
                        strategies.exceptions.insert(name);
                    }
                }
            }
        }
        let has_base = |id: DefinitionId| {
            let mut bases = model.all_bases(id).into_iter();
            !is_local(model, id) && bases.any(|base| strategies.with_later.contains(&base))
        };
        let interfaces = model.definitions().map(|(id, _)| id);
        let inheriting: Vec<_> = interfaces
            .filter(|id| model.interface(*id).is_some() && has_base(*id))
            .collect();
        strategies.with_later.extend(inheriting);
        strategies
    }

    /// Whether an interface has operations, own or inherited, that are not answered at once.
    pub(crate) fn answers_later(&self, interface: DefinitionId) -> bool {
        self.with_later.contains(&interface)
    }

    /// How an operation is answered.
    pub(crate) fn answering(&self, method: &Method) -> Answering {
        let later = self.later.get(&method.scoped_name);
        later.copied().unwrap_or_default()
    }

    /// Whether a type is marshaled by table.
    pub(crate) fn has_table(&self, id: DefinitionId) -> bool {
        self.tables.contains(&id)
    }

    /// Whether an interface's operation is to be marshaled by table.
    pub(crate) fn wants_table(&self, interface: DefinitionId, method: &Method) -> bool {
        self.has_table(interface) != self.exceptions.contains(&method.scoped_name)
    }

    /// How the skeletons of an interface find operations.
    pub(crate) fn dispatch(&self, interface: DefinitionId) -> Dispatch {
        self.dispatch.get(&interface).copied().unwrap_or_default()
    }
}

struct Finder<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    errors: &'a mut Vec<GenerateError>,
}

impl Finder<'_> {
    fn marshaling(&mut self, definition: &Definition) -> Marshaling {
        let options = self.options;
        self.inherited(&options.marshaling_of, definition)
            .or_else(|| {
                let files = &options.marshaling_of_files;
                files.get(&definition.span.file).copied()
            })
            .unwrap_or(options.marshaling)
    }

    fn dispatch(&mut self, definition: &Definition) -> Dispatch {
        self.inherited(&self.options.dispatch_of, definition)
            .unwrap_or(self.options.dispatch)
    }

    fn answering(&mut self, definition: &Definition) -> Answering {
        self.inherited(&self.options.answering_of, definition)
            .unwrap_or(self.options.answering)
    }

    /// Returns the strategy that is given for a definition, or for the scopes that it is
    /// in.
    fn inherited<S: Strategy>(
        &mut self,
        given: &BTreeMap<String, S>,
        definition: &Definition,
    ) -> Option<S> {
        let mut definition = definition;
        loop {
            let name = definition.scoped_name.join("::");
            if let Some(own) = self.own(given, &name, &definition.annotations) {
                return Some(own);
            }
            definition = self.model.get(definition.parent?);
        }
    }

    /// Returns the strategy that is given for this name: by an option, else by an
    /// annotation.
    fn own<S: Strategy>(
        &mut self,
        given: &BTreeMap<String, S>,
        name: &str,
        annotations: &[Annotation],
    ) -> Option<S> {
        if let Some(strategy) = given.get(name) {
            return Some(*strategy);
        }
        let annotation = annotations
            .iter()
            .find(|annotation| annotation.name.trim_start_matches("::") == S::ANNOTATION)?;
        let value = match annotation.argument("value") {
            Some(AnnotationValue::Name(name)) => name.to_string(),
            Some(AnnotationValue::Constant(ConstantValue::String(text))) => text.to_string(),
            _ => String::new(),
        };
        match value.parse() {
            Ok(strategy) => Some(strategy),
            Err(UnknownStrategy { known, .. }) => {
                let message = format!("`@{}` takes one of {}", S::ANNOTATION, known.join(", "));
                let error = GenerateError::new(GenerateErrorKind::UnknownStrategy, message)
                    .at(annotation.span, "this annotation");
                // Members inherit an annotation; it is wrong once.
                if !self.errors.contains(&error) {
                    self.errors.push(error);
                }
                None
            }
        }
    }

    fn check_names(&mut self) {
        let mut names = BTreeSet::new();
        let mut operations = BTreeSet::new();
        for (_, definition) in self.model.definitions() {
            let scope = definition.scoped_name.join("::");
            if let DefinitionKind::Interface(interface) = &definition.kind {
                let features = interface.features.iter().map(feature_name);
                operations.extend(features.map(|(name, _)| format!("{scope}::{name}")));
            }
            names.insert(scope);
        }
        let options = self.options;
        let unknown = |option: &str, name: &str| {
            GenerateError::new(
                GenerateErrorKind::UnknownName,
                format!("`{option}` is given `{name}`, which the IDL does not define"),
            )
        };
        let of_marshaling = options.marshaling_of.keys();
        let of_marshaling =
            of_marshaling.filter(|name| !names.contains(*name) && !operations.contains(*name));
        let of_answering = options.answering_of.keys();
        let of_answering =
            of_answering.filter(|name| !names.contains(*name) && !operations.contains(*name));
        let of_dispatch = options.dispatch_of.keys();
        let of_dispatch = of_dispatch.filter(|name| !names.contains(*name));
        self.errors
            .extend(of_marshaling.map(|name| unknown("marshaling_of", name)));
        self.errors
            .extend(of_answering.map(|name| unknown("answering_of", name)));
        self.errors
            .extend(of_dispatch.map(|name| unknown("dispatch_of", name)));
    }
}

pub(crate) fn feature_name(feature: &Feature) -> (&str, &[Annotation]) {
    match feature {
        Feature::Operation(operation) => (&operation.name, &operation.annotations),
        Feature::Attribute(attribute) => (&attribute.name, &attribute.annotations),
    }
}
