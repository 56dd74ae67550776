//! The meaning of values: their octets without alignment, with TypeCodes and references
//! apart, of which the same may be written in several ways.

use std::hash::{Hash, Hasher};

use taut_cdr::{ByteOrder, Decoder, Encoder, LongDouble, MemoryLimit, Primitive, Result};
use taut_giop::ior::meaning;

use super::sink::{Sink, total};
use super::{Met, walk};
use crate::layout::Run;
use crate::node::Node;
use crate::value::{Ids, ValueDescriptor};
use crate::{TCKind, TypeCode, TypeCodeLimits};

/// A value's content, however it is written: equal for values that say the same.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    octets: Vec<u8>,
    /// The TypeCodes in the value, in their order.
    type_codes: Vec<TypeCode>,
    values: usize,
}

/// The first octet of a value of a value type; that of null is 0.
const VALUE: u8 = 1;
/// The first octet of what leads back to such a value.
const VALUE_AGAIN: u8 = 2;

/// Limits for TypeCodes that were checked when they were received: only the nesting.
const LIMITS: TypeCodeLimits = TypeCodeLimits {
    nodes: u32::MAX,
    indirections: u32::MAX,
    ..TypeCodeLimits::DEFAULT
};

impl Meaning {
    /// The meaning of a value of this type that an Any keeps.
    ///
    /// # Errors
    ///
    /// When the value is malformed, nests too deeply, or is marshalled by its user, who
    /// fails.
    pub(crate) fn of(type_code: &TypeCode, input: Decoder<'_>) -> Result<Self> {
        let mut input = input.with_memory_limit(MemoryLimit {
            per_octet: usize::MAX,
            extra: usize::MAX,
        });
        let mut meaning = Self::default();
        walk(
            type_code,
            &mut input,
            &mut meaning,
            &LIMITS,
            &mut Met::default(),
        )?;
        Ok(meaning)
    }

    /// Whether there are values of this type that say the same in other octets.
    pub(crate) fn has_many_forms(type_code: &TypeCode) -> bool {
        let mut nodes = type_code.graph.nodes().iter();
        nodes.any(|node| match node {
            Node::Simple(kind) => matches!(kind, TCKind::Any | TCKind::TypeCode),
            Node::Interface(..) | Node::Value(..) | Node::Alias(TCKind::ValueBox, _) => true,
            _ => false,
        })
    }

    fn append<T: Primitive>(&mut self, count: usize, input: &mut Decoder<'_>) -> Result<()> {
        let values = input.read_elements::<T>(count)?;
        self.octets.extend_from_slice(T::octets(&values));
        Ok(())
    }

    fn append_text(&mut self, text: &[u8]) {
        self.octets
            .extend_from_slice(&(text.len() as u64).to_ne_bytes());
        self.octets.extend_from_slice(text);
    }
}

impl Hash for Meaning {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.octets.hash(state);
        self.type_codes.hash(state);
    }
}

impl Sink for Meaning {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()> {
        let count = total(run, times, input)?;
        match run.width {
            1 => self.append::<u8>(count, input),
            2 => self.append::<u16>(count, input),
            4 => self.append::<u32>(count, input),
            8 => self.append::<u64>(count, input),
            _ => self.append::<LongDouble>(count, input),
        }
    }

    fn length(&mut self, length: u32) {
        self.octets.extend_from_slice(&length.to_ne_bytes());
    }

    fn flag(&mut self, flag: bool) {
        self.octets.push(u8::from(flag));
    }

    fn label(&mut self, _: TCKind, label: i64) -> Result<()> {
        self.octets.extend_from_slice(&label.to_ne_bytes());
        Ok(())
    }

    fn octets(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    fn string(&mut self, _: u32, input: &mut Decoder<'_>) -> Result<()> {
        let text = input.read_string()?;
        self.append_text(text.as_bytes());
        Ok(())
    }

    fn wide_string(&mut self, _: u32, input: &mut Decoder<'_>) -> Result<()> {
        let text = input.read_wstring()?;
        self.append_text(text.as_bytes());
        Ok(())
    }

    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        let unit = input.read_wchar()?.0;
        self.octets.extend_from_slice(&unit.to_ne_bytes());
        Ok(())
    }

    fn type_code(&mut self, type_code: &TypeCode) -> Result<()> {
        self.type_codes.push(type_code.clone());
        Ok(())
    }

    fn reference(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        self.append_text(input.read_string_octets()?);
        let count = input.read_count(8)?;
        self.length(count as u32);
        for _ in 0..count {
            let (tag, data) = (input.read()?, input.read_octets()?);
            meaning::append_profile(tag, data, &mut self.octets);
        }
        Ok(())
    }

    /// The type counts, but not what it may be truncated to, nor chunks.
    fn begin_value(&mut self, ids: &Ids, _: bool) -> Result<usize> {
        self.octets.push(VALUE);
        self.append_text(ids.first().map_or(&[], |id| id.as_bytes()));
        self.values += 1;
        Ok(self.values)
    }

    fn end_value(&mut self) -> Result<()> {
        Ok(())
    }

    fn custom(&mut self, descriptor: &ValueDescriptor, input: &mut Decoder<'_>) -> Result<()> {
        let object = descriptor.make();
        object.decode_state(input)?;
        let mut out = Encoder::new(ByteOrder::NATIVE);
        object.encode_state(&mut out)?;
        self.append_text(out.as_bytes());
        Ok(())
    }

    fn led_back(&mut self, value: usize) -> Result<()> {
        self.octets.push(VALUE_AGAIN);
        self.octets.extend_from_slice(&(value as u64).to_ne_bytes());
        Ok(())
    }

    fn begin_any(&mut self) {}

    fn end_any(&mut self) {}
}
