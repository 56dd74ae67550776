//! The elements of sequences and arrays of small structs of numbers and characters.

use std::sync::Arc;

use taut_cdr::{ByteOrder, Decoder, Encoder, Result};

use super::Value;
use crate::TypeCode;
use crate::rows::{LARGEST, Leaf, Shape, StructLayout};

/// Structs of one type, in one piece, which move in bulk. Each of them has nothing but numbers,
/// characters and octets, and structs of these.
///
/// They are kept as they lie on the wire behind a first one, in the byte order of this machine
/// and with zeroes for padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structs {
    layout: Arc<StructLayout>,
    octets: Vec<u8>,
}

impl Structs {
    /// No structs of this type. None if such structs are not kept in one piece: they have other
    /// members, or are larger than 512 octets.
    pub fn of(element: &TypeCode) -> Option<Self> {
        Some(Self {
            layout: element.without_aliases().struct_layout()?,
            octets: Vec::new(),
        })
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.octets.len() / self.layout.stride
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    /// Returns a copy of a struct. None behind the last.
    pub fn get(&self, index: usize) -> Option<Value> {
        let stride = self.layout.stride;
        let start = index.checked_mul(stride)?;
        let octets = self.octets.get(start..start.checked_add(stride)?)?;
        let mut leaves = self.layout.leaves.iter();
        Some(members(&self.layout.members, &mut leaves, octets))
    }

    /// Appends a struct, and tells whether it was of their type.
    pub fn push(&mut self, value: &Value) -> bool {
        let start = self.octets.len();
        self.octets.resize(start + self.layout.stride, 0);
        let mut leaves = self.layout.leaves.iter();
        let octets = &mut self.octets[start..];
        let is_put = put_members(&self.layout.members, &mut leaves, value, octets);
        if !is_put {
            self.octets.truncate(start);
        }
        is_put
    }

    /// Puts another in the place of a struct, and tells whether there is such a place and it was
    /// of their type.
    pub fn set(&mut self, index: usize, value: &Value) -> bool {
        let stride = self.layout.stride;
        let Some(octets) = self.octets.chunks_exact_mut(stride).nth(index) else {
            return false;
        };
        let mut put = vec![0; stride];
        let mut leaves = self.layout.leaves.iter();
        let is_put = put_members(&self.layout.members, &mut leaves, value, &mut put);
        if is_put {
            octets.copy_from_slice(&put);
        }
        is_put
    }

    /// Makes them so many: those behind are left out, the members of new ones are zero.
    pub fn resize(&mut self, count: usize) {
        self.octets
            .resize(count.saturating_mul(self.layout.stride), 0);
    }

    /// Returns the octets that they take in memory one by one.
    pub(crate) fn size_of_all(&self) -> usize {
        let StructLayout { leaves, .. } = &*self.layout;
        // Each struct has a vector, whose structs have theirs.
        let one = (2 * leaves.len() + 1).saturating_mul(size_of::<Value>());
        self.len().saturating_mul(one)
    }

    pub(super) fn size_of_one(&self) -> usize {
        self.layout.stride
    }

    /// Returns copies of all, one by one.
    pub fn to_values(&self) -> Vec<Value> {
        (0..self.len())
            .filter_map(|index| self.get(index))
            .collect()
    }

    /// Whether these are structs whose members are those of this type, which has no aliases.
    pub(super) fn fit(&self, element: &TypeCode) -> bool {
        let layout = element.struct_layout();
        layout.is_some_and(|layout| Arc::ptr_eq(&layout, &self.layout) || layout == self.layout)
    }

    /// Writes them, without their number.
    pub(super) fn write(&self, out: &mut Encoder) {
        let StructLayout { leaves, stride, .. } = &*self.layout;
        let apart = match out.order() == ByteOrder::NATIVE {
            // Alignment in front of the first differs; the others are as they lie here.
            true => self.octets.len().min(*stride),
            false => self.octets.len(),
        };
        let (apart, whole) = self.octets.split_at(apart);
        for octets in apart.chunks_exact(*stride) {
            for leaf in leaves {
                leaf.write(octets, out);
            }
        }
        out.write_bytes(whole);
    }

    /// Reads so many structs of this type, which has no aliases, and charges them. None if such
    /// structs are not kept in one piece.
    pub(super) fn read(
        element: &TypeCode,
        count: usize,
        input: &mut Decoder<'_>,
    ) -> Result<Option<Self>> {
        let Some(layout) = element.struct_layout() else {
            return Ok(None);
        };
        input.charge(
            layout
                .memory()
                .saturating_add(count.saturating_mul(layout.stride)),
        )?;
        input.nested(|input| {
            let mut structs = Self {
                octets: Vec::with_capacity(count * layout.stride),
                layout,
            };
            if count > 0 {
                structs.read_first(input)?;
                let whole = (count - 1) * structs.layout.stride;
                match input.in_one_piece(whole) {
                    Some(octets) => {
                        structs.take_whole(octets, input.order());
                        input.skip(whole)?;
                    }
                    None => (1..count).try_for_each(|_| structs.read_first(input))?,
                }
            }
            Ok(Some(structs))
        })
    }

    /// Reads a struct wherever it begins.
    fn read_first(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        let start = self.octets.len();
        self.octets.resize(start + self.layout.stride, 0);
        for leaf in &self.layout.leaves {
            leaf.read(&mut self.octets[start..], input)?;
        }
        Ok(())
    }

    /// Takes structs that are all behind a first one. What came in padding is left out.
    fn take_whole(&mut self, octets: &[u8], order: ByteOrder) {
        let StructLayout { leaves, stride, .. } = &*self.layout;
        let start = self.octets.len();
        // As much of the mask as there are whole structs in it.
        let mut mask = [0; 2 * LARGEST];
        let tile = mask.len() / stride * stride;
        for places in mask[..tile].chunks_exact_mut(*stride) {
            leaves
                .iter()
                .for_each(|leaf| places[leaf.range()].fill(u8::MAX));
        }
        for piece in octets.chunks(tile) {
            self.octets
                .extend(piece.iter().zip(&mask).map(|(octet, mask)| octet & mask));
        }
        if order != ByteOrder::NATIVE {
            for octets in self.octets[start..].chunks_exact_mut(*stride) {
                leaves
                    .iter()
                    .for_each(|leaf| octets[leaf.range()].reverse());
            }
        }
    }
}

/// Returns the members of a struct as they lie in these octets.
fn members<'l>(
    shapes: &[Shape],
    leaves: &mut dyn Iterator<Item = &'l Leaf>,
    octets: &[u8],
) -> Value {
    let mut values = Vec::with_capacity(shapes.len());
    for shape in shapes {
        values.push(match shape {
            Shape::Leaf => leaves
                .next()
                .map_or(Value::Nothing, |leaf| leaf.value(octets)),
            Shape::Members(shapes) => members(shapes, leaves, octets),
        });
    }
    Value::Members(values)
}

/// Puts the members of a struct in their places, and tells whether they are of its type.
fn put_members<'l>(
    shapes: &[Shape],
    leaves: &mut dyn Iterator<Item = &'l Leaf>,
    value: &Value,
    octets: &mut [u8],
) -> bool {
    let Value::Members(values) = value else {
        return false;
    };
    let mut pairs = shapes.iter().zip(values);
    shapes.len() == values.len()
        && pairs.all(|(shape, value)| match shape {
            Shape::Leaf => leaves.next().is_some_and(|leaf| leaf.put(value, octets)),
            Shape::Members(shapes) => put_members(shapes, leaves, value, octets),
        })
}
