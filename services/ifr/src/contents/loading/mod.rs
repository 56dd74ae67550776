//! Definitions of IDL files.
//!
//! Definitions of the IDL take the place of those that the repository has under the same ids;
//! definitions keep their keys, so that references to them go on. An operation, an attribute or
//! a state member that the IDL no longer has ends; all else remains.

mod constants;
mod features;
mod types;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use taut::SystemException;
use taut_idl::Model;
use taut_idl::model::{
    Component, Definition as Declared, DefinitionId, DefinitionKind as DeclaredKind, Home,
    InterfaceKind, ValueKind,
};

use super::Contents;
use super::record::{Constant, Content, Definition, Interface, Key, LabelledMember, Union, Value};
use crate::PrimitiveKind;

/// The outcome of loading IDL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// How many definitions with a name the IDL has.
    pub definitions: usize,
    /// Notes on what an interface repository has no place for, and that is left out or entered
    /// as something else: one for each such definition, with its name.
    pub notes: Vec<String>,
}

/// The reason for which IDL cannot be loaded. Nothing of it is in the repository then.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// A definition has a type that repositories do not know.
    NoSuchType {
        /// Its scoped name.
        name: String,
        /// The type.
        what: String,
    },
    /// The repository has a definition of another kind under the repository id.
    OtherKind {
        /// The scoped name of the definition.
        name: String,
        /// The repository id.
        id: String,
    },
    /// The repository refuses a definition, or its store a change.
    Refused {
        /// The scoped name of the definition.
        name: String,
        /// The reason.
        exception: SystemException,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchType { name, what } => write!(
                f,
                "`{name}` cannot be in an interface repository: it has {what}"
            ),
            Self::OtherKind { name, id } => write!(
                f,
                "`{name}` cannot be loaded: the repository has a definition of another kind under \
                 {id}; destroy that one first, or begin with another store"
            ),
            Self::Refused { name, exception } => {
                write!(f, "`{name}` cannot be loaded: {exception}")
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl Contents {
    /// Enters all definitions of a model.
    ///
    /// # Errors
    ///
    /// [`LoadError`]. The change is to be rolled back then.
    pub(crate) fn load(&mut self, model: &Model) -> Result<Loaded, LoadError> {
        let mut loading = Loading {
            model,
            contents: self,
            keys: HashMap::new(),
            replaced: BTreeSet::new(),
            loaded: Loaded::default(),
        };
        loading.reserve()?;
        // The labels of unions and the values of constants are made by the TypeCodes of these.
        let is_first = |declared: &Declared| {
            matches!(
                declared.kind,
                DeclaredKind::Enum(_) | DeclaredKind::Typedef(_)
            )
        };
        for first in [true, false] {
            for (id, declared) in model.definitions() {
                if let Some(key) = loading.keys.get(&id).copied()
                    && is_first(declared) == first
                {
                    loading.enter(id, declared, key)?;
                }
            }
        }
        let Loading {
            replaced, loaded, ..
        } = loading;
        self.remove_unused(replaced);
        self.check_others().map_err(|(key, exception)| {
            let name = self.absolute_name(key);
            LoadError::Refused { name, exception }
        })?;
        Ok(loaded)
    }
}

struct Loading<'a> {
    model: &'a Model,
    contents: &'a mut Contents,
    keys: HashMap<DefinitionId, Key>,
    /// The types without names that definitions had before.
    replaced: BTreeSet<Key>,
    loaded: Loaded,
}

type Result<T, E = LoadError> = std::result::Result<T, E>;

impl Loading<'_> {
    /// Gives each definition its place and its key, so that all can refer to each other.
    fn reserve(&mut self) -> Result<()> {
        for (id, declared) in self.model.definitions() {
            let container = match declared.parent {
                None => Some(Key::REPOSITORY),
                Some(parent) => self.keys.get(&parent).copied(),
            };
            let (Some(container), Some(content)) = (container, self.outline(declared)) else {
                continue;
            };
            let definition = Definition {
                id: declared.repository_id.to_string(),
                name: declared.name.to_string(),
                version: version_of(&declared.repository_id.to_string()),
                container,
                content,
            };
            let name = declared.scoped_name.join("::");
            let key = self.place(&name, definition)?;
            self.keys.insert(id, key);
            self.loaded.definitions += 1;
        }
        Ok(())
    }

    /// Notes a definition with a name, in the place of the one with its id if there is one.
    fn place(&mut self, name: &str, definition: Definition) -> Result<Key> {
        let refused = |exception| LoadError::Refused {
            name: name.to_owned(),
            exception,
        };
        let contents = &mut *self.contents;
        let known = contents.with_id(&definition.id);
        let naming = super::names::Naming {
            id: &definition.id,
            name: &definition.name,
            version: &definition.version,
        };
        let checked = contents.check(definition.container, naming, &definition.content, known);
        checked.map_err(refused)?;
        let Some(key) = known else {
            return contents.add(definition).map_err(refused);
        };
        let before = contents.get(key).map_err(refused)?;
        if !before.is_of_kind_of(&definition) {
            let (name, id) = (name.to_owned(), definition.id);
            return Err(LoadError::OtherKind { name, id });
        }
        let content = before.content.clone();
        contents.put(
            key,
            Definition {
                content,
                ..definition
            },
        );
        Ok(key)
    }

    /// The kind of content that a definition will have; none for what is left out.
    fn outline(&mut self, declared: &Declared) -> Option<Content> {
        let interface = |kind| {
            Content::Interface(Interface {
                is_abstract: kind == InterfaceKind::Abstract,
                is_local: kind == InterfaceKind::Local,
                bases: Vec::new(),
            })
        };
        let mut note = |text: &str| {
            let name = declared.scoped_name.join("::");
            self.loaded.notes.push(format!("`{name}` {text}"));
        };
        let void = Key::primitive(PrimitiveKind::PkVoid);
        Some(match &declared.kind {
            DeclaredKind::Module(_) => Content::Module,
            DeclaredKind::Interface(one) => interface(one.kind),
            DeclaredKind::InterfaceDeclaration
            | DeclaredKind::AbstractInterfaceDeclaration
            | DeclaredKind::LocalInterfaceDeclaration => {
                note("is declared and not defined: it is entered without operations");
                interface(match &declared.kind {
                    DeclaredKind::AbstractInterfaceDeclaration => InterfaceKind::Abstract,
                    DeclaredKind::LocalInterfaceDeclaration => InterfaceKind::Local,
                    _ => InterfaceKind::Unconstrained,
                })
            }
            DeclaredKind::ValueType(_) => Content::Value(no_value()),
            DeclaredKind::ValueBox(_) => Content::ValueBox(void),
            DeclaredKind::Native => Content::Native,
            DeclaredKind::Struct(_) => Content::Struct(Vec::new()),
            DeclaredKind::Union(_) => Content::Union(Union {
                discriminator: void,
                members: Vec::new(),
            }),
            DeclaredKind::Exception(_) => Content::Exception(Vec::new()),
            DeclaredKind::Enum(_) => Content::Enum(Vec::new()),
            DeclaredKind::Typedef(_) | DeclaredKind::Bitset(_) | DeclaredKind::Bitmask(_) => {
                Content::Alias(void)
            }
            DeclaredKind::Constant(_) => Content::Constant(Constant {
                ty: void,
                value: taut::Any::null(),
            }),
            DeclaredKind::Component(_) | DeclaredKind::ComponentDeclaration => {
                note("is a component: it is entered as an interface, without its ports");
                interface(InterfaceKind::Unconstrained)
            }
            DeclaredKind::Home(_) => {
                note("is a home: it is entered as an interface, without factories and finders");
                interface(InterfaceKind::Unconstrained)
            }
            DeclaredKind::ValueTypeDeclaration => {
                note("is a value type that is declared and not defined: it is left out");
                return None;
            }
            DeclaredKind::PortType(_)
            | DeclaredKind::PortTypeDeclaration
            | DeclaredKind::Connector(_) => {
                note("is a port type or connector: it is left out");
                return None;
            }
            // Its instances are modules of their own.
            _ => return None,
        })
    }

    /// Enters what a definition says.
    fn enter(&mut self, id: DefinitionId, declared: &Declared, key: Key) -> Result<()> {
        let name = declared.scoped_name.join("::");
        let before = self.contents.anonymous_of(&BTreeSet::from([key]));
        self.replaced.extend(before);
        let content = self.content(id, declared, &name)?;
        let refused = |exception| LoadError::Refused {
            name: name.clone(),
            exception,
        };
        let mut definition = self.contents.get(key).map_err(refused)?.clone();
        definition.content = content;
        self.contents.put(key, definition);
        match &declared.kind {
            DeclaredKind::Interface(one) => self.features(key, &name, &one.features, &[]),
            DeclaredKind::ValueType(one) => self.features(key, &name, &one.features, &one.state),
            DeclaredKind::Component(one) => self.features(key, &name, &one.features, &[]),
            DeclaredKind::Home(one) => self.features(key, &name, &one.features, &[]),
            _ => Ok(()),
        }
    }

    fn content(&mut self, id: DefinitionId, declared: &Declared, name: &str) -> Result<Content> {
        Ok(match &declared.kind {
            DeclaredKind::Struct(members) => Content::Struct(self.members(members, name)?),
            DeclaredKind::Exception(members) => Content::Exception(self.members(members, name)?),
            DeclaredKind::Union(union) => {
                let discriminator = self.ty(&union.discriminator, name)?;
                let mut members = Vec::new();
                for branch in &union.branches {
                    let ty = self.ty(&branch.member.ty, name)?;
                    let numbers = branch.labels.iter().map(|label| label.ordinal());
                    let default = branch.is_default.then_some(None);
                    for number in numbers.chain(default) {
                        let label = self.label(discriminator, number, name)?;
                        let name = branch.member.name.to_string();
                        members.push(LabelledMember { name, label, ty });
                    }
                }
                Content::Union(Union {
                    discriminator,
                    members,
                })
            }
            DeclaredKind::Enum(enumerators) => {
                Content::Enum(enumerators.iter().map(|one| one.name.to_string()).collect())
            }
            DeclaredKind::Typedef(typedef) => Content::Alias(self.ty(&typedef.ty, name)?),
            DeclaredKind::Bitmask(bitmask) => Content::Alias(types::integer(bitmask.bits.into())),
            DeclaredKind::Bitset(bitset) => {
                Content::Alias(types::integer(self.model.bitset_width(bitset)))
            }
            DeclaredKind::ValueBox(ty) => Content::ValueBox(self.ty(ty, name)?),
            DeclaredKind::Constant(constant) => {
                let ty = self.ty(&constant.ty, name)?;
                let value = self.constant(ty, &constant.value, name)?;
                Content::Constant(Constant { ty, value })
            }
            DeclaredKind::Interface(interface) => Content::Interface(Interface {
                is_abstract: interface.kind == InterfaceKind::Abstract,
                is_local: interface.kind == InterfaceKind::Local,
                bases: self.those(&interface.bases, name)?,
            }),
            DeclaredKind::Component(component) => {
                let Component { base, supports, .. } = &**component;
                self.plain_interface(*base, supports, name)?
            }
            DeclaredKind::Home(home) => {
                let Home { base, supports, .. } = &**home;
                self.plain_interface(*base, supports, name)?
            }
            DeclaredKind::ValueType(value) => Content::Value(Value {
                is_custom: value.kind == ValueKind::Custom,
                is_abstract: value.kind == ValueKind::Abstract,
                is_truncatable: value.truncatable,
                base: self.those(value.base.as_slice(), name)?,
                abstract_bases: self.those(&value.abstract_bases, name)?,
                supported: self.those(&value.supports, name)?,
                initialisers: self.initialisers(&value.factories, name)?,
            }),
            _ => {
                let key = self.key(id, name)?;
                let known = self.contents.get(key).map(|one| one.content.clone());
                known.map_err(|exception| self.refused(name, exception))?
            }
        })
    }

    /// The interface that a component or a home is on the wire.
    fn plain_interface(
        &self,
        base: Option<DefinitionId>,
        supports: &[DefinitionId],
        name: &str,
    ) -> Result<Content> {
        let mut bases = self.those(base.as_slice(), name)?;
        bases.extend(self.those(supports, name)?);
        Ok(Content::Interface(Interface {
            is_abstract: false,
            is_local: false,
            bases,
        }))
    }

    /// The key of a definition of the model.
    fn key(&self, id: DefinitionId, name: &str) -> Result<Key> {
        self.keys.get(&id).copied().ok_or_else(|| {
            let other = self.model.get(id).scoped_name.join("::");
            LoadError::NoSuchType {
                name: name.to_owned(),
                what: format!("`{other}`, which is left out"),
            }
        })
    }

    fn those(&self, ids: &[DefinitionId], name: &str) -> Result<Vec<Key>> {
        ids.iter().map(|id| self.key(*id, name)).collect()
    }

    fn refused(&self, name: &str, exception: SystemException) -> LoadError {
        let name = name.to_owned();
        LoadError::Refused { name, exception }
    }
}

/// The version in a repository id, in the formats that have one there.
fn version_of(id: &str) -> String {
    let is_last = id.starts_with("IDL:") || id.starts_with("DCE:");
    let version = id.rsplit_once(':').filter(|_| is_last);
    version.map_or("1.0", |(_, version)| version).to_owned()
}

/// A value type of which nothing is known yet.
fn no_value() -> Value {
    Value {
        is_custom: false,
        is_abstract: false,
        is_truncatable: false,
        base: Vec::new(),
        abstract_bases: Vec::new(),
        supported: Vec::new(),
        initialisers: Vec::new(),
    }
}
