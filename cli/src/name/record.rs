//! The bindings of a tree as records, which can be written to a file and bound elsewhere.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use taut::{ObjectRef, Reference, SystemException};
use taut_naming::{NameComponent, NamingContext, NamingContextRef};

use super::failure::{Refusal, attempt};
use super::listing::in_batches;
use super::path;
use super::service::Service;
use crate::failure::Failure;
use crate::output;

/// A binding, by its name from the context at which the tree begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) name: Vec<NameComponent>,
    pub(super) bound: Bound,
}

/// The thing that a name is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// An object; none for the nil reference.
    Object(Option<ObjectRef>),
    /// A context, the entries of which follow.
    Context,
    /// A context that has another name as well, under which its entries are; the empty name is
    /// that of the context at which the tree begins.
    Same(Vec<NameComponent>),
    /// A context that is bound as it is, for its entries are not to be walked through.
    Link(ObjectRef),
}

impl Bound {
    pub(super) fn is_context(&self) -> bool {
        !matches!(self, Self::Object(_))
    }
}

impl From<SystemException> for Failure {
    fn from(exception: SystemException) -> Self {
        Self::new(exception)
    }
}

/// A walk through all contexts of a tree, which keeps nothing but the contexts.
pub(super) struct Records<'w> {
    /// Receives the records; a context comes before its entries.
    pub(super) visit: &'w mut dyn FnMut(Record) -> Result<(), Failure>,
    /// The contexts that are not walked through.
    pub(super) is_link: &'w dyn Fn(&NamingContextRef) -> bool,
    names_left: usize,
    max_names: usize,
    shown: HashMap<NamingContextRef, Vec<NameComponent>>,
}

impl<'w> Records<'w> {
    pub(super) fn new(
        max_names: usize,
        is_link: &'w dyn Fn(&NamingContextRef) -> bool,
        visit: &'w mut dyn FnMut(Record) -> Result<(), Failure>,
    ) -> Self {
        Self {
            visit,
            is_link,
            names_left: max_names,
            max_names,
            shown: HashMap::new(),
        }
    }

    /// Walks through a context and all below it.
    ///
    /// # Errors
    ///
    /// When a context does not answer, there are too many names, and those of `visit`.
    pub(super) fn run(mut self, root: &NamingContextRef) -> Result<(), Failure> {
        self.shown.insert(root.clone(), Vec::new());
        let mut to_do = vec![(root.clone(), Vec::new())];
        while let Some((context, name)) = to_do.pop() {
            let mut within = Vec::new();
            in_batches(&context, |batch| {
                for entry in batch {
                    self.names_left = self.names_left.checked_sub(1).ok_or_else(|| {
                        Failure::Message(format!(
                            "there are more than {} names; --max-names allows more",
                            self.max_names
                        ))
                    })?;
                    let full = [&name[..], &entry.name].concat();
                    let object = context.resolve(&entry.name).map_err(Refusal::from);
                    let object = match object {
                        // It has been unbound since it was listed.
                        Err(Refusal::NotFound(_)) => continue,
                        other => attempt(&full, other)?,
                    };
                    self.entry(full, object, entry.is_context, &mut within)?;
                }
                Ok::<(), Failure>(())
            })
            .map_err(|failure| within_context(&name, failure))?;
            // The first one is the next one.
            to_do.extend(within.into_iter().rev());
        }
        Ok(())
    }

    fn entry(
        &mut self,
        name: Vec<NameComponent>,
        object: Option<ObjectRef>,
        is_context: bool,
        within: &mut Vec<(NamingContextRef, Vec<NameComponent>)>,
    ) -> Result<(), Failure> {
        let bound = match object {
            Some(object) if is_context => {
                let context: NamingContextRef = object.unchecked_narrow();
                if let Some(first) = self.shown.get(&context) {
                    Bound::Same(first.clone())
                } else if (self.is_link)(&context) {
                    Bound::Link(object)
                } else {
                    self.shown.insert(context.clone(), name.clone());
                    within.push((context, name.clone()));
                    Bound::Context
                }
            }
            object => Bound::Object(object),
        };
        (self.visit)(Record { name, bound })
    }
}

fn within_context(name: &[NameComponent], failure: Failure) -> Failure {
    match name.is_empty() {
        true => failure,
        false => failure.reworded(|message| format!("in \"{}\": {message}", path::format(name))),
    }
}

/// The form of a record in a line of JSON.
pub(super) fn to_json(record: &Record) -> Value {
    let mut object = Map::new();
    let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
    insert("name", path::format(&record.name).into());
    insert("components", components(&record.name));
    let kind = if record.bound.is_context() {
        "context"
    } else {
        "object"
    };
    insert("type", kind.into());
    match &record.bound {
        Bound::Object(None) => insert("reference", Value::Null),
        Bound::Object(Some(object)) | Bound::Link(object) => {
            insert("reference", object.to_string().into())
        }
        Bound::Same(name) => insert("same_as", components(name)),
        Bound::Context => None,
    };
    Value::Object(object)
}

/// Writes a line of JSON about a name.
///
/// # Errors
///
/// When the output cannot be written.
pub(super) fn tell_event(event: &str, name: &[NameComponent]) -> Result<(), Failure> {
    let (text, components) = (path::format(name), components(name));
    let line = json!({ "event": event, "name": text, "components": components });
    Ok(output::write(&format!("{line}\n"))?)
}

fn components(name: &[NameComponent]) -> Value {
    let components = name.iter();
    components
        .map(|one| json!({ "id": one.id, "kind": one.kind }))
        .collect()
}

