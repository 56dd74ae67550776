//! The engine that walks values in CDR by their TypeCode.
//!
//! Whatever consists of primitives moves in bulk: the runs of equal primitives
//! in a type are known before its first value is met. A copied value has the form that this
//! crate itself would have written: padding is zero, wide strings are in the form of the
//! encoder, TypeCodes in its byte order.
//!
//! Values nest as deeply as the decoder's nesting limit says, where sequences,
//! unions and Anys count; structs and arrays within them are limited by
//! [`MAX_FRAMES`] in all. Enumerators and booleans are checked when they are
//! read as such, not when they are copied.
//!
//! The parts of a value of a value type are told by its repository id: the TypeCode's, or a
//! registered type's. A value of a type that is neither is truncated where its sender
//! allows it. Values that are met twice are copied once.

mod meaning;
mod short;
mod sink;
mod value;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decoder, Encoder, ErrorKind, Result};

pub(crate) use self::meaning::Meaning;
pub(crate) use self::short::{LENGTHENED, SHORT, Target, copy as copy_short};
use self::sink::{Copy, Sink, Skip};
pub(crate) use self::value::{Met, ValueSource, value_source};
use crate::graph::Graph;
use crate::layout::{Plan, Run};
use crate::node::{Node, NodeIndex};
use crate::type_code::wire::read_label;
use crate::{TCKind, TypeCode, TypeCodeLimits};

/// How deeply values of any kind may nest in all.
pub const MAX_FRAMES: u16 = 512;

/// Octets by which another alignment may lengthen a value.
const MARGIN: usize = 16;

/// Copies a value of this type.
///
/// # Errors
///
/// When the value is malformed, exceeds a limit, or has no form in the code set
/// or version of GIOP of `out`. Octets that have been appended by then stay.
pub fn copy(type_code: &TypeCode, input: &mut Decoder<'_>, out: &mut Encoder) -> Result<()> {
    copy_within(type_code, input, out, &TypeCodeLimits::DEFAULT)
}

/// Copies a value of this type, with these limits for the TypeCodes in it.
///
/// # Errors
///
/// Those of [`copy`].
pub fn copy_within(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    out: &mut Encoder,
    limits: &TypeCodeLimits,
) -> Result<()> {
    match short::append(type_code, input, out) {
        true => Ok(()),
        false => copy_long(type_code, input, out, limits),
    }
}

/// Copies a value of this type that is not short or not simple.
pub(crate) fn copy_long(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    out: &mut Encoder,
    limits: &TypeCodeLimits,
) -> Result<()> {
    let outside = out.isolate();
    let mut sink = Copy::new(out);
    let outcome = walk(type_code, input, &mut sink, limits, &mut Met::default());
    out.restore(outside);
    outcome
}

/// Skips a value of this type.
///
/// # Errors
///
/// When the value is malformed or exceeds a limit.
pub fn skip(type_code: &TypeCode, input: &mut Decoder<'_>) -> Result<()> {
    skip_within(type_code, input, &TypeCodeLimits::DEFAULT)
}

/// Skips a value of this type, with these limits for the TypeCodes in it.
///
/// # Errors
///
/// Those of [`skip`].
pub fn skip_within(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    limits: &TypeCodeLimits,
) -> Result<()> {
    walk(
        type_code,
        input,
        &mut Skip::default(),
        limits,
        &mut Met::default(),
    )
}

/// Skips a part of a larger value, in which these values were met before.
pub(crate) fn skip_part(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    met: &mut Met,
) -> Result<()> {
    let limits = &TypeCodeLimits::DEFAULT;
    walk(type_code, input, &mut Skip::default(), limits, met)
}

/// About how many octets a value will take when it is kept in an Any; so many
/// that strings which grow there do not make a buffer grow.
pub(crate) fn measure(
    type_code: &TypeCode,
    input: &Decoder<'_>,
    limits: &TypeCodeLimits,
) -> Result<usize> {
    let mut ahead = input.clone();
    let mut skip = Skip::default();
    walk(
        type_code,
        &mut ahead,
        &mut skip,
        limits,
        &mut Met::default(),
    )?;
    let size = ahead.position() - input.position();
    Ok(size.saturating_add(skip.growth).saturating_add(MARGIN))
}

