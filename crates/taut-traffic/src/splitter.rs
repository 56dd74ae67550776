//! From the octets of one direction to its messages, whatever is wrong with
//! them.

use taut_explain::Preamble;
use taut_giop::message::HEADER_SIZE;

use crate::Limits;

/// How many octets are searched for a message where a capture begins in the
/// middle of a stream, before it is taken for something else than GIOP.
const SEARCH: u64 = 1 << 20;

/// An item that was found in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A message with its header.
    Message(Vec<u8>),
    /// The header of a message that is too large to be kept, or whose rest is
    /// missing.
    Head {
        /// The octets of the header.
        header: [u8; HEADER_SIZE],
        /// Why the rest is not there.
        why: Missing,
    },
    /// Octets where a message should begin, and that are none.
    NoMessage([u8; HEADER_SIZE]),
    /// So many octets were passed over in search of a message.
    Skipped(u64),
    /// The stream is not GIOP.
    Foreign,
}

/// Why only the header of a message is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is larger than the limit.
    TooLarge,
    /// The rest is not in the capture.
    NotCaptured,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    New,
    /// A message begins here.
    AtMessage,
    /// It is not known where a message begins; so many octets were searched.
    Lost(u64),
    /// The octets that come are not GIOP.
    Foreign,
}

/// Finds the messages in a stream that may have gaps.
#[derive(Debug)]
pub(crate) struct Splitter {
    state: State,
    buffer: Vec<u8>,
    /// Octets to be passed over: the rest of a message that is too large.
    pass_over: u64,
}

impl Splitter {
    /// A splitter for a stream whose first octet will come.
    pub(crate) fn new() -> Self {
        Self {
            state: State::New,
            buffer: Vec::new(),
            pass_over: 0,
        }
    }

    /// Octets of a message that is not whole.
    pub(crate) fn kept(&self) -> usize {
        self.buffer.len()
    }

    /// The capture begins in the middle of the stream.
    pub(crate) fn begin_in_the_middle(&mut self) {
        if self.state == State::New {
            self.state = State::Lost(0);
        }
    }

    /// How many octets in a row are being passed over: the rest of a message that is too
    /// large, as far as it is still to come, or what was searched for a message in vain.
    pub(crate) fn passed_over(&self) -> u64 {
        match self.state {
            State::Lost(searched) => searched,
            State::New | State::AtMessage | State::Foreign => self.pass_over,
        }
    }

    /// Whether a message has been found.
    pub(crate) fn is_giop(&self) -> bool {
        !matches!(self.state, State::New | State::Foreign)
    }

    /// Takes the octets that come next. `is_giop` says whether the other
    /// direction is known to be GIOP.
    pub(crate) fn octets(
        &mut self,
        mut octets: &[u8],
        is_giop: bool,
        limits: &Limits,
        found: &mut Vec<Found>,
    ) {
        if self.state == State::Foreign {
            return;
        }
        if self.pass_over > 0 {
            let passed = usize::try_from(self.pass_over).unwrap_or(usize::MAX);
            let passed = passed.min(octets.len());
            self.pass_over -= passed as u64;
            octets = &octets[passed..];
        }
        self.buffer.extend_from_slice(octets);
        let mut start = 0;
        while start < self.buffer.len() {
            match self.step(start, is_giop, limits, found) {
                Progress::NeedMore => break,
                Progress::Done(count) => start += count,
            }
        }
        if self.state == State::Foreign {
            self.buffer = Vec::new();
            return;
        }
        self.buffer.drain(..start.min(self.buffer.len()));
    }

    /// So many octets are missing.
    pub(crate) fn gap(&mut self, count: u64, found: &mut Vec<Found>) {
        if matches!(self.state, State::New | State::Foreign) {
            self.begin_in_the_middle();
            return;
        }
        if self.pass_over >= count {
            self.pass_over -= count;
            return;
        }
        if self.pass_over > 0 {
            self.lose();
            return;
        }
        let header = self.buffer.first_chunk::<HEADER_SIZE>().copied();
        match header {
            Some(header) if self.state == State::AtMessage => {
                let preamble = Preamble::new(&header);
                let missing = preamble
                    .total_size()
                    .saturating_sub(self.buffer.len() as u64);
                found.push(Found::Head {
                    header,
                    why: Missing::NotCaptured,
                });
                self.buffer.clear();
                if missing >= count {
                    // The gap lies within the message, whose end is known.
                    self.pass_over = missing - count;
                } else {
                    self.lose();
                }
            }
            _ => self.lose(),
        }
    }

