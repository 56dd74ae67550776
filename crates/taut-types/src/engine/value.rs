//! Values of value types, and what abstract interfaces stand for.

use std::collections::HashMap;

use taut_cdr::{Decoder, Error, ErrorKind, INDIRECTION, Result};

use super::Walker;
use super::sink::Sink;
use crate::node::{Node, NodeIndex};
use crate::value::{
    Deviation, Header, Ids, Place, Places, REMEMBERED, ValueDescriptor, note, registered,
    skip_level,
};
use crate::{TCKind, TypeCode};

/// The modifiers of value types, as they are in TypeCodes.
const CUSTOM: i16 = 1;
const ABSTRACT: i16 = 2;

/// The values and ids that have been walked over, by their places.
#[derive(Default)]
pub(crate) struct Met {
    places: HashMap<usize, Place>,
    /// Where values have gone.
    values: HashMap<usize, usize>,
}

impl Met {
    /// Begins an Any in which no value leads out; the values outside of it.
    pub(super) fn begin_any(&mut self) -> HashMap<usize, usize> {
        std::mem::take(&mut self.values)
    }

    /// Ends an Any, into which no value leads.
    pub(super) fn end_any(&mut self, values: HashMap<usize, usize>) {
        self.values = values;
    }
}

impl Places for Met {
    fn remember(&mut self, input: &mut Decoder<'_>, place: usize, what: Place) -> Result<()> {
        input.charge(REMEMBERED)?;
        self.places.insert(place, what);
        Ok(())
    }

    fn remembered(&self, _: &Decoder<'_>, place: usize) -> Option<Place> {
        self.places.get(&place).cloned()
    }
}

/// The source from which the state of a value is known.
pub(crate) enum ValueSource {
    /// The node that is expected.
    Expected,
    /// Another type, which is registered.
    Registered(TypeCode),
    /// The user.
    Custom(&'static ValueDescriptor),
}

impl Walker<'_> {
    /// A value of a value type or a box, or null.
    pub(super) fn value_or_null<S: Sink>(
        &mut self,
        node: &Node,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        self.some_value(Some(node), input, sink)
    }

    /// The value, or null, that an abstract interface stands for.
    pub(super) fn abstract_value<S: Sink>(
        &mut self,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        self.some_value(None, input, sink)
    }

    fn some_value<S: Sink>(
        &mut self,
        node: Option<&Node>,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let (tag, is_between_chunks) = input.read_tag()?;
        let place = input.position() - 4;
        match tag {
            0 => {
                sink.length(0);
                return Ok(());
            }
            INDIRECTION => return self.led_back(input, sink),
            _ if input.chunk_level() > 0 && !is_between_chunks => {
                input.within_chunk(|input| self.tagged_value(tag, place, node, input, sink))?;
                note(input.context(), Deviation::ValueInChunk);
                return Ok(());
            }
            _ => {}
        }
        self.tagged_value(tag, place, node, input, sink)
    }

    /// A value with this tag, which stands at `place`.
    fn tagged_value<S: Sink>(
        &mut self,
        tag: u32,
        place: usize,
        node: Option<&Node>,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let header = Header::read(tag, input, self.met)?;
        let (state, ids) = value_source(node, &header)?;
        let is_truncated = ids.len() < header.ids.len();
        if is_truncated && !header.is_chunked {
            let rule = "a value that cannot be skipped is of an unknown type";
            return Err(Error::new(ErrorKind::Invalid(rule), header.ids_place));
        }
        let to = sink.begin_value(&ids, header.is_chunked)?;
        input.charge(REMEMBERED)?;
        self.met.values.insert(place, to);
        if header.is_chunked {
            input.enter_chunks();
        }
        let level = input.chunk_level();
        input.nested(|input| match (&state, node) {
            (ValueSource::Expected, Some(node)) => self.state(node, input, sink),
            (ValueSource::Registered(type_code), _) => {
                let node = type_code.graph.node(type_code.root);
                self.in_graph(&type_code.graph).state(node, input, sink)
            }
            (ValueSource::Custom(descriptor), _) => sink.custom(descriptor, input),
            (ValueSource::Expected, None) => Ok(()),
        })?;
        if header.is_chunked {
            if is_truncated || matches!(state, ValueSource::Custom(_)) {
                skip_level(level, input, self.met)?;
            } else {
                input.leave_chunks(level)?;
            }
            if input.take_extra_ends() {
                note(input.context(), Deviation::ExtraEndTag);
            }
        }
        sink.end_value()
    }

    fn led_back<S: Sink>(&mut self, input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
        let place = input.read_indirection()?;
        match self.met.values.get(&place) {
            Some(&to) => sink.led_back(to),
            None => Err(input.error(ErrorKind::Invalid(
                "an indirection leads out of an any, or to a part of it that is not known",
            ))),
        }
    }

    /// The state of a value of this type: that of its base, its members.
    fn state<S: Sink>(&mut self, node: &Node, input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
        match node {
            Node::Alias(_, it) => self.value(it.original, input, sink),
            Node::Value(_, it) => self.framed(input, |walker, input| {
                walker.base_state(it.base, input, sink)?;
                it.members
                    .iter()
                    .try_for_each(|member| walker.value(member.member.node, input, sink))
            }),
            _ => Err(input.error(ErrorKind::Invalid("no value has this type"))),
        }
    }

    fn base_state<S: Sink>(
        &mut self,
        base: NodeIndex,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let graph = self.graph;
        let node = graph.node(graph.layout(base).target);
        match node.kind() {
            TCKind::Null => Ok(()),
            _ => self.state(node, input, sink),
        }
    }
}

/// Chooses the source from which the state of a value with this header is known, and the
/// ids from that type on; `expected` is the type of its place.
pub(crate) fn value_source(expected: Option<&Node>, header: &Header) -> Result<(ValueSource, Ids)> {
    let expected_id = expected.and_then(Node::name).map(|name| &*name.id);
    let is_known_state = |node: &Node| match node {
        Node::Value(_, it) => it.modifier != CUSTOM && it.modifier != ABSTRACT,
        _ => true,
    };
    let find = |id: &str| {
        if expected_id == Some(id) && expected.is_some_and(is_known_state) {
            return Some(ValueSource::Expected);
        }
        let descriptor = registered(id)?;
        Some(match descriptor.is_custom() {
            true => ValueSource::Custom(descriptor),
            false => ValueSource::Registered(descriptor.type_code()),
        })
    };
    let unknown = || Error::new(ErrorKind::UnknownValueType, header.ids_place);
    if header.ids.is_empty() {
        let id = expected_id.ok_or_else(unknown)?;
        return Ok((find(id).ok_or_else(unknown)?, Ids::from([id.into()])));
    }
    for (index, id) in header.ids.iter().enumerate() {
        if let Some(state) = find(id) {
            let ids = match index {
                0 => header.ids.clone(),
                _ => header.ids.iter().skip(index).cloned().collect(),
            };
            return Ok((state, ids));
        }
    }

    Err(unknown())
}
