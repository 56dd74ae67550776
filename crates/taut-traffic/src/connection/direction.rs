//! One direction of a connection: from segments to messages.

use crate::Limits;
use crate::capture::Segment;
use crate::joiner::Joiner;
use crate::splitter::{Found, Splitter};
use crate::stream::{Piece, Stream};

pub(super) struct Direction {
    pub(super) stream: Stream,
    pub(super) splitter: Splitter,
    pub(super) joiner: Joiner,
}

/// The messages and gaps that were found in the octets taken.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) found: Vec<Found>,
    /// How many octets each gap in the stream has.
    pub(super) gaps: Vec<u64>,
}

impl Direction {
    pub(super) fn new() -> Self {
        Self {
            stream: Stream::default(),
            splitter: Splitter::new(),
            joiner: Joiner::default(),
        }
    }

    /// Octets that are kept.
    pub(super) fn kept(&self) -> usize {
        self.stream.kept() + self.splitter.kept() + self.joiner.kept()
    }

    /// Takes a segment. Whether the other direction is GIOP helps where a
    /// capture begins in the middle.
    pub(super) fn segment(
        &mut self,
        segment: &Segment<'_>,
        is_giop: bool,
        limits: &Limits,
    ) -> Taken {
        if self.stream.is_new() && !segment.payload.is_empty() {
            self.splitter.begin_in_the_middle();
        }
        let mut taken = Taken::default();
        self.stream.segment(
            segment.sequence,
            segment.payload,
            segment.cut,
            limits,
            &mut |piece| taken.take(piece, &mut self.splitter, is_giop, limits),
        );
        taken
    }

    /// Nothing more will come.
    pub(super) fn finish(&mut self, is_giop: bool, limits: &Limits) -> Taken {
        let mut taken = Taken::default();
        self.stream
            .finish(&mut |piece| taken.take(piece, &mut self.splitter, is_giop, limits));
        self.splitter.finish(&mut taken.found);
        taken
    }
}

impl Taken {
    /// Hands a piece of a stream to its splitter.
    fn take(&mut self, piece: Piece<'_>, splitter: &mut Splitter, is_giop: bool, limits: &Limits) {
        match piece {
            Piece::Octets(octets) => splitter.octets(octets, is_giop, limits, &mut self.found),
            Piece::Gap(count) => {
                splitter.gap(count, &mut self.found);
                self.gaps.push(count);
            }
        }
    }
}
