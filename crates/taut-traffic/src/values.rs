//! PLACEHOLDER
use crate::{Limits, Message};
use taut_cdr::Realignment;
use taut_giop::explain::Preamble;
/// Ops.
#[derive(Debug, Clone, Default)]
pub struct Interfaces;
pub(crate) enum Kind {
    Arguments,
    Results,
    Exception(String),
}
pub(crate) struct Question<'q> {
    pub(crate) operation: &'q str,
    pub(crate) kind: Kind,
    pub(crate) preamble: &'q Preamble,
    pub(crate) bytes: &'q [u8],
    pub(crate) realignments: &'q [Realignment],
    pub(crate) offset: Option<usize>,
    pub(crate) code_sets: Option<(u32, u32)>,
    pub(crate) is_successful: bool,
}
impl Interfaces {
    /// New.
    pub fn new(_m: &taut_idl::Model) -> Self {
        Self
    }

    pub(crate) fn explain(&self, _q: &Question<'_>, _l: &Limits, _m: &mut Message) {}
}
