//! TypeCodes made here (CORBA 3.3 part 1, 8.11.3).

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use super::checks::{check_id, check_label, check_member, check_name, unique};
use super::create_error::CreateError;
use super::union::union;
use super::{MemberVisibility, TypeCode, ValueModifier};
use crate::graph::{Assembly, Graph};
use crate::layout::LayoutError;
use crate::node::{Alias, Case, Enum, Member, Name, Node, NodeIndex, StateMember, Struct, Value};
use crate::{TCKind, TypeCodeLimits};

/// A member of a union that is created.
#[derive(Debug, Clone)]
pub struct UnionMember<'n> {
    /// The label as a number (characters by their code, booleans as 0 and 1,
    /// enumerators by their ordinal); `None` makes the default case.
    pub label: Option<i128>,
    /// The name.
    pub name: &'n str,
    /// The type.
    pub type_code: TypeCode,
}

/// A member of a valuetype that is created.
#[derive(Debug, Clone)]
pub struct ValueMember<'n> {
    /// The name.
    pub name: &'n str,
    /// The type.
    pub type_code: TypeCode,
    /// Whether the member is public.
    pub visibility: MemberVisibility,
}

type Created = Result<TypeCode, CreateError>;

impl TypeCode {
    /// `struct`.
    ///
    /// # Errors
    ///
    /// Those of [`CreateError`] that speak of ids, names, members and size.
    pub fn create_struct(id: &str, name: &str, members: &[(&str, Self)]) -> Created {
        create_struct(TCKind::Struct, id, name, members)
    }

    /// `exception`.
    ///
    /// # Errors
    ///
    /// As [`create_struct`](Self::create_struct).
    pub fn create_exception(id: &str, name: &str, members: &[(&str, Self)]) -> Created {
        create_struct(TCKind::Exception, id, name, members)
    }

