//! Short values of simple types, copied without all that longer ones need.
//!
//! Most Anys hold a few primitives and strings. What is a struct of these, however its
//! members nest, or a sequence of primitives, is copied from slice to slice. Whatever is
//! unusual about a value, a fault above all, ends that: then nothing was read, and the
//! engine walks the value from its start, which finds the fault and its place.

use taut_cdr::{ByteOrder, CharCodeSet, Decoder, Encoder};

use crate::graph::Graph;
use crate::layout::{Plan, Run};
use crate::node::{Node, NodeIndex};
use crate::{TCKind, TypeCode};

/// The most octets of a value that is copied here.
pub(crate) const SHORT: usize = 256;

/// Octets by which another alignment may lengthen it. Once both sides are aligned to
/// eight, what follows is as long on one as on the other.
pub(crate) const LENGTHENED: usize = 7;

/// How deeply structs may nest in it.
const MAX_DEPTH: u8 = 8;

/// What octets are appended to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) order: ByteOrder,
    pub(crate) char_code_set: CharCodeSet,
    /// Octets in front of the value that count for alignment.
    pub(crate) position: usize,
}

impl Surroundings {
    /// Those in which values are kept in an Any.
    pub(crate) const KEPT: Self = Self {
        order: ByteOrder::NATIVE,
        char_code_set: CharCodeSet::Utf8,
        position: 0,
    };
}

/// Copies a value into `to`, which is all zeroes and has room for [`LENGTHENED`] octets
/// more than there are, and for no more than for a short value. How many octets it is
/// there; none if it is not simple or not short, or if there is a fault.
pub(crate) fn copy(
    type_code: &TypeCode,
    input: &mut Decoder<'_>,
    to: &mut [u8],
    surroundings: Surroundings,
) -> Option<usize> {
    if !type_code.is_complete() {
        return None;
    }
    let from = input.in_one_piece(input.remaining().min(SHORT))?;
    let mut copying = Copying {
        graph: &type_code.graph,
        read: Place::new(input.position(), from.len()),
        from,
        written: Place::new(surroundings.position, to.len()),
        to,
        is_foreign: input.order() != ByteOrder::NATIVE,
        is_swapped: input.order() != surroundings.order,
        is_utf8: [input.char_code_set(), surroundings.char_code_set] == [CharCodeSet::Utf8; 2],
        may_nest: input.nested(|_| Ok(())).is_ok(),
    };
    copying.value(type_code.root, MAX_DEPTH)?;
    let (read, written) = (copying.read.at, copying.written.at);
    input.skip(read).ok()?;
    Some(written)
}

/// Appends a value, if it is a short and simple one.
pub(super) fn append(type_code: &TypeCode, input: &mut Decoder<'_>, out: &mut Encoder) -> bool {
    if out.chunk_level() > 0 {
        return false;
    }
    let surroundings = Surroundings {
        order: out.order(),
        char_code_set: out.char_code_set(),
        position: out.position(),
    };
    let most = input.remaining().min(SHORT) + LENGTHENED;
    out.append_filled(most, |to| copy(type_code, input, to, surroundings))
}

/// How far one side has come.
struct Place {
    /// The next octet.
    at: usize,
    end: usize,
    /// What alignment counts to the first octet.
    phase: usize,
}

impl Place {
    fn new(position: usize, end: usize) -> Self {
        Self {
            at: 0,
            end,
            phase: position % 8,
        }
    }

    /// Goes past so many octets, aligned; where they begin.
    #[inline(always)]
    fn advance(&mut self, alignment: usize, count: usize) -> Option<usize> {
        let padding = (self.phase + self.at).wrapping_neg() & (alignment - 1);
        let start = self.at + padding;
        let end = start.checked_add(count)?;
        if end > self.end {
            return None;
        }
        self.at = end;
        Some(start)
    }
}