fn walk<S: Sink>(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    sink: &mut S,
    limits: &TypeCodeLimits,
    met: &mut Met,
) -> Result<()> {
    let mut walker = Walker {
        graph: &type_code.graph,
        limits,
        frames_left: MAX_FRAMES,
        met,
    };
    if !type_code.is_complete() {
        return Err(input.error(ErrorKind::Invalid("a recursive TypeCode is not complete")));
    }
    walker.value(type_code.root, input, sink)
}

struct Walker<'t> {
    graph: &'t Graph,
    limits: &'t TypeCodeLimits,
    frames_left: u16,
    /// The values so far.
    met: &'t mut Met,
}

impl Walker<'_> {
    fn value<S: Sink>(
        &mut self,
        index: NodeIndex,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let graph = self.graph;
        let layout = graph.layout(index);
        match layout.plan {
            Plan::Empty => Ok(()),
            Plan::Run { count, width } => sink.run(Run { count, width }, 1, input),
            Plan::Runs(runs) => {
                let mut runs = graph.layouts().runs(runs).iter();
                runs.try_for_each(|run| sink.run(*run, 1, input))
            }
            Plan::Members(members) => self.framed(input, |walker, input| {
                if let Node::Struct(TCKind::Exception, it) = graph.node(layout.target) {
                    copy_exception_id(&it.name.id, input, sink)?;
                }
                let members = graph.layouts().members(members);
                members
                    .iter()
                    .try_for_each(|member| walker.value(*member, input, sink))
            }),
            Plan::Walk => self.framed(input, |walker, input| {
                walker.by_kind(graph.node(layout.target), input, sink)
            }),
        }
    }

    fn by_kind<S: Sink>(
        &mut self,
        node: &Node,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        match node {
            Node::String { bound } => sink.string(*bound, input),
            Node::WString { bound } => sink.wide_string(*bound, input),
            Node::Sequence { element, bound } => {
                let start = input.position();
                let count = read_count(self.graph, *element, input)?;
                if *bound > 0 {
                    check_bound(count, *bound as usize, start)?;
                }
                sink.length(count as u32);
                input.nested(|input| self.elements(*element, count, input, sink))
            }
            Node::Array { element, length } => {
                let count = *length as usize;
                let size = count.saturating_mul(self.min_size(*element));
                if size > input.remaining() {
                    return Err(input.error(ErrorKind::Truncated {
                        needed: size,
                        remaining: input.remaining(),
                    }));
                }
                self.elements(*element, count, input, sink)
            }
            Node::Union(it) => {
                let label = read_label(it.discriminator_kind, input)?;
                sink.label(it.discriminator_kind, label)?;
                match it.case(label) {
                    Some(case) => input.nested(|input| self.value(case.member.node, input, sink)),
                    None => Ok(()),
                }
            }
            Node::Simple(TCKind::WChar) => sink.wide_character(input),
            Node::Simple(TCKind::Any) => {
                let type_code = TypeCode::decode_within(input, self.limits)?;
                sink.type_code(&type_code)?;
                let values = self.met.begin_any();
                sink.begin_any();
                let mut walker = self.in_graph(&type_code.graph);
                input.nested(|input| walker.value(type_code.root, input, sink))?;
                sink.end_any();
                self.met.end_any(values);
                Ok(())
            }
            Node::Simple(TCKind::TypeCode) => {
                sink.type_code(&TypeCode::decode_within(input, self.limits)?)
            }
            Node::Simple(TCKind::Principal) => copy_octets(input, sink),
            Node::Interface(TCKind::AbstractInterface, _) => {
                let is_object = input.read_bool()?;
                sink.flag(is_object);
                if is_object {
                    sink.reference(input)
                } else {
                    self.abstract_value(input, sink)
                }
            }
            Node::Interface(TCKind::LocalInterface | TCKind::Native, _) => Err(input.error(
                ErrorKind::Invalid("a local object or native value cannot travel"),
            )),
            Node::Interface(..) => sink.reference(input),
            Node::Value(..) | Node::Alias(..) => self.value_or_null(node, input, sink),
            Node::Struct(..)
            | Node::Enum(_)
            | Node::Fixed { .. }
            | Node::Simple(_)
            | Node::Recursive(_)
            | Node::Unfinished(_) => Err(input.error(ErrorKind::Invalid("no value has this type"))),
        }
    }

    fn elements<S: Sink>(
        &mut self,
        element: NodeIndex,
        count: usize,
        input: &mut Decoder<'_>,
        sink: &mut S,
    ) -> Result<()> {
        match self.graph.layout(element).plan {
            Plan::Empty => Ok(()),
            Plan::Run { count: one, width } => sink.run(Run { count: one, width }, count, input),
            Plan::Runs(runs) => {
                let runs = self.graph.layouts().runs(runs);
                (0..count)
                    .try_for_each(|_| runs.iter().try_for_each(|run| sink.run(*run, 1, input)))
            }
            Plan::Members(_) | Plan::Walk => {
                (0..count).try_for_each(|_| self.value(element, input, sink))
            }
        }
    }

    /// A walker for a value of another type within this one.
    fn in_graph<'g>(&'g mut self, graph: &'g Graph) -> Walker<'g> {
        Walker {
            graph,
            limits: self.limits,
            frames_left: self.frames_left,
            met: self.met,
        }
    }

    /// The fewest octets of a value of a node; lists are long by these.
    fn min_size(&self, index: NodeIndex) -> usize {
        self.graph.layout(index).min_size as usize
    }

    fn framed(
        &mut self,
        input: &mut Decoder<'_>,
        body: impl FnOnce(&mut Self, &mut Decoder<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(frames_left) = self.frames_left.checked_sub(1) else {
            return Err(input.error(ErrorKind::NestedTooDeeply { limit: MAX_FRAMES }));
        };
        self.frames_left = frames_left;
        body(self, input)?;
        self.frames_left += 1;
        Ok(())
    }
}