    /// Reports the octets that are left at the end: octets of a message that is not whole.
    pub(crate) fn finish(&mut self, found: &mut Vec<Found>) {
        if self.state == State::AtMessage
            && let Some(header) = self.buffer.first_chunk::<HEADER_SIZE>()
        {
            found.push(Found::Head {
                header: *header,
                why: Missing::NotCaptured,
            });
        } else if self.state == State::AtMessage && !self.buffer.is_empty() {
            found.push(Found::Skipped(self.buffer.len() as u64));
        }
        self.buffer = Vec::new();
    }

    fn lose(&mut self) {
        self.state = State::Lost(0);
        self.buffer.clear();
        self.pass_over = 0;
    }

    /// Looks at the octets from `start` on.
    fn step(
        &mut self,
        start: usize,
        is_giop: bool,
        limits: &Limits,
        found: &mut Vec<Found>,
    ) -> Progress {
        let octets = &self.buffer[start..];
        match self.state {
            State::Foreign => Progress::Done(octets.len()),
            State::Lost(searched) => self.search(start, searched, is_giop, found),
            State::New if may_begin(octets) && octets.len() < 4 => Progress::NeedMore,
            State::New if may_begin(octets) || is_giop => {
                self.state = State::AtMessage;
                Progress::Done(0)
            }
            State::New => {
                self.state = State::Foreign;
                found.push(Found::Foreign);
                Progress::Done(octets.len())
            }
            State::AtMessage => {
                let Some(header) = octets.first_chunk::<HEADER_SIZE>() else {
                    return Progress::NeedMore;
                };
                let header = *header;
                let preamble = Preamble::new(&header);
                if !preamble.is_giop() && !preamble.is_compressed() {
                    found.push(Found::NoMessage(header));
                    self.state = State::Lost(1);
                    // Where no message begins one may begin an octet further on.
                    return Progress::Done(1);
                }
                let total = preamble.total_size();
                let there = octets.len() as u64;
                if total > limits.max_message_size as u64 {
                    let why = Missing::TooLarge;
                    found.push(Found::Head { header, why });
                    self.pass_over = total.saturating_sub(there);
                    return Progress::Done(octets.len().min(total as usize));
                }
                match octets.get(..total as usize) {
                    Some(message) => {
                        found.push(Found::Message(message.to_vec()));
                        Progress::Done(message.len())
                    }
                    None => Progress::NeedMore,
                }
            }
        }
    }

    /// Looks for the next message.
    fn search(
        &mut self,
        start: usize,
        searched: u64,
        is_giop: bool,
        found: &mut Vec<Found>,
    ) -> Progress {
        let octets = &self.buffer[start..];
        let candidate = (0..octets.len()).find(|at| {
            let rest = &octets[*at..];
            // Octets that are fewer than a header has may become one.
            may_begin(rest)
                && rest
                    .first_chunk()
                    .is_none_or(|header| Preamble::new(header).is_plausible())
        });
        let skipped = candidate.unwrap_or(octets.len());
        let is_whole = octets.len() - skipped >= HEADER_SIZE;
        let searched = searched + skipped as u64;
        if candidate.is_some() && is_whole {
            if searched > 0 {
                found.push(Found::Skipped(searched));
            }
            self.state = State::AtMessage;
            return Progress::Done(skipped);
        }
        self.state = State::Lost(searched);
        if searched > SEARCH && !is_giop {
            self.state = State::Foreign;
            found.push(Found::Foreign);
        }
        match skipped {
            0 => Progress::NeedMore,
            _ => Progress::Done(skipped),
        }
    }
}

