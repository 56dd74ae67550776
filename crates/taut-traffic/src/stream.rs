//! The octets of one direction of a TCP connection in their order.

use std::collections::BTreeMap;

use crate::Limits;

/// A piece of the stream, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'p> {
    /// Octets that came.
    Octets(&'p [u8]),
    /// So many octets are not in the capture.
    Gap(u64),
}

/// Puts segments in order: those that come too early wait, what comes twice is
/// dropped, what never comes is a gap.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The sequence number of the octet that comes next; none before the first
    /// segment.
    next: Option<u32>,
    /// How many octets came before it.
    position: u64,
    /// Segments that came too early, by their position.
    early: BTreeMap<u64, Vec<u8>>,
    early_octets: usize,
    /// Packets that came since octets are missing.
    patience_used: u32,
    /// Octets that came again.
    pub(crate) repeated_octets: u64,
    /// Segments that came too early.
    pub(crate) early_segments: u64,
    /// Octets that are not in the capture.
    pub(crate) missing_octets: u64,
}

impl Stream {
    /// Octets that wait for those before them.
    pub(crate) fn kept(&self) -> usize {
        self.early_octets
    }

    /// Whether no segment has come.
    pub(crate) fn is_new(&self) -> bool {
        self.next.is_none()
    }

    /// The connection begins: the octet after this number is the first.
    pub(crate) fn begin(&mut self, sequence: u32) {
        self.next = Some(sequence.wrapping_add(1));
    }

