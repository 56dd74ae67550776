//! TypeCodes from messages (CORBA 3.3 part 2, 9.3.5.1).

use std::sync::Arc;

use taut_cdr::{ByteOrder, Decode, Decoder, Error, ErrorKind, Result};

use super::remembered::Wording;
use super::wire::{DefaultLabel, INDIRECTION, read_label};
use super::{TypeCode, union};
use crate::graph::Graph;
use crate::layout::LayoutError;
use crate::node::{Alias, Case, Enum, Member, Name, Node, NodeIndex, StateMember, Struct, Value};
use crate::{TCKind, TypeCodeLimits};

impl TypeCode {
    /// Reads a TypeCode within other limits than the default ones. A union's
    /// default label may have either form.
    ///
    /// # Errors
    ///
    /// When it is malformed or exceeds a limit.
    pub fn decode_within(input: &mut Decoder<'_>, limits: &TypeCodeLimits) -> Result<Self> {
        if let Some(outcome) = Self::recall(input, limits) {
            return outcome;
        }
        // The most frequent kinds need no graph of their own.
        let mut ahead = input.clone();
        let kind = TCKind::from_number(ahead.read()?);
        let shared = match kind {
            Some(TCKind::String) if ahead.read() == Ok(0_u32) => Some(Self::string(0)),
            Some(TCKind::WString) if ahead.read() == Ok(0_u32) => Some(Self::wstring(0)),
            Some(kind) => Self::primitive(kind).ok(),
            None => None,
        };
        if let Some(type_code) = shared {
            *input = ahead;
            return Ok(type_code);
        }
        // The memory that the TypeCode takes is known when it has been read; until then, as
        // much is put aside as its octets allow.
        let (mut aside, mut wording) = (SMALL, None);
        if let Some(kind) = kind.filter(|kind| kind.is_encapsulated()) {
            let mut behind = ahead.clone();
            let length: u32 = ahead.read()?;
            aside += (length as usize).min(ahead.remaining()) * 4;
            if let Ok(octets) = behind.read_octets() {
                wording = Wording::new(kind, octets, input, limits);
            }
            // It may be there, but not in one piece.
            if let Some((type_code, memory)) = wording.as_ref().and_then(Wording::recall) {
                input.charge(aside)?;
                *input = behind;
                input.charge(memory)?;
                return Ok(type_code);
            }
        }
        input.charge(aside)?;
        let type_code = Self::decode_anew(input, limits)?;
        input.credit(aside);
        let memory = type_code.graph.memory();
        input.charge(memory)?;
        if let Some(wording) = wording {
            wording.remember(&type_code, memory);
        }
        Ok(type_code)
    }

    /// The TypeCode at the decoder, if it has been read before and is in one piece. If
    /// not, nothing has been read now either.
    fn recall(input: &mut Decoder<'_>, limits: &TypeCodeLimits) -> Option<Result<Self>> {
        let padding = input.position().wrapping_neg() % 4;
        let rest = input
            .in_one_piece(input.remaining())?
            .split_at_checked(padding)?
            .1;
        let (number, rest) = rest.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let in_order = |octets| match input.order() {
            ByteOrder::Big => u32::from_be_bytes(octets),
            ByteOrder::Little => u32::from_le_bytes(octets),
        };
        let kind = TCKind::from_number(in_order(*number)).filter(|kind| kind.is_encapsulated())?;
        let octets = rest.get(..in_order(*length) as usize)?;
        let wording = Wording::new(kind, octets, input, limits)?;
        let (type_code, memory) = wording.recall()?;
        // As if it were read now.
        let aside = SMALL + octets.len() * 4;
        let charged = input.charge(aside).and_then(|()| {
            input.credit(aside);
            input.skip(padding + 8 + octets.len())?;
            input.charge(memory)
        });
        Some(charged.map(|()| type_code))
    }

    /// Reads a TypeCode, in whichever form a union's default label is.
    fn decode_anew(input: &mut Decoder<'_>, limits: &TypeCodeLimits) -> Result<Self> {
        let mut first = input.clone();
        let mut reader = Reader::new(&first, limits, DefaultLabel::Discriminator);
        let outcome = reader.read_graph(&mut first);
        let outcome = match outcome {
            // Labels without a meaning in one form may have one in the other.
            Err(error) if reader.ambiguous => {
                drop(reader);
                let mut second = input.clone();
                let mut reader = Reader::new(&second, limits, DefaultLabel::Octet);
                let other = reader.read_graph(&mut second);
                first = second;
                other.map_err(|_| error)
            }
            outcome => outcome,
        };
        if outcome.is_ok() {
            *input = first;
        }
        outcome
    }
}