    /// `union`. A member with several labels is given once for each.
    ///
    /// # Errors
    ///
    /// As [`create_struct`](Self::create_struct), and those that speak of
    /// discriminators and labels.
    pub fn create_union(
        id: &str,
        name: &str,
        discriminator: &Self,
        members: &[UnionMember<'_>],
    ) -> Created {
        let name = names(id, name)?;
        let discriminator_kind = discriminator.without_aliases().kind();
        let mut assembly = Assembly::default();
        let discriminator_node = assembly.add_type(discriminator);
        let mut cases = Vec::with_capacity(members.len());
        let mut default_index = None;
        let mut seen = HashSet::new();
        let mut previous = "";
        for (index, member) in members.iter().enumerate() {
            check_name(member.name)?;
            check_member(&member.type_code)?;
            let label = match member.label {
                Some(label) => check_label(&discriminator.without_aliases(), label)?,
                None => 0,
            };
            if member.label.is_none() && default_index.replace(index as u32).is_some() {
                return Err(CreateError::DuplicateLabel);
            }
            // The same name may stand in a row, for several labels.
            if member.name != previous
                && !member.name.is_empty()
                && !seen.insert(member.name.to_lowercase())
            {
                return Err(CreateError::DuplicateMember);
            }
            previous = member.name;
            cases.push(Case {
                label,
                member: Member {
                    name: member.name.into(),
                    node: assembly.add_type(&member.type_code),
                },
            });
        }
        let node = union(
            name,
            discriminator_node,
            discriminator_kind,
            default_index,
            cases,
        )?;
        assembly.create(node)
    }

    /// `enum`.
    ///
    /// # Errors
    ///
    /// Those of [`CreateError`] that speak of ids, names, members and size.
    pub fn create_enum(id: &str, name: &str, enumerators: &[&str]) -> Created {
        let name = names(id, name)?;
        unique(enumerators.iter().copied())?;
        if enumerators.len() > TypeCodeLimits::DEFAULT.nodes as usize {
            return Err(CreateError::TooLarge);
        }
        let enumerators = enumerators.iter().map(|&one| one.into()).collect();
        Assembly::default().create(Node::Enum(Box::new(Enum { name, enumerators })))
    }

    /// `typedef`.
    ///
    /// # Errors
    ///
    /// Those of [`CreateError`] that speak of ids, names and size.
    pub fn create_alias(id: &str, name: &str, original: &Self) -> Created {
        create_alias(TCKind::Alias, id, name, original)
    }

    /// A value box.
    ///
    /// # Errors
    ///
    /// Those of [`CreateError`] that speak of ids, names and size.
    pub fn create_value_box(id: &str, name: &str, boxed: &Self) -> Created {
        create_alias(TCKind::ValueBox, id, name, boxed)
    }

    /// `interface`.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidId`], [`CreateError::InvalidName`].
    pub fn create_interface(id: &str, name: &str) -> Created {
        Self::create_named(TCKind::ObjectReference, id, name)
    }

    /// A type that has an id and a name and nothing else: an interface of any
    /// sort, a component, a home, a native type.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidId`], [`CreateError::InvalidName`], and
    /// [`CreateError::InvalidMemberType`] for other kinds.
    pub fn create_named(kind: TCKind, id: &str, name: &str) -> Created {
        match kind {
            TCKind::ObjectReference
            | TCKind::AbstractInterface
            | TCKind::LocalInterface
            | TCKind::Component
            | TCKind::Home
            | TCKind::Native => {
                let name = Box::new(names(id, name)?);
                Assembly::default().create(Node::Interface(kind, name))
            }
            _ => Err(CreateError::InvalidMemberType),
        }
    }

    /// `valuetype` or, with [`TCKind::Event`], `eventtype`.
    ///
    /// # Errors
    ///
    /// As [`create_struct`](Self::create_struct).
    pub fn create_value(
        kind: TCKind,
        id: &str,
        name: &str,
        modifier: ValueModifier,
        concrete_base: Option<&Self>,
        members: &[ValueMember<'_>],
    ) -> Created {
        if !matches!(kind, TCKind::Value | TCKind::Event) {
            return Err(CreateError::InvalidMemberType);
        }
        let name = names(id, name)?;
        unique(members.iter().map(|member| member.name))?;
        let mut assembly = Assembly::default();
        let base = match concrete_base {
            Some(base)
                if matches!(base.without_aliases().kind(), TCKind::Value | TCKind::Event) =>
            {
                assembly.add_type(base)
            }
            Some(_) => return Err(CreateError::InvalidMemberType),
            None => assembly.add_type(&Self::null()),
        };
        let mut state = Vec::with_capacity(members.len());
        for member in members {
            check_member(&member.type_code)?;
            state.push(StateMember {
                member: Member {
                    name: member.name.into(),
                    node: assembly.add_type(&member.type_code),
                },
                visibility: match member.visibility {
                    MemberVisibility::Private => 0,
                    MemberVisibility::Public => 1,
                },
            });
        }
        let modifier = match modifier {
            ValueModifier::None => 0,
            ValueModifier::Custom => 1,
            ValueModifier::Abstract => 2,
            ValueModifier::Truncatable => 3,
        };
        let members = state.into();
        assembly.create(Node::Value(
            kind,
            Box::new(Value {
                name,
                modifier,
                base,
                members,
            }),
        ))
    }

    /// `string`, or `string<bound>`. 0 is no bound.
    pub fn string(bound: u32) -> Self {
        static UNBOUNDED: LazyLock<TypeCode> = LazyLock::new(|| leaf(Node::String { bound: 0 }));
        match bound {
            0 => UNBOUNDED.clone(),
            bound => leaf(Node::String { bound }),
        }
    }

    /// `wstring`, or `wstring<bound>`. 0 is no bound.
    pub fn wstring(bound: u32) -> Self {
        static UNBOUNDED: LazyLock<TypeCode> = LazyLock::new(|| leaf(Node::WString { bound: 0 }));
        match bound {
            0 => UNBOUNDED.clone(),
            bound => leaf(Node::WString { bound }),
        }
    }

    /// `fixed<digits, scale>`.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidFixed`].
    pub fn create_fixed(digits: u8, scale: u8) -> Created {
        if digits == 0 || digits > taut_cdr::fixed::MAX_DIGITS || scale > digits {
            return Err(CreateError::InvalidFixed);
        }
        Ok(leaf(Node::Fixed { digits, scale }))
    }

    /// `sequence<element>`, or `sequence<element, bound>`. 0 is no bound.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidMemberType`], [`CreateError::TooLarge`].
    pub fn create_sequence(element: &Self, bound: u32) -> Created {
        check_member(element)?;
        let mut assembly = Assembly::default();
        let element = assembly.add_type(element);
        assembly.create(Node::Sequence { element, bound })
    }

    /// IDL 4's `map<key, value>`, or `map<key, value, bound>`; 0 is no bound.
    ///
    /// CORBA's TypeCodes know no maps. This is one that describes what a map is
    /// on the wire, of Taut's own: a sequence of a struct without id and name,
    /// with the members `key` and `value`.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidMemberType`], [`CreateError::TooLarge`].
    pub fn create_map(key: &Self, value: &Self, bound: u32) -> Created {
        let members = [("key", key.clone()), ("value", value.clone())];
        let entry = structure(TCKind::Struct, Name::default(), &members)?;
        Self::create_sequence(&entry, bound)
    }

    /// An array of one dimension; those of more are arrays of arrays.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidMemberType`], [`CreateError::EmptyArray`],
    /// [`CreateError::TooLarge`].
    pub fn create_array(element: &Self, length: u32) -> Created {
        if length == 0 {
            return Err(CreateError::EmptyArray);
        }
        check_member(element)?;
        let mut assembly = Assembly::default();
        let element = assembly.add_type(element);
        assembly.create(Node::Array { element, length })
    }

    /// The place of a type that is not there yet, inside of its own content.
    /// Creating a struct, union or valuetype with this id around it completes
    /// it.
    ///
    /// # Errors
    ///
    /// [`CreateError::InvalidId`].
    pub fn create_recursive(id: &str) -> Created {
        check_id(id)?;
        Ok(leaf(Node::Recursive(Box::new(Name {
            id: id.into(),
            name: Box::default(),
        }))))
    }
}

impl Assembly {
    fn add_type(&mut self, type_code: &TypeCode) -> NodeIndex {
        self.add(type_code.graph.nodes(), type_code.root)
    }

    fn create(self, root: Node) -> Created {
        let nodes = self.finish(root);
        let limits = TypeCodeLimits::DEFAULT;
        if nodes.len() > limits.nodes as usize {
            return Err(CreateError::TooLarge);
        }
        match Graph::new(nodes, limits.nesting) {
            Ok(graph) => Ok(TypeCode {
                graph: Arc::new(graph),
                root: 0,
            }),
            Err(LayoutError::Recursion) => Err(CreateError::Recursion),
            Err(LayoutError::Depth) => Err(CreateError::TooLarge),
        }
    }
}

fn create_struct(kind: TCKind, id: &str, name: &str, members: &[(&str, TypeCode)]) -> Created {
    structure(kind, names(id, name)?, members)
}

fn structure(kind: TCKind, name: Name, members: &[(&str, TypeCode)]) -> Created {
    unique(members.iter().map(|(name, _)| *name))?;
    let mut assembly = Assembly::default();
    let mut list = Vec::with_capacity(members.len());
    for (name, type_code) in members {
        check_member(type_code)?;
        list.push(Member {
            name: (*name).into(),
            node: assembly.add_type(type_code),
        });
    }
    let members = list.into();
    assembly.create(Node::Struct(kind, Box::new(Struct::new(name, members))))
}

fn create_alias(kind: TCKind, id: &str, name: &str, original: &TypeCode) -> Created {
    let name = names(id, name)?;
    let mut assembly = Assembly::default();
    let original = assembly.add_type(original);
    assembly.create(Node::Alias(kind, Box::new(Alias { name, original })))
}

/// A TypeCode that leads to no other.
fn leaf(node: Node) -> TypeCode {
    #[expect(clippy::expect_used, reason = "one node neither nests nor recurs")]
    let graph = Graph::new(vec![node], 1).expect("a leaf can be laid out");
    TypeCode {
        graph: Arc::new(graph),
        root: 0,
    }
}

fn names(id: &str, name: &str) -> Result<Name, CreateError> {
    check_id(id)?;
    check_name(name)?;
    Ok(Name {
        id: id.into(),
        name: name.into(),
    })
}