    /// Takes a segment's octets, and after them so many that were not captured.
    pub(crate) fn segment(
        &mut self,
        sequence: u32,
        octets: &[u8],
        cut: usize,
        limits: &Limits,
        piece: &mut impl FnMut(Piece<'_>),
    ) {
        let next = *self.next.get_or_insert(sequence);
        if octets.is_empty() && cut == 0 {
            return;
        }
        // Half of all numbers lie before the one that is awaited.
        let distance = i64::from(sequence.wrapping_sub(next) as i32);
        if distance <= 0 {
            let known = usize::try_from(-distance).unwrap_or(usize::MAX);
            let repeated = known.min(octets.len());
            // One octet before the next is how TCP asks whether the peer lives.
            if repeated > 0 && !(octets.len() == 1 && known == 1) {
                self.repeated_octets += repeated as u64;
            }
            self.deliver(&octets[repeated..], piece);
            let cut = (cut as u64).saturating_sub((known - repeated) as u64);
            self.skip(cut, piece);
        } else {
            let position = self.position + distance as u64;
            self.early_segments += 1;
            let kept = self.early.entry(position).or_default();
            if octets.len() > kept.len() {
                self.early_octets += octets.len() - kept.len();
                *kept = octets.to_vec();
            }
            self.patience_used += 1;
        }
        self.deliver_early(piece);
        if self.early_octets > limits.max_out_of_order
            || self.patience_used > limits.max_packets_out_of_order
        {
            self.give_up_one(piece);
        }
    }

    /// Hands over all that has come, whatever is missing.
    pub(crate) fn finish(&mut self, piece: &mut impl FnMut(Piece<'_>)) {
        while !self.early.is_empty() {
            self.give_up_one(piece);
        }
    }

    fn deliver(&mut self, octets: &[u8], piece: &mut impl FnMut(Piece<'_>)) {
        if octets.is_empty() {
            return;
        }
        self.advance(octets.len() as u64);
        piece(Piece::Octets(octets));
    }

    /// Octets that were not captured.
    fn skip(&mut self, count: u64, piece: &mut impl FnMut(Piece<'_>)) {
        if count > 0 {
            self.advance(count);
            self.missing_octets += count;
            piece(Piece::Gap(count));
        }
    }

    fn advance(&mut self, count: u64) {
        self.position += count;
        let next = self.next.unwrap_or_default();
        // Sequence numbers begin anew behind the highest.
        self.next = Some(next.wrapping_add(count as u32));
    }

    /// Delivers the octets that came too early and are now in their turn.
    fn deliver_early(&mut self, piece: &mut impl FnMut(Piece<'_>)) {
        while let Some(entry) = self.early.first_entry()
            && *entry.key() <= self.position
        {
            let (position, octets) = entry.remove_entry();
            self.early_octets -= octets.len();
            let known = usize::try_from(self.position - position).unwrap_or(usize::MAX);
            let repeated = known.min(octets.len());
            self.repeated_octets += repeated as u64;
            self.deliver(&octets[repeated..], piece);
            self.patience_used = 0;
        }
    }

    /// Gives up the octets in front of the first that came too early.
    fn give_up_one(&mut self, piece: &mut impl FnMut(Piece<'_>)) {
        if let Some((position, _)) = self.early.first_key_value() {
            let missing = position - self.position.min(*position);
            self.skip(missing, piece);
            self.patience_used = 0;
            self.deliver_early(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Shows the stream that segments make: octets, `?` for each that is missing.
    fn order(begin: Option<u32>, segments: &[(u32, &[u8], usize)], limits: &Limits) -> String {
        let mut stream = Stream::default();
        if let Some(sequence) = begin {
            stream.begin(sequence);
        }
        let mut text = String::new();
        let mut piece = |piece: Piece<'_>| match piece {
            Piece::Octets(octets) => text.push_str(std::str::from_utf8(octets).unwrap()),
            Piece::Gap(count) => text.extend(std::iter::repeat_n('?', count as usize)),
        };
        for (sequence, octets, cut) in segments {
            stream.segment(*sequence, octets, *cut, limits, &mut piece);
        }
        stream.finish(&mut piece);
        assert_eq!(stream.kept(), 0);
        text
    }

    #[test]
    fn segments_are_put_in_order() {
        let limits = Limits::DEFAULT;
        let read = |segments: &[(u32, &[u8], usize)]| order(Some(9), segments, &limits);
        assert_eq!(read(&[(10, b"abc", 0), (13, b"de", 0)]), "abcde");
        assert_eq!(read(&[(13, b"de", 0), (10, b"abc", 0)]), "abcde");
        assert_eq!(
            read(&[(10, b"abc", 0), (10, b"abcd", 0), (12, b"cde", 0)]),
            "abcde"
        );
        assert_eq!(read(&[(10, b"abc", 0), (15, b"fg", 0)]), "abc??fg");
        assert_eq!(read(&[(10, b"ab", 2), (14, b"ef", 0)]), "ab??ef");
        assert_eq!(read(&[(10, b"ab", 0), (11, b"b", 0), (12, b"c", 0)]), "abc");
        // Captured from the middle on.
        let middle = order(None, &[(500, b"xy", 0), (502, b"z", 0)], &limits);
        assert_eq!(middle, "xyz");
    }

    #[test]
    fn sequence_numbers_begin_anew() {
        let segments: &[(u32, &[u8], usize)] = &[(1, b"cd", 0), (u32::MAX, b"ab", 0)];
        assert_eq!(
            order(Some(u32::MAX - 1), segments, &Limits::DEFAULT),
            "abcd"
        );
    }

    #[test]
    fn missing_octets_are_not_waited_for_without_end() {
        let limits = Limits {
            max_out_of_order: 4,
            ..Limits::DEFAULT
        };
        let mut stream = Stream::default();
        stream.begin(0);
        let mut gaps = 0;
        let mut count = |piece: Piece<'_>| gaps += u64::from(matches!(piece, Piece::Gap(_)));
        stream.segment(2, b"bc", 0, &limits, &mut count);
        stream.segment(4, b"def", 0, &limits, &mut count);
        assert_eq!((stream.kept(), gaps), (0, 1));

        let limits = Limits {
            max_packets_out_of_order: 2,
            ..Limits::DEFAULT
        };
        let mut stream = Stream::default();
        stream.begin(0);
        let mut gaps = 0;
        let mut count = |piece: Piece<'_>| gaps += u64::from(matches!(piece, Piece::Gap(_)));
        for sequence in 2..5 {
            stream.segment(sequence, b"x", 0, &limits, &mut count);
        }
        assert_eq!((stream.kept(), gaps), (0, 1));
    }

    proptest! {
        #[test]
        fn any_order_with_repetitions_gives_the_stream(
            length in 1_usize..200,
            cuts in proptest::collection::vec((0_usize..200, 1_usize..40), 0..40),
            start in any::<u32>(),
        ) {
            let text: Vec<u8> = (0..length).map(|index| b'a' + (index % 26) as u8).collect();
            let mut stream = Stream::default();
            stream.begin(start);
            let mut found = Vec::new();
            let mut piece = |piece: Piece<'_>| match piece {
                Piece::Octets(octets) => found.extend_from_slice(octets),
                Piece::Gap(_) => panic!("nothing is missing"),
            };
            let first = start.wrapping_add(1);
            let limits = Limits::DEFAULT;
            for (from, size) in cuts {
                let from = from.min(length);
                let to = (from + size).min(length);
                let sequence = first.wrapping_add(from as u32);
                stream.segment(sequence, &text[from..to], 0, &limits, &mut piece);
            }
            stream.segment(first, &text, 0, &limits, &mut piece);
            stream.finish(&mut piece);
            prop_assert_eq!(found, text);
        }
    }
}