/// With the limits that the decoder was given.
impl<'m> Decode<'m> for TypeCode {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let limits = TypeCodeLimits::of(input);
        Self::decode_within(input, &limits)
    }
}

/// Octets of memory that the smallest TypeCode with a graph of its own may take.
const SMALL: usize = 512;

struct Reader {
    nodes: Vec<Node>,
    /// Where each TypeCode with parameters began, in ascending order: octets
    /// from the start of the outermost data.
    places: Vec<(u32, NodeIndex)>,
    /// The node of each kind without parameters, once met.
    simple: [Option<NodeIndex>; TCKind::Event as usize + 1],
    label: DefaultLabel,
    /// A default label has been read that might have another form.
    ambiguous: bool,
    nesting: u16,
    levels_left: u16,
    nodes_limit: u32,
    nodes_left: u32,
    indirections_limit: u32,
    indirections_left: u32,
    /// Octets not yet promised to the elements of some list; lists cannot
    /// together need more than there is.
    octets_left: usize,
}

impl Reader {
    fn new(input: &Decoder<'_>, limits: &TypeCodeLimits, label: DefaultLabel) -> Self {
        Self {
            nodes: Vec::new(),
            places: Vec::new(),
            simple: [None; TCKind::Event as usize + 1],
            label,
            ambiguous: false,
            nesting: limits.nesting,
            levels_left: limits.nesting,
            nodes_limit: limits.nodes,
            nodes_left: limits.nodes,
            indirections_limit: limits.indirections,
            indirections_left: limits.indirections,
            octets_left: input.remaining(),
        }
    }

    fn read_graph(&mut self, input: &mut Decoder<'_>) -> Result<TypeCode> {
        let root = self.read(input, 0)?;
        let nodes = std::mem::take(&mut self.nodes);
        self.places = Vec::new();
        match Graph::new(nodes, self.nesting) {
            Ok(graph) => Ok(TypeCode {
                graph: Arc::new(graph),
                root,
            }),
            Err(LayoutError::Recursion) => {
                let rule = "a type contains itself other than through a sequence or value";
                Err(input.error(ErrorKind::Invalid(rule)))
            }
            Err(LayoutError::Depth) => Err(self.too_deep(input)),
        }
    }

    /// Reads a TypeCode. `base` is where the decoder's data begin in the
    /// outermost data.
    fn read(&mut self, input: &mut Decoder<'_>, base: usize) -> Result<NodeIndex> {
        let number: u32 = input.read()?;
        let place = base + input.position() - 4;
        if number == INDIRECTION {
            return self.read_indirection(input, place + 4);
        }
        let Some(kind) = TCKind::from_number(number) else {
            return Err(input.error(ErrorKind::Invalid("there is no such kind of TypeCode")));
        };
        self.charge_nodes(1, input)?;
        if kind.is_simple() {
            return Ok(match self.simple[kind as usize] {
                Some(index) => index,
                None => {
                    let index = self.add(Node::Simple(kind));
                    self.simple[kind as usize] = Some(index);
                    index
                }
            });
        }
        let index = self.add(Node::Unfinished(kind));
        let Ok(place) = u32::try_from(place) else {
            return Err(input.error(ErrorKind::TooLong));
        };
        self.places.push((place, index));
        let Some(levels_left) = self.levels_left.checked_sub(1) else {
            return Err(self.too_deep(input));
        };
        self.levels_left = levels_left;
        let node = match kind {
            TCKind::String => Node::String {
                bound: input.read()?,
            },
            TCKind::WString => Node::WString {
                bound: input.read()?,
            },
            TCKind::Fixed => read_fixed(input)?,
            _ => {
                let mut inner = input.read_encapsulation()?;
                let length = inner.position() + inner.remaining();
                let base = base + input.position() - length;
                self.read_parameters(kind, &mut inner, base)?
            }
        };
        self.levels_left += 1;
        self.nodes[index as usize] = node;
        Ok(index)
    }