/// A value on its way.
struct Copying<'a> {
    graph: &'a Graph,
    from: &'a [u8],
    read: Place,
    to: &'a mut [u8],
    written: Place,
    /// What is read is not in this machine's byte order.
    is_foreign: bool,
    /// What is written is in another byte order than what is read.
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
            Plan::Run { count, width } => self.run(Run { count, width }, 1),
            Plan::Runs(runs) => {
                let mut runs = graph.layouts().runs(runs).iter();
                runs.try_for_each(|run| self.run(*run, 1))
            }
            Plan::Members(members) => {
                // An exception's id may stand in front of its members.
                if graph.node(layout.target).kind() == TCKind::Exception {
                    return None;
                }
                let depth = depth.checked_sub(1)?;
                let mut members = graph.layouts().members(members).iter();
                members.try_for_each(|member| self.value(*member, depth))
            }
            Plan::Walk => match *graph.node(layout.target) {
                Node::String { bound } => self.string(bound),
                Node::Sequence { element, bound } => self.sequence(element, bound),
                _ => None,
            },
        }
    }

    fn run(&mut self, run: Run, times: usize) -> Option<()> {
        let count = (run.count as usize).checked_mul(times)?;
        match run.width {
            1 => self.primitives::<1>(count),
            2 => self.primitives::<2>(count),
            4 => self.primitives::<4>(count),
            8 => self.primitives::<8>(count),
            _ => None,
        }
    }

    #[inline(always)]
    fn primitives<const WIDTH: usize>(&mut self, count: usize) -> Option<()> {
        let size = count.checked_mul(WIDTH)?;
        let start = self.read.advance(WIDTH, size)?;
        let (from, _) = self.from.get(start..start + size)?.as_chunks::<WIDTH>();
        let start = self.written.advance(WIDTH, size)?;
        let (to, _) = self
            .to
            .get_mut(start..start + size)?
            .as_chunks_mut::<WIDTH>();
        for (from, to) in from.iter().zip(to) {
            *to = *from;
            if self.is_swapped {
                to.reverse();
            }
        }
        Some(())
    }

    fn string(&mut self, bound: u32) -> Option<()> {
        let length = self.length()?;
        let start = self.read.advance(1, length)?;
        let octets = self.from.get(start..start + length)?;
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
        let start = self.written.advance(1, length)?;
        let to = self.to.get_mut(start..start + length)?;
        to.copy_from_slice(octets);
        Some(())
    }

    /// A sequence of primitives.
    fn sequence(&mut self, element: NodeIndex, bound: u32) -> Option<()> {
        let Plan::Run { count, width } = self.graph.layout(element).plan else {
            return None;
        };
        let length = self.length()?;
        if !self.may_nest || bound > 0 && length > bound as usize {
            return None;
        }
        match length {
            0 => Some(()),
            _ => self.run(Run { count, width }, length),
        }
    }

    /// Copies a length; which it is.
    fn length(&mut self) -> Option<usize> {
        let start = self.read.advance(4, 4)?;
        let octets = *self.from.get(start..)?.first_chunk::<4>()?;
        self.read.at = start;
        self.primitives::<4>(1)?;
        let length = u32::from_ne_bytes(octets);
        Some(match self.is_foreign {
            true => length.swap_bytes(),
            false => length,
        } as usize)
    }
}

/// Whether text is the same in all code sets, and holds nothing that none may hold. May
/// be called where it is not, but for no text that is.
fn is_ascii_without_nul(text: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // An octet's highest bit, or what is borrowed for a zero.
    let unusual = |word: u64| (word | word.wrapping_sub(ONES)) & HIGH;
    let Some(last) = text.last_chunk::<8>() else {
        return text.iter().all(|octet| (1..0x80).contains(octet));
    };
    let (words, _) = text.as_chunks::<8>();
    words
        .iter()
        .chain([last])
        .fold(0, |sum, word| sum | unusual(u64::from_ne_bytes(*word)))
        == 0
}
