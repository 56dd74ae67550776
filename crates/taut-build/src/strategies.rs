//! Which strategy each definition of a model has: what the options say, what
//! annotations in the IDL say, and which of them counts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use taut_idl::model::{Annotation, Definition, DefinitionId, DefinitionKind, Feature, Model};

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
        let known = KnownNames::of(model);
        let mut finder = Finder { model, errors };
        finder.check_names("marshaling_of", &options.marshaling_of, |name| {
            known.any(name)
        });
        finder.check_names("answering_of", &options.answering_of, |name| {
            known.any(name)
        });
        finder.check_names("dispatch_of", &options.dispatch_of, |name| {
            known.definitions.contains(name)
        });
        let mut strategies = Self::default();
        for (id, definition) in model.definitions() {
            let of_file = options.marshaling_of_files.get(&definition.span.file);
            let marshaling = finder
                .inherited(&options.marshaling_of, definition)
                .or(of_file.copied())
                .unwrap_or(options.marshaling);
            if marshaling == Marshaling::Interpretive {
                strategies.tables.insert(id);
            }
            if let DefinitionKind::Interface(interface) = &definition.kind {
                let dispatch = finder.inherited(&options.dispatch_of, definition);
                strategies
                    .dispatch
                    .insert(id, dispatch.unwrap_or(options.dispatch));
                let scope = definition.scoped_name.join("::");
                let answering = finder.inherited(&options.answering_of, definition);
                let answering = answering.unwrap_or(options.answering);
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

/// Finds out what options and annotations choose.
pub(crate) struct Finder<'a> {
    pub(crate) model: &'a Model,
    /// The faults that are found in them.
    pub(crate) errors: &'a mut Vec<GenerateError>,
}

impl Finder<'_> {
    /// Returns the strategy that is given for a definition, or for the scopes that it is
    /// in.
    pub(crate) fn inherited<S: Strategy>(
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
    pub(crate) fn own<S: Strategy>(
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
        match S::of(annotation.argument("value")) {
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

    /// Has those names be wrong that an option is given and that are not known.
    pub(crate) fn check_names<S>(
        &mut self,
        option: &str,
        given: &BTreeMap<String, S>,
        is_known: impl Fn(&str) -> bool,
    ) {
        let unknown = given.keys().filter(|name| !is_known(name));
        self.errors.extend(unknown.map(|name| {
            GenerateError::new(
                GenerateErrorKind::UnknownName,
                format!("`{option}` is given `{name}`, which the IDL does not define"),
            )
        }));
    }
}

/// The scoped names that options may give.
pub(crate) struct KnownNames {
    definitions: BTreeSet<String>,
    /// Operations and attributes.
    features: BTreeSet<String>,
}

impl KnownNames {
    pub(crate) fn of(model: &Model) -> Self {
        let mut definitions = BTreeSet::new();
        let mut features = BTreeSet::new();
        for (_, definition) in model.definitions() {
            let scope = definition.scoped_name.join("::");
            if let DefinitionKind::Interface(interface) = &definition.kind {
                let names = interface.features.iter().map(feature_name);
                features.extend(names.map(|(name, _)| format!("{scope}::{name}")));
            }
            definitions.insert(scope);
        }
        Self {
            definitions,
            features,
        }
    }

    /// Whether something has this name.
    pub(crate) fn any(&self, name: &str) -> bool {
        self.definitions.contains(name) || self.features.contains(name)
    }
}

/// The name of an operation or attribute, and its annotations.
pub(crate) fn feature_name(feature: &Feature) -> (&str, &[Annotation]) {
    match feature {
        Feature::Operation(operation) => (&operation.name, &operation.annotations),
        Feature::Attribute(attribute) => (&attribute.name, &attribute.annotations),
    }
}
