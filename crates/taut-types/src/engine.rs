//! The engine that walks values in CDR by their TypeCode.
//!
//! Whatever consists of primitives moves in bulk: the runs of equal primitives
//! in a type are known before its first value is met. What is copied comes out
//! as this crate itself would have written it: padding is zero, wide strings
//! are in the form of the encoder, TypeCodes in its byte order.
//!
//! Values nest as deeply as the decoder's nesting limit says, where sequences,
//! unions and Anys count; structs and arrays within them are limited by
//! [`MAX_FRAMES`] in all. Enumerators and booleans are checked when they are
//! read as such, not when they are copied.

use taut_cdr::codec::check_bound;
use taut_cdr::{Decoder, Encoder, ErrorKind, LongDouble, Result};

use crate::graph::Graph;
use crate::layout::{Plan, Run};
use crate::node::{Node, NodeIndex};
use crate::type_code::wire::{read_label, write_label};
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
/// or version of GIOP of `out`. What has been appended by then stays.
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
    walk(type_code, input, &mut Copy(out), limits)
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
    walk(type_code, input, &mut Skip::default(), limits)
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
    walk(type_code, &mut ahead, &mut skip, limits)?;
    let size = ahead.position() - input.position();
    Ok(size.saturating_add(skip.growth).saturating_add(MARGIN))
}

fn walk<S: Sink>(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    sink: &mut S,
    limits: &TypeCodeLimits,
) -> Result<()> {
    let mut walker = Walker {
        graph: &type_code.graph,
        limits,
        frames_left: MAX_FRAMES,
    };
    if !type_code.is_complete() {
        return Err(input.error(ErrorKind::Invalid("a recursive TypeCode is not complete")));
    }
    walker.value(type_code.root, input, sink)
}

/// Where what is walked over goes.
trait Sink {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()>;
    fn length(&mut self, length: u32);
    fn flag(&mut self, flag: bool);
    fn label(&mut self, kind: TCKind, label: i64) -> Result<()>;
    fn octets(&mut self, octets: &[u8]);
    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()>;
    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()>;
    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()>;
    fn type_code(&mut self, type_code: &TypeCode) -> Result<()>;
}

struct Walker<'t> {
    graph: &'t Graph,
    limits: &'t TypeCodeLimits,
    frames_left: u16,
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
        match &layout.plan {
            Plan::Empty => Ok(()),
            Plan::Run(run) => sink.run(*run, 1, input),
            Plan::Runs(runs) => {
                let mut runs = runs.as_slice().iter();
                runs.try_for_each(|run| sink.run(*run, 1, input))
            }
            Plan::Members(members) => self.framed(input, |walker, input| {
                if let Node::Struct(TCKind::Exception, it) = graph.node(layout.target) {
                    copy_exception_id(&it.name.id, input, sink)?;
                }
                members
                    .0
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
                let mut walker = Walker {
                    graph: &type_code.graph,
                    limits: self.limits,
                    frames_left: self.frames_left,
                };
                input.nested(|input| walker.value(type_code.root, input, sink))
            }
            Node::Simple(TCKind::TypeCode) => {
                sink.type_code(&TypeCode::decode_within(input, self.limits)?)
            }
            Node::Simple(TCKind::Principal) => copy_octets(input, sink),
            Node::Interface(TCKind::AbstractInterface, _) => {
                let is_object = input.read_bool()?;
                sink.flag(is_object);
                if is_object {
                    copy_reference(input, sink)
                } else {
                    copy_null_value(input, sink)
                }
            }
            Node::Interface(TCKind::LocalInterface | TCKind::Native, _) => Err(input.error(
                ErrorKind::Invalid("a local object or native value cannot travel"),
            )),
            Node::Interface(..) => copy_reference(input, sink),
            Node::Value(..) | Node::Alias(..) => copy_null_value(input, sink),
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
        match &self.graph.layout(element).plan {
            Plan::Empty => Ok(()),
            Plan::Run(run) => sink.run(*run, count, input),
            Plan::Runs(runs) => {
                let runs = runs.as_slice();
                (0..count)
                    .try_for_each(|_| runs.iter().try_for_each(|run| sink.run(*run, 1, input)))
            }
            Plan::Members(_) | Plan::Walk => {
                (0..count).try_for_each(|_| self.value(element, input, sink))
            }
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

/// An exception's id comes before its members; omniORB leaves it out.
fn copy_exception_id<S: Sink>(id: &str, input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    let mut ahead = input.clone();
    if let Ok(found) = ahead.read_string_octets()
        && found == id.as_bytes()
    {
        *input = ahead;
    }
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

/// Of valuetypes only null can be walked over.
fn copy_null_value<S: Sink>(input: &mut Decoder<'_>, sink: &mut S) -> Result<()> {
    match input.read::<u32>()? {
        0 => {
            sink.length(0);
            Ok(())
        }
        _ => Err(input.error(ErrorKind::Invalid("an any can hold no valuetype but null"))),
    }
}

struct Copy<'o>(&'o mut Encoder);

impl Sink for Copy<'_> {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()> {
        let count = total(run, times, input)?;
        match run.width {
            1 => input.copy_elements::<u8>(count, self.0),
            2 => input.copy_elements::<u16>(count, self.0),
            4 => input.copy_elements::<u32>(count, self.0),
            8 => input.copy_elements::<u64>(count, self.0),
            _ => input.copy_elements::<LongDouble>(count, self.0),
        }
    }

    fn length(&mut self, length: u32) {
        self.0.write(length);
    }

    fn flag(&mut self, flag: bool) {
        self.0.write(u8::from(flag));
    }

    fn label(&mut self, kind: TCKind, label: i64) -> Result<()> {
        write_label(kind, label, self.0)
    }

    fn octets(&mut self, octets: &[u8]) {
        self.0.write_bytes(octets);
    }

    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_string()?;
        check_length(bound, text.len(), || text.chars().count(), start)?;
        self.0.write_string(&text)
    }

    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_wstring()?;
        check_length(bound, text.len(), || text.encode_utf16().count(), start)?;
        self.0.write_wstring(&text)
    }

    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        self.0.write_wchar(input.read_wchar()?)
    }

    fn type_code(&mut self, type_code: &TypeCode) -> Result<()> {
        taut_cdr::Encode::encode(type_code, self.0)
    }
}

