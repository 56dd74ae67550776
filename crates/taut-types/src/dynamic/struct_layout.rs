//! Computing how small structs of numbers and characters lie one behind the other, once for a
//! type; and their members as values.

use std::sync::Arc;

use super::Value;
use crate::graph::Graph;
use crate::node::{Node, NodeIndex, Struct};
use crate::rows::{LARGEST, Leaf, Shape, StructLayout};
use crate::{TCKind, TypeCode};

/// The most members within members.
const DEEPEST: usize = 16;

impl TypeCode {
    /// Returns the layout of structs of this type, which has no aliases. None for other types,
    /// and for structs that are not kept in one piece.
    pub(crate) fn struct_layout(&self) -> Option<Arc<StructLayout>> {
        match self.node() {
            Node::Struct(TCKind::Struct, it) => {
                let layout = it
                    .in_row
                    .get_or_init(|| compute(&self.graph, it).map(Arc::new));
                layout.clone()
            }
            _ => None,
        }
    }
}

fn compute(graph: &Graph, it: &Struct) -> Option<StructLayout> {
    let mut kinds = Vec::new();
    let members = shapes(graph, it, DEEPEST, &mut kinds)?;
    let mut leaves: Vec<_> = kinds
        .iter()
        .map(|&(kind, width)| Leaf {
            kind,
            width,
            offset: 0,
        })
        .collect();
    // Wherever a struct begins, it ends at the same place up to the largest alignment in it.
    let begin = place(&mut leaves, 0);
    let stride = place(&mut leaves, begin) - begin;
    (usize::from(stride) <= LARGEST).then(|| StructLayout {
        members,
        leaves: leaves.into(),
        stride: stride.into(),
    })
}

/// Puts leaves behind a place, and returns where they end.
fn place(leaves: &mut [Leaf], begin: u16) -> u16 {
    let mut end = begin;
    for leaf in leaves {
        let start = end.next_multiple_of(leaf.width);
        leaf.offset = start - begin;
        end = start + leaf.width;
    }
    end
}

/// Collects the kinds of all leaves, with their widths. None if there is another type among
/// them, or nothing at all, or too many.
fn shapes(
    graph: &Graph,
    it: &Struct,
    depth: usize,
    kinds: &mut Vec<(TCKind, u16)>,
) -> Option<Box<[Shape]>> {
    let depth = depth.checked_sub(1)?;
    if it.members.is_empty() {
        return None;
    }
    let shape = |node: NodeIndex, kinds: &mut Vec<_>| match graph.node(graph.layout(node).target) {
        Node::Simple(kind) => {
            kinds.push((*kind, width(*kind)?));
            (kinds.len() <= LARGEST).then_some(Shape::Leaf)
        }
        Node::Struct(TCKind::Struct, it) => shapes(graph, it, depth, kinds).map(Shape::Members),
        _ => None,
    };
    let members = it.members.iter();
    members.map(|member| shape(member.node, kinds)).collect()
}

/// The octets of a number or a character, of which any are a value.
fn width(kind: TCKind) -> Option<u16> {
    Some(match kind {
        TCKind::Octet | TCKind::Char => 1,
        TCKind::Short | TCKind::UShort => 2,
        TCKind::Long | TCKind::ULong | TCKind::Float => 4,
        TCKind::LongLong | TCKind::ULongLong | TCKind::Double => 8,
        _ => return None,
    })
}

/// Numbers and characters, as octets and as values.
macro_rules! leaves {
    ($($kind:ident($ty:ty)),*) => {
        impl Leaf {
            /// Returns its value, as it lies in a struct's octets.
            pub(super) fn value(self, octets: &[u8]) -> Value {
                match self.kind {
                    $(TCKind::$kind => Value::$kind(<$ty>::from_ne_bytes(self.octets(octets))),)*
                    _ => Value::Nothing,
                }
            }

            /// Puts a value into a struct's octets, and tells whether it is of its type.
            pub(super) fn put(self, value: &Value, octets: &mut [u8]) -> bool {
                let place = &mut octets[self.range()];
                match (self.kind, value) {
                    $((TCKind::$kind, Value::$kind(value)) => {
                        place.copy_from_slice(&value.to_ne_bytes());
                    })*
                    _ => return false,
                }
                true
            }
        }
    };
}

leaves! {
    Octet(u8), Char(u8), Short(i16), UShort(u16), Long(i32), ULong(u32), LongLong(i64),
    ULongLong(u64), Float(f32), Double(f64)
}
