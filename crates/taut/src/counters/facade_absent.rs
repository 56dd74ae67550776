//! Counters in an ORB without the feature `metrics`: nothing is counted.

#[inline(always)]
pub(super) fn add(_: &'static str, _: u64) {}

#[inline(always)]
pub(super) fn add_of(_: &'static str, _: &'static str, _: &'static str, _: u64) {}

/// Requests and replies, of which nothing is counted.
#[derive(Debug, Default)]
pub(super) struct Requests;

impl Requests {
    #[inline(always)]
    pub(super) fn note_request(&self) {}

    #[inline(always)]
    pub(super) fn note_reply(&self, _: usize) {}

    pub(super) fn note_reply_apart(&self, _: usize) {}

    pub(super) fn report(&self, _: u64) {}
}