    fn read_indirection(&mut self, input: &mut Decoder<'_>, place: usize) -> Result<NodeIndex> {
        let Some(indirections_left) = self.indirections_left.checked_sub(1) else {
            return Err(input.error(ErrorKind::BoundExceeded {
                length: self.indirections_limit as usize + 1,
                bound: self.indirections_limit as usize,
            }));
        };
        self.indirections_left = indirections_left;
        let offset: i32 = input.read()?;
        let target = u32::try_from(place as i64 + i64::from(offset)).ok();
        let found = target.and_then(|target| {
            let found = self
                .places
                .binary_search_by_key(&target, |(place, _)| *place);
            found.ok().map(|found| self.places[found].1)
        });
        // Whether an enclosing type may recur here is seen once all is read.
        found.ok_or_else(|| input.error(ErrorKind::Invalid("an indirection leads to no TypeCode")))
    }

    fn read_parameters(
        &mut self,
        kind: TCKind,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> Result<Node> {
        Ok(match kind {
            TCKind::Sequence => Node::Sequence {
                element: self.read_part(input, base)?,
                bound: input.read()?,
            },
            TCKind::Array => Node::Array {
                element: self.read_part(input, base)?,
                length: input.read()?,
            },
            TCKind::Struct | TCKind::Exception => {
                let name = read_name(input)?;
                let count = self.read_count(8, input)?;
                let mut members = Vec::with_capacity(count);
                for _ in 0..count {
                    members.push(self.read_member(input, base)?);
                }
                let members = members.into();
                Node::Struct(kind, Box::new(Struct::new(name, members)))
            }
            TCKind::Union => self.read_union(input, base)?,
            TCKind::Enum => {
                let name = read_name(input)?;
                let count = self.read_count(4, input)?;
                self.charge_nodes(count, input)?;
                let mut enumerators = Vec::with_capacity(count);
                for _ in 0..count {
                    enumerators.push(read_text(input)?);
                }
                let enumerators = enumerators.into();
                Node::Enum(Box::new(Enum { name, enumerators }))
            }
            TCKind::Alias | TCKind::ValueBox => {
                let name = read_name(input)?;
                let original = self.read_part(input, base)?;
                Node::Alias(kind, Box::new(Alias { name, original }))
            }
            TCKind::Value | TCKind::Event => self.read_value(kind, input, base)?,
            _ => Node::Interface(kind, Box::new(read_name(input)?)),
        })
    }

    fn read_member(&mut self, input: &mut Decoder<'_>, base: usize) -> Result<Member> {
        Ok(Member {
            name: read_text(input)?,
            node: self.read_part(input, base)?,
        })
    }

    /// Reads the TypeCode of a member, an element, or what an alias stands for.
    fn read_part(&mut self, input: &mut Decoder<'_>, base: usize) -> Result<NodeIndex> {
        let index = self.read(input, base)?;
        match self.nodes[index as usize].kind() {
            TCKind::Exception => {
                let rule = "an exception cannot be part of another type";
                Err(input.error(ErrorKind::Invalid(rule)))
            }
            _ => Ok(index),
        }
    }

    fn read_union(&mut self, input: &mut Decoder<'_>, base: usize) -> Result<Node> {
        let name = read_name(input)?;
        let discriminator = self.read(input, base)?;
        let kind = self.kind_without_aliases(discriminator);
        if !union::is_discriminator(kind) {
            let rule = "a union's discriminator has no type that it may have";
            return Err(input.error(ErrorKind::Invalid(rule)));
        }
        let default_index: i32 = input.read()?;
        let count = self.read_count(9, input)?;
        let default_index = match u32::try_from(default_index) {
            Ok(index) if (index as usize) < count => Some(index),
            Ok(_) => {
                let rule = "a union's default case is none of its members";
                return Err(input.error(ErrorKind::Invalid(rule)));
            }
            Err(_) => None,
        };
        let mut cases = Vec::with_capacity(count);
        for index in 0..count as u32 {
            let label = if default_index == Some(index) {
                self.ambiguous = true;
                match self.label {
                    DefaultLabel::Discriminator => skip_label(kind, input)?,
                    DefaultLabel::Octet => input.skip(1)?,
                }
                0
            } else {
                read_label(kind, input)?
            };
            let member = self.read_member(input, base)?;
            cases.push(Case { label, member });
        }
        // Something left over tells that a default label had the other form.
        if default_index.is_some() && input.remaining() > 0 {
            return Err(input.error(ErrorKind::Invalid(
                "a union's TypeCode has octets left over",
            )));
        }
        union::union(name, discriminator, kind, default_index, cases)
            .map_err(|_| input.error(ErrorKind::Invalid("a union has the same label twice")))
    }

    fn read_value(&mut self, kind: TCKind, input: &mut Decoder<'_>, base: usize) -> Result<Node> {
        let name = read_name(input)?;
        let modifier: i16 = input.read()?;
        if !(0..=3).contains(&modifier) {
            return Err(input.error(ErrorKind::Invalid("there is no such modifier of values")));
        }
        let base_node = self.read(input, base)?;
        let count = self.read_count(10, input)?;
        let mut members = Vec::with_capacity(count);
        for _ in 0..count {
            let member = self.read_member(input, base)?;
            let visibility: i16 = input.read()?;
            if !(0..=1).contains(&visibility) {
                let rule = "a member of a value is neither private nor public";
                return Err(input.error(ErrorKind::Invalid(rule)));
            }
            members.push(StateMember { member, visibility });
        }
        Ok(Node::Value(
            kind,
            Box::new(Value {
                name,
                modifier,
                base: base_node,
                members: members.into(),
            }),
        ))
    }

    /// Reads how many elements of `min_size` octets or more follow.
    fn read_count(&mut self, min_size: usize, input: &mut Decoder<'_>) -> Result<usize> {
        let count = input.read_count(min_size)?;
        if count > self.nodes_left as usize {
            return Err(self.too_many(input));
        }
        match self.octets_left.checked_sub(count * min_size) {
            Some(octets_left) => self.octets_left = octets_left,
            None => {
                let length = count as u32;
                return Err(input.error(ErrorKind::LengthBeyondMessage { length }));
            }
        }
        Ok(count)
    }

    fn charge_nodes(&mut self, count: usize, input: &Decoder<'_>) -> Result<()> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        match self.nodes_left.checked_sub(count) {
            Some(nodes_left) => {
                self.nodes_left = nodes_left;
                Ok(())
            }
            None => Err(self.too_many(input)),
        }
    }