#[derive(Default)]
struct Skip {
    /// Octets by which strings grow when they are copied to UTF-8.
    growth: usize,
}

impl Skip {
    /// Notes that what was read since `start` may take `size` octets.
    fn note(&mut self, size: usize, start: usize, input: &Decoder<'_>) {
        let read = input.position() - start;
        self.growth = self.growth.saturating_add(size.saturating_sub(read));
    }
}

impl Sink for Skip {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()> {
        let count = total(run, times, input)?;
        match run.width {
            1 => input.skip_elements::<u8>(count),
            2 => input.skip_elements::<u16>(count),
            4 => input.skip_elements::<u32>(count),
            8 => input.skip_elements::<u64>(count),
            _ => input.skip_elements::<LongDouble>(count),
        }
    }

    fn length(&mut self, _: u32) {}

    fn flag(&mut self, _: bool) {}

    fn label(&mut self, kind: TCKind, _: i64) -> Result<()> {
        if kind == TCKind::WChar {
            // In GIOP 1.1 it has two octets, where it is kept three.
            self.growth = self.growth.saturating_add(1);
        }
        Ok(())
    }

    fn octets(&mut self, _: &[u8]) {}

    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_string()?;
        // Length and NUL, and the padding behind.
        self.note(text.len() + 8, start, input);
        check_length(bound, text.len(), || text.chars().count(), start)
    }

    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_wstring()?;
        check_length(bound, text.len(), || text.encode_utf16().count(), start)
    }

    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        input.read_wchar()?;
        self.note(3, start, input);
        Ok(())
    }

    fn type_code(&mut self, _: &TypeCode) -> Result<()> {
        Ok(())
    }
}

/// How many primitives there are in `times` runs.
fn total(run: Run, times: usize, input: &Decoder<'_>) -> Result<usize> {
    (run.count as usize).checked_mul(times).ok_or_else(|| {
        input.error(ErrorKind::Truncated {
            needed: usize::MAX,
            remaining: input.remaining(),
        })
    })
}

/// Checks a bound that counts units of which none takes less than an octet.
fn check_length(
    bound: u32,
    octets: usize,
    units: impl FnOnce() -> usize,
    offset: usize,
) -> Result<()> {
    let bound = bound as usize;
    if bound == 0 || octets <= bound {
        return Ok(());
    }
    check_bound(units(), bound, offset)
}