/// Reads how many elements follow. Of those that take no octets there may be
/// any number; nobody looks at them one by one.
pub(crate) fn read_count(
    graph: &Graph,
    element: NodeIndex,
    input: &mut Decoder<'_>,
) -> Result<usize> {
    let layout = graph.layout(element);
    match layout.plan {
        Plan::Empty => Ok(input.read::<u32>()? as usize),
        _ => input.read_count(layout.min_size as usize),
    }
}

/// An IOR: a type id, and profiles with a tag and octets each.
fn copy_reference<S: Sink>(input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    copy_octet_string(input, sink)?;
    let count = input.read_count(8)?;
    sink.length(count as u32);
    for _ in 0..count {
        sink.length(input.read()?);
        copy_octets(input, sink)?;
    }
    Ok(())
}

/// Skips the id of an exception, which comes before its members; omniORB leaves it out.
pub(crate) fn skip_exception_id(id: &str, input: &mut Decoder<'_>) {
    let mut ahead = input.clone();
    if let Ok(found) = ahead.read_string_octets()
        && found == id.as_bytes()
    {
        *input = ahead;
    }
}

/// Copies the id of an exception, whether it is there or not.
fn copy_exception_id<S: Sink>(id: &str, input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    skip_exception_id(id, input);
    sink.length(id.len() as u32 + 1);
    sink.octets(id.as_bytes());
    sink.octets(&[0]);
    Ok(())
}

/// Text that no code set applies to.
fn copy_octet_string<S: Sink>(input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    let octets = input.read_string_octets()?;
    sink.length(octets.len() as u32 + 1);
    sink.octets(octets);
    sink.octets(&[0]);
    Ok(())
}

fn copy_octets<S: Sink>(input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    let octets = input.read_octets()?;
    sink.length(octets.len() as u32);
    sink.octets(octets);
    Ok(())
}