    fn add(&mut self, node: Node) -> NodeIndex {
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeIndex
    }

    /// The kind of a node that has been read; of one that has not, `Null`.
    fn kind_without_aliases(&self, mut index: NodeIndex) -> TCKind {
        // A chain of aliases is no longer than there are nodes.
        for _ in 0..self.nodes.len() {
            match &self.nodes[index as usize] {
                Node::Alias(TCKind::Alias, it) => index = it.original,
                Node::Unfinished(_) => break,
                node => return node.kind(),
            }
        }
        TCKind::Null
    }

    #[cold]
    fn too_deep(&self, input: &Decoder<'_>) -> Error {
        let limit = self.nesting;
        input.error(ErrorKind::NestedTooDeeply { limit })
    }

    #[cold]
    fn too_many(&self, input: &Decoder<'_>) -> Error {
        let bound = self.nodes_limit as usize;
        let length = bound + 1;
        input.error(ErrorKind::BoundExceeded { length, bound })
    }
}

fn skip_label(kind: TCKind, input: &mut Decoder<'_>) -> Result<()> {
    match kind {
        TCKind::Boolean => input.read::<u8>().map(drop),
        _ => read_label(kind, input).map(drop),
    }
}

fn read_fixed(input: &mut Decoder<'_>) -> Result<Node> {
    let digits: u16 = input.read()?;
    let scale: i16 = input.read()?;
    match (u8::try_from(digits), u8::try_from(scale)) {
        (Ok(digits @ 1..=taut_cdr::fixed::MAX_DIGITS), Ok(scale)) if scale <= digits => {
            Ok(Node::Fixed { digits, scale })
        }
        _ => Err(input.error(ErrorKind::Invalid(
            "a fixed has 1 to 31 digits, and no more behind the point",
        ))),
    }
}

fn read_name(input: &mut Decoder<'_>) -> Result<Name> {
    Ok(Name {
        id: read_text(input)?,
        name: read_text(input)?,
    })
}

/// Reads text that is UTF-8 or else ISO 8859-1; no code set applies to it.
fn read_text(input: &mut Decoder<'_>) -> Result<Box<str>> {
    let octets = input.read_string_octets()?;
    Ok(match std::str::from_utf8(octets) {
        Ok(text) => text.into(),
        Err(_) => octets.iter().copied().map(char::from).collect(),
    })
}