/// The outcome of a look at the octets.
enum Progress {
    /// So many are done with.
    Done(usize),
    /// More must come first.
    NeedMore,
}

/// Whether a message may begin with these octets, as many as there are. Cheap where not,
/// for each octet that is passed over is asked.
fn may_begin(octets: &[u8]) -> bool {
    match octets {
        [b'G' | b'Z', b'I', b'O', b'P', ..] | [] => true,
        [b'G' | b'Z', rest @ ..] if rest.len() < 3 => b"IOP".starts_with(rest),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CancelRequest.
    const MESSAGE: &[u8] = b"GIOP\x01\x02\x01\x02\x04\0\0\0\x07\0\0\0";

    /// Splits octets, and checks that the items are the same however the octets are cut.
    fn split(octets: &[u8], middle: bool, is_giop: bool) -> Vec<Found> {
        let whole = in_pieces(octets, octets.len(), middle, is_giop);
        for size in 1..octets.len() {
            assert_eq!(in_pieces(octets, size, middle, is_giop), whole, "by {size}");
        }
        whole
    }

    fn in_pieces(octets: &[u8], size: usize, middle: bool, is_giop: bool) -> Vec<Found> {
        let mut splitter = Splitter::new();
        if middle {
            splitter.begin_in_the_middle();
        }
        let mut found = Vec::new();
        for piece in octets.chunks(size.max(1)) {
            splitter.octets(piece, is_giop, &Limits::DEFAULT, &mut found);
        }
        splitter.finish(&mut found);
        assert_eq!(splitter.kept(), 0);
        found
    }

    fn message() -> Found {
        Found::Message(MESSAGE.to_vec())
    }

    fn head(why: Missing) -> Found {
        Found::Head {
            header: *MESSAGE.first_chunk().unwrap(),
            why,
        }
    }

    #[test]
    fn messages_are_found_from_the_start_and_from_the_middle() {
        let two = [MESSAGE, MESSAGE].concat();
        assert_eq!(split(&two, false, false), [message(), message()]);
        let middle = [b"tail of another GIO".as_slice(), MESSAGE].concat();
        assert_eq!(split(&middle, true, false), [Found::Skipped(19), message()]);
        assert_eq!(
            split(&MESSAGE[..14], false, false),
            [head(Missing::NotCaptured)]
        );
    }

    #[test]
    fn what_is_no_giop_is_left_alone_unless_the_other_side_speaks_it() {
        let http = b"GET / HTTP/1.1\r\n\r\n";
        assert_eq!(split(http, false, false), [Found::Foreign]);
        let wrong = [b"GIOQ\x01\x02\x01\x02\x04\0\0\0", MESSAGE].concat();
        assert_eq!(
            split(&wrong, false, true),
            [
                Found::NoMessage(*wrong.first_chunk().unwrap()),
                Found::Skipped(12),
                message()
            ]
        );
    }

    #[test]
    fn a_gap_within_a_message_costs_that_message_alone() {
        let mut splitter = Splitter::new();
        let mut found = Vec::new();
        let limits = Limits::DEFAULT;
        splitter.octets(&MESSAGE[..13], false, &limits, &mut found);
        splitter.gap(2, &mut found);
        splitter.octets(
            &[&MESSAGE[15..], MESSAGE].concat(),
            false,
            &limits,
            &mut found,
        );
        assert_eq!(found, [head(Missing::NotCaptured), message()]);
    }

    #[test]
    fn a_message_beyond_the_limit_is_passed_over() {
        let limits = Limits {
            max_message_size: 15,
            ..Limits::DEFAULT
        };
        for cut in 12..MESSAGE.len() {
            let mut splitter = Splitter::new();
            let mut found = Vec::new();
            splitter.octets(&MESSAGE[..cut], false, &limits, &mut found);
            let close = b"GIOP\x01\x02\x00\x05\0\0\0\0";
            let rest = [&MESSAGE[cut..], close].concat();
            splitter.octets(&rest, false, &limits, &mut found);
            let expected = [head(Missing::TooLarge), Found::Message(close.to_vec())];
            assert_eq!(found, expected);
        }
    }
}