/// Reads a record.
///
/// # Errors
///
/// Says what is missing or wrong.
pub(super) fn from_json(text: &str, service: &Service) -> Result<Record, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let name = match value.get("components") {
        Some(name) => read_components(name)?,
        None => return Err("there are no \"components\"".to_owned()),
    };
    if name.is_empty() {
        return Err("\"components\" is empty".to_owned());
    }
    let reference = match value.get("reference") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => match service.object_of(text) {
            Ok(object) => Some(object),
            Err(failure) => {
                let unreadable = "the reference cannot be read";
                return Err(failure.message().unwrap_or(unreadable).to_owned());
            }
        },
        Some(_) => return Err("\"reference\" is no string".to_owned()),
    };
    let bound = match value.get("type").and_then(Value::as_str) {
        Some("object") => Bound::Object(reference),
        Some("context") => match (value.get("same_as"), reference) {
            (Some(first), _) => Bound::Same(read_components(first)?),
            (None, Some(reference)) => Bound::Link(reference),
            (None, None) => Bound::Context,
        },
        _ => return Err("\"type\" is neither \"object\" nor \"context\"".to_owned()),
    };
    Ok(Record { name, bound })
}

fn read_components(value: &Value) -> Result<Vec<NameComponent>, String> {
    let text = |one: &Value, key: &str| {
        let text = one.get(key).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| format!("a component has no string \"{key}\""))
    };
    let list = value
        .as_array()
        .ok_or("the components of a name are no list")?;
    let components = list.iter().map(|one| {
        Ok(NameComponent {
            id: text(one, "id")?,
            kind: text(one, "kind")?,
        })
    });
    components.collect()
}

/// Binds records below a context.
pub(super) struct Binder<'b> {
    pub(super) root: &'b NamingContextRef,
    /// Whether what is bound to another object is replaced.
    pub(super) replaces: bool,
    /// The contexts that have been made here.
    pub(super) made: HashSet<NamingContextRef>,
    pub(super) bound: usize,
    pub(super) unchanged: usize,
}

impl<'b> Binder<'b> {
    pub(super) fn new(root: &'b NamingContextRef, replaces: bool) -> Self {
        Self {
            root,
            replaces,
            made: HashSet::new(),
            bound: 0,
            unchanged: 0,
        }
    }

    /// Writes how much has been bound.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub(super) fn tell(&self, in_json: bool) -> Result<(), Failure> {
        let Self {
            bound, unchanged, ..
        } = self;
        let text = match in_json {
            true => json!({ "bound": bound, "unchanged": unchanged }).to_string(),
            false => format!("{bound} bound, {unchanged} unchanged"),
        };
        Ok(output::write(&format!("{text}\n"))?)
    }

    /// Binds one record. A binding that is there already, and the same, stays.
    ///
    /// # Errors
    ///
    /// When the service refuses, or the name is bound to something else.
    pub(super) fn bind(&mut self, record: &Record) -> Result<(), Failure> {
        let name = &record.name;
        let refused = match &record.bound {
            Bound::Context => match self.root.bind_new_context(name) {
                Ok(made) => {
                    self.made.extend(made);
                    None
                }
                Err(error) => Some(Refusal::from(error)),
            },
            Bound::Object(object) => {
                let bound = self.root.bind(name, object.as_ref());
                bound.map_err(Refusal::from).err()
            }
            Bound::Same(first) => {
                let context = self.context(first)?;
                let bound = self.root.bind_context(name, Some(&context));
                bound.map_err(Refusal::from).err()
            }
            Bound::Link(object) => {
                let context: NamingContextRef = object.unchecked_narrow();
                let bound = self.root.bind_context(name, Some(&context));
                bound.map_err(Refusal::from).err()
            }
        };
        match refused {
            None => self.bound += 1,
            Some(Refusal::AlreadyBound) => self.already_bound(record)?,
            Some(refusal) => attempt(name, Err(refusal))?,
        }
        Ok(())
    }

    fn context(&self, name: &[NameComponent]) -> Result<NamingContextRef, Failure> {
        if name.is_empty() {
            return Ok(self.root.clone());
        }
        let found = self.root.resolve(name).map_err(Refusal::from);
        let found = attempt(name, found)?;
        let found = found.ok_or_else(|| Failure::new("a context is bound to nil"))?;
        Ok(found.unchecked_narrow())
    }

    fn already_bound(&mut self, record: &Record) -> Result<(), Failure> {
        let name = &record.name;
        let root = self.root;
        let found = attempt(name, root.resolve(name).map_err(Refusal::from))?;
        let (is_same, rebound) = match &record.bound {
            // Its entries follow, and say whether it is a context.
            Bound::Context => (true, Ok(())),
            Bound::Object(object) if found == *object => (true, Ok(())),
            Bound::Object(object) if self.replaces => (
                false,
                root.rebind(name, object.as_ref()).map_err(Refusal::from),
            ),
            Bound::Same(_) | Bound::Link(_) => {
                let wanted = match &record.bound {
                    Bound::Same(first) => self.context(first)?,
                    Bound::Link(object) => object.unchecked_narrow(),
                    _ => root.clone(),
                };
                match found.as_ref() == Some(wanted.as_object()) {
                    true => (true, Ok(())),
                    false if self.replaces => {
                        let rebound = root.rebind_context(name, Some(&wanted));
                        (false, rebound.map_err(Refusal::from))
                    }
                    false => (false, Err(Refusal::AlreadyBound)),
                }
            }
            Bound::Object(_) => (false, Err(Refusal::AlreadyBound)),
        };
        attempt(name, rebound).map_err(|failure| match self.replaces {
            true => failure,
            false => failure
                .reworded(|message| format!("{message} to another object; --replace replaces it")),
        })?;
        match is_same {
            true => self.unchanged += 1,
            false => self.bound += 1,
        }
        Ok(())
    }
}
