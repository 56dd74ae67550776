//! Short values of simple types, copied without all that longer ones need.
//!
//! Most Anys hold a few primitives and strings. A struct of these, however its members
//! nest, or a sequence of primitives, is copied from slice to slice. Whatever is unusual
//! about a value, a fault above all, ends that: then nothing was read, and the engine walks
//! the value from its start, which finds the fault and its place.

use taut_cdr::{ByteOrder, CharCodeSet, Decoder, Encoder, is_ascii_without_nul};

use crate::graph::Graph;
use crate::layout::Plan;
use crate::node::{Node, NodeIndex};
use crate::{TCKind, TypeCode};

/// The most octets of a value that is copied here.
pub(crate) const SHORT: usize = 256;

/// Octets by which another alignment may lengthen it. Once both sides are aligned to
/// eight, what follows is as long on one as on the other.
pub(crate) const LENGTHENED: usize = 7;

/// How deeply structs may nest in it.
const MAX_DEPTH: u8 = 8;

/// Where a value goes.
pub(crate) struct Target<'o> {
    pub(crate) order: ByteOrder,
    pub(crate) char_code_set: CharCodeSet,
    /// Begins at a multiple of eight octets, and is all zeroes from `start` on. Has room
    /// for [`LENGTHENED`] octets more than there are, or than a short value has.
    pub(crate) octets: &'o mut [u8],
    /// Where the value begins, alignment not counted.
    pub(crate) start: usize,
}

/// Copies a value; where it ends. None if it is not simple or not short, or if there is a
/// fault.
pub(crate) fn copy(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    target: Target<'_>,
) -> Option<usize> {
    let start = input.position();
    let length = input.remaining().min(SHORT);
    if !type_code.is_complete() || input.in_one_piece(length).is_none() {
        return None;
    }
    let mut copying = Copying {
        graph: &type_code.graph,
        from: &input.bytes()[..start + length],
        read: start,
        written: target.start,
        is_foreign: input.order() != ByteOrder::NATIVE,
        is_swapped: input.order() != target.order,
        is_utf8: input.char_code_set() == CharCodeSet::Utf8
            && target.char_code_set == CharCodeSet::Utf8,
        may_nest: input.nested(|_| Ok(())).is_ok(),
        to: target.octets,
    };
    copying.value(type_code.root, MAX_DEPTH)?;
    let (read, written) = (copying.read, copying.written);
    input.skip(read - start).ok()?;
    Some(written)
}

/// Appends a value, if it is a short and simple one. Whether it is.
pub(super) fn append(type_code: &TypeCode, input: &mut Decoder<'_>, out: &mut Encoder) -> bool {
    let (order, char_code_set) = (out.order(), out.char_code_set());
    let most = input.remaining().min(SHORT) + LENGTHENED;
    out.append_filled(most, |octets, start| {
        let target = Target {
            order,
            char_code_set,
            octets,
            start,
        };
        copy(type_code, input, target)
    })
}

/// A value on its way.
struct Copying<'a> {
    graph: &'a Graph,
    from: &'a [u8],
    /// The next octet to read.
    read: usize,
    to: &'a mut [u8],
    /// The next octet to write.
    written: usize,
    /// Whether the input is in another byte order than this machine's.
    is_foreign: bool,
    /// Whether the output is in another byte order than the input.
    is_swapped: bool,
    /// Strings are UTF-8 on both sides.
    is_utf8: bool,
    /// Whether a sequence exceeds no limit.
    may_nest: bool,
}

impl Copying<'_> {
    fn value(&mut self, index: NodeIndex, depth: u8) -> Option<()> {
        let graph = self.graph;
        let layout = graph.layout(index);
        match layout.plan {
            Plan::Empty => Some(()),
            Plan::Run { count, width } => self.run(count, width),
            Plan::Runs(runs) => {
                let mut runs = graph.layouts().runs(runs).iter();
                runs.try_for_each(|run| self.run(run.count, run.width))
            }
            Plan::Members(members) => {
                // An exception's id may stand in front of its members.
                if graph.node(layout.target).kind() == TCKind::Exception {
                    return None;
                }
                let depth = depth.checked_sub(1)?;
                for &member in graph.layouts().members(members) {
                    // Most are primitives, for which a level is too much.
                    match graph.layout(member).plan {
                        Plan::Run { count, width } => self.run(count, width)?,
                        _ => self.value(member, depth)?,
                    }
                }
                Some(())
            }
            Plan::Walk => match *graph.node(layout.target) {
                Node::String { bound } => self.string(bound),
                Node::Sequence { element, bound } => self.sequence(element, bound),
                _ => None,
            },
        }
    }

    #[inline(always)]
    fn run(&mut self, count: u32, width: u8) -> Option<()> {
        if count > 1 {
            return self.primitives(count as usize, width);
        }
        match width {
            1 => self.primitive::<1>().map(drop),
            2 => self.primitive::<2>().map(drop),
            4 => self.primitive::<4>().map(drop),
            8 => self.primitive::<8>().map(drop),
            _ => None,
        }
    }

    /// Copies one primitive; its octets as they were.
    #[inline(always)]
    fn primitive<const WIDTH: usize>(&mut self) -> Option<[u8; WIDTH]> {
        let start = aligned(self.read, WIDTH);
        let from: [u8; WIDTH] = self.from.get(start..start + WIDTH)?.try_into().ok()?;
        self.read = start + WIDTH;
        let start = aligned(self.written, WIDTH);
        let to: &mut [u8; WIDTH] = self.to.get_mut(start..start + WIDTH)?.try_into().ok()?;
        self.written = start + WIDTH;
        *to = from;
        if self.is_swapped {
            to.reverse();
        }
        Some(from)
    }

    fn primitives(&mut self, count: usize, width: u8) -> Option<()> {
        // No more are short; nor is their size too large for a number.
        if count > SHORT {
            return None;
        }
        let width = match width {
            1 | 2 | 4 | 8 => usize::from(width),
            _ => return None,
        };
        let size = count * width;
        let start = aligned(self.read, width);
        let from = self.from.get(start..start + size)?;
        self.read = start + size;
        let start = aligned(self.written, width);
        let to = self.to.get_mut(start..start + size)?;
        self.written = start + size;
        to.copy_from_slice(from);
        if self.is_swapped && width > 1 {
            to.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        Some(())
    }

    fn string(&mut self, bound: u32) -> Option<()> {
        let length = self.length()?;
        let octets = self.from.get(self.read..self.read + length)?;
        let (0, text) = octets.split_last()? else {
            return None;
        };
        // No character takes less than an octet.
        if bound > 0 && text.len() > bound as usize {
            return None;
        }
        let is_text = is_ascii_without_nul(text)
            || self.is_utf8 && !text.contains(&0) && std::str::from_utf8(text).is_ok();
        if !is_text {
            return None;
        }
        let to = self.to.get_mut(self.written..self.written + length)?;
        to.copy_from_slice(octets);
        self.read += length;
        self.written += length;
        Some(())
    }

    /// A sequence of primitives.
    fn sequence(&mut self, element: NodeIndex, bound: u32) -> Option<()> {
        let Plan::Run { count, width } = self.graph.layout(element).plan else {
            return None;
        };
        let length = self.length()?;
        if !self.may_nest || count as usize > SHORT || bound > 0 && length > bound as usize {
            return None;
        }
        match length {
            // Nor is there padding in front of none.
            0 => Some(()),
            _ => self.primitives(count as usize * length, width),
        }
    }

    /// Copies the length of something that is short; which it is.
    fn length(&mut self) -> Option<usize> {
        let length = u32::from_ne_bytes(self.primitive()?);
        let length = match self.is_foreign {
            true => length.swap_bytes(),
            false => length,
        } as usize;
        (length <= SHORT).then_some(length)
    }
}

/// The next multiple of a power of two.
#[inline(always)]
fn aligned(place: usize, alignment: usize) -> usize {
    (place + (alignment - 1)) & !(alignment - 1)
}
